import Deflate
import TestSupport
import Testing

@Suite("Deflating and inflating messages")
struct MessageDeflaterTests {
    /// Texts like a coach's answers; some are empty, long or hard to compress.
    static func messages(seed: UInt64) -> [[UInt8]] {
        var draw = Draw(seed: seed)
        let words = ["protein ", "{\"type\":\"stream_chunk\",\"content\":\"", "a", "Müsli ", "👩‍🍳", "oats "]
        return (0..<40).map { number in
            if number % 13 == 5 { return [] }
            let count = number % 11 == 7 ? 9000 : number % 17 == 9 ? 300 : 12
            if number % 7 == 3 { return (0..<count).map { _ in UInt8(truncatingIfNeeded: draw.next()) } }
            return (0..<count).flatMap { _ in Array(words[Int(draw.next() % UInt64(words.count))].utf8) }
        }
    }

    @Test(
        "Each window size works with and without context takeover",
        arguments: 8...15)
    func pairs(windowBits: Int) throws {
        for keepsHistory in [true, false] {
            var deflater = MessageDeflater(windowBits: windowBits, keepsHistory: keepsHistory)
            var inflater = MessageInflater(windowBits: windowBits, keepsHistory: keepsHistory)
            for (number, message) in Self.messages(seed: UInt64(windowBits)).enumerated() {
                if number % 10 == 9 { deflater.forget() }
                let payload = deflater.deflate(message)
                #expect(try inflater.inflate(payload, limit: message.count) == message)
                if keepsHistory { #expect(inflater.heldByteCount <= 1 << windowBits) }
            }
            if !keepsHistory { #expect(inflater.heldByteCount == 0) }
        }
    }

    @Test("A repeated message deflates to a few bytes until the deflater discards its history")
    func history() throws {
        let message = Array("{\"type\":\"assistant_message_chunk\",\"content\":\"How about oats?\"}".utf8)
        var deflater = MessageDeflater(windowBits: 15, keepsHistory: true)
        let first = deflater.deflate(message)
        let second = deflater.deflate(message)
        #expect(second.count < 10 && second.count < first.count)
        deflater.forget()
        #expect(deflater.deflate(message) == first)
        var inflater = MessageInflater(windowBits: 15, keepsHistory: false)
        _ = try inflater.inflate(first, limit: 1000)
        #expect(throws: MessageInflater.Mistake.corrupt) { try inflater.inflate(second, limit: 1000) }
    }

    @Test("Deflating an incompressible message adds only a few bytes")
    func growth() {
        var draw = Draw(seed: 5)
        let message = draw.bytes(100_000)
        var deflater = MessageDeflater(windowBits: 15, keepsHistory: false)
        let payload = deflater.deflate(message)
        // zlib's tables hold about 16,000 of its bytes, so it takes seven stored blocks with five extra bytes each.
        #expect((message.count...message.count + 50).contains(payload.count), "\(payload.count) bytes")
    }

    @Test("The examples in RFC 7692 §7.2.3 inflate")
    func examples() throws {
        let hello = Array("Hello".utf8)
        let rows: [[UInt8]] = [
            [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00],
            [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00],
            [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00],
            [0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00],
        ]
        for row in rows {
            var inflater = MessageInflater(windowBits: 15, keepsHistory: true)
            #expect(try inflater.inflate(row, limit: 5) == hello)
            #expect(try inflater.inflate([0xF2, 0x00, 0x11, 0x00, 0x00], limit: 5) == hello, "the second Hello")
            #expect(try inflater.inflate([0x00], limit: 0) == [])
        }
    }

    @Test("A message at the limit inflates, but a message one byte larger fails")
    func limit() throws {
        for count in [0, 1, 255, 256, 257, 32768, 32769, 500_000] {
            let message = [UInt8](repeating: 0x61, count: count)
            for bits in [8, 9, 15] {
                var deflater = MessageDeflater(windowBits: bits, keepsHistory: false)
                let payload = deflater.deflate(message)
                var inflater = MessageInflater(windowBits: bits, keepsHistory: false)
                #expect(try inflater.inflate(payload, limit: count).count == count)
                guard count > 0 else { continue }
                #expect(throws: MessageInflater.Mistake.tooLarge) { try inflater.inflate(payload, limit: count - 1) }
            }
        }
    }

    @Test("The inflater rejects blocks that are truncated, corrupt or longer than declared")
    func mistakes() throws {
        var deflater = MessageDeflater(windowBits: 15, keepsHistory: false)
        let message = Self.messages(seed: 3)[1]
        let payload = deflater.deflate(message)
        for end in payload.indices {
            var inflater = MessageInflater(windowBits: 15, keepsHistory: true)
            #expect(throws: (any Error).self, "cut at \(end)") {
                try inflater.inflate(Array(payload[..<end]), limit: 10_000)
            }
        }
        let rows: [([UInt8], MessageInflater.Mistake)] = [
            ([], .unfinished),
            // A last block that is not followed by the empty block.
            ([0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], .unfinished),
            // This ends with the four bytes that must be omitted.
            ([0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00, 0x00, 0xFF, 0xFF], .unfinished),
            // A block of the reserved type.
            ([0x07, 0x00], .corrupt),
            // A stored block whose two lengths contradict each other.
            ([0x00, 0x05, 0x00, 0x05, 0x00, 0x48], .corrupt),
        ]
        for (row, mistake) in rows {
            var inflater = MessageInflater(windowBits: 15, keepsHistory: true)
            #expect(throws: mistake, "\(row)") { try inflater.inflate(row, limit: 1000) }
        }
    }

    @Test("Random input fails or inflates within the limit")
    func garbage() {
        var draw = Draw(seed: 77)
        for _ in 0..<3000 {
            var inflater = MessageInflater(windowBits: 8 + Int(draw.next() % 8), keepsHistory: true)
            let bytes = (0..<Int(draw.next() % 200)).map { _ in UInt8(truncatingIfNeeded: draw.next()) }
            let message = try? inflater.inflate(bytes, limit: 500)
            #expect(message?.count ?? 0 <= 500)
        }
    }
}
