import Foundation
import TestSupport
import Testing

extension ExploringPeers {
    /// `fitiq-mock verify --against`: two versions of a client in identical worlds.
    @Suite("fitiq-mock verify --against")
    struct VerifyAgainstTests {
        private static let list = CommandPeers.VerifyCommandTests.list
        private static let goals = #"\#(CommandPeers.VerifyCommandTests.curl) "$FITIQ_MOCK_URL/api/v1/goals""#
        /// An older command that behaves differently in its n-th run.
        private static let varying =
            #"echo >> runs; \#(CommandPeers.VerifyCommandTests.curl) -H 'Content-Type: application/json' "#
            + #"-d "{\"title\":\"Run $(wc -l < runs) km\",\"description\":\"Often\"}" "$FITIQ_MOCK_URL/api/v1/goals""#

        private func verify(_ old: String, _ new: String, _ options: [String] = []) async throws -> Command {
            let folder = try ScratchFolder()
            defer { folder.remove() }
            return try await Command(
                try Programs.fitiqMock(), ["verify", "--against", old] + options + ["--", "sh", "-c", new],
                directory: folder.url)
        }

        @Test("Identical versions have no differences, with any seed", arguments: 1...2)
        func equal(_ seed: Int) async throws {
            let both = "\(Self.list); \(Self.goals)"
            let run = try await verify(both, both, ["--seed", "\(seed)"])
            #expect(run.status == 0, "\(run.transcript)")
            #expect(run.output.contains("1 case, 0 failed"), "\(run.transcript)")
        }

        @Test("The complete Python client has no differences despite different ids and times")
        func python() async throws {
            let client = Programs.peers.appendingPathComponent("defects/plain_client.py").path
            let command = "\(try Programs.python().path) \(client)"
            let run = try await verify(command, command)
            #expect(run.status == 0, "\(run.transcript)")
            #expect(run.output.contains("1 case, 0 failed"), "\(run.transcript)")
        }

        @Test("verify reports an extra request unless it is a known difference")
        func extra() async throws {
            let run = try await verify(Self.list, "\(Self.list); \(Self.goals)")
            #expect(run.status == 1, "\(run.transcript)")
            #expect(
                run.output.contains("It sends GET /api/v1/goals as no. 2, which the older command did not."),
                "\(run.transcript)")
            let less = try await verify("\(Self.list); \(Self.goals)", Self.list)
            #expect(less.status == 1 && less.output.contains("It no longer sends GET /api/v1/goals"))
            let folder = try ScratchFolder()
            defer { folder.remove() }
            try Data("against/default\n".utf8).write(to: folder["known"])
            let known = try await verify(
                Self.list, "\(Self.list); \(Self.goals)", ["--known-broken", folder["known"].path])
            #expect(known.status == 0, "\(known.transcript)")
        }

        @Test("verify ignores values that vary between two runs of the older version")
        func noise() async throws {
            let run = try await verify(Self.varying, Self.varying)
            #expect(run.status == 0, "\(run.transcript)")
            let worse = try await verify(Self.varying, Self.varying.replacing("Often", with: "Daily"))
            #expect(worse.status == 1, "\(worse.transcript)")
            #expect(worse.output.contains(#"request.body.description is "Daily""#), "\(worse.transcript)")
            #expect(!worse.output.contains("request.body.title"), "\(worse.transcript)")
        }

        @Test("A breach fails the run only if the older version does not have it")
        func broken() async throws {
            let shout = CommandPeers.VerifyCommandTests.shout
            let both = try await verify(shout, shout)
            #expect(both.status == 0, "\(both.transcript)")
            let newer = try await verify(CommandPeers.VerifyCommandTests.whisper, shout)
            #expect(newer.status == 1 && newer.output.contains("✗ ids/lowercase"), "\(newer.transcript)")
        }

        @Test("An older command without traffic fails the comparison")
        func nothing() async throws {
            let run = try await verify("true", Self.list)
            #expect(run.status == 1 && run.output.contains("The older command sent nothing"), "\(run.transcript)")
            let empty = try await verify("", Self.list)
            #expect(empty.status == 2 && empty.errors.contains("--against must not be empty."))
        }
    }
}
