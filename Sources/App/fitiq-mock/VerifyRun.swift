import FitIQAPI
import JSON
import Judging
import MockServer
import Scenarios
import Sockets
import Text
import Traffic

/// Runs a command in a scenario, in a world of its own; callable from several threads at once.
struct VerifyRun: Sendable {
    let command: [String]
    let limit: Duration
    /// Whether the command's output is kept until it has ended, because others run beside it.
    let showsOutputAtEnd: Bool
    /// Keeps the journals of all runs; nil unless a page shows them.
    let journal: ReportJournal?
    /// nil for no output.
    let progress: JobProgress?
    let server: LocalServer
    /// Ends all commands once it is open.
    let stop: Gate
    /// The time between SIGTERM and SIGKILL for a command that must end.
    static let grace = Duration.seconds(2)
    /// The longest wait for the last bytes of a command that has ended.
    private static let settlingTime = Duration.milliseconds(250)
    /// If nothing arrives for this long, everything has arrived.
    private static let quietTime = Duration.milliseconds(20)
    /// How often it looks whether it must stop.
    private static let lookTime = Duration.milliseconds(50)

    /// - Returns: Nil if it was stopped.
    func run(_ scenario: Scenario, named name: String, index: Int) throws(Failure) -> Report.Run? {
        let world = try Harness.perform(server) { engine, now in
            try engine.makeWorld(scenario, guide: nil, seed: nil, clock: nil, judged: true, at: now)
        }
        let start = MonotonicInstant.now()
        var traffic = Traffic()
        progress?.say(index, name, Messages.commandRuns)
        let environment = CurrentProcess.environment(
            with: Harness.environment(of: world, on: server, scenario: scenario.name))
        let output = showsOutputAtEnd ? try CommandOutput() : nil
        // The command is as it was typed.
        let child = try orFailure(
            try ChildProcess(command, environment: environment, streams: output?.streams ?? .init())
        ) { (error: ChildProcessError) in
            .configuration(error.description + ".")
        }
        let end: End
        do throws(Failure) {
            end = wait(for: child, since: start) {
                guard let progress else { return }
                count(&traffic, in: world)
                let seconds = start.duration(to: .now()).components.seconds
                progress.say(index, name, "\(seconds) s, \(traffic.inWords)", passingAfter: seconds)
            }
            if end == .exited { try settle(world) }
        } catch {
            self.end(child)
            throw error
        }
        let duration = start.duration(to: .now())
        if end == .stopped {
            self.end(child)
            output?.show()
            progress?.isInterrupted()
            return nil
        }
        // Before the command is ended: how it is cut off is not the client's doing.
        let (judgement, replay) = try Harness.perform(server) { engine, now in
            (engine.judgement(ofWorld: world.id, at: now), engine.replayOutcome(ofWorld: world.id))
        }
        count(&traffic, in: world)
        let outcome = Report.CommandOutcome(self.end(child), isTimeUp: end == .timeUp, limit: limit)
        if let journal {
            let entries = try Harness.perform(server) { engine, _ in engine.journalEntries(ofWorld: world.id) }
            for entry in entries { journal.append(entry, of: name) }
        }
        _ = try Harness.perform(server) { engine, now in engine.deleteWorld(world.id, at: now) }
        output?.show()
        let how = Messages.commandEnded(outcome, tenths: duration.nanoseconds / 100_000_000)
        progress?.say(index, name, "\(how), \(traffic.inWords)")
        guard let judgement else { throw .running(Messages.worldIsGone(name)) }
        return Report.Run(
            scenario: name, mode: world.mode, command: outcome, duration: duration.nanoseconds, startedAt: world.now,
            hasConnected: judgement.hasConnected, verdicts: judgement.verdicts, exposures: judgement.exposures,
            coverage: judgement.coverage, checks: replay.flatMap(Self.check).map { [$0] } ?? [],
            missedCount: judgement.missedCount)
    }

    private enum End { case exited, timeUp, stopped }

