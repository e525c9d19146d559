import CLibrary
import FitIQAPI
import Judging
import MockServer
import Scenarios
import Sockets

/// Runs a command against a scenario, in a world of its own; several threads may do so at once.
struct CommandRun: Sendable {
    var child: CommandChild
    let server: LocalServer

    init(command: [String], limit: Duration, server: LocalServer, stop: Gate, showsOutputAtEnd: Bool = false) {
        child = CommandChild(command: command, limit: limit, stop: stop, showsOutputAtEnd: showsOutputAtEnd)
        self.server = server
    }

    /// How a command ended, and what was seen in its world.
    struct Outcome<Seen: Sendable> {
        let world: Engine.WorldAccess
        let ending: Report.CommandOutcome
        let duration: Duration
        let seen: Seen
    }

    /// Runs the command in a new world and deletes the world at the end.
    ///
    /// - Parameters:
    ///   - name: the prefix for the command's output lines if others run at the same time, or nil for the scenario's
    ///     name.
    ///   - isJudged: whether the world judges its client.
    ///   - tick: called about once a second while the command runs, with how long it has been running.
    ///   - see: looks at the world before the command is ended, because the client is not responsible for how the
    ///     command is ended.
    /// - Returns: nil if the run was stopped.
    func run<Seen: Sendable>(
        _ scenario: Scenario, named name: String? = nil, isJudged: Bool = true,
        streams: ChildProcess.Streams = .ofClient,
        everySecond tick: (Engine.WorldAccess, Duration) -> Void = { _, _ in },
        seeing see: @escaping @Sendable (Engine, Engine.WorldAccess, Timestamp) -> Seen
    ) throws(Failure) -> Outcome<Seen>? {
        let world = try Harness.perform(server) { try $0.makeWorld(scenario, judged: isJudged, at: $1) }
        // The world may be gone, or even the server.
        defer { _ = try? Harness.perform(server) { engine, now in engine.deleteWorld(world.id, at: now) } }
        let done = try child.run(
            in: Harness.environment(of: world, scenario: scenario.name), named: name ?? scenario.name, streams: streams,
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

/// A command that runs in a world on any server.
struct CommandChild: Sendable {
    var command: [String]
    var limit: Duration
    /// Opening this gate ends the command.
    let stop: Gate
    /// How long the command may go without sending anything once it has begun to send, or nil for its whole limit.
    var silence: Duration?
    /// When the run must be finished, or nil for no limit.
    var end: MonotonicInstant?
    /// Called when the command has sent something.
    var whenBegun: @Sendable () -> Void = {}
    /// Whether to hold back the output until the end, because other commands run at the same time.
    let showsOutputAtEnd: Bool
    /// The time between SIGTERM and SIGKILL when a command must end.
    static let grace = Duration.seconds(2)
    /// How long to wait for the last bytes of a command that has ended.
    private static let settlingTime = Duration.milliseconds(250)
    /// If nothing arrives for this long, everything is assumed to have arrived.
    private static let quietTime = Duration.milliseconds(20)
    /// How often to check whether to stop.
    private static let lookTime = Duration.milliseconds(50)

    /// Runs the command.
    ///
    /// - Parameters:
    ///   - variables: environment variables to add.
    ///   - name: the prefix for the command's output lines if others run at the same time.
    ///   - activity: a number that grows as traffic arrives in the world. After the command has exited, the number is
    ///     read until it stops changing.
    ///   - tick: called about once a second while the command runs, with how long it has been running.
    ///   - see: looks at the world before the command is ended.
    /// - Returns: nil if the run was stopped.
    func run<Seen>(
        in variables: [(name: String, value: String)], named name: String, streams: ChildProcess.Streams = .ofClient,
        activity: () throws(Failure) -> UInt64, everySecond tick: (Duration) -> Void = { _ in },
        seeing see: () throws(Failure) -> Seen
    ) throws(Failure) -> (ending: Report.CommandOutcome, duration: Duration, seen: Seen)? {
        let start = MonotonicInstant.now()
        let output = showsOutputAtEnd ? try CommandOutput(of: name) : nil
        // This is the command as the user typed it.
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

    /// Waits until the command exits, reaches its time limit or must stop, and calls a function once a second.
    private func wait(
        for child: ChildProcess, since start: MonotonicInstant, _ activity: () throws(Failure) -> UInt64,
        everySecond tick: (Duration) -> Void
    ) throws(Failure) -> End {
        let deadline = start.advanced(by: limit)
        // The last activity and when it was seen.
        var (seen, seenAt) = (try silence == nil ? 0 : activity(), MonotonicInstant?.none)
        var nextTick = start.advanced(by: .seconds(1))
        while true {
            let now = MonotonicInstant.now()
            if child.wait(until: min(deadline, nextTick, now.advanced(by: Self.lookTime))) != nil { return .exited }
            if stop.wait(until: now) { return .stopped }
            if deadline <= .now() { return .timeUp }
            // A run that has already used half of its limit counts as timed out.
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
    /// A client's output goes to standard error, because standard output contains only the report.
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
