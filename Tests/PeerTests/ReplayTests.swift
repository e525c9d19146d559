import Foundation
import JSON
import TestSupport
import Testing

extension Peers {
    /// `fitiq-mock replay`, and `replay:` in a scenario, in the binary that users run.
    @Suite("Replays on the command line")
    struct ReplayTests {
        private static let origin = "https://api.fitiq.example"

        private static let goals = #"{ "goals" : [1.0] , "next":"https://api.fitiq.example/api/v1/goals?page=2"}"#

        /// A session as browsers' developer tools export it.
        private static func take() throws -> [UInt8] {
            func entry(
                _ method: String, _ path: String, body: String? = nil, status: JSONValue, answer: String, at second: Int
            ) -> JSONValue {
                var request: JSONObject = [
                    "method": .string(method), "url": .string(origin + path),
                    "headers": [["name": "Authorization", "value": "Bearer redacted-token-1"]],
                ]
                if let body { request["postData"] = ["mimeType": "application/json", "text": .string(body)] }
                return [
                    "startedDateTime": .string("2025-01-29T10:30:0\(second).000Z"), "time": 2,
                    "timings": ["send": 0, "wait": 1, "receive": 1], "request": .object(request),
                    "response": [
                        "status": status, "headers": [["name": "Content-Type", "value": "application/json"]],
                        "content": ["mimeType": "application/json", "text": .string(answer)],
                    ],
                ]
            }
            let log: JSONValue = [
                "version": "1.2",
                "entries": [
                    entry("GET", "/api/v1/goals", status: 200, answer: goals, at: 0),
                    entry(
                        "POST", "/api/v1/things", body: #"{"name":"a"}"#, status: 201, answer: #"{"id":1}"#, at: 1),
                ],
            ]
            return JSONValue.object(["log": log]).encoded()
        }

        private func withTake(_ body: (ScratchFolder, String) async throws -> Void) async throws {
            let folder = try ScratchFolder()
            defer { folder.remove() }
            try Data(Self.take()).write(to: folder["take.har"])
            try await body(folder, folder["take.har"].path)
        }

        private func get(_ server: RunningServer, _ path: String, _ options: String...) async throws -> Curl.Response {
            let curl = try await Curl(server, user: "unused")
            return try Curl.Response(try await curl.run(["--include"] + options + [server.ready.url + path]))
        }

        private func post(_ server: RunningServer, _ name: String) async throws -> Curl.Response {
            try await get(
                server, "/api/v1/things", "--header", "Content-Type: application/json", "--data-binary",
                #"{"name":"\#(name)"}"#)
        }

        @Test("A replay serves the session with the server's URLs and reports the result")
        func replay() async throws {
            try await withTake { _, har in
                let end = try await RunningServer.run(["replay", har, "--match", "strict"]) { server in
                    #expect(server.ready.scenario == "take.har")
                    #expect(
                        server.banner.contains("a recorded session with 2 requests and 0 WebSockets"),
                        "\(server.banner)")
                    #expect(server.banner.contains(" plays a recorded session back.\n"), "\(server.banner)")
                    #expect(
                        server.banner.contains("curl -sS -w '\\n' \(server.ready.url)/__admin/replay\n"),
                        "\(server.banner)")
                    let goals = try await get(server, "/api/v1/goals", "--header", "Authorization: Bearer mine")
                    #expect(goals.status == 200)
                    #expect(goals.body == Self.goals.replacing(Self.origin, with: server.ready.url))
                    #expect(try await post(server, "a").body == #"{"id":1}"#)
                    let report = try await get(server, "/__admin/replay")
                    #expect(try JSON.parse(report.body)["complete"] == true, "\(report.body)")
                }
                #expect(end.hasPrefix("Served 2 of 2 recorded requests."), "\(end)")
            }
        }

        @Test(
            "A replay reports differences from the recording and fails with --match strict",
            arguments: ["strict", "ordered"])
        func unexpected(match: String) async throws {
            try await withTake { _, har in
                let end = try await RunningServer.run(
                    ["replay", har, "--match", match, "--speed", "instant"], status: match == "strict" ? 1 : 0
                ) { server in
                    let wrong = try await post(server, "b")
                    #expect(wrong.status == 404)
                    let message = try JSON.parse(wrong.body)["error"]?["message"]?.string ?? ""
                    #expect(
                        message.contains(match == "strict" ? "/api/v1/goals" : #"body.name: expected "a", got "b""#))
                    #expect(try await post(server, "a").status == (match == "strict" ? 404 : 201))
                }
                let lines = end.split(separator: "\n")
                #expect(lines.count > 1 && lines[0].contains("unexpected"), "\(end)")
                #expect(end.contains("\n  Recorded request 1, GET /api/v1/goals, was never sent.\n"), "\(end)")
            }
        }

        @Test("A scenario's faults apply to a replayed session, but its data does not")
        func scenarios() async throws {
            try await withTake { folder, har in
                let faults = folder["faults.yaml"]
                try Data("name: down\nfaults: [{on: any, status: 503, requests: 1}]\n".utf8).write(to: faults)
                try await RunningServer.run(["replay", har, "--scenario", faults.path]) { server in
                    #expect(server.ready.scenario == "down")
                    let (first, second) = (
                        try await get(server, "/api/v1/goals"), try await get(server, "/api/v1/goals")
                    )
                    #expect(first.status == 503 && second.status == 200)
                }
                let run = try await Command(
                    try Programs.fitiqMock(), ["replay", har, "--port", "0", "--scenario", "established-account"])
                #expect(
                    run.status == 2 && run.errors.contains("may set faults, guide, seed and clock, but not users"),
                    "\(run.transcript)")
            }
        }

