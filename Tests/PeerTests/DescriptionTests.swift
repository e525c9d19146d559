import Foundation
import TestSupport
import Testing

/// The descriptions in openapi/, checked by third-party validators for OpenAPI and JSON Schema.
@Suite("Descriptions", .timeLimit(.minutes(15)))
struct DescriptionTests {
    private func run(_ program: URL, _ arguments: [String]) async throws {
        let command = try await Command(program, arguments)
        if command.status != 0 { Issue.record("\(command.transcript)") }
    }

    @Test(
        "Descriptions are valid, every reference resolves, and every example fits its schema",
        arguments: [
            "union", "consultation-websocket", "enhanced-consultations", "goal-linking", "websocket-architecture",
            "meal-log-websocket", "admin",
        ])
    func areValid(_ mode: String) async throws {
        let script = URL.packageRoot.appendingPathComponent("Tests/PeerTests/descriptions/check.py")
        try await run(try Programs.python(), [script.path, mode])
    }

    @Test("The checks find errors and reject overlays that do not apply")
    func checksCanFail() async throws {
        let directory = URL.packageRoot.appendingPathComponent("Tests/PeerTests/descriptions")
        try await run(try Programs.python(), ["-m", "unittest", "discover", "--start-directory", directory.path])
    }

    @Test("The built-in scenarios match the schema for editors")
    func scenariosFit() async throws {
        let script = URL.packageRoot.appendingPathComponent("Tests/PeerTests/descriptions/check_scenarios.py")
        try await run(try Programs.python(), [script.path])
    }

    @Test("Derived files are up to date")
    func areFresh() async throws {
        let script = URL.packageRoot.appendingPathComponent("openapi/describe/describe.py")
        try await run(try Programs.python(), [script.path, "--check"])
    }
}
