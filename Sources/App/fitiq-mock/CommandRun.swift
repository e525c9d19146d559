import CLibrary
import FitIQAPI
import Judging
import MockServer
import Scenarios
import Sockets

/// Runs a command in a scenario, in its own world; callable from several threads at once.
struct CommandRun: Sendable {
    var child: CommandChild
    let server: LocalServer

    init(command: [String], limit: Duration, server: LocalServer, stop: Gate, showsOutputAtEnd: Bool = false) {
        child = CommandChild(command: command, limit: limit, stop: stop, showsOutputAtEnd: showsOutputAtEnd)
        self.server = server
    }

    /// A command's end, and the traffic of its world.
    struct Outcome<Seen: Sendable> {
        let world: Engine.WorldAccess
        let ending: Report.CommandOutcome
        let duration: Duration
        let seen: Seen
    }

    /// Runs the command in a new world, which is deleted at the end.
    ///
    /// - Parameters:
    ///   - name: What is in front of the lines that it writes, if others run beside it; nil for the scenario's name.
    ///   - isJudged: Whether the world judges its client.
    ///   - tick: Called about once a second while the command runs, with how long it has.
    ///   - see: Looks at the world before the command is ended: how it is cut off is not the client's doing.
    /// - Returns: Nil if it was stopped.
    func run<Seen: Sendable>(
        _ scenario: Scenario, named name: String? = nil, isJudged: Bool = true,
        streams: ChildProcess.Streams = .ofClient,
        everySecond tick: (Engine.WorldAccess, Duration) -> Void = { _, _ in },
        seeing see: @escaping @Sendable (Engine, Engine.WorldAccess, Timestamp) -> Seen
    ) throws(Failure) -> Outcome<Seen>? {
        let world = try Harness.perform(server) { engine, now in
            try engine.makeWorld(scenario, guide: nil, seed: nil, clock: nil, judged: isJudged, at: now)
        }
        // The world may be gone, and the server with it.
        defer { _ = try? Harness.perform(server) { engine, now in engine.deleteWorld(world.id, at: now) } }
        let done = try child.run(
            in: Harness.environment(of: world, scenario: scenario.name), named: name ?? scenario.name,
            streams: streams,
            activity: { () throws(Failure) in
                try Harness.perform(server) { engine, _ in engine.activity(ofWorld: world.id) }
            },
            everySecond: { tick(world, $0) },
            seeing: { () throws(Failure) in
                try Harness.perform(server) { engine, now in see(engine, world, now) }
            })
        return done.map { Outcome(world: world, ending: $0.ending, duration: $0.duration, seen: $0.seen) }
    }
}

/// A command that runs in a world, wherever that is.
struct CommandChild: Sendable {
    var command: [String]
    var limit: Duration
    /// Ends it once it is open.
    let stop: Gate
    /// How long nothing may arrive from it once something has; nil for as long as its limit.
    var silence: Duration?
    /// When everything has to be over; nil for never.
    var end: MonotonicInstant?
    /// Called when something has arrived from it.
    var whenBegun: @Sendable () -> Void = {}
    /// Whether to keep its output until its end, because others run concurrently.
    let showsOutputAtEnd: Bool
    /// The time between SIGTERM and SIGKILL for a command that must end.
    static let grace = Duration.seconds(2)
    /// The longest wait for the last bytes of a command that has ended.
    private static let settlingTime = Duration.milliseconds(250)
    /// If nothing arrives for this long, everything has arrived.
    private static let quietTime = Duration.milliseconds(20)
    /// How often it looks whether it must stop.
    private static let lookTime = Duration.milliseconds(50)

