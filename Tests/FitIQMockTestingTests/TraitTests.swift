import FitIQMockSwiftTesting
import Foundation
import Synchronization
import Testing

@Suite("The world trait", .timeLimit(.minutes(1)))
struct TraitTests {
    /// Runs a body with a trait, as if it were a test; returns the issues and the thrown error.
    private static func issues(
        _ trait: MockWorldTrait, _ body: @escaping @Sendable (MockWorld) async throws -> Void
    ) async throws -> [Issue] {
        let test = try #require(Test.current)
        let issues = Mutex([Issue]())
        try await withKnownIssue(isIntermittent: true) {
            try await trait.provideScope(for: test, testCase: Test.Case.current) { try await body(.current) }
        } matching: { issue in
            issues.withLock { $0.append(issue) }
            return true
        }
        return issues.withLock { $0 }
    }

    private static let conflict = MockWorldTrait.mockWorld("conflict", seed: 7, server: Mock.server)

    @Test("The trait gives a test a world with its scenario, seed and name", conflict)
    func current() async throws {
        let world = try MockWorld.current
        #expect(world.scenario == "conflict" && world.seed == "7")
        #expect(world.label == "The trait gives a test a world with its scenario, seed and name")
        let client = PlannedClient(world: world)
        #expect(try await client.consultation(client.consultation(with: "nutritionist")) == 200)
    }

    @Test("A client that keeps the contract causes no issues")
    func kept() async throws {
        let issues = try await Self.issues(Self.conflict) { world in
            let client = PlannedClient(world: world)
            let id = try await client.consultation(with: "nutritionist")
            #expect(try await client.consultation(id) == 200)
        }
        #expect(issues.isEmpty)
    }

    @Test("A broken must becomes an issue with the rule, the request and the fix")
    func plantedBug() async throws {
        let issues = try await Self.issues(Self.conflict) { world in
            let client = PlannedClient(world: world, mistake: .idsInCapitals)
            _ = try await client.consultation(client.consultation(with: "nutritionist"))
        }
        let issue = try #require(issues.first)
        #expect(issues.count == 1 && issue.sourceLocation == Test.current?.sourceLocation)
        let text = try #require(issue.comments.first?.rawValue)
        let lines = text.split(separator: "\n")
        #expect(lines.first == "ids/lowercase is broken: The client sends ids in paths in lower case.")
        #expect(lines.contains { $0.contains("63CBE1E4-5932-4DD7-844C-3CD7F43C661C") }, "\(text)")
        #expect(lines.contains { $0.hasPrefix("    #") && $0.contains("GET") && $0.contains("404") }, "\(text)")
        #expect(lines.last?.hasPrefix("How to fix it: ") == true)
    }

    @Test("Each broken must is a separate issue unless the test allows it")
    func allowed() async throws {
        let body: @Sendable (MockWorld) async throws -> Void = { world in
            let client = PlannedClient(world: world, mistake: .noKey)
            _ = try await client.goals()
            _ = try await PlannedClient(world: world, mistake: .idsInCapitals)
                .consultation("63cbe1e4-5932-4dd7-844c-3cd7f43c661c")
        }
        func ids(_ trait: MockWorldTrait) async throws -> [String] {
            try await Self.issues(trait, body).compactMap { $0.comments.first?.rawValue }
                .compactMap { $0.split(separator: " ").first.map(String.init) }
        }
        #expect(try await ids(Self.conflict) == ["auth/credentials-on-every-request", "ids/lowercase"])
        #expect(try await ids(Self.conflict.allowing("ids/lowercase")) == ["auth/credentials-on-every-request"])
        let unknown = try await Self.issues(Self.conflict.allowing("ids/lower-case")) { _ in }
        #expect(unknown.first?.comments.first?.rawValue.hasPrefix("There is no obligation 'ids/lower-case'") == true)
    }

    #if compiler(>=6.3)
        @Test("A broken should, such as repeating a request after a 404, is a warning")
        func should() async throws {
            let issues = try await Self.issues(Self.conflict) { world in
                let client = PlannedClient(world: world)
                for _ in 1...2 { _ = try await client.consultation("63cbe1e4-5932-4dd7-844c-000000000000") }
            }
            #expect(issues.count == 1 && issues.first?.severity == .warning, "\(issues)")
            let unknown = try await Self.issues(Self.conflict.allowing("ids/lower-case")) { _ in }
            #expect(unknown.map(\.severity) == [.error])
        }
    #endif

    @Test("The trait rethrows an error that the test throws")
    func throwing() async throws {
        struct Broken: Error {}
        let (worlds, seen) = AsyncStream.makeStream(of: MockWorld.self)
        let issues = try await Self.issues(Self.conflict) { world in
            seen.yield(world)
            _ = try await PlannedClient(world: world, mistake: .noKey).goals()
            throw Broken()
        }
        #expect(issues.count == 2 && issues.last?.error is Broken)
        let task = Task {
            try await Self.issues(Self.conflict) { world in
                seen.yield(world)
                withUnsafeCurrentTask { $0?.cancel() }
            }
        }
        _ = try await task.value
        seen.finish()
        for await world in worlds {
            let error = try #require(await #expect(throws: MockError.self) { try await world.now() })
            #expect(error.kind == .notFound)
        }
    }

    @Test("Without a world, `current` throws an error that says what code to write")
    func none() async throws {
        #expect(throws: MockError.self) { try MockWorld.current }
        let error = await Task.detached { #expect(throws: MockError.self) { try MockWorld.current } }.value
        #expect(error?.kind == .noWorld && error?.description.contains("@Test(.mockWorld())") == true)
    }
}

@Suite("A suite with the world trait", MockWorldTrait.mockWorld(seed: 8, server: Mock.server))
struct SuiteTraitTests {
    @Test("The trait of a suite gives each of its tests a world")
    func current() throws {
        let world = try MockWorld.current
        #expect(world.seed == "8" && world.label == Test.current?.displayName)
    }
}
