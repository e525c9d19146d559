import Foundation
import Replay
import TestSupport
import Testing
import Traffic

@Suite("Matching requests")
struct MatchTests {
    typealias Match = ReplaySettings.Match

    /// The same list twice, a list of a different page, and two created consultations.
    static func session() -> SessionBuilder {
        return SessionBuilder().exchange("GET", "/api/v1/goals?limit=2&offset=0", answer: "goals 1")
            .exchange("POST", "/api/v1/consultations", body: #"{"persona":"coach","n":1.0}"#, answer: "made 1")
            .exchange("POST", "/api/v1/consultations", body: #"{"persona":"nutritionist"}"#, answer: "made 2")
            .exchange("GET", "/api/v1/goals?limit=2&offset=0", answer: "goals 2")
            .exchange("GET", "/api/v1/goals?limit=2&offset=2", answer: "goals 3")
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var match: Match
        /// `METHOD target body` and its answer.
        var steps: KeyValuePairs<String, String>

        var testDescription: String { "\(match.rawValue): \(name)" }

        init(_ match: Match, _ name: String, _ steps: KeyValuePairs<String, String>) {
            (self.match, self.name, self.steps) = (match, name, steps)
        }
    }

    static let goals = "GET /api/v1/goals?limit=2&offset=0"
    static let page = "GET /api/v1/goals?limit=2&offset=2"
    static let coach = #"POST /api/v1/consultations {"persona":"coach","n":1.0}"#
    static let nutritionist = #"POST /api/v1/consultations {"persona":"nutritionist"}"#
    static let unknown = "unexpected: unknown"
    static let notItsTurn = "unexpected: notItsTurn"

    static let rows = [
        Row(.ordered, "in turn", [goals: "goals 1", goals: "goals 2"]),
        Row(.ordered, "in any order", [page: "goals 3", nutritionist: "made 2", coach: "made 1"]),
        Row(.ordered, "GET repeats the last", [goals: "goals 1", goals: "goals 2", goals: "goals 2"]),
        Row(.ordered, "POST does not repeat", [coach: "made 1", coach: "unexpected: runOut(1)"]),
        Row(.ordered, "the order of the query does not count", ["GET /api/v1/goals?offset=0&limit=2": "goals 1"]),
        Row(
            .ordered, "the form of the JSON does not count",
            [#"POST /api/v1/consultations {"n": 1, "persona": "coach"}"#: "made 1"]),
        Row(.ordered, "escapes do not count", ["GET /api/v1/%67oals?limit=%32&offset=0": "goals 1"]),
        Row(.ordered, "a world's prefix does not count", ["GET /w/abc/api/v1/goals?limit=2&offset=2": "goals 3"]),
        Row(.ordered, "another query", ["GET /api/v1/goals?limit=3&offset=0": unknown]),
        Row(.ordered, "a query more", ["GET /api/v1/goals?limit=2&offset=0&x=1": unknown]),
        Row(.ordered, "another body", [#"POST /api/v1/consultations {"persona":"x"}"#: unknown]),
        Row(.ordered, "another method", ["DELETE /api/v1/goals?limit=2&offset=0": unknown]),
        Row(.ordered, "another path", ["GET /api/v1/meal-logs": unknown]),
        Row(
            .ordered, "HEAD looks at GET, whose turn stays",
            [
                "HEAD /api/v1/goals?limit=2&offset=0": "goals 1", goals: "goals 1",
                "HEAD /api/v1/goals?limit=2&offset=0": "goals 2",
            ]),
        Row(
            .strict, "in the recorded order",
            [
                goals: "goals 1", coach: "made 1", nutritionist: "made 2", goals: "goals 2", page: "goals 3",
                page: "unexpected: over",
            ]),
        Row(.strict, "not in another", [coach: notItsTurn, goals: "goals 1", nutritionist: notItsTurn]),
        Row(.strict, "HEAD is no GET", ["HEAD /api/v1/goals?limit=2&offset=0": notItsTurn]),
        Row(
            .route, "query and body do not count",
            [
                "GET /api/v1/goals?x=1": "goals 1", "POST /api/v1/consultations no JSON": "made 1",
                "GET /api/v1/goals": "goals 2", "GET /api/v1/goals": "goals 3",
            ]),
        Row(
            .route, "the last repeats, of any method",
            [
                coach: "made 1", coach: "made 2", coach: "made 2", coach: "made 2",
            ]),
        Row(.route, "HEAD looks at GET", ["HEAD /api/v1/goals": "goals 1", "GET /api/v1/goals": "goals 1"]),
        Row(.route, "another method", ["PUT /api/v1/goals": unknown]),
        Row(.route, "another path", ["GET /api/v1/goal": unknown]),
    ]

    @Test("A HEAD counts as a request only if the session recorded a HEAD", arguments: [Match.ordered, .route])
    func heads(match: Match) throws {
        var player = try Self.session().player(match)
        #expect(player.text("HEAD", "/api/v1/goals?limit=2&offset=0") == "goals 1")
        #expect(player.report.served == 0 && player.report.neverAskedCount == 5)
        let builder = SessionBuilder().exchange("HEAD", "/a", status: 204)
        player = try builder.player(match)
        #expect(player.text("HEAD", "/a") == "204")
        #expect(player.report.served == 1)
    }

    @Test("Each request gets its recorded answer or counts as unexpected", arguments: rows)
    func matches(row: Row) throws {
        var player = try Self.session().player(row.match)
        player.expect(row.steps)
    }
}

@Suite("Form bodies")
struct FormTests {
    private static let form = [SessionField("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")]

    private static func multipart(_ boundary: String, _ parts: [(head: String, content: String)]) -> String {
        parts.map { "--\(boundary)\r\nContent-Disposition: form-data; \($0.head)\r\n\r\n\($0.content)\r\n" }.joined()
            + "--\(boundary)--\r\n"
    }

    private static func type(_ boundary: String) -> [SessionField] {
        [SessionField("content-type", "multipart/form-data; boundary=\(boundary)")]
    }

    private static let text = (head: "name=\"meal_type\"", content: "lunch")
    private static let image = (head: "name=\"image\"; filename=\"a.jpg\"\r\nContent-Type: image/jpeg", content: "JFIF")

    @Test(
        "Forms match by their fields in any order",
        arguments: [
            ("a=1&b=x%20y", true), ("b=x+y&a=1", true), ("a=1&b=x+z", false), ("a=1", false), ("a=1&b=x+y&c=", false),
            ("a=x+y&b=1", false),
        ])
    func fields(body: String, isMatch: Bool) throws {
        var player = try SessionBuilder()
            .exchange("POST", "/token", fields: Self.form, body: "a=1&b=x+y", answer: "token").player()
        #expect((player.text("POST", "/token", fields: Self.form, body: body) == "token") == isMatch)
    }

    @Test("A form without its media type is compared as text")
    func untyped() throws {
        var player = try SessionBuilder().exchange("POST", "/token", body: "a=1&b=2", answer: "token").player()
        player.expect(["POST /token b=2&a=1": "unexpected: unknown", "POST /token a=1&b=2": "token"])
    }

    @Test("A secret in a form may differ and is mapped")
    func secrets() throws {
        var player = try SessionBuilder().exchange(
            "POST", "/token", fields: Self.form, body: "grant=r&refresh_token=redacted-token-1",
            answer: #"{"old":"redacted-token-1"}"#
        ).player()
        let body = "refresh_token=t0psecret&grant=r"
        #expect(player.text("POST", "/token", fields: Self.form, body: body) == #"{"old":"t0psecret"}"#)
    }

    @Test("Multipart bodies match by their parts with any boundary and order")
    func parts() throws {
        let builder = SessionBuilder()
        let recorded = Self.multipart("abc", [Self.text, Self.image])
        builder.exchange("POST", "/photo", fields: Self.type("abc"), body: recorded, answer: "meal")
        func answer(_ parts: [(String, String)], _ boundary: String = "----x9") throws -> String {
            var player = try builder.player()
            let body = Self.multipart(boundary, parts)
            return player.text("POST", "/photo", fields: Self.type(boundary), body: body)
        }
        #expect(try answer([Self.text, Self.image]) == "meal")
        #expect(try answer([Self.image, Self.text]) == "meal")
        let unknown = "unexpected: unknown"
        #expect(try answer([Self.text]) == unknown)
        #expect(try answer([Self.text, (Self.image.head, "other")]) == unknown)
        #expect(try answer([Self.text, (Self.image.head.replacing("jpeg", with: "png"), "JFIF")]) == unknown)
        #expect(try answer([("name=\"mealType\"", "lunch"), Self.image]) == unknown)
        // A body that is not a valid form is compared as bytes, and equal bytes match.
        var player = try builder.player()
        #expect(player.text("POST", "/photo", body: recorded) == unknown)
    }

    @Test("A miss names the form fields that differ")
    func differences() throws {
        var player = try SessionBuilder()
            .exchange("POST", "/token", fields: Self.form, body: "a=1&b=2&c=3&c=4&password=x", answer: "token").player()
        let miss = try player.miss("POST", "/token", fields: Self.form, body: "a=2&c=3&c=5&d=6&password=y")
        #expect(
            miss.differences.map(\.description) == [
                #"body.a: expected "1", got "2""#, #"body.b: expected "2", got nothing"#,
                #"body.c[1]: expected "4", got "5""#, #"body.d: expected nothing, got "6""#,
            ])
    }

    @Test("A recorded photo matches with a different boundary")
    func photo() throws {
        let bytes = try Data(contentsOf: URL.fixtures.appending(path: "har/multipart-photo.har"))
        var player = Player(try ReplayPlan(HARFile(reading: Array(bytes)).session), origin: ourOrigin)
        let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + Array("JFIF".utf8)
        func body(_ image: [UInt8]) -> [UInt8] {
            let start = Self.multipart("X", [Self.text]).dropLast("--X--\r\n".count)
            let head = "--X\r\nContent-Disposition: form-data; name=\"image\"; filename=\"m.jpg\"\r\n"
            return Array((start + head + "Content-Type: image/jpeg\r\n\r\n").utf8) + image + Array("\r\n--X--\r\n".utf8)
        }
        func answer(_ image: [UInt8]) -> ReplayAnswer {
            player.answer(
                ReplayRequest(
                    method: "POST", target: "/api/v1/meal-logs/photo", fields: Self.type("X"), body: body(image)),
                at: at(0))
        }
        guard case .unexpected = answer(jpeg + [0]) else { throw NoSocket(target: "a miss") }
        guard case .response(let response) = answer(jpeg) else { throw NoSocket(target: "an answer") }
        #expect(response.status == 201)
    }

    @Test(
        "A request whose body is missing from the file matches any body and gets a note",
        arguments: [
            ("size-without-body", "POST", "/api/v1/goals", 201),
            ("form-file-without-content", "GET", "/api/v1/goals", 200),
        ])
    func unknownBody(name: String, method: String, target: String, status: Int) throws {
        let bytes = try Data(contentsOf: URL.fixtures.appending(path: "har/\(name).har"))
        let plan = try ReplayPlan(HARFile(reading: Array(bytes)).session)
        #expect(
            plan.notes.contains {
                $0.hasSuffix("the recording does not have the request's complete body; any body matches.")
            })
        var player = Player(plan, origin: ourOrigin)
        guard case .response(let response) = player.ask(method, target, body: "anything") else {
            throw NoSocket(target: target)
        }
        #expect(response.status == status)
    }

    @Test("A replay sends joined cookies as separate Set-Cookie fields")
    func cookies() throws {
        let bytes = try Data(contentsOf: URL.fixtures.appending(path: "har/joined-cookies.har"))
        var player = Player(try ReplayPlan(HARFile(reading: Array(bytes)).session), origin: ourOrigin)
        guard case .response(let response) = player.ask("GET", "/api/v1/goals") else { throw NoSocket(target: "goals") }
        #expect(response.fields.filter { $0.name == "Set-Cookie" }.map(\.value) == ["a=1; Path=/", "b=2; Path=/"])
    }

    @Test(
        "A replay confirms a subprotocol if the client offers it",
        arguments: [
            ([], nil), (["chat"], "chat"), (["v2, chat"], "chat"), (["v2", "chat"], "chat"), (["v2"], nil),
            (["Chat"], nil), (["chatter"], nil),
        ] as [([String], String?)])
    func subprotocols(offer: [String], answer: String?) throws {
        var player = try SessionBuilder()
            .socket("/ws", answerFields: [SessionField("sec-websocket-protocol", "chat"), SessionField("X-A", "b")])
            .player()
        let fields = offer.map { SessionField("Sec-WebSocket-Protocol", $0) }
        guard case .socket(let opening) = player.ask("WS", "/ws", fields: fields) else { throw NoSocket(target: "/ws") }
        let answered = opening.fields.first { $0.name.lowercased() == "sec-websocket-protocol" }?.value
        #expect(answered == answer && opening.fields.contains(SessionField("X-A", "b")))
    }
}
