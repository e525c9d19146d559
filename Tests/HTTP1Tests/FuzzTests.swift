import TestSupport
import Testing

@testable import HTTP1

@Suite("Mutated messages")
struct FuzzTests {
    /// Bytes that have a meaning for parsers; they are drawn more often than other bytes.
    private static let interesting = Array("\r\n\0 \t:,;%/?*#\"\u{7f}0159afFx\u{16}HTTP".utf8) + [0x80, 0xff]

    private static func mutate(_ bytes: [UInt8], _ random: inout Draw) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...2, using: &random) {
            let index = Int.random(in: 0...bytes.count, using: &random)
            let byte = Bool.random(using: &random) ? interesting.randomElement(using: &random) ?? 0 : 0x61
            switch Int.random(in: 0..<6, using: &random) {
            case 0 where index < bytes.count: bytes[index] = byte
            case 1 where index < bytes.count: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 2 where index < bytes.count: bytes.remove(at: index)
            case 3: bytes.insert(byte, at: index)
            case 4:
                let end = min(index + Int.random(in: 0..<20, using: &random), bytes.count)
                bytes.insert(contentsOf: bytes[index..<end], at: Int.random(in: 0...bytes.count, using: &random))
            default: bytes.removeSubrange(index..<min(index + Int.random(in: 0..<6, using: &random), bytes.count))
            }
        }
        return bytes
    }

    private static func cut(_ bytes: [UInt8], _ random: inout Draw) -> [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var start = 0
        while start < bytes.count {
            let end = min(start + Int.random(in: 1...40, using: &random), bytes.count)
            pieces.append(bytes[start..<end])
            start = end
        }
        return pieces
    }

    @Test("Mutated messages never crash the parser and give the same result however they are split", arguments: 0..<20)
    func mutations(batch: UInt64) throws {
        try #require(!Fixture.valid.isEmpty)
        var refused = 0
        for seed in batch * 1000..<(batch + 1) * 1000 {
            var random = Draw(seed: seed)
            let fixture = random.element(of: Fixture.valid)
            let bytes = Self.mutate(fixture.bytes, &random)
            let whole = fixture.transcript(CollectionOfOne(bytes[...]))
            let cut = fixture.transcript(Self.cut(bytes, &random))
            if cut != whole {
                Issue.record("seed \(seed), from \(fixture.name): \(whole) but split \(cut)")
            }
            if cut.peakBuffered > Limits.standard.requestLine + Limits.standard.headerBlock {
                Issue.record("seed \(seed): \(cut.peakBuffered) bytes buffered")
            }
            refused += whole.error == nil ? 0 : 1
        }
        // The test is weak if the parser rejects or accepts almost all mutations.
        #expect((200...850).contains(refused), "\(refused) of 1000 refused")
    }
}
