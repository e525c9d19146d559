import FitIQAPI
import Replay
import TestSupport
import Testing
import Traffic

/// Random sessions from a seed, in which ids travel between client and server as they do in real sessions.
struct RandomSession {
    private var numbers: Draw
    /// Ids that were already sent.
    private var known: [String] = []
    /// Ids that the client made up.
    private(set) var made: [String] = []
    private(set) var builder = SessionBuilder()

    init(seed: UInt64, entries: Int) {
        numbers = Draw(seed: seed)
        for _ in 0..<entries { if numbers.once(in: 5) { addSocket() } else { addExchange() } }
    }

    private mutating func id(fromClient: Bool) -> String {
        if !known.isEmpty, !numbers.once(in: 3) { return numbers.element(of: known) }
        let id = ResourceID(randomBits: numbers.next(), numbers.next()).description
        known.append(id)
        if fromClient { made.append(id) }
        return id
    }

    private mutating func json(fromClient: Bool) -> String {
        let members = (0...numbers.below(4)).map { number -> String in
            switch numbers.below(6) {
            case 0: "\"m\(number)\" : \"\(id(fromClient: fromClient))\""
            case 1: "\"m\(number)\":[\"see \(id(fromClient: fromClient))\\n\(id(fromClient: fromClient))\", 1.50]"
            case 2: "\"created_at\":\"2025-01-29T10:30:0\(number)Z\""
            case 3: "\"url\":\"\(recordedOrigin)\\/a\", \"e\":\"\\u00e9\""
            case 4: "\"m\(number)\":{\"n\":\(numbers.below(1_000)),\"t\":null}"
            default: "\"text\\t\":\"user-1@redacted.example has redacted-token-1\""
            }
        }
        return "{" + members.joined(separator: ", ") + "}"
    }

    private mutating func target(_ path: String) -> String {
        var target = path
        if numbers.once(in: 2) { target += "/\(id(fromClient: true))" }
        if numbers.once(in: 3) { target += "?limit=\(numbers.below(3))&trace=\(id(fromClient: true))" }
        return target
    }

    private mutating func addExchange() {
        let method = numbers.element(of: ["GET", "POST", "PUT"])
        let target = target(numbers.element(of: ["/api/v1/goals", "/api/v1/consultations", "/notes"]))
        let body = method == "GET" ? nil : json(fromClient: true)
        let answer = json(fromClient: false)
        builder.exchange(
            method, target, body: body, answer: answer,
            answerFields: [SessionField("Location", "\(recordedOrigin)/x/\(id(fromClient: false))")],
            waited: Int64(numbers.below(50)))
    }

    private mutating func addSocket() {
        let path = target("/api/v1/ws")
        var time: Int64 = 0
        let frames = (0..<numbers.below(12)).map { _ in
            time += Int64(numbers.below(40))
            return numbers.once(in: 2)
                ? frame(.client, time, json(fromClient: true)) : frame(.server, time, json(fromClient: false))
        }
        builder.socket(path, frames: frames, ending: numbers.once(in: 2) ? ending(.server, time + 5, .reset) : nil)
        // The next entry and its ids come after the frames.
        builder.wait(time + 100)
    }
}

