@_exported import FitIQMockTesting
import Foundation
import Testing

/// Gives each test, or each case of a parameterised test, its own world, and judges the client at the end.
///
/// Each broken *must* becomes an issue, and each broken *should* becomes a warning. If a test fails, the world's
/// journal, its traffic as HAR and an HTML report are attached.
public struct MockWorldTrait: TestTrait, SuiteTrait, TestScoping {
    let scenario: MockWorld.Scenario?
    let guide: String?
    let clock: MockWorld.Clock?
    let seed: UInt64?
    let server: MockServer
    var allowed: Set<String> = []

    /// Whether a suite passes the trait on to its tests.
    public var isRecursive: Bool { true }

    /// Permits the client to break these obligations, such as `ws/keepalive`.
    public func allowing(_ ids: String...) -> MockWorldTrait {
        var trait = self
        trait.allowed.formUnion(ids)
        return trait
    }

    /// Runs a test with `MockWorld.current` set.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let world = try await server.world(
            scenario: scenario, guide: guide, clock: clock, seed: seed, label: test.displayName ?? test.name)
        let (failures, failure) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let watch = IssueHandlingTrait.compactMapIssues { issue in
            #if compiler(>=6.3)
                if issue.isFailure { failure.yield() }
            #else
                failure.yield()
            #endif
            return issue
        }
        let outcome: Result<Void, any Error>
        do {
            try await withoutActuallyEscaping(function) { function in
                try await watch.provideScope(for: test, testCase: testCase) {
                    try await MockWorld.$running.withValue(world) { try await function() }
                }
            }
            outcome = .success(())
        } catch {
            failure.yield()
            outcome = .failure(error)
        }
        // Run this in a separate task, which is not cancelled if the test is cancelled.
        let judged = await Task {
            let (breaches, failed) = (try await world.breaches(allowing: allowed), failure)
            if breaches.contains(where: \.isFailure) { failed.yield() }
            failed.finish()
            var files: [MockWorld.EvidenceFile] = []
            for await _ in failures { files = await world.evidence() }
            try await world.end()
            return (breaches, files)
        }.result
        switch judged {
        case .success((let breaches, let files)):
            for breach in breaches { Self.record(breach, for: test) }
            for file in files {
                Attachment.record(Array(file.data), named: file.name, sourceLocation: test.sourceLocation)
            }
        // Report the test's error too.
        case .failure(let error):
            try? await world.end()
            Issue.record(error, sourceLocation: test.sourceLocation)
        }
        try outcome.get()
    }

    private static func record(_ breach: MockWorld.Breach, for test: Test) {
        #if compiler(>=6.3)
            Issue.record(
                "\(breach.text)", severity: breach.isFailure ? .error : .warning, sourceLocation: test.sourceLocation)
        #else
            // Earlier versions do not support severities, so a warning would fail the test.
            if breach.isFailure { Issue.record("\(breach.text)", sourceLocation: test.sourceLocation) }
        #endif
    }
}

extension Trait where Self == MockWorldTrait {
    /// Gives a test a world on a server.
    ///
    /// - Parameters:
    ///   - scenario: A built-in scenario's name or a scenario's object, or nil for the server's scenario.
    ///   - guide: The guide that the world follows.
    ///   - clock: Whether the test controls the world's time.
    ///   - seed: Determines the world's IDs.
    ///   - server: The server that creates the world.
    public static func mockWorld(
        _ scenario: MockWorld.Scenario? = nil, guide: String? = nil, clock: MockWorld.Clock? = nil,
        seed: UInt64? = nil, server: MockServer = .shared
    ) -> MockWorldTrait {
        MockWorldTrait(scenario: scenario, guide: guide, clock: clock, seed: seed, server: server)
    }
}

extension MockWorld {
    @TaskLocal static var running: MockWorld?

    /// The world of the current test.
    ///
    /// - Throws: ``MockError`` if the test has no world or the task is not a child of the test's task.
    public static var current: MockWorld {
        get throws { if let running { running } else { throw MockError.noWorld } }
    }
}
