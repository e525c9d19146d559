import FitIQAPI

/// Decisions drawn from a seed.
struct Draw {
    private var numbers: SplitMix64

    init(seed: UInt64) {
        numbers = SplitMix64(seed: seed)
    }

    /// From 0 up to, but not including, the bound.
    mutating func below(_ bound: Int) -> Int { Int(numbers.next(below: UInt64(bound))) }

    /// True once in so many times.
    mutating func once(in odds: Int) -> Bool { below(odds) == 0 }

    mutating func element<Element>(of list: [Element]) -> Element { list[below(list.count)] }

    mutating func bits() -> UInt64 { numbers.next() }

    mutating func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        for _ in 0..<count { bytes.append(UInt8(truncatingIfNeeded: numbers.next())) }
        return bytes
    }

    /// The place in a table of weights; each comes up as often as its weight says.
    mutating func place(in weights: [Int]) -> Int {
        var rest = below(weights.reduce(0, +))
        for (place, weight) in weights.enumerated() {
            rest -= weight
            if rest < 0 { return place }
        }
        return weights.count - 1
    }
}
