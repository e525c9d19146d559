import Foundation
import TestSupport
import Testing

extension BuildingPeers {
    /// The contents of a release and of the files that run it, such as workflows and container descriptions.
    @Suite("A release")
    struct ReleaseTests {
        @Test("Two releases have the same bytes, and each part has the expected form")
        func files() async throws {
            let command = try await Self.run("with_release.py", [try Programs.fitiqMock().path])
            #expect(command.status == 0 && command.output.hasSuffix("twice the same\n"), "\(command.transcript)")
        }

        @Test("Workflows, the action and manifests match their schemas and name existing files")
        func descriptions() async throws {
            let command = try await Self.run("with_workflows.py", [])
            #expect(command.output == "7 workflows\n", "\(command.transcript)")
        }

        private static func run(_ script: String, _ arguments: [String]) async throws -> Command {
            try await Command(
                try Programs.python(), [Programs.peers.appendingPathComponent(script).path] + arguments,
                environment: ["PYTHONDONTWRITEBYTECODE": "1"])
        }
    }
}
