import FitIQAPI
import JSON
import TestSupport
import Testing
import WebSocket

@testable import Faults

/// Random rules on random traffic; a failure prints the seed.
@Suite("Random rules and random traffic")
struct RandomFaultsTests {
    private static func number(_ numbers: inout Draw) -> Int {
        let edges = [0, 1, 2, 3, 10, 40, 125, 126, 1000, -1, .min, .max]
        return numbers.element(of: edges)
    }

    private static func selection(_ numbers: inout Draw) -> Selection {
        let first = 1 + numbers.below(5)
        return Selection(
            first: first, last: numbers.once(in: 2) ? nil : first + numbers.below(9),
            step: 1 + numbers.below(3), perMille: numbers.once(in: 3) ? 500 : 1000)
    }

    static func wireOnly(_ numbers: inout Draw) -> ResponseFault {
        numbers.once(in: 2)
            ? .delay(Int64(number(&numbers))) : .dribble(bytes: number(&numbers), every: Int64(number(&numbers)))
    }

    private static func responseFault(_ numbers: inout Draw) -> ResponseFault {
        switch numbers.below(13) {
        case 0: .replace(Replacement(status: number(&numbers), retryAfter: number(&numbers)))
        case 1: .quota(requests: number(&numbers), window: Int64(number(&numbers)), Replacement(status: 429))
        case 2: .truncate(after: number(&numbers))
        case 3: .contentLength(off: number(&numbers))
        case 4: .malformedJSON
        case 5: .malformedChunking
        case 6: .emptyReply
        case 7: .reset(after: number(&numbers))
        case 8: .hang
        case 9: .contentType(numbers.once(in: 2) ? nil : "text/plain")
        case 10: .nanosecondTimestamps
        default: wireOnly(&numbers)
        }
    }

    private static func socketFault(_ numbers: inout Draw) -> SocketFault {
        switch numbers.below(45) {
        case 0: .close(code: UInt16(numbers.below(65536)), reason: "x")
        case 1: .finish
        case 2: .reset
        case 3: .silence
        case 4: .cut(after: number(&numbers), reset: numbers.once(in: 2))
        case 5...7: .masked
        case 8...10: .reservedBits(UInt8(numbers.below(256)))
        case 11...13: .invalidUTF8
        case 14...16: .fragments(at: [number(&numbers), number(&numbers), 5])
        case 17...19: .coalesce(count: number(&numbers))
        case 20...21: .binary
        case 22...23: .lose
        case 24...25: .double
        case 26...28: .swap
        case 29...31: .delay(Int64(number(&numbers)))
        case 32...33: .dribble(bytes: number(&numbers), every: Int64(number(&numbers)))
        case 34...35: .replace(text: "")
        case 36...37: .nanosecondTimestamps
        case 38: .withholdPong
        case 39...40: .escape
        case 41: .end(numbers.element(of: SocketFault.Ending.allCases), after: Int64(number(&numbers)))
        case 42: .compression(numbers.element(of: CompressionFault.allCases))
        default: .stallReading
        }
    }

    private static func point(_ numbers: inout Draw) -> SocketPoint {
        switch numbers.below(4) {
        case 0: .frames(selection(&numbers))
        case 1: .type(["pong", "connected", "stream_chunk"][numbers.below(3)], selection(&numbers))
        case 2: .chunks(selection(&numbers), ofAnswer: numbers.once(in: 2) ? nil : 2)
        default: .byte(numbers.once(in: 3) ? number(&numbers) : numbers.below(400))
        }
    }

    /// Checks the invariants of a transmission.
    private static func isSound(_ transmission: Transmission) -> Bool {
        let offsets = transmission.marks.map(\.offset)
        let ends = transmission.marks.filter {
            if case .wait(let time) = $0.action { return !(0...FaultLimits.longestWait).contains(time) }
            return true
        }
        return offsets == offsets.sorted() && offsets.allSatisfy { (0...transmission.bytes.count).contains($0) }
            && (ends.isEmpty || (ends == [transmission.marks.last] && ends[0].offset == transmission.bytes.count))
    }

    @Test("Wire faults that do not end the connection preserve every byte", arguments: UInt64(0)..<200)
    func wireKeepsBytes(seed: UInt64) throws {
        var numbers = Draw(seed: seed)
        let faults = (0..<numbers.below(6)).map { _ in Self.wireOnly(&numbers) }
        let response = try encode(body: String(repeating: "a", count: numbers.below(300)))
        let out = response.apply(faults, seed: seed)
        #expect(out.bytes == response.bytes)
        try #require(Self.isSound(out))
        // Cutting the transmission at its marks and joining the pieces gives the same bytes.
        var (pieces, start): ([ArraySlice<UInt8>], Int) = ([], 0)
        for mark in out.marks {
            pieces.append(out.bytes[start..<mark.offset])
            start = mark.offset
        }
        pieces.append(out.bytes[start...])
        #expect(Array(pieces.joined()) == response.bytes)
    }

