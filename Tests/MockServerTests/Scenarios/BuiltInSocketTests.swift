import JSON
import Scenarios
import TestSupport
import Testing

@testable import MockServer

/// Checks what the comments in the built-in scenarios promise about sockets, including the stated times.
@Suite("Built-in scenarios: sockets")
struct BuiltInSocketTests {
    private static let chunk = "stream_chunk"

    private static func chunks(_ frames: [JSONValue]) -> [String] {
        frames.filter { $0["type"]?.string == chunk }.compactMap { $0["content"]?.string }
    }

    @Test("drop-mid-stream: the connection ends after three chunks without a close frame")
    func dropMidStream() throws {
        let (world, id, socket) = try BuiltInWorld.chat("drop-mid-stream")
        let chunks = Array(repeating: Self.chunk, count: 3)
        expectLines(world.heard("Hello?", on: socket).untimed, ["message_received"] + chunks + ["end"])
        #expect(try socket.closeCode == nil && world.history(id).map { $0.prefix(5) } == ["user:", "assis"])
        try world.expectWell(id)
    }

    @Test("reset-mid-frame: the connection resets after ten bytes of the fourth chunk")
    func resetMidFrame() throws {
        let (world, id, socket) = try BuiltInWorld.chat("reset-mid-frame")
        let lines = world.heard("Hello?", on: socket)
        expectLines(lines.untimed, ["message_received", Self.chunk, Self.chunk, Self.chunk, "reset"])
        // Play the same conversation without the fault; the broken conversation starts with the same bytes.
        let (sound, _, soundSocket) = try BuiltInWorld.chat("default")
        _ = sound.heard("Hello?", on: soundSocket)
        #expect(soundSocket.wire.received.count > socket.wire.received.count)
        #expect(soundSocket.wire.received.starts(with: socket.wire.received))
        #expect(Self.lastFrame(of: socket.wire.received).count == 10)
        try world.expectWell(id)
    }

    /// The bytes that follow the last whole frame after the handshake.
    static func lastFrame(of bytes: [UInt8]) -> ArraySlice<UInt8> {
        var start =
            bytes.indices.dropFirst(3).first { bytes[($0 - 3)...$0].elementsEqual([13, 10, 13, 10]) }.map { $0 + 1 }
            ?? bytes.endIndex
        while start + 4 <= bytes.count {
            let short = Int(bytes[start + 1])
            let length = short < 126 ? 2 + short : 4 + Int(bytes[start + 2]) << 8 + Int(bytes[start + 3])
            guard start + length <= bytes.count else { break }
            start += length
        }
        return bytes[start...]
    }

    @Test("server-restarts: 1001 replaces the third chunk, and one 503 has Retry-After")
    func serverRestarts() throws {
        let (world, id, socket) = try BuiltInWorld.chat("server-restarts")
        let lines = world.heard("Hello?", on: socket).untimed
        expectLines(Array(lines.prefix(3)), ["message_received", Self.chunk, Self.chunk])
        #expect(socket.closeCode == .goingAway && socket.closeReason == "The server is restarting")
        let refused = try world.network.exchange(world.handshake(id))
        #expect(refused.status == 503 && refused.message == "The server is starting.")
        #expect(try refused.fields[.retryAfter] == "1" && world.history(id).count == 2)
        try world.expectWell(id)
    }

