import Foundation
import TestSupport
import Testing

extension Peers {
    @Suite("fitiq-mock show and diff")
    struct SessionCommandTests {
        /// A session with one request and one WebSocket, as Playwright writes it, with the messages in another file.
        private static func session(status: Int = 200, id: String = "7c9e6679-7425-40de-944b-e07fc1f90ae7") -> String {
            #"{"log":{"version":"1.2","creator":{"name":"Playwright","version":"1.55.0"},"entries":[{"startedDateTime":"#
                + #""2025-01-29T10:30:00.000Z","time":4.5,"request":{"method":"GET","url":"http://h:1/api/v1/goals"},"#
                + #""response":{"status":\#(status),"content":{"text":"{\"id\":\"\#(id)\"}"}}},{"startedDateTime":"#
                + #""2025-01-29T10:30:01.000Z","request":{"method":"GET","url":"ws://h:1/ws"},"response":{"status":101,"#
                + #""content":{"_file":"messages.jsonl"}},"_resourceType":"websocket"}]}}"#
        }

        private static let messages =
            #"{"type":"send","time":1738146601250,"opcode":1,"data":"{\"a\":\"\u001b[2J\"}"}"# + "\n"

        /// Writes sessions to a folder and runs a command on their paths.
        private func run(
            _ command: String, _ options: [String] = [], _ files: [(name: String, text: String)], in directory: URL
        ) async throws -> Command {
            for file in files { try Data(file.text.utf8).write(to: directory.appendingPathComponent(file.name)) }
            let names = files.map(\.name).filter { $0.hasSuffix(".har") }
            return try await Command(try Programs.fitiqMock(), [command] + options + names, directory: directory)
        }

        @Test("show prints a timeline, reads files next to the HAR and escapes recorded text")
        func show() async throws {
            let files = try ScratchFolder()
            defer { files.remove() }
            let shown = try await run(
                "show", [("a.har", Self.session()), ("messages.jsonl", Self.messages)], in: files.url)
            #expect(shown.status == 0 && shown.errors == "", "\(shown.transcript)")
            #expect(
                shown.output == """
                    a.har: 2025-01-29T10:30:00Z, 1.250 s, 1 request, 1 WebSocket with 1 frame

                        +0.000 s  200    4.5 ms      45 B  GET  /api/v1/goals
                        +1.000 s  101                      WS   /ws
                        +1.250 s    → {"a":"\\x1B[2J"}
                                    × still open, or its end was not recorded

                    """)
            let whole = try await run(
                "show", ["--bodies", "--width", "60"], [("a.har", Self.session())], in: files.url)
            #expect(whole.output.contains("\n              ← {\n"), "\(whole.transcript)")
        }

        private func run(
            _ command: String, _ files: [(name: String, text: String)], in directory: URL
        ) async throws -> Command {
            try await run(command, [], files, in: directory)
        }

        @Test("show reports a torn file, a foreign file and missing attachments")
        func trouble() async throws {
            let files = try ScratchFolder()
            defer { files.remove() }
            let torn = try await run("show", [("a.har", String(Self.session().dropLast(50)))], in: files.url)
            #expect(torn.status == 0 && torn.output.contains("1 entry is complete\n"), "\(torn.transcript)")
            let missing = try await run("show", [("a.har", Self.session())], in: files.url)
            #expect(missing.status == 0, "\(missing.transcript)")
            #expect(missing.output.contains("note: entry 2: the file 'messages.jsonl', which"), "\(missing.transcript)")
            let none = try await run(
                "show", [("a.har", Self.session().replacing("\"status\":200", with: "\"status\":\"x\""))],
                in: files.url)
            #expect(none.status == 2 && none.output == "", "\(none.transcript)")
            #expect(
                none.errors
                    == "fitiq-mock: a.har: entry 1, response.status: expected a status from 100 to 999, or 0 if there "
                    + "was no answer, found a string: \"x\".\n")
            let absent = try await Command(try Programs.fitiqMock(), ["show", "/nowhere.har"])
            #expect(absent.status == 2 && absent.errors.contains("cannot read '/nowhere.har'"), "\(absent.transcript)")
            let narrow = try await run("show", ["--width", "59"], [("a.har", Self.session())], in: files.url)
            #expect(
                narrow.status == 2 && narrow.errors == "fitiq-mock: --width must be from 60 to 10000, not 59.\n",
                "\(narrow.transcript)")
        }

        @Test("diff exits with 0 for equal sessions, 1 for different sessions and 2 for other files")
        func diff() async throws {
            let files = try ScratchFolder()
            defer { files.remove() }
            let other = Self.session(id: "910a2dec-8902-4cc1-beeb-8da1658eec67").replacing("h:1", with: "other:2")
            let equal = try await run(
                "diff", [("a.har", Self.session()), ("b.har", other), ("messages.jsonl", Self.messages)],
                in: files.url)
            #expect(equal.status == 0 && equal.errors == "", "\(equal.transcript)")
            #expect(equal.output.hasSuffix("\nThe sessions are equal.\n"), "\(equal.transcript)")
            let different = try await run(
                "diff", [("a.har", Self.session()), ("b.har", Self.session(status: 404))], in: files.url)
            #expect(different.status == 1 && different.errors == "", "\(different.transcript)")
            #expect(
                different.output.hasSuffix(
                    """

                    ! GET /api/v1/goals (no. 1)
                        status: 200 → 404

                    The sessions differ in 1 place.

                    """), "\(different.transcript)")
            let none = try await run("diff", [("a.har", Self.session()), ("b.har", "<html>")], in: files.url)
            #expect(none.status == 2 && none.output == "", "\(none.transcript)")
            #expect(none.errors.hasPrefix("fitiq-mock: b.har: this is not valid JSON: line 1, column 1: "))
            let one = try await run("diff", [("a.har", Self.session())], in: files.url)
            #expect(one.status == 2 && one.errors.contains("<second>"), "\(one.transcript)")
        }
    }
}
