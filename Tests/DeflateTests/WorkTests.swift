import TestSupport
import Testing

@testable import Deflate

/// Counts work instead of measuring time: zlib calls, and the bytes that zlib reads, writes and loads.
@Suite("Work per byte of input")
struct WorkTests {
    /// Earlier bytes that fill most of the window and cannot be compressed.
    static let earlier: [UInt8] = {
        var draw = Draw(seed: 24)
        return draw.bytes(24 * 1024)
    }()

    static func repeated(_ bytes: [UInt8], _ count: Int) -> [UInt8] {
        Array(repeatElement(bytes, count: count).joined())
    }

    /// The work that one direction of a connection does for a message when 24 KiB of messages have preceded it.
    static func work(for payload: [UInt8]) throws -> (message: [UInt8], work: Int) {
        var deflater = MessageDeflater(windowBits: 15, keepsHistory: true)
        var inflater = MessageInflater(windowBits: 15, keepsHistory: true)
        _ = try inflater.inflate(deflater.deflate(earlier), limit: 1 << 20)
        var work = 0
        let message = try inflater.inflate(payload, limit: 1 << 20, work: &work)
        return (message, work)
    }

    @Test("Inflating a message does linear work for any number of final blocks")
    func finalBlocks() throws {
        // An empty block with fixed codes that is marked as final, and the same block with one letter.
        let blocks: [(bytes: [UInt8], letters: Int)] = [([0x03, 0x00], 0), ([0x4B, 0x04, 0x00], 1)]
        for (block, letters) in blocks {
            let count = 100_000
            let payload = Self.repeated(block, count) + [0x00]
            let (message, work) = try Self.work(for: payload)
            #expect(message == [UInt8](repeating: 0x61, count: count * letters))
            print("\(count) final blocks: \(payload.count) bytes in, \(message.count) out, work \(work)")
            let bound = Self.earlier.count + 2 * (payload.count + message.count) + 64
            #expect(work <= bound)
        }
    }

    @Test("The inflater rejects a message with too many final blocks", arguments: [0, 1])
    func tooManyFinalBlocks(more: Int) throws {
        // The empty stored block at the end is not final.
        let payload = Self.repeated([0x03, 0x00], MessageInflater.mostFinalBlocks + more) + [0x00]
        var inflater = MessageInflater(windowBits: 15, keepsHistory: true)
        var mistake: MessageInflater.Mistake?
        do throws(MessageInflater.Mistake) {
            _ = try inflater.inflate(payload, limit: 1 << 20)
        } catch {
            mistake = error
        }
        #expect(mistake == (more == 0 ? nil : .tooManyBlocks))
    }

    @Test("Inflating a body does linear work for any number of gzip members")
    func files() throws {
        let empty = Gzip.deflate([])
        let count = 50_000
        let coded = Self.repeated(empty, count)
        var work = 0
        #expect(try Gzip.inflate(coded, limit: 0, work: &work) == [])
        print("\(count) empty files: \(coded.count) bytes in, work \(work)")
        #expect(work <= 2 * coded.count + 64)
    }

    @Test("Inflating a bomb stops at the limit")
    func bomb() throws {
        let bomb = Gzip.deflate([UInt8](repeating: 0, count: 16 << 20))
        var work = 0
        #expect(throws: MessageInflater.Mistake.tooLarge) { try Gzip.inflate(bomb, limit: 1 << 20, work: &work) }
        #expect(work <= bomb.count + (1 << 20) + 64)
    }

    @Test("Inflating takes bounded work per byte for any sequence of blocks")
    func anyBlocks() throws {
        var draw = Draw(seed: 3)
        var most = 0
        for _ in 0..<2000 {
            var payload: [UInt8] = []
            for _ in 0..<(1 + draw.below(60)) {
                switch draw.below(5) {
                case 0: payload += [0x03, 0x00]
                case 1: payload += [0x4B, 0x04, 0x00]
                // A final stored block of two bytes.
                case 2: payload += [0x01, 0x02, 0x00, 0xFD, 0xFF, 0x62, 0x63]
                case 3: payload += [0x00, 0x00, 0x00, 0xFF, 0xFF]
                default: payload += draw.bytes(draw.below(12))
                }
            }
            payload.append(0x00)
            var inflater = MessageInflater(windowBits: 9 + draw.below(7), keepsHistory: true)
            var work = 0
            let message = try? inflater.inflate(payload, limit: 4096, work: &work)
            let bound = 2 * payload.count + 2 * (4096 + 1) + 2
            #expect(work <= bound && message?.count ?? 0 <= 4096)
            if let message { most = max(most, work / (payload.count + message.count)) }
        }
        print("2,000 messages of random blocks: at most \(most + 1) steps for a byte in or out")
    }

    @Test("A block after final blocks can refer to earlier messages")
    func references() throws {
        var deflater = MessageDeflater(windowBits: 15, keepsHistory: true)
        var inflater = MessageInflater(windowBits: 15, keepsHistory: true)
        _ = try inflater.inflate(deflater.deflate(Self.earlier), limit: 1 << 20)
        // After a thousand final blocks, repeat bytes, which then refer to the 4 KiB that a deflater keeps.
        let tail = Array(Self.earlier.suffix(2000))
        let again = deflater.deflate(tail)
        #expect(again.count < 100)
        let payload = Self.repeated([0x03, 0x00], 1000) + again
        #expect(try inflater.inflate(payload, limit: 1 << 20) == tail)
    }
}
