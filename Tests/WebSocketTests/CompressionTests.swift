import TestSupport
import Testing
import WebSocket

@Suite("RFC 7692 §6 and §7.2: compressed messages")
struct CompressionTests {
    /// "Hello", deflated (§7.2.3.1).
    static let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
    /// The second "Hello", which refers back to the first (§7.2.3.2).
    static let again: [UInt8] = [0xF2, 0x00, 0x11, 0x00, 0x00]

    static let settings: [CompressionTerms] = (0..<16).map { number in
        var terms = CompressionTerms()
        terms.serverNoContextTakeover = number & 1 != 0
        terms.clientNoContextTakeover = number & 2 != 0
        if number & 4 != 0 { terms.serverMaxWindowBits = 8 + number / 4 }
        if number & 8 != 0 { terms.clientMaxWindowBits = 8 + number / 8 }
        return terms
    }

    @Test("Each side receives what the other sends with any compression setting and any split", arguments: settings)
    func pairs(terms: CompressionTerms) {
        for size in [1, 2, 3, 7, 1000] {
            var pair = Pair()
            pair.client = Connection(role: .client, maskSeed: 7, compression: terms)
            pair.server = Connection(role: .server, compression: terms)
            let long = bytes(String(repeating: "größer ", count: 300))
            for text in ["hello", "", "hello", "größer"] { pair.client.send(text: text, into: &pair.toServer) }
            pair.client.ping(bytes("c"), into: &pair.toServer)
            pair.client.send(binary: long, into: &pair.toServer)
            for _ in 0..<3 { pair.server.send(text: long, into: &pair.toClient) }
            #expect(pair.toClient.count < long.count)
            pair.settle(pieces: size)
            #expect(
                pair.serverEvents == ["hello", "", "hello", "größer"].map { .text(bytes($0)) }
                    + [.ping(bytes("c")), .binary(long)])
            #expect(pair.clientEvents == [.text(long), .text(long), .text(long), .pong(bytes("c"))])
            #expect(pair.server.receivedSize == pair.client.sentSize)
            #expect(pair.client.receivedSize == pair.server.sentSize)
            let keeps = !(terms.clientNoContextTakeover && terms.serverNoContextTakeover)
            #expect((pair.server.bufferedByteCount > 0) == keeps)
            pair.client.close(code: .normalClosure, into: &pair.toServer)
            pair.settle(pieces: size)
            #expect(pair.server.closeSummary.wasClean)
            #expect(pair.server.bufferedByteCount == 0)
        }
    }

    private func outcome(_ frames: [UInt8], limit: Int = 1000) -> Outcome {
        receiveHoweverSplit(
            frames,
            by: Connection(role: .client, limits: Limits(message: limit), compression: CompressionTerms()))
    }

    @Test("The inflater reads the RFC's example frames")
    func frames() {
        let text = Event.text(bytes("Hello"))
        #expect(outcome(Wire.frame(1, Self.hello, rsv: 4)).events == [text])
        for place in 0...Self.hello.count {
            let fragments =
                Wire.frame(1, Array(Self.hello[..<place]), fin: false, rsv: 4) + Wire.frame(9)
                + Wire.frame(0, Array(Self.hello[place...]))
            #expect(outcome(fragments).events == [.ping([]), text])
        }
        let plain =
            Wire.frame(1, Self.hello, rsv: 4) + Wire.frame(1, bytes("plain")) + Wire.frame(1, Self.again, rsv: 4)
        #expect(outcome(plain).events == [text, .text(bytes("plain")), text])
    }

    @Test("A message after hasSentOtherwise does not refer to older messages")
    func otherwise() {
        var pair = Pair()
        pair.client = Connection(role: .client, maskSeed: 7, compression: CompressionTerms())
        pair.server = Connection(role: .server, compression: CompressionTerms())
        pair.server.send(text: "one message", into: &pair.toClient)
        pair.toClient += Wire.frame(1, Self.hello, rsv: 4)
        pair.server.hasSentOtherwise()
        pair.server.send(text: "one message", into: &pair.toClient)
        pair.settle(pieces: 5)
        #expect(pair.clientEvents.map { $0 == .text(bytes("Hello")) } == [false, true, false])
        #expect(pair.clientEvents.first == pair.clientEvents.last)
    }

    @Test("Only RSV1 in the first frame of a message is allowed, and only after negotiation")
    func bits() {
        let start = Wire.frame(1, [0xF2], fin: false, rsv: 4)
        let rows: [([UInt8], String)] = [
            (Wire.frame(1, rsv: 6), "RSV1, RSV2 are set in a text frame."),
            (Wire.frame(2, rsv: 1), "RSV3 is set in a binary frame."),
            (Wire.frame(9, rsv: 4), "RSV1 is set in a ping frame."),
            (Wire.frame(8, rsv: 4), "RSV1 is set in a close frame."),
            (start + Wire.frame(0, rsv: 4), "RSV1 is set in a continuation frame."),
        ]
        for (frames, beginning) in rows {
            guard case .failed(.protocolError, let message)? = outcome(frames).events.last else {
                Issue.record("not refused: \(beginning)")
                continue
            }
            #expect(message == beginning + " Compression sets only RSV1, in a message's first frame.")
            #expect(message.utf8.count <= 123)
        }
        let without = receiveHoweverSplit(Wire.frame(1, Self.hello, rsv: 4), by: Connection(role: .client))
        #expect(without.state == .failed)
    }

    @Test("Invalid deflate data gets 1002, invalid UTF-8 gets 1007 and too many blocks get 1009")
    func mistakes() {
        let rows: [([UInt8], UInt16, String)] = [
            ([], 1002, "A compressed message is incomplete."),
            (Array(Self.hello.dropLast()), 1002, "A compressed message is incomplete."),
            (Self.hello + [0, 0xFF, 0xFF], 1002, "A compressed message"),
            ([0x07, 0x00], 1002, "A compressed message cannot be inflated."),
            (Self.again, 1002, "A compressed message cannot be inflated."),
            ([0x00, 0x01, 0x00, 0xFE, 0xFF, 0xFF, 0x00], 1007, "Text is not UTF-8: byte 0xFF at index 0."),
            ([0x00, 0x01, 0x00, 0xFE, 0xFF, 0xC3, 0x00], 1007, "Text is not UTF-8: it ends inside a character"),
            (
                Array(repeatElement([0x03, 0x00], count: 100_001).joined()) + [0], 1009,
                "A compressed message has more than 100000 final blocks."
            ),
        ]
        for (payload, code, beginning) in rows {
            let outcome = outcome(Wire.frame(1, payload, rsv: 4), limit: max(1000, payload.count))
            guard case .failed(let failed, let message)? = outcome.events.last else {
                Issue.record("not refused: \(payload)")
                continue
            }
            #expect(failed.rawValue == code && message.hasPrefix(beginning), "\(payload): \(failed) \(message)")
            #expect(message.utf8.count <= 123)
        }
    }

    @Test("A message beyond the limit gets 1009, and so does a deflate bomb")
    func limits() {
        for count in [0, 1, 1000, 70_000] {
            var server = Connection(role: .server, compression: CompressionTerms())
            var frame: [UInt8] = []
            server.send(binary: [UInt8](repeating: 7, count: count), into: &frame)
            #expect(outcome(frame, limit: count).events == [.binary([UInt8](repeating: 7, count: count))])
            guard count > 0 else { continue }
            let message =
                "A message of at least \(count) bytes arrived. The limit is \(count - 1): send smaller messages."
            #expect(outcome(frame, limit: count - 1).events == [.failed(code: .messageTooBig, message: message)])
        }
        // Compressing incompressible data makes it larger.
        var draw = Draw(seed: 5)
        let noise = (0..<3000).map { _ in UInt8(truncatingIfNeeded: draw.next()) }
        var server = Connection(role: .server, compression: CompressionTerms())
        var frame: [UInt8] = []
        server.send(binary: noise, into: &frame)
        #expect(outcome(frame, limit: 3000).events == [.binary(noise)])
        // The largest payload that may be announced, and a payload that is a byte larger.
        let headers: [(limit: Int, header: [UInt8], isTaken: Bool)] = [
            (0, [0xC2, 64], true), (0, [0xC2, 65], false),
            (4160, [0xC2, 126, 0x10, 0xC1], true), (4160, [0xC2, 126, 0x10, 0xC2], false),
        ]
        for row in headers { #expect(outcome(row.header, limit: row.limit).events.isEmpty == row.isTaken) }
        // The message is rejected before its payload arrives, because no message within the limit needs so many bytes.
        let announced: [UInt8] = [0xC2, 126, 0x27, 0x10]
        guard case .failed(.messageTooBig, _)? = outcome(announced, limit: 3000).events.first else {
            Issue.record("not refused")
            return
        }
    }
}
