import ContractSuite
import FitIQAPI
import Judging
import MockServer
import Scenarios
import Testing

/// A world's parameters.
struct Plan: Sendable {
    /// Creates the scenario; throws an error for an unknown name, so that the test reports it.
    let scenario: @Sendable () throws -> Scenario
    /// The text of the scenario file, or nil for a scenario written in Swift.
    var text: String?
    let guide: GuideMode?
    let clock: ClockMode?
}

/// Gives each test, or each case of a parameterised test, its own backend, and judges the client at the end.
///
/// Broken obligations become issues. A broken *must* fails the test; a broken *should* is a warning.
public struct FakeBackendTrait: TestTrait, SuiteTrait, TestScoping {
    var plan: Plan
    var allowed: Set<String> = []  // Obligations' ids: constants.
    var exploring: ExploringPlan?

    /// Whether a suite passes the trait on to its tests.
    public var isRecursive: Bool { true }

    /// Permits the client to break these obligations, such as `ws/keepalive`.
    public func allowing(_ ids: String...) -> FakeBackendTrait {
        var trait = self
        trait.allowed.formUnion(ids)
        return trait
    }

    /// Runs a test with ``FakeBackend/current`` set.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        for id in allowed.sorted() where !Self.known.contains(id) {
            Issue.record("\(Messages.unknownObligation(id, known: Self.known))", sourceLocation: test.sourceLocation)
        }
        if let exploring {
            let server = try Self.server.get()
            return try await withoutActuallyEscaping(function) { function in
                try await explore(exploring, test, on: server, performing: function)
            }
        }
        let backend = try await FakeBackend(plan, in: Self.server.get())
        let outcome: Result<Void, any Error>
        do {
            try await FakeBackend.$running.withValue(backend) { try await function() }
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        for verdict in try await backend.verdicts() where !allowed.contains(verdict.obligation.id) {
            Self.record(verdict, of: backend, for: test)
        }
        if let replay = try await backend.replayOutcome(), replay.isStrict {
            for failure in replay.failures {
                Issue.record("\(Messages.notAsRecorded(failure))", sourceLocation: test.sourceLocation)
            }
        }
        try await backend.end()
        try outcome.get()
    }

    private static let known = Judge.obligations.map(\.id) + Symptom.ids

    /// The process's server, which starts with the first world.
    static let server = Result {
        var configuration = Engine.Configuration()
        configuration.limits.worldIdleTime = ServerLimits.testedWorldIdleTime
        return try LocalServer(configuration)
    }

    private static func record(_ verdict: Verdict, of backend: FakeBackend, for test: Test) {
        guard verdict.outcome == .broken else { return }
        // The test is written in Swift, so the client is too.
        var verdict = verdict
        verdict.isAboutSwift = true
        record(Messages.broken(verdict, since: backend.start), failsRun: verdict.failsRun, for: test)
    }

    /// Records an issue or a warning.
    static func record(_ text: String, failsRun: Bool, for test: Test) {
        #if compiler(>=6.3)
            Issue.record("\(text)", severity: failsRun ? .error : .warning, sourceLocation: test.sourceLocation)
        #else
            // Earlier versions do not support severities, so a warning would fail the test.
            if failsRun { Issue.record("\(text)", sourceLocation: test.sourceLocation) }
        #endif
    }
}

extension Trait where Self == FakeBackendTrait {
    /// A backend that follows a built-in scenario.
    ///
    /// The backend's clock measures the client's waits. On a manual clock, a client with timers on the system's clock
    /// appears not to wait or ping. Make the client's timers follow the backend's clock, or allow the client to break
    /// the obligations about timing.
    ///
    /// - Parameters:
    ///   - scenario: The name; `fitiq-mock scenarios` lists all.
    ///   - guide: The guide to follow. The default is the scenario's guide, or the union of all guides if the scenario
    ///     has no guide.
    ///   - clock: The clock to follow. The default is the scenario's clock, or the system's clock if the scenario has
    ///     no clock.
    public static func fakeBackend(
        _ scenario: String = Scenario.defaultName, guide: GuideMode? = nil, clock: ClockMode? = nil
    ) -> FakeBackendTrait {
        let builtIn: @Sendable () throws -> Scenario = {
            if let found = Scenario.builtIn(named: scenario) { return found }
            throw FakeBackend.Refusal(Scenario.unknownBuiltIn(scenario))
        }
        let text = Scenario.builtInText(named: scenario) ?? "name: \(scenario)"
        return FakeBackendTrait(plan: Plan(scenario: builtIn, text: text, guide: guide, clock: clock))
    }

    /// A backend that follows the test's own scenario, written as a scenario file in YAML or JSON.
    ///
    /// An invalid scenario fails the test with a list of all mistakes.
    public static func fakeBackend(yaml: String, guide: GuideMode? = nil, clock: ClockMode? = nil) -> FakeBackendTrait {
        let written: @Sendable () throws -> Scenario = { try Scenario.read(yaml) }
        return FakeBackendTrait(plan: Plan(scenario: written, text: yaml, guide: guide, clock: clock))
    }

    /// A backend that follows the test's own scenario, written in Swift.
    public static func fakeBackend(
        scenario: Scenario, guide: GuideMode? = nil, clock: ClockMode? = nil
    ) -> FakeBackendTrait { FakeBackendTrait(plan: Plan(scenario: { scenario }, guide: guide, clock: clock)) }
}