@Suite("Properties of every replay")
struct PropertyTests {
    /// Replays a session to a client that repeats the recorded requests but has its own strings for some values.
    static func check(
        _ session: Session, _ settings: ReplaySettings, seed: UInt64, renamed: [String: String] = [:]
    ) throws {
        func ours(_ text: String) -> String {
            guard !renamed.isEmpty else { return text }
            // Every id has 36 characters, so a window of that size finds them all.
            var output: [UInt8] = []
            let bytes = Array(text.utf8)
            var index = 0
            while index < bytes.count {
                if index + 36 <= bytes.count,
                    let new = renamed[String(decoding: bytes[index..<(index + 36)], as: UTF8.self)]
                {
                    output += new.utf8
                    index += 36
                } else {
                    output.append(bytes[index])
                    index += 1
                }
            }
            return String(decoding: output, as: UTF8.self)
        }
        func ours(_ bytes: [UInt8]) -> [UInt8] { Array(ours(String(decoding: bytes, as: UTF8.self)).utf8) }

        var player = Player(try ReplayPlan(session), settings: settings, origin: recordedOrigin)
        let place = Comment(rawValue: "seed \(seed), \(settings)")
        for entry in session.entries {
            let url = entry.request.url
            let target = ours(String(url.drop { $0 != "/" }.dropFirst(2).drop { $0 != "/" }))
            var request = ReplayRequest(
                method: entry.request.method, target: target, body: ours(entry.request.body?.bytes ?? []))
            if let opened = entry.opened {
                request.isHandshake = true
                guard case .socket(let opening) = player.answer(request, at: at(0)) else {
                    Issue.record("no socket for \(target), seed \(seed)")
                    return
                }
                player.opened(opening.socket, at: opened)
                var sent: [[UInt8]] = []
                func take(_ effects: [ReplayEffect]) {
                    for case .text(let bytes) in effects.map(\.action) { sent.append(bytes) }
                }
                for frame in entry.frames {
                    take(player.advance(to: frame.time))
                    guard frame.sender == .client else { continue }
                    player.receive(.text(ours(frame.payload.bytes)), on: opening.socket, at: frame.time)
                }
                take(player.advance(to: opened.advanced(byNanoseconds: 1_000_000_000)))
                let recorded = entry.frames.filter { $0.sender == .server }.map { ours($0.payload.bytes) }
                #expect(sent == recorded, place)
                player.ended(opening.socket, at: at(0))
            } else {
                guard case .response(let response) = player.answer(request, at: at(0)), let recorded = entry.response
                else {
                    Issue.record("no answer to \(request.method) \(target), seed \(seed)")
                    return
                }
                #expect(response.body == ours(recorded.body.bytes), place)
                #expect(response.fields.map(\.value) == recorded.fields.map { ours($0.value) }, place)
                #expect(response.after == entry.waited, place)
            }
        }
        #expect(player.report.isComplete, place)
        #expect(player.report.bindings == renamed.count, place)
    }

    static let seeds = Array(UInt64(1)...40)

    @Test("Without bindings, a replay sends the recorded bytes at the recorded times", arguments: seeds)
    func exact(seed: UInt64) throws {
        let session = RandomSession(seed: seed, entries: 25).builder.session
        for match in [ReplaySettings.Match.strict, .ordered] {
            try Self.check(session, ReplaySettings(match: match), seed: seed)
        }
    }

    @Test("A client with its own ids gets the session with its ids in place of the recorded ids", arguments: seeds)
    func renamed(seed: UInt64) throws {
        let random = RandomSession(seed: seed, entries: 25)
        var ids = ResourceIDSequence(seed: seed &+ 1_000_000)
        var renamed: [String: String] = [:]
        for id in random.made { renamed[id] = ids.next().description }
        for match in [ReplaySettings.Match.strict, .ordered] {
            try Self.check(random.builder.session, ReplaySettings(match: match), seed: seed, renamed: renamed)
        }
    }

    @Test("The same calls produce the same results", arguments: [1, 2, 3] as [UInt64])
    func deterministic(seed: UInt64) throws {
        let session = RandomSession(seed: seed, entries: 60).builder.session
        func run() throws -> ([ReplayAnswer], [ReplayEffect], ReplayReport) {
            var player = Player(
                try ReplayPlan(session), settings: ReplaySettings(match: .route, frames: .triggered), origin: ourOrigin)
            var numbers = Draw(seed: seed)
            var answers: [ReplayAnswer] = []
            var effects: [ReplayEffect] = []
            for step in 0..<300 {
                let entry = numbers.element(of: session.entries)
                let url = entry.request.url
                let target = String(url.drop { $0 != "/" }.dropFirst(2).drop { $0 != "/" })
                let answer = player.answer(
                    ReplayRequest(
                        method: entry.request.method, target: target, body: entry.request.body?.bytes ?? [],
                        isHandshake: entry.isSocket), at: at(Int64(step)))
                if case .socket(let opening) = answer {
                    player.opened(opening.socket, at: at(Int64(step)))
                    for frame in entry.frames where frame.sender == .client {
                        player.receive(.text(frame.payload.bytes), on: opening.socket, at: at(Int64(step)))
                    }
                }
                answers.append(answer)
                effects += player.advance(to: at(Int64(step)))
            }
            return (answers, effects, player.report)
        }
        let (first, second) = (try run(), try run())
        #expect(first.0 == second.0 && first.1 == second.1 && first.2 == second.2)
        #expect(!first.1.isEmpty)
    }
}

