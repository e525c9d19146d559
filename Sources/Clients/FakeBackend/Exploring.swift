import ContractSuite
import FitIQAPI
import JSON
import Judging
import MockServer
import Scenarios
import Sockets
import Synchronization
import Testing
import Traffic

/// The settings for exploring a test.
struct ExploringPlan: Sendable {
    let runs: Int
    let seed: UInt64
    let budget: Duration
    let runLimit: Duration?
}

extension FakeBackendTrait {
    /// Runs the test repeatedly, each time with a different fault, and reports the failures.
    ///
    /// The test's issues and its client's broken obligations count only if they appear with a fault but not without
    /// faults. Each problem is reported with the smallest schedule of faults that causes it. On the system's clock, a
    /// problem must appear in two of three runs. Issues must be recorded in the test's task or a child task.
    ///
    /// A run may take four times as long as the run without faults, and at least 8 s in any case. After that, the run's
    /// task is cancelled, its connections end, and later issues are ignored. To avoid this, set a time-out for the
    /// client's requests. The default for `timeoutIntervalForRequest` in `URLSessionConfiguration` is 60 s; 2 to 5 s
    /// suit a backend in the same process. Progress is written to standard error every ten seconds.
    ///
    /// - Parameters:
    ///   - runs: The maximum number of schedules, from 1 to 10,000,000, without the runs that reduce findings.
    ///   - seed: Determines the order of schedules.
    ///   - budget: The time limit, including reduction, from 1 s to 7 d.
    ///   - runLimit: The time limit of a run, from 100 ms to 1 h, or nil for the limit above.
    public func exploring(
        runs: Int = 200, seed: UInt64 = 1, budget: Duration = .seconds(60), runLimit: Duration? = nil
    ) -> FakeBackendTrait {
        var trait = self
        trait.exploring = ExploringPlan(runs: runs, seed: seed, budget: budget, runLimit: runLimit)
        return trait
    }

    /// Explores a test, and records an issue for each finding.
    func explore(
        _ exploring: ExploringPlan, _ test: Test, on server: LocalServer,
        performing function: @escaping @Sendable () async throws -> Void
    ) async throws {
        guard ExploreLimits.runs.contains(exploring.runs) else {
            return Self.record(Messages.badRuns(exploring.runs), failsRun: true, for: test)
        }
        guard ExploreLimits.budget.contains(exploring.budget) else {
            return Self.record(Messages.badBudget(exploring.budget), failsRun: true, for: test)
        }
        if let limit = exploring.runLimit, !Self.runLimits.contains(limit) {
            return Self.record(Messages.badRunLimit(limit), failsRun: true, for: test)
        }
        let document = try plan.document()
        let story = Story("test", scenario: try plan.scenario(), document: .object(document ?? [:]))
        var settings = Explorer.Settings()
        (settings.seed, settings.runs, settings.stories) = (exploring.seed, exploring.runs, [story])
        settings.timeLimit = exploring.runLimit
        let begin = MonotonicInstant.now()
        // The remaining time is reserved for the latest symptoms.
        let lastBegin = begin.advanced(by: exploring.budget * 17 / 20)
        let trial = TestTrial(
            test, plan: plan, server: server, end: begin.advanced(by: exploring.budget), limit: exploring.runLimit,
            body: function)
        let progress = ExploringProgress(test.displayName ?? test.name, since: begin, budget: exploring.budget)
        let isOver = try Gate()
        try SystemThread.start { progress.write(until: isOver) }
        defer { isOver.open() }
        let exploration = try await Explorer(settings).explore(with: trial) {
            lastBegin <= .now() ? .budget : nil
        } observing: { exploration in
            progress.note(runs: exploration.counts.singles + exploration.counts.pairs, found: exploration.found.count)
        }
        if exploration.isUsedUpWithoutFaults {
            Self.record(Messages.slowBaseline(exploring.budget), failsRun: true, for: test)
        } else if !exploration.hasConnected {
            Self.record(Messages.neverConnected, failsRun: true, for: test)
        }
        for discovery in exploration.found where !allowed.contains(discovery.symptom.id) {
            let text = Messages.discovered(discovery, seed: exploring.seed, isFile: document != nil)
            Self.record(text, failsRun: discovery.symptom.level == .must, for: test)
        }
    }
}

extension FakeBackendTrait {
    /// The allowed time limits of a run.
    fileprivate static let runLimits: ClosedRange<Duration> = .milliseconds(100) ... .seconds(3600)
}

/// Reports the progress of exploring a test every ten seconds.
final class ExploringProgress: Sendable {
    private let name: String
    private let begin: MonotonicInstant
    private let budget: Duration
    private let counts = Mutex((runs: 0, found: 0))
    private static let interval = Duration.seconds(10)