    /// Waits for the command's end, its time limit, or the order to stop; calls a function once a second meanwhile.
    private func wait(
        for child: ChildProcess, since start: MonotonicInstant, everySecond tick: () -> Void
    ) -> End {
        let deadline = start.advanced(by: limit)
        var nextTick = start.advanced(by: .seconds(1))
        while true {
            let now = MonotonicInstant.now()
            if child.wait(until: min(deadline, nextTick, now.advanced(by: Self.lookTime))) != nil { return .exited }
            if stop.wait(until: now) { return .stopped }
            if deadline <= .now() { return .timeUp }
            if nextTick <= .now() {
                tick()
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

    static let strictReplay = "replay/strict"

    /// The check of a strictly replayed session; nil for other sessions.
    private static func check(_ outcome: Engine.ReplayOutcome) -> Report.Check? {
        guard outcome.isStrict else { return nil }
        return Report.Check(
            address: strictReplay, clause: Messages.strictReplay, failures: outcome.failures,
            notes: [outcome.report.summary])
    }

    /// Waits for what the command sent before it ended.
    private func settle(_ world: Engine.WorldAccess) throws(Failure) {
        let deadline = MonotonicInstant.now().advanced(by: Self.settlingTime)
        var activity: UInt64?
        while MonotonicInstant.now() < deadline {
            let seen = try Harness.perform(server) { engine, _ in engine.activity(ofWorld: world.id) }
            if seen == activity { return }
            activity = seen
            if stop.wait(until: min(.now().advanced(by: Self.quietTime), deadline)) { return }
        }
    }

    /// Counts the journal's new entries; entries that it has already dropped are not counted.
    private func count(_ traffic: inout Traffic, in world: Engine.WorldAccess) {
        // Progress is not worth ending a run for.
        let counted = try? server.performAndWait { [traffic] engine, _ in
            var traffic = traffic
            for entry in engine.journalEntries(ofWorld: world.id, after: traffic.lastNumber) { traffic.count(entry) }
            return traffic
        }
        traffic = counted ?? traffic
    }
}

struct Traffic: Sendable, Equatable {
    var lastNumber = 0
    var requests = 0
    var frames = 0

    /// `1 request, 40 frames`.
    var inWords: String { "\(Words.counted(requests, "request")), \(Words.counted(frames, "frame"))" }

    mutating func count(_ entry: JournalEntry) {
        lastNumber = entry.number
        switch entry.event.kind {
        case .exchange, .opened: requests += 1
        case .frame: frames += 1
        case .closed, .fault, .clock, .note, .held, .released: break
        }
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

/// The scenarios that a command is run with: all are read and validated before the first run.
struct VerifyPlan: Sendable {
    let scenarios: [Scenario]
    /// Their names in reports, all different.
    let names: [String]

    init(names: [String], all: Bool, guide: String?, seed: UInt64?) throws(Failure) {
        let mode: GuideMode? = try Settings.choice(guide, of: "--guide")
        var sources: [ScenarioSource] = all ? Scenario.builtInSummaries.map { .builtIn($0.name) } : []
        for name in names {
            let source = try ScenarioSource(name)
            if !sources.contains(source) { sources.append(source) }
        }
        if sources.isEmpty { sources = [.builtIn(Scenario.defaultName)] }
        var scenarios: [Scenario] = []
        for source in sources {
            let plan = ScenarioPlan(source: source, seed: seed, guide: mode)
            let scenario = try plan.load()
            var configuration = Engine.Configuration()
            configuration.adopt(scenario)
            if let failure = try plan.troubleWithData(of: configuration) { throw failure }
            scenarios.append(scenario)
        }
        self.scenarios = scenarios
        self.names = Self.told(zip(scenarios, sources).map { ($0.name, $1) })
    }

    /// The obligations that a client can face in these scenarios: those that need others are not among them.
    var faced: Set<String> {  // Obligations' IDs: constants.
        let names = Set(scenarios.map(\.name).map(ExactString.init(_:)))
        let obligations = Judge.obligations.filter { obligation in
            obligation.scenarios.isEmpty || obligation.scenarios.contains { names.contains(ExactString($0)) }
        }
        return Set(obligations.map(\.id))
    }

    /// The scenarios' own names; for duplicates, those of files get the file's path.
    static func told(_ scenarios: [(name: String, source: ScenarioSource)]) -> [String] {
        let counts = Dictionary(grouping: scenarios) { ExactString($0.name) }.mapValues(\.count)
        return scenarios.map { name, source in
            guard counts[ExactString(name), default: 0] > 1, case .file(let path) = source else { return name }
            return "\(name) (\(path))"
        }
    }
}
