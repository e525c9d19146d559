import FitIQAPI

/// An answer as it is to be streamed, to the chunk and the nanosecond.
public struct AnswerScript: Sendable, Equatable {
    /// What happens, in order.
    ///
    /// Where the list ends without ``Step/silence`` or an error as its last step, the answer completes. One without text
    /// is stored empty.
    public var steps: [Step]
    /// How fast the chunks come.
    public var timing: StreamTiming
    /// `metadata.tokens_used` of each of its answers; nil counts four bytes to a token.
    public var tokensUsed: Int?
    /// `metadata.function_called` of each of its answers.
    public var functionCalled: String?

    /// Makes a script.
    public init(
        steps: [Step], timing: StreamTiming = .human, tokensUsed: Int? = nil, functionCalled: String? = nil
    ) {
        self.steps = steps
        self.timing = timing
        self.tokensUsed = tokensUsed
        self.functionCalled = functionCalled
    }

    /// One thing that happens in an answer.
    public enum Step: Sendable, Equatable {
        /// A text that is cut into words, a chunk each, at the script's pace; not empty.
        case text(String)
        /// What the built-in coach would have said, cut into words.
        case builtInAnswer
        /// Exactly one chunk, not empty; `after` nanoseconds instead of the script's pace.
        case chunk(String, after: Int64? = nil)
        /// Chunks without time between them, none empty; the first one waits as any chunk does.
        case burst([String])
        /// Nothing for so many nanoseconds, beside the pace.
        case pause(Int64)
        /// `template_created`, and the answer's `metadata.template_created`; of several the last one stays there.
        ///
        /// It takes no time of its own, as an error between chunks: only pauses come before it.
        case template(CreatedTemplate)
        /// An `error` frame to all who hear the answer; as the last step the answer ends with it and is not stored.
        ///
        /// The last one comes when the next chunk would have come. Without a code it is ``AnswerScript/usualErrorCode``.
        case error(message: String, code: String?)
        /// Nothing more is said; the answer is never completed and not stored, and the next question is answered.
        ///
        /// That one begins when the next chunk would have come. What stands behind a silence never happens.
        case silence
        /// The answer so far is completed and stored, and another one begins, with an id of its own.
        ///
        /// Its first chunk comes as the first one did after the question; without any steps it is none.
        case anotherAnswer
    }
}

/// How fast the chunks of a scripted answer come.
public struct StreamTiming: Sendable, Equatable {
    /// Nanoseconds from the question to the first chunk; nil as a person would see it, 0.3 to 0.9 s.
    public var firstChunk: Int64?
    /// The time from chunk to chunk.
    public var rate: Rate
    /// What is added to the time after each chunk, or taken away; the seed of the answer decides.
    ///
    /// The first chunk, pauses, and times that steps give themselves are kept to the nanosecond.
    public var jitter: Jitter

    /// The time from chunk to chunk.
    public enum Rate: Sendable, Equatable {
        /// As a person would see it: some 20 chunks a second, with a breath at punctuation.
        case human
        /// Evenly, so many chunks a second.
        case chunksPerSecond(Double)
        /// So many tokens a second, four bytes to a token: after longer chunks it takes longer.
        case tokensPerSecond(Double)
    }

    /// What makes gaps differ.
    public enum Jitter: Sendable, Equatable {
        /// Nothing.
        case none
        /// Evenly distributed between minus and plus so many nanoseconds; no gap gets negative.
        case uniform(Int64)
        /// Each gap times a log-normal number with median 1 and this sigma.
        case logNormal(sigma: Double)
    }

    /// Makes a timing.
    public init(firstChunk: Int64? = nil, rate: Rate = .human, jitter: Jitter = .none) {
        self.firstChunk = firstChunk
        self.rate = rate
        self.jitter = jitter
    }

    /// As the built-in coach.
    public static let human = StreamTiming()
}
