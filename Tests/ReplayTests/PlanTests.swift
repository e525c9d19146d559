import FitIQAPI
import Replay
import Testing
import Text
import Traffic

@testable import Replay
@testable import Traffic

@Suite("Compiling a session")
struct PlanTests {
    static func exchange(_ path: String = "/a", bytes: Int = 0) -> SessionExchange {
        SessionExchange(
            started: recorded(0), request: SessionRequest(method: "GET", url: "http://h" + path),
            response: SessionResponse(status: 200, body: RecordedBody(Array(repeating: 0, count: bytes))))
    }

    static func socket(frames: Int) -> SessionExchange {
        SessionExchange(
            started: recorded(0), opened: recorded(0), request: SessionRequest(method: "GET", url: "ws://h/ws"),
            response: SessionResponse(status: 101),
            frames: Array(repeating: frame(.server, 0, .pong, []), count: frames))
    }

    static func refusal(of entries: [SessionExchange]) -> Refusal? {
        do {
            _ = try ReplayPlan(Session(entries: entries))
            return nil
        } catch { return error }
    }

    @Test("The plan rejects a session without requests")
    func empty() { #expect(Self.refusal(of: []) == .empty) }

    @Test("The plan rejects a session that exceeds the entry limit")
    func entries() {
        let limit = ReplayLimits.entries
        #expect(Self.refusal(of: Array(repeating: Self.exchange(), count: limit + 1)) == .tooManyEntries(limit + 1))
        #expect(Self.refusal(of: Array(repeating: Self.exchange(), count: limit)) == nil)
    }

    @Test("The plan rejects a session that exceeds the frame limit")
    func frames() {
        let half = ReplayLimits.frames / 2
        #expect(
            Self.refusal(of: [Self.socket(frames: half), Self.socket(frames: half + 1)])
                == .tooManyFrames(2 * half + 1))
        #expect(Self.refusal(of: [Self.socket(frames: half), Self.socket(frames: half)]) == nil)
    }

