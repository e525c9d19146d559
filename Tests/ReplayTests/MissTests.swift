import FitIQAPI
import JSON
import Replay
import Testing
import Traffic

@testable import Replay

@Suite("Unexpected requests and frames")
struct MissTests {
    static func session() -> SessionBuilder {
        return SessionBuilder().exchange(
            "POST", "/api/v1/consultations",
            body: #"{"persona":"nutritionist","goal":{"id":"\#(IDs.a)","tags":["x","y"]},"n":2,"password":"s"}"#,
            status: 201, answer: "made"
        )
        .exchange("GET", "/api/v1/consultations/\(IDs.b)/messages?limit=20&page=1", answer: "messages")
        .exchange("POST", "/api/v1/notes", body: "buy milk", answer: "noted")
        .exchange("PUT", "/api/v1/blobs", body: String(repeating: "x", count: 70_000), answer: "stored")
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var request: ReplayRequest
        var nearest: Int?
        var differences: [String]
        var testDescription: String { name }

        init(
            _ name: String, _ method: String, _ target: String, _ body: String = "", isHandshake: Bool = false,
            nearest: Int?, _ differences: [String]
        ) {
            self.name = name
            request = ReplayRequest(method: method, target: target, body: Array(body.utf8), isHandshake: isHandshake)
            self.nearest = nearest
            self.differences = differences
        }
    }

    static let persona =
        #"{"persona":"coach","goal":{"id":"\#(IDs.c)","tags":["x","z","w"]},"extra":[1],"password":"other"}"#

