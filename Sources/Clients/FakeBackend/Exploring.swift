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

/// How a test is explored.
struct ExploringPlan: Sendable {
    let runs: Int
    let seed: UInt64
    let budget: Duration
}

extension FakeBackendTrait {
    /// Runs the test again and again, each time with something else going wrong, and reports what then fails.
    ///
    /// The test's own issues, and obligations that its client breaks, count only if they show with a fault and not
    /// without one; each is reported with the smallest schedule of faults that shows it. On the system's clock it has to
    /// show in two of three runs. Issues have to be recorded in the test's own task or a child of it.
    ///
    /// A run that lasts four times as long as without faults, and at least 8 s, is cut: its task is cancelled, its
    /// connections end, and what it reports after that does not count.
    ///
    /// - Parameters:
    ///   - runs: The most schedules, from 1 to 10,000,000, beside the runs that make what was found smaller.
    ///   - seed: Decides their order.
    ///   - budget: How long it takes at most, making smaller included, from 1 s to 7 d.
    public func exploring(
        runs: Int = 200, seed: UInt64 = 1, budget: Duration = .seconds(60)
    ) -> FakeBackendTrait {
        var trait = self
        trait.exploring = ExploringPlan(runs: runs, seed: seed, budget: budget)
        return trait
    }

    /// Explores a test, and records an issue for each thing found.
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
        let document = try plan.document()
        let story = Story("test", scenario: try plan.scenario(), document: .object(document ?? [:]))
        var settings = Explorer.Settings()
        (settings.seed, settings.runs, settings.stories) = (exploring.seed, exploring.runs, [story])
        let begin = MonotonicInstant.now()
        // The rest is for what was seen last.
        let lastBegin = begin.advanced(by: exploring.budget * 17 / 20)
        let trial = TestTrial(plan: plan, server: server, end: begin.advanced(by: exploring.budget), body: function)
        let exploration = try await Explorer(settings).explore(with: trial) { lastBegin <= .now() ? .budget : nil }
        if !exploration.hasConnected { Self.record(Messages.neverConnected, failsRun: true, for: test) }
        for discovery in exploration.found where !allowed.contains(discovery.symptom.id) {
            let text = Messages.discovered(discovery, seed: exploring.seed, isFile: document != nil)
            Self.record(text, failsRun: discovery.symptom.level == .must, for: test)
        }
    }
}

extension Plan {
    /// The world as the tree of a scenario's file; nil for a world that is written in Swift.
    fileprivate func document() throws -> JSONObject? {
        guard let builtIn else { return nil }
        let text = Scenario.builtInText(named: builtIn) ?? "name: \(builtIn)"
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

/// Runs a test's body as if it were a command: an issue is its failure.
private final class TestTrial: Trial {
    private let plan: Plan
    private let server: LocalServer
    /// When every run has to be over.
    private let end: MonotonicInstant
    private let body: @Sendable () async throws -> Void
    /// How long its first run took, which has no faults, whatever the world's clock says.
    private let own = Mutex(Duration?.none)

    /// What is known of a run while it lasts.
    private final class Record: Sendable { let state = Mutex((issues: 0, isCut: false)) }

    var isRepeatable: Bool { false }

    init(plan: Plan, server: LocalServer, end: MonotonicInstant, body: @escaping @Sendable () async throws -> Void) {
        (self.plan, self.server, self.end, self.body) = (plan, server, end, body)
    }

    func run(_ scenario: Scenario, story: Int, within limit: RunLimit) async throws -> TrialOutcome {
        let begin = MonotonicInstant.now()
        guard begin < end else { throw CancellationError() }
        let deadline = min(end, begin.advanced(by: max(limit.silence, (own.withLock { $0 } ?? .zero) * 4)))
        let backend = try await FakeBackend(
            Plan(scenario: { scenario }, guide: plan.guide, clock: plan.clock), in: server)
        var outcome = TrialOutcome(mode: backend.guide, startedAt: backend.start)
        let record = Record()
        let test = Task { @Sendable [body, record, backend] in
            // The issues are those of a run in which something goes wrong, and not yet the test's.
            try await withKnownIssue(isIntermittent: true) {
                try await FakeBackend.$running.withValue(backend) { try await body() }
            } matching: { issue in
                record.state.withLock { if !$0.isCut { $0.issues += 1 } }
                return true
            }
        }
        let isOver = try Gate()
        let seen = Task { @Sendable [record, test, backend] in
            let isInTime = try await SystemThread.result(
                of: { () throws(SocketError) in isOver.wait(until: deadline) }, orNoThread: { $0 })
            record.state.withLock { $0.isCut = !isInTime }
            let seen = (try await backend.entries(), try await backend.time())
            // What waits for an answer ends with its connection.
            test.cancel()
            try await backend.end()
            return seen
        }
        let ending = await test.result
        isOver.open()
        (outcome.entries, outcome.endedAt) = try await seen.value
        try ending.get()
        let (issues, isCut) = record.state.withLock { $0 }
        if isCut, deadline == end { throw CancellationError() }
        own.withLock { $0 = $0 ?? begin.duration(to: .now()) }
        outcome.hasLasted = isCut
        if issues > 0 { outcome.end = .command(.exited(1)) }
        return outcome
    }
}
