/// A set of situations, in 63 bytes.
public struct Coverage: Sendable, Hashable {
    private var words = [UInt64](repeating: 0, count: (Situation.count + 63) / 64)

    public init() {}

    public mutating func insert(_ situation: Situation) {
        words[situation.index / 64] |= 1 << UInt64(situation.index % 64)
    }

    public func contains(_ situation: Situation) -> Bool { contains(index: situation.index) }

    private func contains(index: Int) -> Bool { words[index / 64] & 1 << UInt64(index % 64) != 0 }

    public mutating func formUnion(_ other: Coverage) {
        for index in words.indices { words[index] |= other.words[index] }
    }

    public var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

    /// The situations, in their order.
    public var situations: [Situation] {
        (0..<Situation.count).filter(contains(index:)).map(Situation.init(index:))
    }
}
