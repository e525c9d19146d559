import Foundation
import TestSupport
import Testing

extension Peers {
    @Suite("fitiq-mock judge")
    struct JudgeCommandTests {
        static let good =
            #"{"number":1,"time":"2025-01-29T10:30:00Z","world":"w1","kind":"exchange","endpoint":"getConsultation","user":"demo","requested_at":"2025-01-29T10:30:00Z","request":{"method":"GET","target":"/w/w1/api/v1/consultations/7c9e6679-7425-40de-944b-e07fc1f90ae7","version":"1.1","fields":[{"name":"Host","value":"a"},{"name":"Authorization","value":"Bearer t"},{"name":"X-API-Key","value":"k"}],"body":""},"response":{"status":200,"fields":[],"body":"{}"}}"#
            + "\n"
        /// The same journal with an upper-case id, in a different world.
        static let bad = good.replacing("7c9e6679", with: "7C9E6679").replacing("w1", with: "w2")

        private func judge(_ arguments: String..., input: String = "") async throws -> Command {
            try await Command(try Programs.fitiqMock(), ["judge"] + arguments, input: input)
        }

        @Test("Judging a correct client's journal from a file or standard input exits with 0")
        func kept() async throws {
            let files = try ScratchFolder()
            defer { files.remove() }
            try Data(Self.good.utf8).write(to: files["journal.ndjson"])
            let fromFile = try await judge(files["journal.ndjson"].path)
            #expect(fromFile.status == 0 && fromFile.errors == "", "\(fromFile.transcript)")
            #expect(fromFile.output.contains("✓ ids/lowercase"))
            #expect(fromFile.output.hasSuffix("The run passes.\n"))
            let fromInput = try await judge("-", input: Self.good)
            #expect(fromInput.status == 0, "\(fromInput.transcript)")
            #expect(fromInput.output.hasPrefix("The client in standard input\n"))
        }

        @Test("judge gives each world its own verdict and can select one world")
        func worlds() async throws {
            let both = try await judge("-", input: Self.good + Self.bad)
            #expect(both.status == 1 && both.output.contains("In w2: broken once, faced once:"), "\(both.transcript)")
            #expect(both.output.contains("#1 +0.000 s  → GET /w/w2/api/v1/consultations/7C9E6679"))
            let first = try await judge("-", "--world", "w1", input: Self.good + Self.bad)
            #expect(first.status == 0, "\(first.transcript)")
            let none = try await judge("-", "--world", "w3", input: Self.good + Self.bad)
            #expect(none.status == 2 && none.output == "", "\(none.transcript)")
            #expect(
                none.errors.contains(
                    "no entry belongs to the world 'w3'; the worlds with entries are w1, w2. Did you mean"))
        }

        @Test("judge does not apply an obligation that is not in the guide")
        func guide() async throws {
            let other = try await judge("-", "--guide", "goal-linking", input: Self.bad)
            #expect(!other.output.contains("✗ ids/lowercase"), "\(other.transcript)")
            let unknown = try await judge("-", "--guide", "goals", input: Self.bad)
            #expect(unknown.status == 2 && unknown.errors.contains("--guide must be one of"), "\(unknown.transcript)")
        }

