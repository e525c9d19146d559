import FitIQAPI

/// Random decisions from a seed; they are made with `SplitMix64`, so they are the same on every machine.
package struct Draw: RandomNumberGenerator {
    private var numbers: SplitMix64

    package init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

    package mutating func next() -> UInt64 { numbers.next() }

    /// A number from 0 up to, but not including, the bound.
    package mutating func below(_ bound: Int) -> Int { Int(numbers.next(below: UInt64(bound))) }

    /// Returns true once in this many calls, on average.
    package mutating func once(in odds: Int) -> Bool { below(odds) == 0 }

    package mutating func element<Element>(of list: [Element]) -> Element { list[below(list.count)] }

    package mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: numbers.next()) }
    }

    /// A random index into a table of weights, with a probability proportional to the weight.
    package mutating func place(in weights: [Int]) -> Int {
        var rest = below(weights.reduce(0, +))
        for (place, weight) in weights.enumerated() {
            rest -= weight
            if rest < 0 { return place }
        }
        return weights.count - 1
    }
}