    /// - Parameters:
    ///   - variables: The additional environment.
    ///   - name: What is in front of the lines that it writes, if others run beside it.
    ///   - activity: Grows with what arrives in the world: it is asked after the command has exited, until it stays.
    ///   - tick: Called about once a second while the command runs, with how long it has.
    ///   - see: Looks at the world before the command is ended.
    /// - Returns: Nil if it was stopped.
    func run<Seen>(
        in variables: [(name: String, value: String)], named name: String,
        streams: ChildProcess.Streams = .ofClient,
        activity: () throws(Failure) -> UInt64, everySecond tick: (Duration) -> Void = { _ in },
        seeing see: () throws(Failure) -> Seen
    ) throws(Failure) -> (ending: Report.CommandOutcome, duration: Duration, seen: Seen)? {
        let start = MonotonicInstant.now()
        let output = showsOutputAtEnd ? try CommandOutput(of: name) : nil
        // The command is as it was typed.
        let child = try orFailure(
            try ChildProcess(
                command, environment: CurrentProcess.environment(with: variables), streams: output?.streams ?? streams)
        ) { (error: ChildProcessError) in
            .configuration(error.description + ".")
        }
        let end: End
        do throws(Failure) {
            end = try wait(for: child, since: start, activity, everySecond: tick)
        } catch {
            self.end(child)
            throw error
        }
        guard end != .stopped else {
            self.end(child)
            output?.show()
            return nil
        }
        let seen: Seen
        do throws(Failure) {
            if end == .exited { try settle(activity) }
            seen = try see()
        } catch {
            self.end(child)
            throw error
        }
        let duration = start.duration(to: .now())
        let ending = self.end(child)
        output?.show()
        return (Report.CommandOutcome(ending, isTimeUp: end == .timeUp, limit: limit), duration, seen)
    }

    private enum End { case exited, timeUp, stopped }

    /// Waits for the command's end, its time limit, or the order to stop; calls a function once a second meanwhile.
    private func wait(
        for child: ChildProcess, since start: MonotonicInstant, _ activity: () throws(Failure) -> UInt64,
        everySecond tick: (Duration) -> Void
    ) throws(Failure) -> End {
        let deadline = start.advanced(by: limit)
        // The last input and its time.
        var (seen, seenAt) = (try silence == nil ? 0 : activity(), MonotonicInstant?.none)
        var nextTick = start.advanced(by: .seconds(1))
        while true {
            let now = MonotonicInstant.now()
            if child.wait(until: min(deadline, nextTick, now.advanced(by: Self.lookTime))) != nil { return .exited }
            if stop.wait(until: now) { return .stopped }
            if deadline <= .now() { return .timeUp }
            // A run this old counts as at its limit.
            if let end, end <= .now() { return start.advanced(by: limit / 2) <= end ? .timeUp : .stopped }
            if let silence {
                let activity = try activity()
                if activity != seen {
                    (seen, seenAt) = (activity, now)
                    whenBegun()
                } else if let seenAt, seenAt.advanced(by: silence) <= now {
                    return .timeUp
                }
            }
            if nextTick <= .now() {
                tick(start.duration(to: .now()))
                nextTick = nextTick.advanced(by: .seconds(1))
            }
        }
    }

    @discardableResult
    private func end(_ child: ChildProcess) -> ChildProcess.Outcome {
        let outcome = child.end(grace: Self.grace)
        if child.leavesProcesses { FitIQMock.printError(Messages.processesLeft) }
        return outcome
    }

    /// Waits for the command's last requests.
    private func settle(_ activity: () throws(Failure) -> UInt64) throws(Failure) {
        let deadline = MonotonicInstant.now().advanced(by: Self.settlingTime)
        var last: UInt64?
        while MonotonicInstant.now() < deadline {
            let seen = try activity()
            if seen == last { return }
            last = seen
            if stop.wait(until: min(.now().advanced(by: Self.quietTime), deadline)) { return }
        }
    }
}

extension ChildProcess.Streams {
    /// A client's output goes to standard error; standard output has only the report.
    static let ofClient = Self(output: .descriptor(STDERR_FILENO))
}

extension Report.CommandOutcome {
    init(_ outcome: ChildProcess.Outcome, isTimeUp: Bool, limit: Duration) {
        self =
            switch outcome {
            case _ where isTimeUp: .timedOut(limit.nanoseconds)
            case .exited(let status): .exited(status)
            case .signalled(let number): .signalled(number)
            }
    }
}
