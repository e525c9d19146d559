import FitIQAPI

/// Keys from a seed, so that a client's bytes can be repeated.
struct SeededBytes: Sendable {
    private var numbers: SplitMix64

    init(seed: UInt64) {
        numbers = SplitMix64(seed: seed)
    }

    mutating func nextWord() -> UInt64 { numbers.next() }

    mutating func next(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: numbers.next() >> 32) }
    }
}