/// Each pair is run through the code of both commands.
///
/// A session with the first request is replayed to a client that sends the second request; it is also compared with a
/// session that has the second request.
@Suite("Replay and diff agree on permitted differences")
struct AgreementTests {
    struct Pair: Sendable, CustomTestStringConvertible {
        var name: String
        /// `target body`; the recorded client sent the first one, and our client sends the second.
        var first, second: String
        var isSame: Bool
        var testDescription: String { name }

        init(_ name: String, _ first: String, _ second: String, same isSame: Bool = true) {
            (self.name, self.first, self.second, self.isSame) = (name, first, second, isSame)
        }
    }

    static let early = "00000000-0000-4000-8000-000000000000"
    static let time = "2025-01-29T10:30:00Z"

    static let targets = [
        Pair("times with escapes", "/a?since=2025-01-29T10%3A30%3A00Z", "/a?since=2026-02-01T11%3A31%3A01Z"),
        Pair("two forms of a space", "/a?q=b%20c", "/a?q=b+c"),
        Pair("a secret whose name has escapes", "/a?tok%65n=abc", "/a?token=abd"),
        Pair("escapes in a path", "/%67oals", "/goals"),
        Pair("an escaped slash", "/a%2Fb", "/a/b", same: false),
        Pair("worlds", "/w/old/a/b", "/a/b"),
        Pair("short numbers in a path", "/x/7", "/x/8", same: false),
        Pair("long numbers in a path", "/x/1234567", "/x/7654321"),
        Pair("a number and an id", "/x/7", "/x/\(IDs.a)", same: false),
        Pair("ids in a path", "/x/goal_\(IDs.a)", "/x/goal_\(IDs.b)"),
        Pair("names in place of an id", "/api/v1/goals/run", "/api/v1/goals/walk", same: false),
        Pair("no id", "/api/v1/goals/\(IDs.a)", "/api/v1/goals/undefined", same: false),
        Pair("the mark of an id", "/x/%7Bid%7D", "/x/\(IDs.a)", same: false),
        Pair("a slash at the end", "/a", "/a/", same: false),
        Pair("origins", "/a?to=https%3A%2F%2Fapi.fitiq.example%2Fx", "/a?to=http://localhost:8080/x"),
        Pair("items in another order", "/a?x=1&y=3&x=2", "/a?x=2&x=1&y=3"),
        Pair("an item twice", "/a?x=1&x=1", "/a?x=1", same: false),
        Pair("ids as names", "/a?\(IDs.a)=1", "/a?\(IDs.b)=1"),
        Pair("a name without a value", "/a?x", "/a?x="),
    ]

