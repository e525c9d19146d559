import Foundation
import TestSupport
import Testing

extension SearchingPeers {
    /// The fast cases of `scripts/autobahn`.
    @Suite("Autobahn")
    struct AutobahnTests {
        private func play(_ arguments: String...) async throws -> Command {
            let suite = URL.packageRoot.appending(path: "Tests/autobahn").path
            return try await Command(try Programs.python(), [suite] + arguments)
        }

        private static var client: String {
            get throws { try Programs.fitiqMock().deletingLastPathComponent().appending(path: "echo-client").path }
        }

        @Test("The server and a client pass Autobahn's test suite")
        func passes() async throws {
            let command = try await play(
                "--short", "--program", try Programs.fitiqMock().path, "--client", try Self.client)
            #expect(command.status == 0, "\(command.transcript)")
            #expect(command.errors.contains(" 0 failed"), "It has run to its end.")
        }

        @Test("A server that masks its frames and a client that does nothing fail the suite")
        func fails() async throws {
            let standIn = URL.packageRoot.appending(path: "Tests/attack/stand_in.py").path
            let idle = try Programs.named("true").path
            let command = try await play("1.1.1", "2.2", "--program", standIn, "--client", idle)
            #expect(command.status == 1)
            for failure in ["1.1.1 of the server: ('FAILED'", "2.2 of the client: not played"] {
                #expect(command.errors.contains(failure), "\(command.transcript)")
            }
        }
    }
}