    @Test("half-open: after two chunks, the server sends nothing for ten minutes")
    func halfOpen() throws {
        let (world, id, socket) = try BuiltInWorld.chat("half-open")
        expectLines(world.heard("Hello?", on: socket).untimed, ["message_received", Self.chunk, Self.chunk])
        socket.ping("are you there")
        socket.send(#"{"type":"ping"}"#)
        world.network.advance(by: .seconds(500))
        #expect(socket.takeEvents().isEmpty && socket.wire.ending == .open)
        try world.expectWell(id)
        #expect(try world.history(id).count == 4)
        world.network.advance(by: .seconds(100))
        #expect(socket.wire.ending == .reset)
    }

    @Test("token-expires-mid-session: the token expires after a minute during an answer")
    func tokenExpires() throws {
        let (world, id, socket) = try BuiltInWorld.chat("token-expires-mid-session")
        let lines = world.heard("How much protein?", on: socket, for: .milliseconds(59_999))
        expectLines(
            Array(lines.prefix(4)), ["0.000 s message_received"] + [2, 4, 6].map { "\($0).000 s \(Self.chunk)" })
        #expect(!lines.contains { $0.hasSuffix("stream_complete") })
        let list = BuiltInWorld.consultations
        #expect(try world.exchange(.get, list).status == 200)
        world.network.advance(by: .milliseconds(1))
        let refused = try world.exchange(.get, list)
        #expect(refused.status == 401 && refused.message.contains("expired"))
        #expect(try world.network.exchange(world.handshake(id)).status == 401)
        let refreshed = try world.network.admin(.post, "tokens", #"{"expires_in":"1m"}"#)
        let token = try #require(refreshed.json?["token"]?.string)
        let request = Request(target: list, fields: [Request.bearer(token), Request.apiKey])
        #expect(try world.network.exchange(request).status == 200)
        // The socket was opened before the token expired.
        world.network.advance(by: .seconds(3600))
        #expect(socket.takeTypes().last == "stream_complete")
    }

    @Test("slow-coach: the first chunk takes 8 s, and each later chunk takes 1 s ± 0.2 s")
    func slowCoach() throws {
        let (world, _, socket) = try BuiltInWorld.chat("slow-coach")
        let lines = world.heard("How much protein?", on: socket, for: .seconds(300))
        let times = lines.filter { $0.hasSuffix(Self.chunk) }.compactMap { Double($0.split(separator: " ")[0]) }
        #expect(lines.first == "0.000 s message_received" && lines.last?.hasSuffix("stream_complete") == true)
        #expect(times.count > 4 && times.first.map { (7.8...8.2).contains($0) } == true, "\(lines)")
        for (time, next) in zip(times, times.dropFirst()) { #expect((0.5...1.5).contains(next - time), "\(lines)") }
    }

    @Test("coach-error: the first answer fails immediately, and the second fails in the middle")
    func coachError() throws {
        let (world, id, socket) = try BuiltInWorld.chat("coach-error")
        expectLines(world.heard("One?", on: socket).untimed, ["message_received", "error"])
        let second = world.heard("Two?", on: socket).untimed
        expectLines(second, ["message_received"] + Array(repeating: Self.chunk, count: 12) + ["error"])
        // The incomplete answer is not stored.
        #expect(try world.history(id) == ["user: One?", "user: Two?"])
        world.expectAnswer(to: "Three?", on: socket)
        #expect(try world.history(id).count == 4)
    }

    @Test("silent-coach: an answer stops after three words, and the next question works")
    func silentCoach() throws {
        let (world, _, socket) = try BuiltInWorld.chat("silent-coach")
        expectLines(
            world.heard("Hello?", on: socket, for: .seconds(3600)).untimed,
            ["message_received", Self.chunk, Self.chunk, Self.chunk])
        socket.ping("?")
        #expect(socket.takeEvents() == [.pong(Array("?".utf8))])
        world.expectAnswer(to: "Hello?", on: socket)
    }

    @Test("coalesced-frames: each frame contains three chunks, and the last contains the rest")
    func coalesced() throws {
        let (world, id, socket) = try BuiltInWorld.chat("coalesced-frames")
        socket.send(#"{"type":"message","content":"Hello?"}"#)
        world.network.advance(by: .seconds(30))
        let frames: [[Substring]] = socket.takeEvents().map { event in
            guard case .text(let text) = event else { return [] }
            return String(decoding: text, as: UTF8.self).split(separator: "\n")
        }
        // The frames are message_received, chunks, and stream_complete.
        let counts = frames.dropFirst().dropLast().map(\.count)
        #expect(counts.count > 1 && counts.dropLast().allSatisfy { $0 == 3 } && (1...3).contains(counts.last ?? 0))
        let answer = frames.joined().compactMap { (try? JSON.parse(Array($0.utf8)))?["content"]?.string }.joined()
        #expect(try world.history(id).last == "assistant: \(answer)")
    }

    @Test("fragmented-frames: the joined fragments form whole chunks")
    func fragmented() throws {
        let (world, _, socket) = try BuiltInWorld.chat("fragmented-frames")
        let before = socket.wire.received.count
        socket.send(#"{"type":"message","content":"Hello?"}"#)
        world.network.advance(by: .seconds(30))
        let contents = socket.takeFrames().compactMap { $0["content"]?.string }
        #expect(contents == ["Crème brûlée ", "🥚🥚 and ", "naïve oats: ", "all fine."])
        // Each message begins with a text frame without FIN.
        let bytes = socket.wire.received[before...]
        #expect(bytes.indices.dropLast().count { bytes[$0] == 0x01 && bytes[$0 + 1] == 1 } == 4)
    }

    @Test("unreliable-chunks: chunks are lost, duplicated and swapped, and the history is correct")
    func unreliable() throws {
        let (world, id, socket) = try BuiltInWorld.chat("unreliable-chunks")
        socket.send(#"{"type":"message","content":"How much protein do I need each day?"}"#)
        world.network.advance(by: .seconds(60))
        let heard = Self.chunks(socket.takeFrames())
        let (sound, _, soundSocket) = try BuiltInWorld.chat("default")
        soundSocket.send(#"{"type":"message","content":"How much protein do I need each day?"}"#)
        sound.network.advance(by: .seconds(60))
        var expected = Self.chunks(soundSocket.takeFrames())
        #expect(try world.history(id).last == "assistant: \(expected.joined())")
        expected.swapAt(6, 7)
        expected.insert(expected[4], at: 4)
        expected.remove(at: 2)
        expectLines(heard, expected)
    }

    @Test("hostile-coach: each of the twelve answers equals its joined chunks")
    func hostile() throws {
        let (world, id, socket) = try BuiltInWorld.chat("hostile-coach")
        var answers: [[UInt8]] = []
        for turn in 1...12 {
            socket.send(#"{"type":"message","content":"Question \#(turn)?"}"#)
            world.network.advance(by: .seconds(30))
            let frames = socket.takeFrames()
            #expect(frames.last?["type"]?.string == "stream_complete", "\(turn)")
            answers.append(Self.chunks(frames).flatMap { Array($0.utf8) })
        }
        let history = try world.history(id).filter { $0.hasPrefix("assistant: ") }
        #expect(history.map { Array($0.utf8.dropFirst(11)) } == answers)
        #expect(answers.allSatisfy { !$0.isEmpty } && answers.contains { $0.contains(0) })
    }

    @Test("missed-pongs: the server sends answers but no pongs")
    func missedPongs() throws {
        let (world, _, socket) = try BuiltInWorld.chat("missed-pongs")
        socket.ping("?")
        socket.send(#"{"type":"ping"}"#)
        #expect(socket.takeEvents().isEmpty)
        world.expectAnswer(to: "Hello?", on: socket)
    }

    @Test("broken-frames: only the first four connections break the protocol")
    func brokenFrames() throws {
        let world = try BuiltInWorld("broken-frames")
        let id = try world.consultation()
        var ends: [String] = []
        for _ in 0..<5 {
            let socket = try world.socket(on: id)
            socket.send(#"{"type":"message","content":"Hello?"}"#)
            switch socket.takeEvents().first {
            case .failed(let code, _): ends.append("\(code.rawValue)")
            case .binary: ends.append("binary")
            default: ends.append("text")
            }
            world.network.advance(by: .seconds(30))
        }
        expectLines(ends, ["1002", "1002", "1007", "binary", "text"])
    }

    @Test("nanosecond-timestamps: all times have nine digits, over REST and the socket")
    func nanoseconds() throws {
        let (world, id, socket) = try BuiltInWorld.chat("nanosecond-timestamps")
        socket.send(#"{"type":"message","content":"Hello?"}"#)
        world.network.advance(by: .seconds(30))
        var texts = try ["", "/\(id)", "/\(id)/messages"].map {
            try world.exchange(.get, BuiltInWorld.consultations + $0).text
        }
        texts += socket.takeEvents().compactMap {
            if case .text(let text) = $0 { String(decoding: text, as: UTF8.self) } else { nil }
        }
        let times = try texts.flatMap { text in
            text.matches(of: try Regex(#""(\d{4}-\d\d-\d\dT[^"]*)""#)).compactMap { $0.output[1].substring }
        }
        #expect(times.count > 12)
        let wanted = try Regex(#"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z"#)
        for time in times { #expect(time.wholeMatch(of: wanted) != nil, "\(time)") }
    }

    @Test("scripted-coach: answers match the script to the word and the millisecond")
    func scriptedCoach() throws {
        let world = try BuiltInWorld("scripted-coach")
        let id = try world.consultation()
        let protein = world.heard("How much PROTEIN?", on: try world.socket(on: id))
        let words = "About 1.6 g per kg of body weight, spread over the day.".split(separator: " ").count
        expectLines(
            Array(protein.dropLast()),
            ["0.000 s message_received"]
                + (0..<words).map { "\(VirtualNetwork.text(Int64(500 + 50 * $0) * 1_000_000)) \(Self.chunk)" })
        let coach = try #require(try world.create("fitness_coach").json?["data"]?["id"]?.string)
        let run = world.heard("Hello?", on: try world.socket(on: coach))
        expectLines(
            Array(run.dropLast()),
            ["0.000 s message_received"] + ["1.000", "3.000", "3.100"].map { "\($0) s \(Self.chunk)" })
        #expect(try world.history(coach).last == "assistant: Warm up for ten minutes, then run.")
    }

    @Test("The two suites for built-in scenarios test every built-in scenario")
    func isComplete() {
        let told: Set = [
            "default", "conflict", "limit-reached", "token-expires-mid-session", "slow-coach", "coach-error",
            "drop-mid-stream", "reset-mid-frame", "server-restarts", "flaky-500", "timeouts", "half-open",
            "meal-completes", "meal-fails", "meal-finishes-before-socket", "coalesced-frames",
            "nanosecond-timestamps", "empty-account", "long-history", "rate-limited", "answer-lost",
            "meal-never-finishes", "silent-coach", "fragmented-frames", "unreliable-chunks", "missed-pongs",
            "broken-frames", "scripted-coach", "established-account", "broken-responses", "app-first-run",
            "app-returning-user", "hostile-coach", "templates", "guide-tests", "flaky-503",
        ]
        #expect(Set(Scenario.builtInNames) == told)
    }
}