    @Test("The plan rejects a session that exceeds the byte limit")
    func bytes() {
        // Repeat the same bytes many times, because repeated bytes are stored only once.
        let (size, small) = (8 * 1_024 * 1_024, ReplayPlan.memoryOfEntry + "http://h/a".utf8.count)
        let part = Self.exchange(bytes: size - small)
        let whole = Array(repeating: part, count: ReplayLimits.bytes / size)
        #expect(Self.refusal(of: whole + [Self.exchange(bytes: 1)]) == .tooManyBytes(ReplayLimits.bytes + small + 1))
        // The socket's URL is a byte shorter.
        let rest = Self.exchange(bytes: size - 2 * small - ReplayPlan.memoryOfFrame + 2)
        #expect(
            Self.refusal(of: Array(whole.dropLast()) + [rest, Self.socket(frames: 1)])
                == .tooManyBytes(ReplayLimits.bytes + 1))
        // Requests that the server answers itself also count, but their contents are not read.
        let own = Self.exchange("/health", bytes: size - small - "ealth".utf8.count)
        #expect(Self.refusal(of: Array(repeating: own, count: whole.count)) == .nothingToPlay(whole.count))
    }

    @Test("The plan sorts entries by start time")
    func order() throws {
        let urls = try SessionBuilder().exchange("GET", "/late", start: 200).exchange("GET", "/early", start: 100)
            .plan().session.entries.map(\.request.url)
        #expect(urls == [recordedOrigin + "/early", recordedOrigin + "/late"])
    }

    @Test("The plan treats a handshake recorded as an exchange with 101 as a socket")
    func bareHandshake() throws {
        var player = try SessionBuilder()
            .exchange("GET", "/ws", fields: [SessionField("upgrade", "WebSocket")], status: 101, waited: 5).player()
        #expect(player.text("GET", "/ws") == "unexpected: unknown")
        _ = try player.open("/ws")
        #expect(player.nextDeadline == nil)
    }

    @Test(
        "The plan recognizes a rejected handshake by its scheme or its Upgrade field",
        arguments: [
            ("wss://api.fitiq.example/ws", "X", "1", true), ("/ws", "Upgrade", "WebSocket", true),
            ("/ws", "Upgrade", "h2c", false), ("/ws", "X-Kind", "websocket", false),
        ])
    func refusedHandshake(url: String, name: String, value: String, isHandshake: Bool) throws {
        var player = try SessionBuilder()
            .exchange("GET", url, fields: [SessionField(name, value)], status: 503, answer: "busy").player()
        #expect(player.text(isHandshake ? "WS" : "GET", "/ws") == "busy")
        #expect(player.text(isHandshake ? "GET" : "WS", "/ws") == "unexpected: unknown")
    }

    @Test("A plan limits the number of notes")
    func notes() throws {
        let builder = SessionBuilder()
        for number in 0...ReplayLimits.misses { builder.exchange("GET", "/\(number)", status: 100) }
        #expect(try builder.plan().notes.count == ReplayLimits.misses)
    }

    @Test("A keep-alive frame has at most two members and 200 bytes")
    func keepAlives() {
        func ping(_ count: Int) -> [UInt8] {
            let (start, end) = (#"{"type":"ping","n":""#, #""}"#)
            let rest = String(repeating: "x", count: count - start.utf8.count - end.utf8.count)
            return Array((start + rest + end).utf8)
        }
        #expect(KeepAliveFrame(ping(200)) == .ping && KeepAliveFrame(ping(201)) == nil)
        #expect(KeepAliveFrame(Array(#"{"type":"pong"}"#.utf8)) == .pong)
        #expect(KeepAliveFrame(Array(#"{"type":"pong","a":1,"b":2}"#.utf8)) == nil)
    }

    @Test("A plan notes a frame whose payload is incomplete", arguments: [(3, 0), (4, 1)])
    func cutFrames(byteCount: Int, notes: Int) throws {
        var part = frame(.server, 1, "hel")
        part.payload = RecordedBody(part.payload.bytes, of: byteCount)
        let builder = SessionBuilder().socket("/ws", frames: [part])
        #expect(try builder.plan().notes.count == notes)
    }

    @Test("Extreme times do not crash the plan")
    func extremes() throws {
        let times = [Int64.min, -1, 0, Int64.max].map { Timestamp(nanosecondsSinceEpoch: $0) }
        for started in times {
            for opened in times {
                let frames = times.map {
                    SessionFrame(sender: .server, time: $0, opcode: .text, payload: RecordedBody([0x61]))
                }
                let session = Session(entries: [
                    SessionExchange(
                        started: started, opened: opened, request: SessionRequest(method: "GET", url: "ws://h/ws"),
                        response: SessionResponse(status: 101), frames: frames,
                        ending: SessionEnding(time: started, party: .server, cause: .finish)),
                    SessionExchange(
                        started: started, waited: .max, lasted: .max,
                        request: SessionRequest(method: "GET", url: "http://h/a"), response: nil),
                ])
                for match in ReplaySettings.Match.allCases {
                    var player = Player(
                        try ReplayPlan(session), settings: ReplaySettings(match: match), origin: ourOrigin)
                    let request = ReplayRequest(method: "GET", target: "/ws", isHandshake: true)
                    guard case .socket(let opening) = player.answer(request, at: at(0)) else { continue }
                    player.opened(opening.socket, at: Timestamp(nanosecondsSinceEpoch: .max - 1))
                    _ = player.advance(to: Timestamp(nanosecondsSinceEpoch: .max))
                    #expect(player.nextDeadline == nil)
                }
            }
        }
    }

    @Test("Bindings beyond the limit are counted but not mapped")
    func bindings() throws {
        var bindings = Bindings()
        for number in 0..<ReplayLimits.bindings { bindings.bind(number, recorded: "r\(number)", to: "a\(number)") }
        #expect(bindings.refusedCount == 0)
        bindings.bind(ReplayLimits.bindings, recorded: "r", to: "a")
        #expect((bindings.refusedCount, bindings.actual.count) == (1, ReplayLimits.bindings))
        bindings.bind(0, recorded: "r0", to: "another")
        #expect(bindings.actual[0] == "another")
        #expect(bindings.recorded["a0"] == nil)
        #expect(bindings.recorded["another"] == 0)
    }

    @Test("The vocabulary limits recorded values")
    func vocabulary() {
        var vocabulary = Vocabulary()
        for number in 0..<ReplayLimits.recordedValues { vocabulary.note("\(number)", fromClient: true) }
        #expect(!vocabulary.isFull)
        vocabulary.note("0", fromClient: true)
        #expect(!vocabulary.isFull)
        vocabulary.note("more", fromClient: true)
        #expect(vocabulary.isFull)
        #expect(vocabulary.number(of: "more") == nil)
    }

    @Test("Of the server's values, the client can replace only redacted placeholders")
    func placeholders() {
        var vocabulary = Vocabulary()
        vocabulary.note("redacted-token-1", fromClient: false)
        vocabulary.note("user-1@redacted.example", fromClient: false)
        vocabulary.note("\(IDs.a)", fromClient: false)
        #expect(vocabulary.isReplaceable == [true, true, false])
    }

    @Test("Equal sessions compile to equal plans")
    func equality() throws {
        let session = Session(entries: [Self.exchange()])
        #expect(try ReplayPlan(session) == ReplayPlan(session))
        #expect(try ReplayPlan(session) != ReplayPlan(Session(entries: [Self.exchange("/b")])))
    }
}