    static let bodies = [
        Pair("words", #"{"a":"b"}"#, #"{"a":"c"}"#, same: false),
        Pair("ids", #"{"a":"see \#(IDs.a)"}"#, #"{"a":"see \#(IDs.b)"}"#),
        Pair("an id and its mark", #"{"a":"\#(IDs.a)"}"#, #"{"a":"{id}"}"#, same: false),
        Pair("times", #"{"a":"\#(time)"}"#, #"{"a":"2026-01-01T00:00:00+01:00"}"#),
        Pair("dates", #"{"a":"2025-01-29"}"#, #"{"a":"2026-01-29"}"#),
        Pair("impossible dates", #"{"a":"2025-13-29"}"#, #"{"a":"2026-13-29"}"#, same: false),
        Pair("a date and a time", #"{"a":"2025-01-29"}"#, #"{"a":"\#(time)"}"#, same: false),
        Pair("addresses", #"{"a":"jane@a.example"}"#, #"{"a":"joe@b.example"}"#),
        Pair("placeholders", #"{"a":"redacted-token-1"}"#, #"{"a":"redacted-token-2"}"#),
        Pair("secrets", #"{"password":"a","api_key":["b"]}"#, #"{"password":"x","api_key":["y"]}"#),
        Pair("secrets in an object", #"{"password":{"a":["b"]}}"#, #"{"password":{"a":["x"]}}"#),
        Pair("names in a secret", #"{"password":{"a":"b"}}"#, #"{"password":{"b":"b"}}"#, same: false),
        Pair("after a secret", #"{"password":{"a":"b"},"c":"d"}"#, #"{"password":{"a":"b"},"c":"e"}"#, same: false),
        Pair("a secret and none", #"{"password":"a"}"#, #"{"password":null}"#, same: false),
        Pair("forms of numbers and of members", #"{"a":1,"b":[2.50]}"#, #"{ "b":[2.5], "a":1e0 }"#),
        Pair("numbers", #"{"a":123456}"#, #"{"a":654321}"#, same: false),
        Pair("numbers that are times", #"{"sentAt":1738146600}"#, #"{"sentAt":1738146601}"#),
        Pair("texts that are numbers", "1", "1.0", same: false),
        Pair("texts that are long numbers", "123456", "654321"),
        Pair("ids as names", #"{"\#(IDs.a)":1,"\#(IDs.b)":2}"#, #"{"\#(IDs.d)":1,"\#(early)":2}"#),
        Pair("members and one more", #"{"a":1}"#, #"{"a":1,"b":null}"#, same: false),
        Pair("origins", #"{"a":"\#(recordedOrigin)/cb"}"#, #"{"a":"\#(ourOrigin)/cb"}"#),
        Pair("origins in a text", "at \(recordedOrigin).", "at \(ourOrigin)."),
        Pair("escaped origins in a text", #"at https:\/\/api.fitiq.example\/a"#, "at \(ourOrigin)\\/a"),
        Pair("origins with worlds", "wss://API.fitiq.example/w/old/a", "ws://localhost:8080/w/new/a"),
        Pair("origins as names", #"{"\#(recordedOrigin)":1}"#, #"{"\#(ourOrigin)":1}"#),
        Pair("the recorded origin in both", #"{"a":"\#(recordedOrigin)"}"#, #"{"a":"\#(recordedOrigin)"}"#),
        Pair("our origin in both", "\(ourOrigin) \(IDs.a)", "\(ourOrigin) \(IDs.b)"),
        Pair("our origin in place of a host", "http://elsewhere.example", ourOrigin, same: false),
        Pair("a longer host", recordedOrigin + ".org", ourOrigin + ".org", same: false),
        Pair("a longer port", recordedOrigin, ourOrigin + "1", same: false),
    ]

    /// The cases where a replay must be stricter, because it follows ids and answers.
    static let exceptions = [
        Pair("an id that the server gave out", "/x \(IDs.c)", "/x \(IDs.d)"),
        Pair("one id in place of two", "/x \(IDs.a) \(IDs.b)", "/x \(IDs.d) \(IDs.d)"),
    ]

    static func builder(_ request: String, isFrame: Bool, isOurs: Bool = false) -> SessionBuilder {
        let (target, body) = parts(request)
        let builder = SessionBuilder().exchange("GET", "/id", answer: IDs.c)
        if isFrame {
            let origin = isOurs ? "ws://localhost:8080" : "wss://api.fitiq.example"
            builder.socket(target, frames: [frame(.client, 1, body)], origin: origin)
        } else {
            builder.exchange("POST", (isOurs ? ourOrigin : recordedOrigin) + target, body: body)
        }
        return builder
    }

    static func parts(_ request: String) -> (target: String, body: String) {
        let parts = request.split(separator: " ", maxSplits: 1)
        return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
    }

    /// Whether a replay of the first request accepts the second request.
    static func isServed(_ pair: Pair, isFrame: Bool) throws -> Bool {
        var player = try builder(pair.first, isFrame: isFrame).player()
        let (target, body) = parts(pair.second)
        guard isFrame else {
            if case .unexpected = player.ask("POST", target, body: body) { return false }
            return true
        }
        player.send(body, on: try player.open(target), at: at(1))
        return player.report.frameMissCount == 0
    }

    static func isEqual(_ pair: Pair, isFrame: Bool) -> Bool {
        SessionComparison(
            builder(pair.first, isFrame: isFrame).session, builder(pair.second, isFrame: isFrame, isOurs: true).session
        ).isEqual
    }

    static func inBodies(_ pair: Pair) -> Pair { Pair(pair.name, "/a " + pair.first, "/a " + pair.second) }

    @Test("Replay and diff agree on targets", arguments: targets)
    func target(_ pair: Pair) throws {
        #expect(try Self.isServed(pair, isFrame: false) == pair.isSame, "replay")
        #expect(Self.isEqual(pair, isFrame: false) == pair.isSame, "diff")
    }

    @Test("Replay and diff agree on bodies and frames", arguments: bodies, [false, true])
    func body(_ pair: Pair, isFrame: Bool) throws {
        #expect(try Self.isServed(Self.inBodies(pair), isFrame: isFrame) == pair.isSame, "replay")
        #expect(Self.isEqual(Self.inBodies(pair), isFrame: isFrame) == pair.isSame, "diff")
    }

    @Test("Replay and diff disagree only on the listed exceptions", arguments: exceptions, [false, true])
    func exception(_ pair: Pair, isFrame: Bool) throws {
        #expect(try !Self.isServed(pair, isFrame: isFrame), "replay")
        #expect(Self.isEqual(pair, isFrame: isFrame), "diff")
    }

    @Test("With matching by route, any number or id matches any other, and diff pairs such requests")
    func route() throws {
        for (first, second) in [("/x/7", "/x/8"), ("/x/7", "/x/\(IDs.a)"), ("/api/v1/goals/a", "/api/v1/goals/b")] {
            var player = try Self.builder(first, isFrame: false).player(.route)
            #expect(player.text("POST", second) == "200")
            let comparison = SessionComparison(
                Self.builder(first, isFrame: false).session, Self.builder(second, isFrame: false).session)
            guard case .changed(_, _, _, let changes)? = comparison.differences.first else {
                Issue.record("\(first) and \(second) are not paired")
                return
            }
            #expect(changes.map(\.path) == ["path"])
            #expect(changes.first?.first == "\"\(first)\"" && changes.first?.second == "\"\(second)\"")
        }
    }

    @Test("Replay and diff agree on generated text", arguments: [1, 2, 3] as [UInt64])
    func random(seed: UInt64) throws {
        let pieces = [
            "7", "12345", "123456", "654321", IDs.a, IDs.b, "x_\(IDs.a)", "redacted-token-1", Self.time, "2025-01-29",
            "2025-13-29", "jane@a.example", "{id}", "{", "redacted", "2025-01-29 10:30:00", "token", "é", "1e3", ".",
            recordedOrigin, ourOrigin, "https://other.example", "www.x", "\\n", "\\/", "/w/a/", ":", "-", "null",
        ]
        var numbers = SplitMix64(seed: seed)
        func piece() -> String { pieces[Int(numbers.next(below: UInt64(pieces.count)))] }
        let templates = ["%", #"{"a":"%"}"#, #"{"%":"b"}"#, #"["see %, "]"#, "a % b", "%=1"]
        for _ in 0..<400 {
            // Use only one place, because a replay would follow the ids in several.
            let (first, second) = (piece(), numbers.next(below: 4) == 0 ? piece() + piece() : piece())
            let template = templates[Int(numbers.next(below: UInt64(templates.count)))]
            let pair = Pair("", template.replacing("%", with: first), template.replacing("%", with: second))
            let isServed = try Self.isServed(Self.inBodies(pair), isFrame: false)
            #expect(isServed == Self.isEqual(Self.inBodies(pair), isFrame: false), "\(pair.first) \(pair.second)")
        }
    }
}
