import Foundation
import TestSupport
import Testing

extension Peers {
    @Suite("curl meets faults")
    struct Faults {
        /// curl's report of one fault on one request.
        struct Sight: CustomTestStringConvertible, Sendable {
            /// The fault as written in a scenario file, without `on`.
            let fault: String
            /// curl's exit status: `man curl`, EXIT CODES.
            let exit: Int32
            var status = "200"
            /// Text that curl must print on standard error.
            var says = ""
            /// Text that the body, or the Content-Type printed after it, must contain.
            var shows = ""
            /// The client's timeout in seconds; it is short if it has to expire.
            var patience = "20"
            var method = "GET"

            var testDescription: String { fault }
        }

        static let sights = [
            Sight(fault: #""status": 503, "retry_after": 2"#, exit: 22, status: "503", says: "error: 503"),
            Sight(fault: #""quota": {"requests": 0, "per": "1m"}"#, exit: 22, status: "429", says: "error: 429"),
            Sight(fault: #""delay": "1s""#, exit: 28, status: "000", says: "timed out", patience: "0.3"),
            Sight(fault: #""dribble": {"bytes": 150, "every": "1s"}"#, exit: 28, says: "timed out", patience: "2"),
            Sight(fault: #""truncate": {"after": 20}"#, exit: 18, says: "bytes remaining to read"),
            Sight(fault: #""content_length": 10"#, exit: 28, says: "out of", patience: "2"),
            // curl drops excess bytes and reports this only with `--verbose`.
            Sight(fault: #""content_length": -10"#, exit: 0, shows: #""tota\n"#),
            Sight(fault: #""malformed": "json""#, exit: 0, shows: #""totalCount":1\n"#),
            Sight(fault: #""malformed": "chunking""#, exit: 56, says: "hunk"),
            Sight(fault: #""empty_reply": true"#, exit: 52, status: "000", says: "Empty reply from server"),
            Sight(fault: #""reset": true"#, exit: 56, status: "000", says: "reset by peer"),
            Sight(fault: #""reset": {"after": 160}"#, exit: 56, says: "reset by peer"),
            Sight(fault: #""hang": true"#, exit: 28, status: "000", says: "timed out", patience: "0.3"),
            Sight(fault: #""hold": "request""#, exit: 28, status: "000", says: "timed out", patience: "0.3"),
            Sight(fault: #""content_type": "application/json""#, exit: 0, shows: #"}\napplication/json\n200"#),
            Sight(fault: #""nanosecond_timestamps": true"#, exit: 0, shows: #"T\d\d:\d\d:\d\d\.\d{9}Z"#),
        ]

        /// The keys of a rule that do not describe the fault, or that apply to places that curl does not reach.
        static let modifiers: Set = [
            "name", "enabled", "on", "requests", "connections", "at", "body", "code", "message", "retry_after",
            "processed",
        ]
        static let elsewhere: Set = [
            "wrong_accept", "close", "finish", "silence", "cut", "end", "masked", "reserved_bits", "invalid_utf8",
            "fragments", "compression",
            "escape", "coalesce", "binary", "lose", "double", "swap", "replace", "insert", "withhold_pong",
            "stall_reading",
        ]

        @Test("Each fault gives curl the expected exit status and message")
        func faults() async throws {
            try await RunningServer.serve("--instant") { server in
                for sight in Self.sights {
                    let world = try await FaultyWorld(#"[{"on": "GET /api/v1/goals", \#(sight.fault)}]"#, on: server)
                    let command = try await world.curl(
                        "/api/v1/goals", "--fail", "--write-out", "\\n%{content_type}\\n%{http_code}", "--max-time",
                        sight.patience)
                    #expect(command.status == sight.exit, "\(sight.fault): \(command.transcript)")
                    #expect(command.output.hasSuffix("\n" + sight.status), "\(sight.fault): \(command.transcript)")
                    #expect(
                        sight.says.isEmpty
                            ? command.errors.isEmpty : command.errors.lowercased().contains(sight.says.lowercased()),
                        "\(sight.fault): \(command.transcript)")
                    let shown = try Regex(sight.shows)
                    #expect(command.output.contains(shown), "\(sight.fault): \(command.transcript)")
                }
            }
        }

        @Test("The tests cover every fault in the schema")
        func isComplete() throws {
            let file = URL.fixtures.appending(path: "scenarios/scenario.schema.json")
            let schema = try JSONDecoder().decode(Schema.self, from: Data(contentsOf: file))
            let keys = try #require(schema.definitions["fault"]?.properties).keys
            let seen = Self.sights.compactMap { $0.fault.split(separator: "\"").first.map(String.init) }
            #expect(Set(keys).subtracting(Self.modifiers).subtracting(Self.elsewhere) == Set(seen))
        }

        private struct Schema: Decodable {
            let definitions: [String: Definition]

            enum CodingKeys: String, CodingKey { case definitions = "$defs" }
            struct Definition: Decodable {
                let properties: [String: Property]?
            }
            struct Property: Decodable {}
        }

        @Test("A delayed answer arrives only after the clock has moved")
        func delay() async throws {
            try await RunningServer.serve("--instant") { server in
                let world = try await FaultyWorld(
                    #"[{"on": "GET /api/v1/goals", "requests": 1, "delay": "26s"}]"#, on: server)
                async let late = world.curl("/api/v1/goals", "--write-out", "%{http_code}")
                while try await !world.clock().contains(#""next_step":"2025-01-29T10:30:26"#) {}
                // The fault does not delay other requests.
                #expect(try await world.curl("/api/v1/goals").status == 0)
                _ = try await world.clock(advancedBy: "26s")
                let command = try await late
                #expect(command.status == 0 && command.output.hasSuffix("200"), "\(command.transcript)")
            }
        }

        @Test("A handshake fault gives curl a refusal or no answer")
        func handshakes() async throws {
            try await RunningServer.serve("--instant") { server in
                let faults = #"""
                    [{"on": "handshake", "connections": 1, "status": 503}, {"on": "handshake", "connections": 2, "empty_reply": true},
                     {"on": "handshake", "connections": 3, "reset": true}, {"on": "handshake", "connections": 4, "hang": true}]
                    """#
                let world = try await FaultyWorld(faults, on: server)
                let upgrade = [
                    "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
                    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                ].flatMap { ["--header", $0] }
                var exits: [Int32] = []
                for patience in ["20", "20", "20", "0.3"] {
                    let command = try await world.curl(
                        "/api/v1/consultations/00000000-0000-4000-8000-000000000000/ws",
                        ["--fail", "--max-time", patience] + upgrade)
                    exits.append(command.status)
                }
                #expect(exits == [22, 52, 56, 28])
            }
        }
    }
}

/// A world with faults and a manual clock, with curl as its client.
struct FaultyWorld {
    private struct Made: Decodable {
        let id: String
        let url: String
        let api_key: String
        let token: String
    }

    private let made: Made
    private let server: RunningServer

    init(_ faults: String, on server: RunningServer) async throws {
        self.server = server
        let users = #"[{"id": "anna", "goals": [{"title": "Run 5 km"}]}]"#
        let scenario = #"{"clock": "manual", "scenario": {"name": "faults", "users": \#(users), "faults": \#(faults)}}"#
        let answer = try await Self.curl([
            "--header", "Content-Type: application/json", "--data-binary", scenario,
            server.ready.url + "/__admin/worlds",
        ])
        made = try JSONDecoder().decode(Made.self, from: Data(answer.output.utf8))
    }

    /// Sends a request with the world's credentials; curl may fail.
    func curl(_ path: String, _ options: String...) async throws -> Command { try await curl(path, options) }

    func curl(_ path: String, _ options: [String]) async throws -> Command {
        let credentials = ["Authorization: Bearer \(made.token)", "X-API-Key: \(made.api_key)"]
        return try await Self.curl(credentials.flatMap { ["--header", $0] } + options + [made.url + path])
    }

    /// The time on the world's clock, after an optional move.
    func clock(advancedBy span: String? = nil) async throws -> String {
        let move = span.map {
            ["--header", "Content-Type: application/json", "--data-binary", #"{"advance": "\#($0)"}"#]
        }
        return try await Self.curl((move ?? []) + ["\(server.ready.url)/__admin/worlds/\(made.id)/clock"]).output
    }

    private static func curl(_ arguments: [String]) async throws -> Command {
        let fixed = ["-q", "--silent", "--show-error", "--noproxy", "*"]
        // If curl gets two time limits, it uses the last of them.
        return try await Command(try Programs.curl(), fixed + ["--max-time", "20"] + arguments)
    }
}
