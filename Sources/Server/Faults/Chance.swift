import FitIQAPI

/// Numbers that follow from a seed and from what they are about, not from what was drawn before.
///
/// So a rule's luck does not depend on which other rules there are.
struct Chance: Sendable, Equatable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// The chance that belongs to these bytes as well.
    func mixing(_ bytes: some Sequence<UInt8>) -> Chance {
        // FNV-1a; SplitMix64 then spreads it over all bits.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return mixing(hash)
    }

    /// The chance that belongs to this number as well.
    func mixing(_ number: UInt64) -> Chance {
        var numbers = SplitMix64(seed: state)
        var mixed = SplitMix64(seed: numbers.next() ^ number)
        return Chance(seed: mixed.next())
    }

    /// A number below the bound.
    func next(below bound: UInt64) -> UInt64 {
        var numbers = SplitMix64(seed: state)
        return numbers.next(below: bound)
    }
}

extension Selection {
    /// Whether the n-th is meant, from 1; `chance` is that of this one thing.
    func contains(_ number: Int, _ chance: @autoclosure () -> Chance) -> Bool {
        guard number >= first, number <= last ?? .max, (number - first) % max(step, 1) == 0 else { return false }
        return perMille >= 1000 || Int(chance().next(below: 1000)) < perMille
    }
}
