import Testing

@testable import Replay
@testable import Traffic

@Suite("Recorded answers")
struct AnswerTests {
    static func response(_ answer: ReplayAnswer) throws -> ReplayResponse {
        guard case .response(let response) = answer else { throw NoResponse(answer: answer) }
        return response
    }

    struct NoResponse: Error {
        var answer: ReplayAnswer
    }

    @Test("A replayed answer omits framing, connection and date fields and keeps all others")
    func fields() throws {
        let kept = [
            SessionField("content-type", "application/json"), SessionField("Set-Cookie", "a=1"),
            SessionField("Set-Cookie", "b=2"), SessionField("ETag", "\"x\""), SessionField("X-Request-ID", "7"),
        ]
        let dropped = [
            "Content-Length", "transfer-encoding", "CONNECTION", "Keep-Alive", "Date", "Alt-Svc",
            "Trailer", "Upgrade", "Proxy-Connection", "TE", ":status", "",
        ].map { SessionField($0, "1") }
        var player = try SessionBuilder().exchange("GET", "/a", answer: "{}", answerFields: dropped + kept).player()
        let response = try Self.response(player.ask("GET", "/a"))
        #expect(response == ReplayResponse(status: 200, fields: kept, body: Array("{}".utf8)))
    }

    /// A HAR with one answer whose fields name a coding; `ours` is the members of its `_fitiq`.
    private static func coded(_ body: String, ours: String) throws -> ReplayResponse {
        let text = """
            {"log":{"entries":[{"startedDateTime":"2025-01-29T10:30:00Z","request":{"method":"GET",
            "url":"https://api.fitiq.example/a"},"response":{"status":200,
            "headers":[{"name":"Content-Encoding","value":"gzip"},{"name":"content-length","value":"999"}],
            "content":{"size":3,\(body)}},"_fitiq":{\(ours)}}]}}
            """
        let file = try HARFile(reading: Array(text.utf8))
        var player = Player(try ReplayPlan(file.session), origin: ourOrigin)
        return try response(player.ask("GET", "/a"))
    }

    @Test("A coded body keeps Content-Encoding, and a decoded body loses it")
    func coding() throws {
        let field = SessionField("Content-Encoding", "gzip")
        #expect(
            try Self.coded(#""text":"H4sI/w==","encoding":"base64""#, ours: #""coded":true"#)
                == ReplayResponse(status: 200, fields: [field], body: [0x1F, 0x8B, 0x08, 0xFF]))
        #expect(try Self.coded(#""text":"{}""#, ours: "") == ReplayResponse(status: 200, body: Array("{}".utf8)))
        let url = #""text":"https://api.fitiq.example/""#
        #expect(
            try Self.coded(url, ours: #""coded":true"#)
                == ReplayResponse(status: 200, fields: [field], body: Array("https://api.fitiq.example/".utf8)))
        #expect(try Self.coded(url, ours: "") == ReplayResponse(status: 200, body: Array((ourOrigin + "/").utf8)))
    }

    struct Wait: Sendable {
        var waited: Int64
        var speed: ReplaySettings.Speed
        var after: Int64
    }

    @Test(
        "An answer arrives after the recorded wait divided by the speed",
        arguments: [
            Wait(waited: 40, speed: .factor(1), after: 40_000_000),
            Wait(waited: 40, speed: .factor(2), after: 20_000_000),
            Wait(waited: 40, speed: .factor(0.5), after: 80_000_000), Wait(waited: 40, speed: .instant, after: 0),
            Wait(waited: -5, speed: .factor(1), after: 0),
            Wait(waited: 90_000_000, speed: .factor(1), after: ReplayLimits.longestWait),
            Wait(waited: 86_400_000, speed: .factor(1), after: ReplayLimits.longestWait),
            Wait(waited: 86_399_999, speed: .factor(1), after: ReplayLimits.longestWait - millisecond),
            Wait(waited: 40, speed: .factor(1e-300), after: ReplayLimits.longestWait),
        ])
    func waits(row: Wait) throws {
        var player = try SessionBuilder().exchange("GET", "/a", answer: "a", waited: row.waited)
            .exchange("GET", "/none", status: 0, lasted: row.waited).player(speed: row.speed)
        #expect(try Self.response(player.ask("GET", "/a")).after == row.after)
        #expect(player.ask("GET", "/none") == .noAnswer(after: row.after))
    }

    static func body(_ text: String, of count: Int? = nil) -> RecordedBody {
        let bytes = Array(text.utf8)
        return RecordedBody(bytes, of: count ?? bytes.count)
    }

    struct Cut: Sendable {
        var body: RecordedBody
        var length: String?
        var isComplete: Bool
        var declared: Int?
        var then: ReplayResponse.Ending
    }

    @Test(
        "A replay also cuts off an incomplete body for the client",
        arguments: [
            Cut(body: body("abc"), length: "3", isComplete: true, declared: nil, then: .nothing),
            Cut(body: body("abc"), length: "9", isComplete: false, declared: 9, then: .finish),
            Cut(body: body("abc"), length: nil, isComplete: false, declared: 4, then: .finish),
            Cut(body: body("abc", of: 7), length: nil, isComplete: true, declared: 7, then: .finish),
            // The length of the coded body does not determine the length of the decoded body.
            Cut(body: body("abc", of: 7), length: "5", isComplete: true, declared: 7, then: .finish),
            Cut(body: body("abc"), length: "-9", isComplete: false, declared: 4, then: .finish),
        ])
    func cut(row: Cut) throws {
        let fields = row.length.map { [SessionField("Content-Length", $0)] } ?? []
        let session = Session(entries: [
            SessionExchange(
                started: recorded(0), request: SessionRequest(method: "GET", url: "http://h/a"),
                response: SessionResponse(status: 200, fields: fields, body: row.body, isComplete: row.isComplete))
        ])
        let plan = try ReplayPlan(session)
        #expect(plan.notes.count == (row.body.isCut ? 1 : 0))
        var player = Player(plan, origin: ourOrigin)
        let response = try Self.response(player.ask("GET", "/a"))
        #expect((response.body, response.declaredLength, response.then) == (Array("abc".utf8), row.declared, row.then))
    }

