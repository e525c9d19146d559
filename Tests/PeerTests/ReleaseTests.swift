import Foundation
import TestSupport
import Testing

extension BuildingPeers {
    /// The contents of a release and of the files that run it, such as workflows and container descriptions.
    @Suite("A release")
    struct ReleaseTests {
        @Test("Two releases have the same bytes, and each part has the expected form")
        func files() async throws {
            let command = try await Command.peer("with_release", [try Programs.fitiqMock().path])
            #expect(command.status == 0 && command.output.hasSuffix("twice the same\n"), "\(command.transcript)")
        }

        @Test("Workflows, the action and manifests match their schemas and name existing files")
        func descriptions() async throws {
            let command = try await Command.peer("with_workflows", [])
            #expect(command.output == "7 workflows\n", "\(command.transcript)")
        }
    }
}
