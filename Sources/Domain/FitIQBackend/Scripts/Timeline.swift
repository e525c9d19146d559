import FitIQAPI

/// A script's events with their times, and the text to store.
struct Timeline: Sendable, Equatable {
    enum Event: Sendable, Equatable {
        case chunk(String)
        // This case is rare and large, so it is indirect, which keeps moments small.
        indirect case template(CreatedTemplate)
        indirect case error(message: String, code: String)
        /// The answer is complete and stored; another answer may follow.
        case completion
        /// The answer ends here and is not stored.
        case abandonment
    }

    struct Moment: Sendable, Equatable {
        /// Nanoseconds since the start of the question's turn.
        var offset: Int64
        var event: Event
    }

    struct Answer: Sendable, Equatable {
        let id: ResourceID
        /// The concatenated chunks.
        var text = ""
        var metadata = MessageMetadata()
        var isStored = true
    }

    /// The moments in order; each answer ends with a completion, or the last answer with an abandonment.
    private(set) var moments: [Moment] = []
    /// The answers, at least one.
    private(set) var answers: [Answer] = []

    /// Computes the times of a script's events.
    ///
    /// A pure function of the script, the id and the pace. The ids of additional answers derive from the first id,
    /// because ids from the world's sequence would depend on concurrent events.
    ///
    /// - Parameters:
    ///   - id: The id of the first answer; it seeds the pace.
    ///   - pace: ``Pace/instant`` removes all delays.
    ///   - builtInAnswer: The built-in coach's answer, evaluated only if the script uses it.
    init(_ script: AnswerScript, id: ResourceID, pace: Pace, builtInAnswer: () -> Speech) {
        var identifiers = ResourceIDSequence(seed: id.seed)
        var layout = Layout(isInstant: pace == .instant)
        for (number, part) in script.parts.enumerated() {
            let answer = Answer(id: number == 0 ? id : identifiers.next())
            append(part, of: script, answer: answer, layout: &layout, builtInAnswer: builtInAnswer)
        }
        precondition(!answers.isEmpty, "A script must have at least one answer.")
    }

    private mutating func append(
        _ part: AnswerScript.Part, of script: AnswerScript, answer: Answer, layout: inout Layout,
        builtInAnswer: () -> Speech
    ) {
        var answer = answer
        let speeches = part.steps.map { $0.speech(builtInAnswer) }
        let chunks = speeches.count == 1 ? speeches[0].chunks : speeches.flatMap(\.chunks)
        let gaps = script.timing.gaps(of: chunks, seed: answer.id.seed)
        layout.begin(after: gaps.first)
        if moments.isEmpty { moments.reserveCapacity(chunks.count + 2) }
        var chunkCount = 0
        for (step, speech) in zip(part.steps, speeches) {
            switch step {
            case .text, .builtInAnswer, .chunk, .burst:
                answer.text += speech.text
                for number in speech.chunks.indices {
                    layout.speak(after: step.time(before: number), gap: gaps.after[chunkCount])
                    chunkCount += 1
                    append(.chunk(speech.chunks[number]), layout)
                }
                guard let draft = speech.template else { break }
                // The id is derived from the answer's id, as the ids of additional answers are.
                let id = ResourceIDSequence.first(of: ~answer.id.seed).description
                create(CreatedTemplate(type: draft.type, id: id, name: draft.name), of: &answer, &layout)
            case .pause(let duration): layout.pause(duration)
            case .template(let template): create(template, of: &answer, &layout)
            case .error(let message, let code):
                layout.stop()
                append(.error(message: message, code: code ?? AnswerScript.usualErrorCode), layout)
            case .silence, .anotherAnswer: preconditionFailure("An answer's end must not be one of its steps.")
            }
        }
        layout.end()
        answer.isStored = part.ending == .completion
        answer.metadata.tokensUsed = script.tokensUsed ?? (answer.text.utf8.count + 3) / 4
        answer.metadata.functionCalled = script.functionCalled
        if case .error(let message, let code) = part.ending { append(.error(message: message, code: code), layout) }
        append(answer.isStored ? .completion : .abandonment, layout)
        answers.append(answer)
    }

    private mutating func create(_ template: CreatedTemplate, of answer: inout Answer, _ layout: inout Layout) {
        layout.stop()
        answer.metadata.templateCreated = template
        append(.template(template), layout)
    }

    private mutating func append(_ event: Event, _ layout: Layout) {
        moments.append(Moment(offset: layout.offset, event: event))
    }
}

extension AnswerScript.Step {
    /// The step's text in chunks, if it has text.
    fileprivate func speech(_ builtInAnswer: () -> Speech) -> Speech {
        switch self {
        case .text(let text): Speech(text)
        case .builtInAnswer: builtInAnswer()
        case .chunk(let chunk, _): Speech(text: chunk, chunks: [chunk])
        case .burst(let chunks): Speech(text: chunks.joined(), chunks: chunks)
        default: Speech(text: "", chunks: [])
        }
    }

