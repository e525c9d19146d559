import Digests
import Testing

@Suite("Comparison in constant time")
struct ConstantTimeEqualsTests {
    @Test("The comparison agrees with == for every single flipped bit")
    func flippedBits() {
        let code = HMACSHA256.authenticate([1, 2, 3], key: [4, 5, 6])
        #expect(constantTimeEquals(code, code))
        for bit in 0..<(code.count * 8) {
            var other = code
            other[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!constantTimeEquals(code, other))
        }
    }

    @Test("Strings of different lengths are unequal", arguments: [0, 1, 31, 33])
    func lengths(count: Int) {
        let zeros = [UInt8](repeating: 0, count: 32)
        #expect(!constantTimeEquals(zeros, [UInt8](repeating: 0, count: count)))
    }

    @Test("Two empty strings are equal")
    func empty() {
        #expect(constantTimeEquals([], []))
    }
}