        @Test("All of judge's reports take known breaches into account")
        func reports() async throws {
            let files = try ScratchFolder()
            defer { files.remove() }
            try Data("w2 ids/lowercase\n".utf8).write(to: files["known"])
            let options = [
                "-", "--junit", files["a.xml"].path, "--json", files["a.json"].path, "--markdown", files["a.md"].path,
                "--known-broken", files["known"].path,
            ]
            let program = try Programs.fitiqMock()
            let known = try await Command(program, ["judge"] + options, input: Self.bad)
            #expect(known.output.contains("~ ids/lowercase (must, known to be broken)"), "\(known.transcript)")
            #expect(try files.read("a.xml").contains("<skipped message=\"known to be broken: The path has"))
            #expect(try files.read("a.json").contains("\"mark\":\"known_broken\""))
            #expect(try files.read("a.md").contains("| `ids/lowercase` | must | 🟡 |"))
            try Data("ids/lowercase\n".utf8).write(to: files["known"])
            let outdated = try await Command(program, ["judge"] + options, input: Self.good)
            #expect(outdated.status == 1 && outdated.output.contains("remove the line"), "\(outdated.transcript)")
            try Data("ids/upper\n".utf8).write(to: files["known"])
            let wrong = try await Command(program, ["judge"] + options, input: Self.good)
            #expect(
                wrong.status == 2 && wrong.errors.contains("known:1: there is no obligation"), "\(wrong.transcript)")
            let unwritable = try await judge("-", "--junit", files["no/a.xml"].path, input: Self.good)
            #expect(unwritable.status == 3 && unwritable.errors.contains("cannot write"), "\(unwritable.transcript)")
        }

        @Test("A journal without a connection exits with 4")
        func nobody() async throws {
            for input in ["", #"{"number":1,"time":"2025-01-29T10:30:00Z","kind":"note","text":"x"}"# + "\n"] {
                let empty = try await judge("-", input: input)
                #expect(empty.status == 4 && empty.output.contains("never connected"), "\(empty.transcript)")
            }
        }

        @Test("A bad line, an unordered journal or a foreign file exits with 2")
        func bad() async throws {
            let line = try await judge("-", input: Self.good + "{\"kind\":\n")
            #expect(
                line.status == 2 && line.errors.hasPrefix("fitiq-mock: standard input: line 2, column 9: this is no"))
            #expect(line.errors.split(separator: "\n").count == 1 && line.output == "")
            let twice = try await judge("-", input: Self.good + Self.good)
            #expect(twice.status == 2 && twice.errors.contains("line 2: entry 1 of w1 comes after entry 1"))
            for path in ["/nowhere.ndjson", "/"] {
                let none = try await judge(path)
                #expect(none.status == 2 && none.errors.contains("cannot read '\(path)'"), "\(none.transcript)")
            }
        }

        @Test("judge omits a truncated last line and adds a note")
        func cut() async throws {
            let cut = try await judge("-", input: Self.good + Self.bad.prefix(200))
            #expect(cut.status == 0 && cut.errors.contains("line 2: the last line is incomplete"), "\(cut.transcript)")
        }

        @Test("judge detects a recorded session by its content, from a file and standard input")
        func session() async throws {
            let chat = Programs.sessions.appendingPathComponent("chat.har")
            let kept = try await judge(chat.path)
            #expect(kept.status == 0 && kept.errors == "", "\(kept.transcript)")
            #expect(kept.output.contains("✓ ws/close-handshake") && kept.output.hasSuffix("The run passes.\n"))
            let text = try String(contentsOf: chat, encoding: .utf8)
            #expect(
                try await judge("-", input: text).output == kept.output.replacing(chat.path, with: "standard input"))
            let broken = try await judge("-", input: text.replacing("910a2dec-8902", with: "910A2DEC-8902"))
            #expect(broken.status == 1 && broken.output.contains("✗ ids/lowercase"), "\(broken.transcript)")
            #expect(broken.output.contains("→ GET /api/v1/consultations/910A2DEC"))
            let cut = try await judge("-", input: String(text.prefix(text.count / 2)))
            #expect(cut.status == 0 && cut.errors.hasPrefix("fitiq-mock: standard input: "), "\(cut.transcript)")
            let none = try await judge("-", input: #"{"log":{"entries":[{}]}}"#)
            #expect(none.status == 2 && none.errors.contains("standard input: entry 1"), "\(none.transcript)")
            let empty = try await judge("-", input: #"{"log":{"entries":[]}}"#)
            #expect(empty.status == 4, "\(empty.transcript)")
        }

        @Test("judge does not exercise obligations if a foreign session lacks the data that they need")
        func foreignSession() async throws {
            let judged = try await judge(Programs.sessions.appendingPathComponent("foreign/chrome.har").path)
            // The recorded page intentionally sends a binary message.
            #expect(judged.status == 1 && judged.output.contains("✗ ws/message-shape"), "\(judged.transcript)")
            #expect(judged.output.split(separator: "\n").count { $0.hasPrefix("  ✗ ") } == 1, "\(judged.transcript)")
        }

        @Test("A recorded session gets the same verdicts as its journal")
        func recorded() async throws {
            let files = try ScratchFolder()
            defer { files.remove() }
            let har = files["session.har"].path
            var journal = ""
            try await RunningServer.serve("--instant", "--record", har) { server in
                let chat = try await Command(
                    try Programs.fitiqMock(), ["chat", "--url", server.ready.url, "--message", "How do I warm up?"])
                #expect(chat.status == 0, "\(chat.transcript)")
                journal = try await Command(
                    try Programs.curl(), ["--silent", "--show-error", "\(server.ready.url)/__admin/journal"]
                ).output
            }
            func marks(_ command: Command) -> [Substring] {
                command.output.split(separator: "\n").filter {
                    ["  ✓ ", "  ✗ ", "  ! ", "  · "].contains($0.prefix(4))
                }
            }
            let (live, session) = (try await judge("-", input: journal), try await judge(har))
            #expect(!marks(live).isEmpty && marks(live) == marks(session), "\(live.transcript)\n\(session.transcript)")
        }

        @Test("judge reads the journal of a running server")
        func running() async throws {
            try await RunningServer.serve("--instant") { server in
                let program = try Programs.fitiqMock()
                let chat = try await Command(
                    program, ["chat", "--url", server.ready.url, "--message", "How do I warm up?"])
                #expect(chat.status == 0, "\(chat.transcript)")
                let journal = try await Command(
                    try Programs.curl(), ["--silent", "--show-error", "\(server.ready.url)/__admin/journal"])
                let judged = try await judge("-", input: journal.output)
                #expect([0, 1].contains(judged.status) && judged.errors == "", "\(judged.transcript)")
                #expect(judged.output.contains("✓ ids/lowercase"), "\(judged.transcript)")
            }
        }
    }
}
