/// The ids that a world issues, one after another, all of them decided by its seed.
public struct ResourceIDSequence: Sendable {
    private var numbers: SplitMix64
    /// How many ids have been issued, or passed over: the place in the sequence, which repeats after 2⁶³ of them.
    public private(set) var issuedCount: Int

    /// Begins the sequence that belongs to a seed, or goes on with it after so many ids.
    ///
    /// - Parameter count: 0 or more; any number takes the same time.
    public init(seed: UInt64, skipping count: Int = 0) {
        numbers = SplitMix64(seed: seed)
        issuedCount = 0
        skip(count)
    }

    /// The next id.
    public mutating func next() -> ResourceID {
        issuedCount = (issuedCount &+ 1) & .max
        return ResourceID(randomBits: numbers.next(), numbers.next())
    }

    /// Passes over ids until so many have been issued; what has been issued already stays so.
    public mutating func skip(toCount count: Int) {
        if count > issuedCount { skip(count - issuedCount) }
    }

    /// Passes over everything up to this id, if it is one of the next 2⁴⁰; otherwise nothing changes.
    ///
    /// An id that was copied from another run with the same seed would be issued a second time. Which place it has is
    /// computed, not searched: SplitMix64 can be run backwards, save for the six bits that a version 4 UUID fixes.
    public mutating func skip(past id: ResourceID) {
        for versionBits in UInt64(0)..<16 {
            let steps = numbers.steps(until: id.high & 0xFFFF_FFFF_FFFF_0FFF | versionBits << 12)
            // Each id takes two numbers, and its high half is the first one.
            guard steps & 1 == 1, steps < 1 << 41 else { continue }
            var rest = self
            rest.skip(Int(steps / 2))
            guard rest.next() == id else { continue }
            self = rest
            return
        }
    }

    private mutating func skip(_ count: Int) {
        precondition(count >= 0, "a sequence goes forward, not by \(count)")
        numbers.skip(UInt64(count) &* 2)
        issuedCount = (issuedCount &+ count) & .max
    }
}
