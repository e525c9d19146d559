import Foundation
import TestSupport
import Testing

extension ExploringPeers {
    /// `fitiq-mock scenario from` finds the smallest scenario in which a client fails in the same way as in a recorded
    /// session.
    @Suite("fitiq-mock scenario from")
    struct ScenarioFromTests {
        private static let client = Programs.peers.appendingPathComponent("defects/plain_client.py").path

        private func from(
            _ session: String, _ options: [String] = [], _ command: [String], in folder: ScratchFolder
        ) async throws -> Command {
            try await Command(
                try Programs.fitiqMock(), ["scenario", "from", session] + options + ["--"] + command,
                directory: folder.url)
        }

        @Test("A lost question in a recording becomes one fault that reproduces the bug")
        func dropped() async throws {
            try await withFolder { folder in
                let scenario = """
                    name: dropped
                    faults:
                      - {on: socket, connections: 1, at: {type: user_message}, finish: true}
                      - {on: "GET /api/v1/consultations/{id}/messages", requests: 2, delay: 1200ms}

                    """
                try Data(scenario.utf8).write(to: folder["dropped.yaml"])
                let record = #"""
                    mkfifo banner
                    "$0" serve --port 0 --scenario dropped.yaml --record session.har --instant > banner 2>&1 &
                    exec 3< banner
                    while read -r line <&3; do [[ $line == *http://* ]] && break; done
                    url=$(grep -o 'http://127.0.0.1:[0-9]*' <<< "$line")
                    FITIQ_MOCK_URL=$url FITIQ_MOCK_WS_URL=ws${url#http} FITIQ_MOCK_TOKEN=$("$0" token) \
                        FITIQ_MOCK_FRESH_TOKEN= FITIQ_MOCK_API_KEY=fitiq-mock-key "$1" -B "$2" doubles
                    kill $!; wait $!
                    """#
                let python = try Programs.python().path
                let recording = try await Command.bash(record, python, Self.client, in: folder)
                #expect(recording.errors.contains("The question was asked twice."), "\(recording.transcript)")
                let command = [python, Self.client, "doubles"]
                let run = try await from("session.har", ["--confirm", "1/1"], command, in: folder)
                #expect(run.status == 0, "\(run.transcript)")
                #expect(run.errors.contains("broke no obligation"), "\(run.transcript)")
                let text = try folder.read("found.yaml")
                #expect(text.contains("# Made by: fitiq-mock scenario from session.har -- "), "\(text)")
                #expect(text.matches(of: #/\n  - \{"name":/#).count == 1, "\(text)")
                #expect(text.contains(#""on":"socket /api/v1/consultations/{id}/ws""#), "\(text)")
                let verify = try await Command(
                    try Programs.fitiqMock(), ["verify", "--scenario", "found.yaml", "--quiet", "--"] + command,
                    directory: folder.url)
                #expect(verify.status == 1, "\(verify.transcript)")
                #expect(verify.errors.contains("The question was asked twice."), "\(verify.transcript)")
                // A client without the mistake behaves differently from the recorded client.
                let good = try await from(
                    "session.har", ["--confirm", "1/1", "--output", "good.yaml"],
                    [python, Self.client, "unchanged"], in: folder)
                #expect(good.status == 1 && good.output == "", "\(good.transcript)")
                #expect(good.errors.contains("replay: session.har"), "\(good.transcript)")
                #expect(!FileManager.default.fileExists(atPath: folder["good.yaml"].path))
            }
        }

        @Test("The command must break the obligation that the recorded client broke")
        func obligation() async throws {
            try await withFolder { folder in
                // The session of a client that requested an upper-case id, as a proxy would record it.
                let session = #"""
                    {"log":{"version":"1.2","creator":{"name":"proxy"},"entries":[
                    {"startedDateTime":"2025-01-29T10:30:00.000Z","time":3,"request":{"method":"GET",
                    "url":"https://api.example.com/api/v1/consultations/8F3B2A10-0000-4000-8000-00000000000A/messages",
                    "headers":[{"name":"Authorization","value":"Bearer t"},{"name":"X-API-Key","value":"k"}]},
                    "response":{"status":404,"headers":[],"content":{"text":"{}","mimeType":"application/json"}}},
                    {"startedDateTime":"2025-01-29T10:30:01.000Z","time":3,"request":{"method":"GET",
                    "url":"https://api.example.com/api/v1/consultations",
                    "headers":[{"name":"Authorization","value":"Bearer t"},{"name":"X-API-Key","value":"k"}]},
                    "response":{"status":503,"headers":[],"content":{"text":"busy","mimeType":"text/plain"}}}]}}
                    """#
                try Data(session.utf8).write(to: folder["session.har"])
                let script = "\(CommandPeers.VerifyCommandTests.list) -f || \(CommandPeers.VerifyCommandTests.shout)"
                let run = try await from("session.har", ["--confirm", "1/1"], ["sh", "-c", script], in: folder)
                #expect(run.status == 0, "\(run.transcript)")
                #expect(run.errors.contains("broke ids/lowercase"), "\(run.transcript)")
                let text = try folder.read("found.yaml")
                #expect(text.matches(of: #/\n  - \{"name":/#).count == 1, "\(text)")
                #expect(text.contains(#""on":"GET /api/v1/consultations","requests":1,"status":50"#), "\(text)")
            }
        }

        @Test("scenario from reports symptoms that occur without any fault and ignores known symptoms")
        func withoutFault() async throws {
            try await withFolder { folder in
                let session = #"""
                    {"log":{"version":"1.2","creator":{"name":"proxy"},"entries":[
                    {"startedDateTime":"2025-01-29T10:30:01.000Z","time":3,"request":{"method":"GET",
                    "url":"https://api.example.com/api/v1/consultations","headers":[]},
                    "response":{"status":503,"headers":[],"content":{"text":"busy","mimeType":"text/plain"}}}]}}
                    """#
                try Data(session.utf8).write(to: folder["session.har"])
                let run = try await from("session.har", ["--confirm", "1/1"], ["sh", "-c", "exit 7"], in: folder)
                #expect(run.status == 1 && run.output.isEmpty, "\(run.transcript)")
                #expect(run.errors.contains("breaks explore/command without any fault"), "\(run.transcript)")
                #expect(!FileManager.default.fileExists(atPath: folder["found.yaml"].path))
                try Data("explore/command\n".utf8).write(to: folder["known"])
                let known = ["--confirm", "1/1", "--known-broken", "known"]
                let other = try await from("session.har", known, ["sh", "-c", "exit 7"], in: folder)
                #expect(
                    other.status == 1 && other.errors.contains("did not fail as the recorded client did"),
                    "\(other.transcript)")
                try Data("explore/command\nexplore/crash\nexplore/hang\n".utf8).write(to: folder["known"])
                let none = try await from("session.har", known, ["sh", "-c", "exit 7"], in: folder)
                #expect(none.status == 2 && none.errors.contains("lists everything"), "\(none.transcript)")
            }
        }

        @Test("Ctrl-C writes the smallest scenario so far and exits with 130")
        func interrupted() async throws {
            try await withFolder { folder in
                func failed(_ path: String, at second: Int) -> String {
                    #"""
                    {"startedDateTime":"2025-01-29T10:30:0\#(second).000Z","time":3,"request":{"method":"GET",
                    "url":"https://api.example.com/api/v1/\#(path)","headers":[{"name":"Authorization","value":"Bearer t"},
                    {"name":"X-API-Key","value":"k"}]},"response":{"status":503,"headers":[],
                    "content":{"text":"busy","mimeType":"text/plain"}}}
                    """#
                }
                let entries = failed("goals", at: 0) + "," + failed("consultations", at: 5)
                let session = #"{"log":{"version":"1.2","creator":{"name":"proxy"},"entries":[\#(entries)]}}"#
                try Data(session.utf8).write(to: folder["session.har"])
                // The first two runs, with the whole session and with one half of it, fail; the third run never ends.
                let client =
                    "echo >> runs; [ $(wc -l < runs) -lt 3 ] || { echo began > pipe; tail -f /dev/null; }; exit 7"
                let script = #"""
                    mkfifo pipe
                    "$0" scenario from session.har --confirm 1/1 -- sh -c "$1" > out 2> progress & read -rt 60 line <> pipe
                    kill -INT $!
                    wait $!
                    echo "exit $?"
                    cat out progress
                    """#
                let run = try await Command.bash(script, client, in: folder)
                #expect(run.output.hasPrefix("exit 130\nfound.yaml: recorded-status-503@GET "), "\(run.transcript)")
                #expect(run.output.contains("fitiq-mock: 1 run, 2 faults and answers left, "), "\(run.transcript)")
                #expect(run.output.contains("the smallest scenario so far"), "\(run.transcript)")
                let text = try folder.read("found.yaml")
                #expect(text.contains("# This is the smallest scenario so far"), "\(text)")
                #expect(text.matches(of: #/\n  - \{"name":/#).count == 1, "\(text)")
            }
        }

        @Test("Unusable input prints one line on stderr and exits with 2")
        func foreign() async throws {
            try await withFolder { folder in
                let har = URL.fixtures.appending(path: "sessions/foreign/chrome.har").path
                let run = try await from(har, ["--confirm", "1/1"], ["sh", "-c", "exit 7"], in: folder)
                #expect(run.status == 1 && run.errors.contains("broke ws/message-shape"), "\(run.transcript)")
                #expect(run.errors.contains("\n  - POST /api/v1/consultations (no. 3)\n"), "\(run.transcript)")
                for (arguments, words) in [
                    (["scenario", "from", har], "scenario from needs a command after '--'"),
                    (["scenario", "from", "none.har", "--", "true"], "cannot read 'none.har'"),
                    (["scenario", "from", har, "--time-limit", "0", "--", "true"], "--time-limit must be"),
                    (["scenario", "from", har, "--output", "", "--", "true"], "--output must not be empty"),
                ] {
                    let command = try await Command(try Programs.fitiqMock(), arguments, directory: folder.url)
                    #expect(command.status == 2 && command.errors.contains(words), "\(command.transcript)")
                }
            }
        }
    }
}
