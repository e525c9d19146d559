import FitIQAPI
import Replay
import TestSupport
import Testing
import Traffic

/// Sessions made up from a seed, in which ids go to and fro as they do in a real one.
struct RandomSession {
    private var numbers: Draw
    /// Ids that have gone over the wire.
    private var known: [String] = []
    /// Ids that the client made up.
    private(set) var made: [String] = []
    private(set) var builder = SessionBuilder()

    init(seed: UInt64, entries: Int) {
        numbers = Draw(seed: seed)
        for _ in 0..<entries {
            if numbers.once(in: 5) { addSocket() } else { addExchange() }
        }
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
        // What comes next comes after the frames, and so do the ids in it.
        builder.wait(time + 100)
    }
}

@Suite("What always holds of a replay")
struct PropertyTests {
    /// Plays a session to a client that does what the recorded one did, but uses its own texts for some values.
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

    @Test("Without any binding the bytes are exactly the recorded ones, at their times", arguments: seeds)
    func exact(seed: UInt64) throws {
        let session = RandomSession(seed: seed, entries: 25).builder.session
        for match in [ReplaySettings.Match.strict, .ordered] {
            try Self.check(session, ReplaySettings(match: match), seed: seed)
        }
    }

    @Test("With ids of its own a client sees the session with its ids in the recorded ones' places", arguments: seeds)
    func renamed(seed: UInt64) throws {
        let random = RandomSession(seed: seed, entries: 25)
        var ids = ResourceIDSequence(seed: seed &+ 1_000_000)
        var renamed: [String: String] = [:]
        for id in random.made { renamed[id] = ids.next().description }
        for match in [ReplaySettings.Match.strict, .ordered] {
            try Self.check(random.builder.session, ReplaySettings(match: match), seed: seed, renamed: renamed)
        }
    }

    @Test("The same calls have the same results", arguments: [1, 2, 3] as [UInt64])
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
