import FitIQAPI

extension StreamTiming {
    /// How long it takes to the first chunk, and after each chunk to the next or to the end, in nanoseconds.
    ///
    /// A pure function: the same timing, chunks and seed have the same gaps. None is negative, or longer than
    /// ``AnswerScript/longestTimeline``.
    func gaps(of chunks: [String], seed: UInt64) -> (first: Int64, after: [Int64]) {
        let human = Pace.human.offsets(of: rate == .human ? chunks : [], seed: seed)
        let even =
            switch rate {
            case .human: zip(human, human.dropFirst()).map { $1 - $0 }
            case .chunksPerSecond(let rate): [Int64](repeating: Self.nanoseconds(1e9 / rate), count: chunks.count)
            // Four bytes to a token, as `tokens_used` counts.
            case .tokensPerSecond(let rate): chunks.map { Self.nanoseconds(Double($0.utf8.count) / 4 * (1e9 / rate)) }
            }
        return (firstChunk ?? human[0], jitter.applied(to: even, seed: seed))
    }

    /// Whole nanoseconds, at most those of the longest timeline.
    static func nanoseconds(_ duration: Double) -> Int64 {
        duration < Double(AnswerScript.longestTimeline)
            ? Int64(duration.rounded()) : AnswerScript.longestTimeline
    }
}

extension StreamTiming.Jitter {
    func applied(to gaps: [Int64], seed: UInt64) -> [Int64] {
        // Apart from the numbers that decide a human pace.
        var numbers = SplitMix64(seed: seed ^ 0x6A09_E667_F3BC_C908)
        switch self {
        case .none: return gaps
        case .uniform(let width):
            return gaps.map { gap in
                let change = Int64(numbers.next(below: 2 * UInt64(width) + 1)) - width
                return min(max(0, gap + change), AnswerScript.longestTimeline)
            }
        case .logNormal(let sigma):
            return gaps.map { gap in
                StreamTiming.nanoseconds(Double(gap) * Arithmetic.exp(sigma * Arithmetic.normal(from: &numbers)))
            }
        }
    }
}