    static let rows = [
        Row(
            "members", "POST", "/api/v1/consultations", persona, nearest: 1,
            [
                #"body.persona: expected "nutritionist", got "coach""#, #"body.goal.tags[1]: expected "y", got "z""#,
                "body.goal.tags: expected 2 elements, got 3 elements", "body.n: expected 2, got nothing",
                "body.extra: expected nothing, got [1]",
            ]),
        Row(
            "another type", "POST", "/api/v1/consultations", "[]", nearest: 1,
            [
                #"body: expected {"persona":"nutritionist","goal":{"id":"aaaaaaaa-0000-4000-…, got []"#
            ]),
        Row("no body", "POST", "/api/v1/notes", nearest: 3, [#"body: expected "buy milk", got nothing"#]),
        Row(
            "another text", "POST", "/api/v1/notes", "buy bread", nearest: 3,
            [#"body: expected "buy milk", got "buy bread""#]),
        Row(
            "a large body", "PUT", "/api/v1/blobs", String(repeating: "y", count: 70_001), nearest: 4,
            ["body: expected 70000 bytes, got 70001 bytes"]),
        Row(
            "the query", "GET", "/api/v1/consultations/\(IDs.b)/messages?limit=50&x=1", nearest: 2,
            [
                #"query.limit: expected "20", got "50""#, #"query.page: expected "1", got nothing"#,
                #"query.x: expected nothing, got "1""#,
            ]),
        Row(
            "a word of the path", "GET", "/api/v1/consultations/\(IDs.b)/message?limit=20&page=1", nearest: 2,
            [
                #"path: expected "/api/v1/consultations/\#(IDs.b)/messages", got "/api/v1/consultations/\#(IDs.b)/message""#
            ]),
        Row("the method", "DELETE", "/api/v1/notes", "buy milk", nearest: 3, ["method: expected POST, got DELETE"]),
        Row(
            "a handshake", "GET", "/api/v1/consultations/\(IDs.b)/messages?limit=20&page=1", isHandshake: true,
            nearest: 2, ["method: expected GET, got a WebSocket's handshake"]),
        Row("nothing near", "GET", "/favicon.ico", nearest: nil, []),
    ]

    @Test("A miss names the nearest recorded request and the differences", arguments: rows)
    func nearest(row: Row) throws {
        var player = try Self.session().player()
        guard case .unexpected(let miss) = player.answer(row.request, at: at(7)) else { throw NoMiss() }
        #expect((miss.reason, miss.time) == (.unknown, at(7)))
        #expect((miss.nearest?.entry, miss.differences.map(\.description)) == (row.nearest, row.differences))
        #expect(player.report.unexpected == [miss])
    }

    @Test("A miss's message contains the request, the nearest recorded request and the differences")
    func message() throws {
        var player = try Self.session().player()
        let miss = try player.miss("POST", "/api/v1/notes?x=1", body: "buy bread")
        #expect(
            miss.message
                == #"POST /api/v1/notes?x=1 is not in the session. The nearest is POST /api/v1/notes (entry 3); differences: query.x: expected nothing, got "1"; body: expected "buy milk", got "buy bread"."#
        )
        #expect(
            JSONValue.object(miss.details) == [
                "reason": "unknown",
                "nearest": ["entry": 3, "method": "POST", "target": "/api/v1/notes"],
                "differences": [
                    ["place": "query.x", "expected": nil, "actual": "\"1\""],
                    ["place": "body", "expected": "\"buy milk\"", "actual": "\"buy bread\""],
                ],
            ])
    }

    @Test("An id other than the server's counts as a difference")
    func issuedID() throws {
        var player = try SessionBuilder().exchange("GET", "/id", answer: IDs.a).exchange("GET", "/goals/\(IDs.a)")
            .player()
        #expect(player.text("GET", "/goals/\(IDs.b)") == "unexpected: unknown")
        let differences = player.report.unexpected.first?.differences.map(\.description)
        #expect(differences == [#"path: expected "/goals/\#(IDs.a)", got "/goals/\#(IDs.b)""#])
    }

    @Test("A different value for a recorded secret does not count as a difference")
    func boundWord() throws {
        var player = try SessionBuilder()
            .exchange("GET", "/me", fields: FollowingTests.bearer("redacted-token-1"), answer: "hello")
            .exchange("POST", "/check", body: #"{"word":"redacted-token-1","n":1}"#, answer: "checked").player()
        #expect(player.text("GET", "/me", fields: FollowingTests.bearer("abc")) == "hello")
        #expect(player.text("POST", "/check", body: #"{"word":"abc","n":2}"#) == "unexpected: unknown")
        let differences = player.report.unexpected.first?.differences.map(\.description)
        #expect(differences == ["body.n: expected 1, got 2"])
    }

    @Test("A miss names the first of equally near routes")
    func firstRoute() throws {
        var player = try SessionBuilder().exchange("GET", "/things/red", answer: "1")
            .exchange("GET", "/things/blue", answer: "2").player()
        let miss = try player.miss("GET", "/things/mauve")
        #expect(miss.nearest?.entry == 1)
    }

    @Test(
        "The nearest route is the route with the most similar path",
        arguments: [
            ("/things/orange", ["/things/mauve", "/things/orange/all"], 2),
            ("/things/orange", ["/things/orange/all", "/things/oranges"], 2),
            ("/things/orange", ["/things/\(IDs.a)", "/things/orange/all"], 2), ("/note", ["/notes"], 1),
            ("/things" + String(repeating: "/x", count: 49), ["/things/red"], 1),
            ("/things" + String(repeating: "/x", count: 50), ["/things/red"], nil),
        ] as [(String, [String], Int?)])
    func nearestRoute(asked: String, recorded: [String], nearest: Int?) throws {
        let builder = SessionBuilder()
        for path in recorded { builder.exchange("GET", path) }
        var player = try builder.player()
        let miss = try player.miss("GET", asked)
        #expect(miss.nearest?.entry == nearest)
    }

    @Test("A miss states only the size of a body over the limit", arguments: [0, 1])
    func largeBodies(excess: Int) throws {
        let count = ReplayLimits.comparedBody + excess
        var player = try SessionBuilder().exchange("PUT", "/blobs", body: String(repeating: "x", count: count)).player()
        let miss = try player.miss("PUT", "/blobs", body: String(repeating: "y", count: count))
        #expect(miss.differences.count == 1)
        #expect((miss.differences.first?.expected == "\(count) bytes") == (excess > 0))
        _ = player.ask("PUT", "/blobs")
        let difference = player.report.unexpected.last?.differences.first?.description
        #expect(difference?.hasSuffix(", got nothing") == true)
    }

    @Test("An unused recorded request counts as nearer than a used request")
    func unservedFirst() throws {
        var player = try SessionBuilder().exchange("POST", "/notes", body: "one", answer: "1")
            .exchange("POST", "/notes", body: "two", answer: "2").player()
        #expect(player.text("POST", "/notes", body: "one") == "1")
        let miss = try player.miss("POST", "/notes", body: "too")
        #expect(miss.nearest?.entry == 2)
    }

    @Test("A miss limits the number and length of its differences")
    func limited() throws {
        let wide = (0..<100).map { "\"\($0)\":\"\(String(repeating: "a", count: 500))\"" }.joined(separator: ",")
        var player = try SessionBuilder().exchange("POST", "/wide", body: "{\(wide)}").player()
        let other = wide.split(separator: "a").joined(separator: "b")
        let miss = try player.miss("POST", "/wide?" + String(repeating: "q", count: 5_000), body: "{\(other)}")
        #expect(miss.differences.count == ReplayLimits.differences)
        #expect(miss.message.utf8.count < 4_000)
        #expect(miss.target.utf8.count <= 503)
    }

    @Test("A report keeps misses up to its limit and counts all of them")
    func misses() throws {
        var player = try SessionBuilder().exchange("GET", "/a").socket("/ws", frames: [frame(.client, 1, "hi")])
            .player()
        let socket = try player.open("/ws")
        for number in 0..<(ReplayLimits.misses + 1) {
            _ = player.ask("GET", "/b/\(number)")
            player.send("no \(number)", on: socket, at: at(1))
        }
        #expect(player.report.unexpectedCount == ReplayLimits.misses + 1)
        #expect(player.report.unexpected.count == ReplayLimits.misses)
        #expect(player.report.frameMissCount == ReplayLimits.misses + 1)
        #expect(player.report.frameMisses.count == ReplayLimits.misses)
    }

    @Test("An unexpected frame's report says how it differs from the frame that was due")
    func frames() throws {
        var player = try SessionBuilder().socket(
            "/ws?x=1",
            frames: [frame(.client, 1, #"{"type":"message","content":"hi"}"#), frame(.client, 2, .binary, [1])]
        ).player(.strict)
        let socket = try player.open("/ws?x=1")
        player.send(#"{"type":"message","content":"ho"}"#, on: socket, at: at(5))
        player.send(#"{"type":"message","content":"hi"}"#, on: socket, at: at(6))
        player.send("text", on: socket, at: at(7))
        player.receive(.binary([2]), on: socket, at: at(8))
        player.receive(.binary([1]), on: socket, at: at(9))
        player.receive(.binary([1]), on: socket, at: at(10))
        #expect(
            player.report.frameMisses.map(\.message) == [
                #"The frame {"type":"message","content":"ho"} on /ws?x=1 differs from the recorded frame: text.content: expected "hi", got "ho"."#,
                #"The frame "text" on /ws?x=1 differs from the recorded frame: type: expected binary, got text."#,
                #"The frame "\u0002" on /ws?x=1 differs from the recorded frame: binary: expected "\u0001", got "\u0002"."#,
                #"The frame "\u0001" on /ws?x=1 is extra: in the session, the client sent no more frames."#,
            ])
        #expect((player.report.frameMisses.first?.time, player.report.framesReceived) == (at(5), 2))
    }

    @Test("The JSON replay report is complete, and its summary line contains the essentials")
    func report() throws {
        var player = try Self.session().player()
        _ = player.text("POST", "/api/v1/notes", body: "buy milk")
        _ = player.text("GET", "/favicon.ico")
        let report = player.report
        #expect((report.summary, report.isComplete) == ("Served 1 of 4 recorded requests, 1 unexpected.", false))
        #expect(report.neverAsked.map(\.entry) == [1, 2, 4])
        let json = report.json
        #expect((json["complete"], json["served"], json["never_asked_count"]) == (false, 1, 3))
        #expect(json["never_asked"]?[1]?["target"]?.string == "/api/v1/consultations/\(IDs.b)/messages?limit=20&page=1")
        #expect(json["unexpected"]?[0]?["details"]?["reason"] == "unknown")
        #expect(
            json["unexpected"]?[0]?["message"]?.string
                == "GET /favicon.ico is not in the session, and the session has no similar request.")
        #expect(json["frames"]?["sent"] == 0)
    }
}

@Suite("Secrets in replay messages")
struct ToldSecretsTests {
    static let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm5hIn0.c2lnbmF0dXJl"

    @Test(
        "A message shortens only the secrets in a target",
        arguments: [
            ("/a", "/a"), ("/a?", "/a?"), ("/a?limit=20&page", "/a?limit=20&page"),
            ("/ws?token=\(token)", "/ws?token=eyJh…"),
            ("/ws?x=1&access_token=\(token)&y=", "/ws?x=1&access_token=eyJh…&y="),
            ("/ws?auth_token=\(token)", "/ws?auth_token=eyJh…"), ("/ws?%74oken=\(token)", "/ws?%74oken=eyJh…"),
            ("/ws?token=abcd&&token", "/ws?token=abcd&&token"),
            ("/ws?token=redacted-token-1", "/ws?token=redacted-token-1"),
            ("/ws?password=a=b=c?d", "/ws?password=a=b=…"), ("/ws?tokens=\(token)", "/ws?tokens=\(token)"),
        ])
    func target(_ target: String, _ told: String) { #expect(Excerpts.target(target) == told) }

    @Test("A message shortens a secret member that only one side has")
    func member() throws {
        var player = try SessionBuilder().exchange("POST", "/a", body: #"{"x":1,"password":"hunter2"}"#).player()
        _ = player.ask("POST", "/a", body: #"{"x":1,"accessToken":"\#(Self.token)"}"#)
        #expect(
            player.report.unexpected.first?.differences.map(\.description) == [
                #"body.password: expected "hunt…", got nothing"#, #"body.accessToken: expected nothing, got "eyJh…""#,
            ])
    }

    @Test("Misses, notes, frames and missing requests do not show tokens")
    func everywhere() throws {
        var player = try SessionBuilder()
            .socket("/api/v1/consultations/\(IDs.a)/ws?token=\(Self.token)", frames: [frame(.client, 10, "hello")])
            .exchange("GET", "/b?token=\(Self.token)", status: 100).exchange("GET", "/c?token=\(Self.token)&x=1")
            .player()
        #expect(player.plan.notes.first?.contains("token=eyJh…") == true)
        let socket = try player.open("/api/v1/consultations/\(IDs.a)/ws?token=\(Self.token)")
        player.send("bye", on: socket, at: at(1))
        _ = player.ask("GET", "/c?token=\(Self.token)&token=\(Self.token)&x=1")
        let report = player.report
        #expect(report.neverAskedCount == 2 && report.unexpectedCount == 1 && report.frameMissCount == 1)
        let told = player.plan.notes + [String(decoding: report.json.encoded(), as: UTF8.self)]
        #expect(!told.contains { $0.contains(Self.token.prefix(5)) }, "\(told)")
        #expect(report.unexpected.first?.differences.first?.place == "query.token")
    }
}

@Suite("Byte-wise comparison of recorded values")
struct IdentityTests {
    /// Texts that are equal as Swift strings.
    static let twins: [(ExactString, ExactString)] = [("jos\u{E9}", "jose\u{301}"), ("K1", "\u{212A}1")]

    @Test("The vocabulary keeps canonically equivalent spellings apart", arguments: twins)
    func vocabulary(_ first: ExactString, _ second: ExactString) {
        var vocabulary = Vocabulary()
        let (one, other) = (vocabulary.intern(first), vocabulary.intern(second))
        #expect(one != other && vocabulary.number(of: first) == one && vocabulary.number(of: second) == other)
    }

    @Test("Canonically equivalent ids in a path get their own answers", arguments: twins)
    func paths(_ first: ExactString, _ second: ExactString) throws {
        func escaped(_ text: ExactString) -> String { text.utf8.map { "%" + String($0, radix: 16) }.joined() }
        let builder = SessionBuilder().exchange("GET", "/api/v1/goals/\(escaped(first))", answer: "first")
            .exchange("GET", "/api/v1/goals/\(escaped(second))", answer: "second")
        for match in [ReplaySettings.Match.ordered, .route] {
            var player = try builder.player(match)
            player.expect([
                "GET /api/v1/goals/\(escaped(second))": "second", "GET /api/v1/goals/\(escaped(first))": "first",
            ])
        }
    }

    @Test("A replay reports a difference in bytes", arguments: twins)
    func differences(_ first: ExactString, _ second: ExactString) {
        var differences = Differences(following: Following(vocabulary: Vocabulary()), origins: (Origins(), Origins()))
        #expect(differences.isSame(first.text, first.text) && !differences.isSame(first.text, second.text))
        // Texts with ids that the vocabulary lacks are compared in the same way.
        #expect(differences.isSame(IDs.a, IDs.a) && !differences.isSame(IDs.a, IDs.b))
        differences.compare(RequestURL("/a?\(first)=1"), RequestURL("/a?\(second)=1"))
        #expect(differences.list.count == 2)
        var paths = Differences(following: Following(vocabulary: Vocabulary()), origins: (Origins(), Origins()))
        paths.compare(RequestURL("/\(first)"), RequestURL("/\(first)"))
        #expect(paths.list.isEmpty)
        paths.compare(RequestURL("/\(first)"), RequestURL("/\(second)"))
        #expect(paths.list.map(\.place) == ["path"])
    }

    @Test("Differences compare bodies up to the limit by value and larger bodies by size", arguments: [0, 1])
    func largeBodies(_ over: Int) {
        func body(_ letter: String) -> [UInt8] {
            let start = #"{"a":"\#(letter)","b":""#
            let fill = String(repeating: "x", count: ReplayLimits.comparedBody + over - start.utf8.count - 2)
            return Array((start + fill + #""}"#).utf8)
        }
        var differences = Differences(following: Following(vocabulary: Vocabulary()), origins: (Origins(), Origins()))
        differences.compare(body: body("1"), body("2"), named: "body")
        #expect(differences.list.map(\.place) == [over == 0 ? "body.a" : "body"])
        // The limit also decides whether messages show a body as JSON or as other text.
        #expect(Excerpts.of(body("1"))?.hasPrefix(over == 0 ? "{" : "\"") == true)
    }
}
