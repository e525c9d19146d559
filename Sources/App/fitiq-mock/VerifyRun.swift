import FitIQAPI
import MockServer
import Recording
import Reports
import Scenarios
import Sockets
import Text

/// Runs a command in one scenario after the other, each in a world of its own.
struct VerifyRun {
    let command: [String]
    /// How long the command may take each time.
    let limit: Duration
    /// nil says nothing.
    let progress: VerifyProgress?
    let server: LocalServer
    let watch: CommandWatch

    /// How long an ended command is given between SIGTERM and SIGKILL.
    static let grace = Duration.seconds(2)
    /// How long what a command sent at last may take to arrive, once it has ended.
    private static let settlingTime = Duration.milliseconds(250)
    /// Nothing has arrived for as long when everything has.
    private static let quietTime = Duration.milliseconds(20)

    /// Runs the command, and has its client judged.
    func run(_ scenario: Scenario, named name: String, index: Int) throws(Failure) -> Report.Run {
        let world = try Harness.perform(server) { engine, now in
            try engine.makeWorld(scenario, guide: nil, seed: nil, clock: nil, judged: true, at: now)
        }
        let start = MonotonicInstant.now()
        var traffic = Traffic()
        progress?.begins(index, name)
        let child: ChildProcess
        do throws(ChildProcessError) {
            child = try ChildProcess(
                command,
                environment: CurrentProcess.environment(
                    with: Harness.environment(of: world, on: server, scenario: scenario.name)))
        } catch {
            // The command is as it was typed.
            throw .configuration(error.description + ".")
        }
        let event: CommandWatch.Event
        do throws(Failure) {
            event = try watch.wait(for: child, until: start.advanced(by: limit)) {
                guard let progress else { return }
                count(&traffic, in: world)
                progress.goesOn(index, name, after: start.duration(to: .now()), traffic)
            }
            if case .ended = event { try settle(world) }
        } catch {
            end(child)
            throw error
        }
        let duration = start.duration(to: .now())
        if case .signal(let number) = event {
            end(child)
            progress?.isInterrupted()
            throw .interrupted(by: number)
        }
        // Before it is made to end: how it is cut off is not the client's doing.
        let (judgement, replay) = try Harness.perform(server) { engine, now in
            (engine.judgement(ofWorld: world.id, at: now), engine.replayOutcome(ofWorld: world.id))
        }
        count(&traffic, in: world)
        let outcome = Report.CommandOutcome(end(child), isTimeUp: event == .timeUp, limit: limit)
        _ = try Harness.perform(server) { engine, now in engine.deleteWorld(world.id, at: now) }
        progress?.ends(index, name, outcome, after: duration, traffic)
        guard let judgement else { throw .running(Messages.worldIsGone(name)) }
        return Report.Run(
            scenario: name, mode: world.mode, command: outcome, duration: duration.nanoseconds, startedAt: world.now,
            hasConnected: judgement.hasConnected, verdicts: judgement.verdicts, exposures: judgement.exposures,
            checks: replay.flatMap(Self.check).map { [$0] } ?? [], missedCount: judgement.missedCount)
    }

    /// Ends the command, with all that it started.
    @discardableResult
    private func end(_ child: ChildProcess) -> ChildProcess.Outcome {
        let outcome = child.end(grace: Self.grace)
        if child.leavesProcesses { FitIQMock.printError(Messages.processesLeft) }
        return outcome
    }

    /// The address of the check that a session is followed.
    static let strictReplay = "replay/strict"

    /// What a session asks of a client where it is played back strictly; nil where it is not.
    private static func check(_ outcome: Engine.ReplayOutcome) -> Report.Check? {
        guard outcome.isStrict else { return nil }
        return Report.Check(
            address: strictReplay, clause: Messages.strictReplay, failures: outcome.failures,
            notes: [outcome.report.summary])
    }

    /// Lets arrive what the command sent before it ended.
    private func settle(_ world: Engine.WorldAccess) throws(Failure) {
        let deadline = MonotonicInstant.now().advanced(by: Self.settlingTime)
        var activity: UInt64?
        while MonotonicInstant.now() < deadline {
            let seen = try Harness.perform(server) { engine, _ in engine.activity(ofWorld: world.id) }
            if seen == activity { return }
            activity = seen
            let pause = MonotonicInstant.now().advanced(by: Self.quietTime)
            if case .signal(let number) = try watch.wait(until: min(pause, deadline)) {
                throw .interrupted(by: number)
            }
        }
    }

    /// Counts what came in since it was counted last; what the journal has lost meanwhile is not.
    private func count(_ traffic: inout Traffic, in world: Engine.WorldAccess) {
        let last = traffic.lastNumber
        // Progress is not worth ending a run for.
        guard
            let counted = try? server.performAndWait({ engine, _ in
                var traffic = Traffic(lastNumber: last)
                for entry in engine.journalEntries(ofWorld: world.id, after: last) { traffic.count(entry) }
                return traffic
            })
        else { return }
        traffic.add(counted)
    }
}

/// What went between a world and its clients.
struct Traffic: Sendable, Equatable {
    var lastNumber = 0
    var requests = 0
    var frames = 0

    mutating func count(_ entry: JournalEntry) {
        lastNumber = entry.number
        switch entry.event.kind {
        case .exchange, .opened: requests += 1
        case .frame: frames += 1
        case .closed, .fault, .clock, .note: break
        }
    }

    mutating func add(_ later: Traffic) {
        lastNumber = later.lastNumber
        requests += later.requests
        frames += later.frames
    }
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