        @Test("serve, check and verify read a session next to the scenario's file")
        func key() async throws {
            try await withTake { folder, _ in
                let file = folder["take.yaml"]
                try Data("name: taken\nreplay:\n  session: take.har\n  match: strict\n".utf8).write(to: file)
                try await RunningServer.serve("--scenario", file.path) { server in
                    let goals = try await get(server, "/api/v1/goals")
                    #expect(goals.status == 200)
                }
                let mock = try Programs.fitiqMock()
                let check = try await Command(mock, ["check", file.path])
                #expect(check.status == 0 && check.output == "\(file.path): ok\n", "\(check.transcript)")
                let curl = CommandPeers.VerifyCommandTests.curl
                let ask = #"\#(curl) "$FITIQ_MOCK_URL/api/v1/goals""#
                let post =
                    #"\#(curl) -H 'Content-Type: application/json' -d '{"name":"a"}' "$FITIQ_MOCK_URL/api/v1/things""#
                func verify(_ script: String) async throws -> Command {
                    try await Command(mock, ["verify", "--scenario", file.path, "--quiet", "--", "sh", "-c", script])
                }
                let good = try await verify("\(ask); \(post)")
                #expect(good.status == 0, "\(good.transcript)")
                for (script, told) in [
                    (ask, "Recorded request 2, POST /api/v1/things, was never sent."),
                    ("\(post); \(ask)", "/api/v1/things"),
                ] {
                    let bad = try await verify(script)
                    #expect(bad.status == 1 && bad.output.contains("replay/strict"), "\(bad.transcript)")
                    #expect(bad.output.contains(told), "\(bad.transcript)")
                }
            }
        }

        @Test("The error for an unreadable session gives the location")
        func mistakes() async throws {
            try await withTake { folder, har in
                let mock = try Programs.fitiqMock()
                let file = folder["bad.yaml"]
                for (session, told) in [
                    ("missing.har", "cannot read '\(folder["missing.har"].path)'"), ("bad.har", "log.entries"),
                ] {
                    try Data(#"{"log": {"entries": 7}}"#.utf8).write(to: folder["bad.har"])
                    try Data("name: bad\nreplay: \(session)\n".utf8).write(to: file)
                    let check = try await Command(mock, ["check", file.path])
                    #expect(
                        check.status == 2 && check.errors.hasPrefix("\(file.path):2:1: replay: "), "\(check.transcript)"
                    )
                    #expect(check.errors.contains(told), "\(check.transcript)")
                }
                let serve = try await Command(mock, ["serve", "--port", "0", "--scenario", file.path])
                #expect(serve.status == 2 && serve.errors.contains("log.entries"), "\(serve.transcript)")
                let replay = try await Command(mock, ["replay", folder["bad.har"].path])
                #expect(replay.status == 2 && replay.errors.contains("log.entries"), "\(replay.transcript)")
                _ = har
            }
        }

        @Test(
            "replay rejects invalid options before it opens a file",
            arguments: [
                (["--match", "loose"], "--match must be one of strict, ordered, route; got 'loose'."),
                (["--match", "strickt"], "Did you mean 'strict'?"),
                (["--frames", "now"], "--frames must be one of timed, lock-step, triggered; got 'now'."),
                (["--speed", "0"], "--speed must be instant, or a multiple of the recorded speed"),
                (["--speed", "fast"], "got 'fast'."),
                (["--speed", "1", "--instant"], "--speed cannot be combined with --instant"),
                (["--export-on-exit", "x"], "--export-on-exit cannot be combined with a replayed session"),
                (["--import", "x"], "--import cannot be combined with a replayed session"),
                (["--ids", "any-case"], "--ids cannot be combined with a replayed session"),
                (["--watch"], "--watch cannot be combined with a replayed session"),
                (["--state", "x"], "--state cannot be combined with a replayed session"),
            ])
        func options(_ options: [String], _ told: String) async throws {
            try await withTake { _, har in
                let run = try await Command(try Programs.fitiqMock(), ["replay", har, "--port", "0"] + options)
                #expect(run.status == 2 && run.errors.contains(told), "\(run.transcript)")
            }
        }

        @Test("A replaying scenario cannot be combined with options for state or ids")
        func state() async throws {
            try await withTake { folder, _ in
                let file = folder["take.yaml"]
                try Data("name: taken\nreplay: take.har\n".utf8).write(to: file)
                try Data(#"{"name":"state"}"#.utf8).write(to: folder["state.json"])
                let state = folder["state.json"].path
                for (option, value) in [
                    ("--export-on-exit", state), ("--import", state), ("--ids", "any-case"), ("--state", state + ".db"),
                ] {
                    let run = try await Command(
                        try Programs.fitiqMock(), ["serve", "--port", "0", "--scenario", file.path, option, value])
                    #expect(
                        run.status == 2 && run.errors.contains("\(option) cannot be combined with a replayed session"),
                        "\(run.transcript)")
                }
            }
        }
    }
}