    @Test("Any combination of rules works with any requests", arguments: UInt64(0)..<200)
    func responses(seed: UInt64) throws {
        func run() throws -> [Transmission?] {
            var numbers = Draw(seed: seed)
            let rules = (0..<(1 + numbers.below(6))).map { index in
                FaultRule.response(
                    "r\(index)", Self.responseFault(&numbers), on: numbers.once(in: 2) ? [] : [.listGoals],
                    Self.selection(&numbers))
            }
            var book = FaultBook(rules: rules, seed: seed)
            return try (0..<20).map { _ in
                let endpoint: Endpoint? = [.listGoals, .createGoal, nil][numbers.below(3)]
                let now = Timestamp.after(Int64(numbers.below(100)))
                guard let acting = book.respond(to: endpoint, at: now) else { return nil }
                let answer = acting.answer(in: .union)
                let response = try encode(
                    answer?.status ?? .ok, body: answer.map { text($0.body) } ?? #"{"t":"2025-01-29T10:30:00Z"}"#,
                    method: numbers.once(in: 5) ? .head : .get)
                return acting.apply(to: response)
            }
        }
        let all = try run()
        #expect(all.compactMap { $0 }.allSatisfy(Self.isSound))
        #expect(try run() == all, "the same seed, the same bytes")
    }

    @Test("Any combination of rules works with any socket", arguments: UInt64(0)..<400)
    func sockets(seed: UInt64) {
        func run() -> [Outgoing] {
            var numbers = Draw(seed: seed)
            let rules = (0..<(1 + numbers.below(6))).map { index in
                FaultRule.socket("r\(index)", Self.socketFault(&numbers), at: Self.point(&numbers))
            }
            var book = FaultBook(rules: rules, seed: seed)
            guard var socket = book.openSocket(at: .after(0))?.socket else { return [] }
            var sent: [Outgoing] = []
            var texts: [String] = []
            for _ in 0..<40 {
                let wasOver = socket.isOver
                let message = numbers.element(of: Talk.all)
                let outgoing = socket.send(bytes(message))
                if !wasOver { texts.append(message) }
                #expect(!wasOver || outgoing == Outgoing())
                #expect(outgoing.close == nil || socket.isOver)
                #expect(!outgoing.transmission.endsConnection || socket.isOver)
                sent.append(outgoing)
            }
            sent.append(socket.close())
            #expect(
                sent.flatMap(\.messages).map { text($0.text) }.sorted() == texts.sorted(),
                "each message has one fate, and is told of once")
            #expect(socket.waitingByteCount == 0)
            return sent
        }
        let all = run()
        #expect(all.allSatisfy { Self.isSound($0.transmission) })
        #expect(run() == all, "the same seed, the same bytes")
    }

    @Test("Faults that only reorder or reframe messages lose no message", arguments: UInt64(0)..<200)
    func nothingIsLost(seed: UInt64) {
        var numbers = Draw(seed: seed)
        let harmless: [SocketFault] = [
            .fragments(at: [1, 7, 30]), .coalesce(count: 3), .swap, .delay(3), .dribble(bytes: 7, every: 1),
            .withholdPong, .stallReading,
        ]
        let rules = (0..<5).map { index in
            FaultRule.socket("r\(index)", numbers.element(of: harmless), at: Self.point(&numbers))
        }
        var book = FaultBook(rules: rules, seed: seed)
        guard var socket = book.openSocket(at: .after(0))?.socket else { return }
        var out: [UInt8] = []
        let messages = (0..<30).map { _ in numbers.element(of: Talk.answer) }
        for message in messages { out += socket.send(bytes(message)).transmission.bytes }
        // One more message releases a message that is waiting to be swapped; a close releases coalesced messages.
        for rule in socket.ruleNames { socket.setEnabled(false, named: ExactString(rule)) }
        out += socket.send(bytes(Talk.error)).transmission.bytes + socket.close().transmission.bytes
        let heard = readFrames(out).flatMap { event -> [String] in
            guard case .text(let frame) = event else { return ["?"] }
            return text(frame).split(separator: "\n").map(String.init)
        }
        #expect(heard.sorted() == (messages + [Talk.error]).sorted())
    }

    @Test("The work for a message is linear in its bytes and the number of rules")
    func linear() throws {
        // Use a thousand rules that all select every message of a long conversation.
        var book = FaultBook(
            rules: (0..<FaultLimits.rules).map { .socket("r\($0)", .fragments(at: [$0]), at: .frames(.all)) })
        var socket = try unwrap(book.openSocket(at: .after(0))?.socket)
        let message = bytes(Talk.chunk(1) + String(repeating: " ", count: 3000))
        for _ in 0..<10 { #expect(readFrames(socket.send(message).transmission.bytes) == [.text(message)]) }
    }
}
