/// A seeded source of numbers: whatever the fake makes up is decided by one.
///
/// Steele, Lea, Flood: "Fast splittable pseudorandom number generators". Not for secrets, and not meant to be.
public struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Begins the sequence that belongs to a seed.
    public init(seed: UInt64) {
        state = seed
    }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    /// A number from 0 up to, but not including, the bound; the bias is below 2⁻³² for the small bounds used here.
    public mutating func next(below bound: UInt64) -> UInt64 {
        next().multipliedFullWidth(by: bound).high
    }

    /// Passes over so many numbers, whatever their number, in one step.
    public mutating func skip(_ count: UInt64) {
        state &+= 0x9E37_79B9_7F4A_7C15 &* count
    }

    /// How many calls of ``next()`` it takes until these bits come, modulo 2⁶⁴; 0 stands for the whole period.
    ///
    /// Every step of `next` can be undone: a shift by folding it in again, a product by the inverse of its odd factor.
    func steps(until bits: UInt64) -> UInt64 {
        var before = bits
        before ^= before >> 31 ^ before >> 62
        before = before &* 0x3196_42B2_D24D_8EC3
        before ^= before >> 27 ^ before >> 54
        before = before &* 0x96DE_1B17_3F11_9089
        before ^= before >> 30 ^ before >> 60
        return (before &- state) &* 0xF1DE_83E1_9937_733D
    }
}
