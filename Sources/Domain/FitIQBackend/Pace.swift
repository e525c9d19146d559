import FitIQAPI

/// How fast an answer comes.
public enum Pace: Sendable, Equatable {
    /// As a person would see it: the first chunk after 0.3 to 0.9 s, then some 20 a second, the whole within 4 s.
    ///
    /// A guide's test waits 5 s for an answer (consultation-websocket, integration tests).
    case human
    /// Without any delay.
    case instant

    /// When each chunk is due after the question, and, last, when the answer is complete, in nanoseconds.
    ///
    /// A pure function: the same chunks and seed have the same pace.
    public func offsets(of chunks: [String], seed: UInt64) -> [Int64] {
        switch self {
        case .instant: [Int64](repeating: 0, count: chunks.count + 1)
        case .human: Self.humanOffsets(of: chunks, seed: seed)
        }
    }

    private static func humanOffsets(of chunks: [String], seed: UInt64) -> [Int64] {
        let millisecond: Int64 = 1_000_000
        let longest = 3900 * millisecond
        var numbers = SplitMix64(seed: seed)
        func between(_ low: Int64, _ high: Int64) -> Int64 {
            (low * millisecond) + Int64(numbers.next(below: UInt64((high - low) * millisecond)))
        }

        let first = between(300, 900)
        // After each chunk: a word's time, and a breath at a comma or the end of a sentence.
        var gaps = chunks.map { chunk in
            let word = between(30, 70)
            switch chunk.last(where: { !$0.isWhitespace }) {
            case ".", "!", "?", ":": return word + between(60, 120)
            case ",", ";", "—": return word + between(20, 60)
            default: return word
            }
        }
        let total = gaps.reduce(0, +)
        if first + total > longest {
            // Thousandths keep the product far below Int64's limit.
            let thousandths = (longest - first) / (total / 1000)
            gaps = gaps.map { $0 / 1000 * thousandths }
        }
        var offsets = [first]
        for gap in gaps { offsets.append(offsets[offsets.count - 1] + gap) }
        return offsets
    }
}