    @Test("A recorded HEAD or 304 keeps its declared length without a body")
    func declared() throws {
        var player = try SessionBuilder().exchange("HEAD", "/a", answerFields: [SessionField("content-length", "1234")])
            .exchange("GET", "/b", status: 304, answerFields: [SessionField("content-length", "99")])
            .exchange("GET", "/c", status: 204, answerFields: [SessionField("content-length", "0")]).player()
        #expect(try Self.response(player.ask("HEAD", "/a")).declaredLength == 1234)
        #expect(try Self.response(player.ask("GET", "/b")).declaredLength == 99)
        #expect(try Self.response(player.ask("GET", "/c")).declaredLength == nil)
    }

    @Test("A replay does not treat interim statuses as answers", arguments: [0, 100, 102, 199, 1_000])
    func statuses(status: Int) throws {
        var player = try SessionBuilder().exchange("GET", "/a", status: status).player()
        #expect(player.text("GET", "/a") == "no answer")
        #expect(player.plan.notes.count == (status == 0 ? 0 : 1))
    }

    @Test("A request whose body was not recorded matches any body")
    func unknownBodies() throws {
        var player = try SessionBuilder()
            .exchange("POST", "/a", fields: [SessionField("Content-Length", "7")], answer: "a")
            .exchange("POST", "/b", fields: [SessionField("Content-Length", "0")], answer: "b")
            .exchange(
                "POST", "/c?since=2025-01-29T10:30:00Z", fields: [SessionField("Content-Length", "7")],
                answer: "since 2025-01-29T10:30:00Z"
            ).player()
        player.expect(["POST /a anything": "a", "POST /b anything": "unexpected: unknown", "POST /b": "b"])
        let other = "2026-11-21T08:00:00Z"
        #expect(player.text("POST", "/c?since=\(other)", body: "anything") == "since \(other)")
        #expect(player.plan.notes.count == 2)
    }

    @Test("A replay does not compare a truncated request body")
    func cutRequest() throws {
        let session = Session(entries: [
            SessionExchange(
                started: recorded(0),
                request: SessionRequest(method: "POST", url: "http://h/a", body: RecordedBody([1], of: 2)),
                response: SessionResponse(status: 200))
        ])
        var player = Player(try ReplayPlan(session), settings: ReplaySettings(match: .strict), origin: ourOrigin)
        #expect(player.text("POST", "/a", body: "xyz") == "200")
    }

    struct Origin: Sendable {
        var origin: String
        var recorded: String
        var replayed: String
    }

    @Test(
        "The server's origin replaces the recorded origin everywhere",
        arguments: [
            Origin(origin: ourOrigin, recorded: "https://api.fitiq.example/a", replayed: "http://localhost:8080/a"),
            Origin(origin: ourOrigin, recorded: "http://api.fitiq.example", replayed: "http://localhost:8080"),
            Origin(origin: ourOrigin, recorded: "wss://api.fitiq.example/ws", replayed: "ws://localhost:8080/ws"),
            Origin(
                origin: "https://127.0.0.1:8443", recorded: "ws://API.fitiq.example?x",
                replayed: "wss://127.0.0.1:8443?x"),
            Origin(
                origin: "https://localhost:8443/w/abc", recorded: "(http://api.fitiq.example/a)",
                replayed: "(https://localhost:8443/w/abc/a)"),
            Origin(
                origin: "http://localhost:8080/w/abc", recorded: "http://api.fitiq.example/w/old/a",
                replayed: "http://localhost:8080/w/abc/a"),
            Origin(
                origin: ourOrigin, recorded: #""https:\/\/api.fitiq.example\/w\/old\/a""#,
                replayed: #""http:\/\/localhost:8080\/a""#),
            Origin(
                origin: ourOrigin, recorded: "https://api.fitiq.example.org/",
                replayed: "https://api.fitiq.example.org/"),
            Origin(
                origin: ourOrigin, recorded: "https://api.fitiq.example:1/", replayed: "https://api.fitiq.example:1/"),
            Origin(origin: ourOrigin, recorded: "ftp://api.fitiq.example/", replayed: "ftp://api.fitiq.example/"),
            Origin(origin: ourOrigin, recorded: "api.fitiq.example ://", replayed: "api.fitiq.example ://"),
            Origin(origin: recordedOrigin, recorded: "http://API.fitiq.example", replayed: "http://API.fitiq.example"),
            Origin(
                origin: recordedOrigin, recorded: "https://api.fitiq.example/a", replayed: "https://api.fitiq.example/a"
            ),
        ])
    func origins(row: Origin) throws {
        let builder = SessionBuilder()
            .exchange("GET", "/a", answer: row.recorded, answerFields: [SessionField("Location", row.recorded)])
        var player = Player(try builder.plan(), origin: row.origin)
        let response = try Self.response(player.ask("GET", "/a"))
        #expect(String(decoding: response.body, as: UTF8.self) == row.replayed)
        #expect(response.fields == [SessionField("Location", row.replayed)])
        // A request may contain the client's name for our host.
        var other = Player(try builder.plan(), origin: "http://elsewhere")
        #expect(other.text("GET", "/a", origin: row.origin) == row.replayed)
    }
}
