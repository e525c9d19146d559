import Foundation
import TestSupport
import Testing

extension AttackingPeers {
    /// `scripts/attack` with a few seconds per part and a fixed seed.
    @Suite("Attack")
    struct AttackTests {
        private static let attack = Programs.peers.appendingPathComponent("../../attack").standardizedFileURL

        private func attack(_ program: URL, _ arguments: [String]) async throws -> Command {
            let files = try ScratchFolder()
            defer { files.remove() }
            return try await Command(
                try Programs.python(),
                [Self.attack.path, "--short", "--program", program.path, "--keep", files.url.path] + arguments)
        }

        @Test(
            "A short attack finds no defect",
            arguments: [
                "http", "websocket", "har", "journal", "kill", "state", "signals", "clock", "scenarios", "admin",
                "edges", "numbers", "nesting", "sql", "memory", "soak",
            ])
        func findsNothing(_ part: String) async throws {
            let command = try await attack(try Programs.fitiqMock(), [part])
            #expect(command.status == 0, "\(command.transcript)")
            #expect(command.output.contains("| \(part) |"), "It has run to its end.")
        }

        @Test(
            "Each attack finds the bugs in a broken stand-in",
            arguments: [
                Broken("http", "--rounds 40", "the answer is broken"),
                Broken("websocket", "--only 0-150", "a frame of a server begins with 81"),
                Broken("websocket", "--rounds 1", "133 echo holders of 4194304 bytes each"),
                Broken("har", "--rounds 1", "exited with 0, [2] was due"),
                Broken("journal", "--rounds 1", "exited with 0, [2] was due"),
                Broken("websocket", "--only 0-150", "the connection was reset"),
                Broken("kill", "--rounds 2", "is no JSON"),
                Broken("kill", "--rounds 2", "are lost"),
                Broken("state", "--rounds 3", "one that was answered 1."),
                Broken("signals", "--rounds 1", "its ready file is left"),
                Broken("clock", "--rounds 1", "Date is -288"),
                Broken("scenarios", "--rounds 1", "check takes what the schema refuses"),
                Broken("admin", "--rounds 1", "GET journal: /health waited"),
                Broken("edges", "--only 0", "a page of http://evil.example got 101"),
                Broken("numbers", "--only 0", "check answered 201"),
                Broken("nesting", "--only 0", "serve --scenario exits with 1"),
                Broken("sql", "--rounds 1", "DELETE /__admin/worlds/x was answered with 200"),
                Broken("memory", "--only 0", "users of "),
                Broken("soak", "--seconds 5", "resident memory is not flat"),
            ])
        func findsWhatIsBroken(_ broken: Broken) async throws {
            let standIn = Self.attack.appendingPathComponent("stand_in.py")
            let command = try await attack(standIn, [broken.part] + broken.options)
            #expect(command.status == 1, "\(command.transcript)")
            #expect(command.errors.contains(broken.finding), "\(command.transcript)")
        }

        /// The message that a part must print about the stand-in.
        struct Broken: Sendable, CustomTestStringConvertible {
            let part: String
            let options: [String]
            let finding: String

            init(_ part: String, _ options: String, _ finding: String) {
                self.part = part
                self.options = options.split(separator: " ").map(String.init)
                self.finding = finding
            }

            var testDescription: String { "\(part): \(finding)" }
        }
    }
}