/// The context of the API's paths: prefixes, worlds, ports.
@Suite("The base path of a recording")
struct PlaceTests {
    @Test("A request matches with or without the prefix", arguments: ["/api/v1/goals?x=1", "/prod/api/v1/goals?x=1"])
    func prefix(target: String) throws {
        let builder = SessionBuilder().exchange("GET", "/prod/api/v1/goals?x=1", answer: "goals")
        var player = Player(try ReplayPlan(builder.session, prefix: PathPrefix("/prod")), origin: ourOrigin)
        #expect(player.text("GET", target) == "goals")
        #expect(player.text("GET", "/dev/api/v1/goals?x=1") == "unexpected: unknown")
    }

    @Test("The plan detects and notes the worlds in recorded paths")
    func worlds() throws {
        let builder = SessionBuilder().exchange("GET", "/w/abc/api/v1/goals", answer: "goals")
        let one = try builder.plan()
        #expect(one.worlds == ["abc"])
        #expect(
            one.notes == [
                "The session has requests below /w/abc, which are world paths; the requests are replayed with and "
                    + "without this prefix."
            ])
        builder.exchange("GET", "/w/load.php?x=1", answer: "script")
        for name in ["d", "e"] { builder.exchange("GET", "/w/\(name)/items", answer: name) }
        let plan = try builder.plan()
        #expect(plan.worlds == ["abc", "load.php", "d", "e"])
        #expect(
            plan.notes == [
                "The session has requests below /w/abc, /w/d, /w/e, …, which are world paths; the requests are "
                    + "replayed with and without this prefix, all in the same world."
            ])
        var player = Player(plan, origin: ourOrigin)
        #expect(player.text("GET", "/w/abc/api/v1/goals") == "goals" && player.text("GET", "/api/v1/goals") == "goals")
        #expect(player.text("GET", "/w/load.php?x=1") == "script")
        #expect(player.text("GET", "/w/d/items") == "d" && player.text("GET", "/w/e/items") == "e")
    }

    @Test("A scheme's default port does not count as a difference")
    func ports() throws {
        let plan = try SessionBuilder().exchange(
            "GET", "http://a.test/x?u=http://a.test:80/y",
            answer: "http://a.test:80/z https://a.test:443/ ws://a.test:8080/"
        )
        .exchange("GET", "http://a.test:80/y", answer: "y").plan()
        #expect(plan.notes == [])
        var player = Player(plan, origin: ourOrigin)
        let text = player.text("GET", "/x?u=\(ourOrigin)/y")
        #expect(text.hasPrefix("\(ourOrigin)/z ") && text.hasSuffix(" ws://a.test:8080/"))
    }
}

@Suite("Requests that the server answers itself")
struct OwnRequestTests {
    @Test(
        "The plan omits requests that the server answers itself and adds a note",
        arguments: [
            ("GET", "/health"), ("HEAD", "/ready?x=1"), ("GET", "/docs"), ("GET", "/docs/deviations"),
            ("GET", "/openapi.yaml"), ("GET", "/asyncapi.yaml"), ("GET", "/favicon.ico"), ("POST", "/__admin/reset"),
            ("GET", "/w/w1/%68ealth"), ("CONNECT", "https://api.fitiq.example:443"),
        ])
    func leftOut(_ method: String, _ target: String) throws {
        let plan = try SessionBuilder().exchange(method, target).exchange("GET", "/api/v1/goals", answer: "[]")
            .exchange(method, target).plan()
        #expect(plan.session.entries.count == 1)
        #expect(plan.notes.count == 1 && plan.notes[0].hasPrefix("The replay skips 2 requests"))
        var player = Player(plan, settings: ReplaySettings(match: .strict), origin: ourOrigin)
        #expect(player.text("GET", "/api/v1/goals") == "[]")
        #expect(player.report.isComplete && player.report.recorded == 1)
        // The entry numbers are the recording's.
        let miss = try player.miss("GET", "/api/v1/goal")
        #expect(miss.nearest?.entry == 2)
    }

    @Test(
        "The plan keeps paths that only resemble the server's own",
        arguments: ["/health/", "/v1/health", "/favicon.png", "/", "/Docs"])
    func played(_ path: String) throws {
        var player = try SessionBuilder().exchange("GET", path, answer: "recorded").player(.strict)
        #expect(player.text("GET", path) == "recorded")
        #expect(player.plan.notes.isEmpty)
    }

    @Test("The plan rejects a session that consists only of requests that the server answers itself")
    func nothingElse() {
        let builder = SessionBuilder().exchange("GET", "/health").exchange("GET", "/favicon.ico")
        #expect(throws: Refusal.nothingToPlay(2)) { try builder.plan() }
    }
}