    init(_ name: String, since begin: MonotonicInstant, budget: Duration) {
        (self.name, self.begin, self.budget) = (name, begin, budget)
    }

    func note(runs: Int, found: Int) { counts.withLock { $0 = (runs, found) } }

    /// Writes a line to standard error every ten seconds until the gate opens; blocks the calling thread.
    func write(until isOver: Gate) {
        while !isOver.wait(until: .now().advanced(by: Self.interval)) {
            _ = DescriptorOutput.writeAll(Array((line(at: .now()) + "\n").utf8), to: 2)
        }
    }

    func line(at now: MonotonicInstant) -> String {
        let (runs, found) = counts.withLock { $0 }
        let seconds = begin.duration(to: now).components.seconds
        return Messages.progress(name, runs: runs, found: found, seconds: seconds, of: budget.components.seconds)
    }
}

extension Plan {
    /// The world as a scenario file's tree, or nil for a world written in Swift.
    fileprivate func document() throws -> JSONObject? {
        guard let text else { return nil }
        var document = try Scenario.readWithJSON(text).json.object ?? [:]
        if let guide { document["guide"] = .string(guide.rawValue) }
        switch clock {
        case .manual(let start): document["clock"] = ["manual": .string(start.preciseText)]
        case .real: document["clock"] = "real"
        case nil: break
        }
        return document
    }
}

/// Runs a test's body like a command that fails if the test records an issue.
private final class TestTrial: Trial {
    private let test: Test
    private let plan: Plan
    private let server: LocalServer
    /// The time limit of a run, or nil to derive it from a run without faults.
    private let limit: Duration?
    /// The time by which all runs must end.
    private let end: MonotonicInstant
    private let body: @Sendable () async throws -> Void
    /// The duration of the first run, which has no faults.
    private let own = Mutex(Duration?.none)

    /// The state of the current run.
    private final class Record: Sendable { let state = Mutex((hasFailed: false, isCut: false)) }

    var isRepeatable: Bool { false }

    init(
        _ test: Test, plan: Plan, server: LocalServer, end: MonotonicInstant, limit: Duration?,
        body: @escaping @Sendable () async throws -> Void
    ) {
        (self.test, self.plan, self.server, self.end) = (test, plan, server, end)
        (self.limit, self.body) = (limit, body)
    }

    func run(_ scenario: Scenario, story: Int, within patience: RunLimit) async throws -> TrialOutcome {
        let begin = MonotonicInstant.now()
        guard begin < end else { throw CancellationError() }
        let most = limit ?? max(patience.silence, (own.withLock { $0 } ?? .zero) * 4)
        let deadline = min(end, begin.advanced(by: most))
        let backend = try await FakeBackend(
            Plan(scenario: { scenario }, guide: plan.guide, clock: plan.clock), in: server)
        var outcome = TrialOutcome(mode: backend.guide, startedAt: backend.start)
        let record = Record()
        // Do not report these issues, because they belong to a run with faults and not to the test.
        let silence: IssueHandlingTrait = .compactMapIssues { _ in nil }
        let run = Task { @Sendable [body, record, backend, test] in
            try await silence.provideScope(for: test, testCase: nil) {
                // The test's known issues do not appear here.
                try await withKnownIssue(isIntermittent: true) {
                    try await FakeBackend.$running.withValue(backend) { try await body() }
                } matching: { issue in
                    if issue.failsTest { record.state.withLock { if !$0.isCut { $0.hasFailed = true } } }
                    return true
                }
            }
        }
        let isOver = try Gate()
        let seen = Task { @Sendable [record, run, backend] in
            let isInTime = try await SystemThread.result(
                of: { () throws(SocketError) in isOver.wait(until: deadline) }, orNoThread: { $0 })
            record.state.withLock { $0.isCut = !isInTime }
            let seen = (try await backend.entries(), try await backend.time())
            // Pending requests end when their connections end.
            run.cancel()
            try await backend.end()
            return seen
        }
        let ending = await run.result
        isOver.open()
        (outcome.entries, outcome.endedAt) = try await seen.value
        try ending.get()
        let (hasFailed, isCut) = record.state.withLock { $0 }
        if isCut, deadline == end { throw CancellationError() }
        own.withLock { $0 = $0 ?? begin.duration(to: .now()) }
        outcome.hasLasted = isCut
        if hasFailed { outcome.end = .command(.exited(1)) }
        return outcome
    }
}

extension Issue {
    /// Whether the issue is more than a warning.
    fileprivate var failsTest: Bool {
        #if compiler(>=6.3)
            severity == .error
        #else
            true
        #endif
    }
}
