import Foundation
import TestSupport
import Testing

extension SearchingPeers {
    /// Runs schemathesis, which reads the server's description and looks for requests whose answers contradict it.
    ///
    /// Every check is enabled. `peers/schemathesis/rules.py` contains the few API guarantees that OpenAPI cannot
    /// express.
    @Suite("schemathesis")
    struct SchemathesisTests {
        @Test("schemathesis finds no answer that contradicts the description", arguments: Mode.allCases)
        func findsNothing(_ mode: Mode) async throws {
            try await RunningServer.serve("--instant", "--guide", mode.rawValue) { server in
                let examples = LongRun.choose(6, long: mode == .union ? 100 : 25)
                let report = try await schemathesis(server, examples)
                #expect(report.status == 0, "\(report.transcript)")
                #expect(report.output.contains("generated,"), "It has run to its end.")
            }
        }

        /// - Parameter examples: The number of requests of each kind. The guides and the union share the code for
        ///   answers.
        private func schemathesis(_ server: RunningServer, _ examples: Int) async throws -> Command {
            let folder = Programs.peers.appendingPathComponent("schemathesis")
            // schemathesis writes files into its working directory.
            let files = try ScratchFolder()
            defer { files.remove() }
            try await users(of: server, ["anna", "ben"]).write(to: files["users.json"])
            return try await Command(
                try Programs.python(),
                [
                    "-m", "schemathesis.cli", "--no-color", "--config-file",
                    folder.appendingPathComponent("schemathesis.toml").path, "run", "--max-examples", "\(examples)",
                    server.ready.url + "/openapi.yaml",
                ],
                environment: [
                    "FITIQ_MOCK_TEST_HOOKS": folder.appendingPathComponent("rules.py").path,
                    "FITIQ_MOCK_TEST_USERS": files["users.json"].path,
                ],
                directory: files.url)
        }

        /// Users and their credentials, in the Web Fuzzing Commons format.
        private func users(of server: RunningServer, _ names: [String]) async throws -> Data {
            var users: [[String: Any]] = []
            for name in names {
                let token = try await Command(try Programs.fitiqMock(), ["token", "--user", name]).output.dropLast()
                let fields = [("Authorization", "Bearer \(token)"), ("X-API-Key", server.ready.api_key)]
                users.append(["name": name, "fixedHeaders": fields.map { ["name": $0, "value": $1] }])
            }
            return try JSONSerialization.data(withJSONObject: ["auth": users])
        }
    }
}
