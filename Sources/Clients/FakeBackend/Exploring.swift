import ContractSuite
import FitIQAPI
import JSON
import Judging
import MockServer
import Scenarios
import Synchronization
import Testing
import Traffic

/// How a test is explored.
struct ExploringPlan: Sendable {
    let runs: Int
    let seed: UInt64
}

extension FakeBackendTrait {
    /// Runs the test again and again, each time with something else going wrong, and reports what then fails.
    ///
    /// The test's own issues, and obligations that its client breaks, count only if they show with a fault and not
    /// without one; each is reported with the smallest schedule of faults that shows it. On the system's clock it has to
    /// show in two of three runs. Issues have to be recorded in the test's own task or a child of it.
    ///
    /// - Parameters:
    ///   - runs: The most schedules, from 1 to 10,000,000, beside the runs that make what was found smaller.
    ///   - seed: Decides their order.
    public func exploring(runs: Int = 200, seed: UInt64 = 1) -> FakeBackendTrait {
        var trait = self
        trait.exploring = ExploringPlan(runs: runs, seed: seed)
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
        let document = try plan.document()
        let story = Story("test", scenario: try plan.scenario(), document: .object(document ?? [:]))
        var settings = Explorer.Settings()
        (settings.seed, settings.runs, settings.stories) = (exploring.seed, exploring.runs, [story])
        let trial = TestTrial(plan: plan, server: server, body: function)
        let exploration = try await Explorer(settings).explore(with: trial)
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
private struct TestTrial: Trial {
    let plan: Plan
    let server: LocalServer
    let body: @Sendable () async throws -> Void

    var isRepeatable: Bool { false }

    func run(_ scenario: Scenario, story: Int) async throws -> TrialOutcome {
        let backend = try await FakeBackend(
            Plan(scenario: { scenario }, guide: plan.guide, clock: plan.clock), in: server)
        var outcome = TrialOutcome(mode: backend.guide, startedAt: backend.start)
        let issues = Mutex(0)
        // The issues are those of a run in which something goes wrong, and not yet the test's.
        try await withKnownIssue(isIntermittent: true) {
            try await FakeBackend.$running.withValue(backend) { try await body() }
        } matching: { issue in
            issues.withLock { $0 += 1 }
            return true
        }
        outcome.entries = try await backend.entries()
        outcome.endedAt = try await backend.time()
        if issues.withLock({ $0 }) > 0 { outcome.end = .command(.exited(1)) }
        try await backend.end()
        return outcome
    }
}
