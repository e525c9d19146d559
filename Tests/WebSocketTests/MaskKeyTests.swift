import Testing

@testable import WebSocket

@Suite("RFC 6455 §5.3: masking")
struct MaskKeyTests {
    @Test("Masking XORs octet i with key octet i mod 4 for every length up to 40 and every split")
    func everyLengthAndCut() {
        let key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
        for count in 0...40 {
            let clear = (0..<count).map { UInt8($0 * 7 & 0xFF) }
            let expected = clear.enumerated().map { $0.element ^ key[$0.offset % 4] }
            for cut in 0...count {
                var masked = clear
                var mask = MaskKey(networkOrder: 0x37FA_213D)
                masked.withUnsafeMutableBytes {
                    mask.apply(to: UnsafeMutableRawBufferPointer(rebasing: $0[..<cut]))
                    mask.apply(to: UnsafeMutableRawBufferPointer(rebasing: $0[cut...]))
                }
                #expect(masked == expected, "\(count) bytes cut after \(cut)")
            }
        }
    }

    @Test("A client's mask keys follow SplitMix64 from the seed")
    func generator() {
        var generator = MaskKeyGenerator(seed: 0)
        #expect(generator.next().networkOrder == 0xE220_A839)
        #expect(generator.next().networkOrder == 0x6E78_9E6A)
        #expect(generator.next().networkOrder == 0x06C4_5D18)
    }
}
