/// The ids that a world issues, one after another, all of them decided by its seed.
public struct ResourceIDSequence: Sendable {
    private var numbers: SplitMix64

    /// Begins the sequence that belongs to a seed.
    public init(seed: UInt64) {
        numbers = SplitMix64(seed: seed)
    }

    /// The next id.
    public mutating func next() -> ResourceID {
        ResourceID(randomBits: numbers.next(), numbers.next())
    }
}
