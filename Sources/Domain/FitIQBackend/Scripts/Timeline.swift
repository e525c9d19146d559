import FitIQAPI

/// What happens in an answer and when, and what is stored of it: a script, laid out.
struct Timeline: Sendable, Equatable {
    enum Event: Sendable, Equatable {
        case chunk(String)
        // Rare and large: behind a pointer, a moment stays as small as a chunk.
        indirect case template(CreatedTemplate)
        indirect case error(message: String, code: String)
        /// The answer is complete and stored; another one may follow.
        case completion
        /// Nothing more is said, and nothing is stored.
        case abandonment
    }

    struct Moment: Sendable, Equatable {
        /// Nanoseconds since the question's turn came.
        var offset: Int64
        var event: Event
    }

    /// A message in the making.
    struct Answer: Sendable, Equatable {
        let id: ResourceID
        /// The sum of its chunks.
        var text = ""
        var metadata = MessageMetadata()
        /// Whether it ends with a completion.
        var isStored = true
    }

    /// In order; each answer's last one is a completion or, the very last, an abandonment.
    private(set) var moments: [Moment] = []
    /// At least one.
    private(set) var answers: [Answer] = []

    /// Lays out a script.
    ///
    /// A pure function: the same script, id and pace make the same timeline. Ids of further answers follow from the first
    /// one's, since those of the world's sequence would come to depend on what else happens meanwhile.
    ///
    /// - Parameters:
    ///   - id: of the first answer; it seeds the pace.
    ///   - pace: ``Pace/instant`` takes all time out.
    ///   - builtInAnswer: what the built-in coach would say; asked for where the script wants it.
    init(_ script: AnswerScript, id: ResourceID, pace: Pace, builtInAnswer: () -> String) {
        var identifiers = ResourceIDSequence(seed: id.seed)
        var layout = Layout(isInstant: pace == .instant)
        for (number, part) in script.parts.enumerated() {
            let answer = Answer(id: number == 0 ? id : identifiers.next())
            append(part, of: script, answer: answer, layout: &layout, builtInAnswer: builtInAnswer)
        }
        precondition(!answers.isEmpty, "A script has at least one answer.")
    }

    private mutating func append(
        _ part: AnswerScript.Part, of script: AnswerScript, answer: Answer, layout: inout Layout,
        builtInAnswer: () -> String
    ) {
        var answer = answer
        let cues = part.steps.flatMap { Self.cues(of: $0, builtInAnswer: builtInAnswer) }
        let chunks = cues.compactMap(\.chunk)
        let gaps = script.timing.gaps(of: chunks, seed: answer.id.seed)
        layout.begin(after: gaps.first)
        var chunkCount = 0
        for cue in cues {
            switch cue {
            case .chunk(let content, let after):
                layout.speak(after: after, gap: gaps.after[chunkCount])
                chunkCount += 1
                answer.text += content
                append(.chunk(content), layout)
            case .pause(let duration): layout.pause(duration)
            case .template(let template):
                layout.stop()
                answer.metadata.templateCreated = template
                append(.template(template), layout)
            case .error(let message, let code):
                layout.stop()
                append(.error(message: message, code: code), layout)
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

    private mutating func append(_ event: Event, _ layout: Layout) {
        moments.append(Moment(offset: layout.offset, event: event))
    }
}

extension Timeline {
    /// A step of a script as chunks: a text is as many cues as it has words.
    enum Cue {
        /// `after` nanoseconds instead of the pace.
        case chunk(String, after: Int64?)
        case pause(Int64)
        indirect case template(CreatedTemplate)
        indirect case error(message: String, code: String)

        var chunk: String? {
            if case .chunk(let content, _) = self { content } else { nil }
        }
    }

    static func cues(of step: AnswerScript.Step, builtInAnswer: () -> String) -> [Cue] {
        switch step {
        case .text(let text): Coach.chunks(of: text).map { .chunk($0, after: nil) }
        case .builtInAnswer: Coach.chunks(of: builtInAnswer()).map { .chunk($0, after: nil) }
        case .chunk(let content, let after): [.chunk(content, after: after)]
        case .burst(let chunks):
            // The first one waits as any chunk does.
            chunks.enumerated().map { .chunk($0.element, after: $0.offset == 0 ? nil : 0) }
        case .pause(let duration): [.pause(duration)]
        case .template(let template): [.template(template)]
        case .error(let message, let code): [.error(message: message, code: code ?? AnswerScript.usualErrorCode)]
        case .silence, .anotherAnswer: preconditionFailure("What ends an answer is none of its steps.")
        }
    }
}

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

/// The time at which the next thing of a script happens.
///
/// A chunk comes when the pace wants it, or so long after what happened before as it says itself; a pause comes on top.
/// What is not said takes no time of its own, and an answer ends when its next chunk would have come.
struct Layout {
    /// Nanoseconds since the question's turn came, at most ``AnswerScript/longestTimeline``.
    private(set) var offset: Int64 = 0
    /// What the pace has between the last chunk and the next.
    private var gap: Int64 = 0
    private var pause: Int64 = 0
    private let isInstant: Bool

    init(isInstant: Bool) {
        self.isInstant = isInstant
    }

    /// An answer begins.
    mutating func begin(after gap: Int64) {
        self.gap = gap
    }

    mutating func pause(_ duration: Int64) {
        pause = min(pause + duration, AnswerScript.longestTimeline)
    }

    /// A chunk is said; `gap` is what the pace has behind it.
    mutating func speak(after: Int64?, gap next: Int64) {
        wait(after ?? gap)
        gap = next
    }

    /// Something happens beside the chunks.
    mutating func stop() {
        wait(0)
    }

    /// The answer ends.
    mutating func end() {
        wait(gap)
        gap = 0
    }

    private mutating func wait(_ duration: Int64) {
        guard !isInstant else { return }
        // Each is at most the longest timeline, so that the sum of three cannot overflow.
        offset = min(offset + pause + duration, AnswerScript.longestTimeline)
        pause = 0
    }
}

/// Real functions from nothing but IEEE 754's basic operations.
///
/// Those are the same to the last bit everywhere, which a system's mathematical library is not: with that, the same seed
/// would stream at another pace on another system.
enum Arithmetic {
    /// A number of the standard normal distribution, nearly: the sum of twelve even ones, within 6 of 0.
    static func normal(from numbers: inout SplitMix64) -> Double {
        var sum = -6.0
        for _ in 0..<12 { sum += Double(numbers.next() >> 11) * 0x1p-53 }
        return sum
    }

    /// e to the power of x, to about 15 digits; 0 or infinity far out.
    static func exp(_ x: Double) -> Double {
        guard x > -745 else { return 0 }
        guard x < 710 else { return .infinity }
        // x = k·ln 2 + r with |r| ≤ ln 2 / 2; ln 2 in two parts, so that k·ln 2 is exact enough.
        let k = (x * 1.442695040888963407).rounded()
        let r = (x - k * 0x1.62E42FEE00000p-1) - k * 0x1.A39EF35793C76p-33
        // Taylor's series, from its small end: r¹⁸ / 18! is far below the last digit.
        var sum = 1.0
        for n in stride(from: 18.0, through: 1.0, by: -1.0) { sum = 1 + sum * r / n }
        // In two steps: near the ends 2ᵏ alone is no number, though the result is one.
        let half = Int(k) / 2
        return sum * Double(sign: .plus, exponent: half, significand: 1)
            * Double(sign: .plus, exponent: Int(k) - half, significand: 1)
    }
}