    /// The step's explicit time before one of its chunks; nil if the pace applies.
    fileprivate func time(before chunk: Int) -> Int64? {
        switch self {
        case .chunk(_, let after): after
        // The first chunk of a burst is delayed like any other chunk.
        case .burst: chunk == 0 ? nil : 0
        default: nil
        }
    }
}

extension StreamTiming {
    /// The time before the first chunk, and the time after each chunk, in nanoseconds.
    ///
    /// A pure function of the timing, the chunks and the seed. Each time is at most ``AnswerScript/longestTimeline``.
    func gaps(of chunks: [String], seed: UInt64) -> (first: Int64, after: [Int64]) {
        let human = Pace.humanGaps(of: rate == .human ? chunks : [], seed: seed)
        let even =
            switch rate {
            case .human: human.after
            case .chunksPerSecond(let rate): [Int64](repeating: Self.nanoseconds(1e9 / rate), count: chunks.count)
            // Four bytes per token, as in `tokens_used`.
            case .tokensPerSecond(let rate): chunks.map { Self.nanoseconds(Double($0.utf8.count) / 4 * (1e9 / rate)) }
            }
        return (firstChunk ?? human.first, jitter.applied(to: even, seed: seed))
    }

    /// Whole nanoseconds, capped at the longest timeline.
    static func nanoseconds(_ duration: Double) -> Int64 {
        duration < Double(AnswerScript.longestTimeline) ? Int64(duration.rounded()) : AnswerScript.longestTimeline
    }
}

extension StreamTiming.Jitter {
    func applied(to gaps: [Int64], seed: UInt64) -> [Int64] {
        // These numbers are independent of the numbers for the human pace.
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

/// Computes the time of a script's next event.
///
/// A chunk is sent at the script's pace or after an explicit time; pauses delay it further. Other events take no time,
/// and an answer ends at the time of its next chunk.
struct Layout {
    /// Nanoseconds since the start of the question's turn, at most ``AnswerScript/longestTimeline``.
    private(set) var offset: Int64 = 0
    /// The pace's gap between the last chunk and the next.
    private var gap: Int64 = 0
    private var pause: Int64 = 0
    private let isInstant: Bool

    init(isInstant: Bool) { self.isInstant = isInstant }
    mutating func begin(after gap: Int64) { self.gap = gap }
    mutating func pause(_ duration: Int64) { pause = min(pause + duration, AnswerScript.longestTimeline) }

    /// Adds a chunk; `gap` is the pace's gap after it.
    mutating func speak(after: Int64?, gap next: Int64) {
        wait(after ?? gap)
        gap = next
    }

    mutating func stop() { wait(0) }

    mutating func end() {
        wait(gap)
        gap = 0
    }

    private mutating func wait(_ duration: Int64) {
        guard !isInstant else { return }
        // Each term is at most the longest timeline, so the sum of three cannot overflow.
        offset = min(offset + pause + duration, AnswerScript.longestTimeline)
        pause = 0
    }
}

/// Real-valued functions built only from IEEE 754's basic operations.
///
/// IEEE 754's basic operations produce the same bits everywhere. System libraries' functions do not, so a seed's pace
/// would depend on the system.
enum Arithmetic {
    /// An approximately standard normal number: the sum of twelve uniform numbers, within 6 of 0.
    static func normal(from numbers: inout SplitMix64) -> Double {
        var sum = -6.0
        for _ in 0..<12 { sum += Double(numbers.next() >> 11) * 0x1p-53 }
        return sum
    }

    /// e to the power of x, to about 15 digits; 0 or infinity far from 0.
    static func exp(_ x: Double) -> Double {
        guard x > -745 else { return 0 }
        guard x < 710 else { return .infinity }
        // x = k·ln 2 + r with |r| ≤ ln 2 / 2; ln 2 is split in two so that k·ln 2 is exact enough.
        let k = (x * 1.442695040888963407).rounded()
        let r = (x - k * 0x1.62E42FEE00000p-1) - k * 0x1.A39EF35793C76p-33
        // The Taylor series, summed from its smallest term: r¹⁸ / 18! is far below the last digit.
        var sum = 1.0
        for n in stride(from: 18.0, through: 1.0, by: -1.0) { sum = 1 + sum * r / n }
        // Scale in two steps: near the limits 2ᵏ alone is out of range, but the result is not.
        let half = Int(k) / 2
        return sum * Double(sign: .plus, exponent: half, significand: 1)
            * Double(sign: .plus, exponent: Int(k) - half, significand: 1)
    }
}
