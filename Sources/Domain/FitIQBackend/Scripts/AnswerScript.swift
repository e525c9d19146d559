import FitIQAPI
import JSON
import Nutrition
import Patterns

/// A scripted answer, exact to the chunk and the nanosecond.
public struct AnswerScript: Sendable, Equatable {
    /// Unless the last step is ``Step/silence`` or an error, the answer completes; without text it is stored empty.
    public var steps: [Step]
    public var timing: StreamTiming
    /// `metadata.tokens_used` of each answer; nil counts four bytes per token.
    public var tokensUsed: Int?
    /// `metadata.function_called` of each answer.
    public var functionCalled: String?

    public init(steps: [Step], timing: StreamTiming = .human, tokensUsed: Int? = nil, functionCalled: String? = nil) {
        (self.steps, self.timing) = (steps, timing)
        (self.tokensUsed, self.functionCalled) = (tokensUsed, functionCalled)
    }

    public enum Step: Sendable, Equatable {
        /// A text split into words, one chunk each, at the script's pace; not empty.
        case text(String)
        /// The built-in coach's answer, split into words.
        case builtInAnswer
        /// Exactly one chunk, not empty; `after` is in nanoseconds and replaces the script's pace.
        case chunk(String, after: Int64? = nil)
        /// Chunks without time between them, none empty; the first one waits like any chunk.
        case burst([String])
        /// A pause in nanoseconds, in addition to the pace.
        case pause(Int64)
        /// `template_created`, and the answer's `metadata.template_created`, which keeps the last of several.
        ///
        /// It takes no time of its own, like an error between chunks: only pauses come before it.
        case template(CreatedTemplate)
        /// An `error` frame to the audience of the answer; as the last step it ends the answer, which is not stored.
        ///
        /// The last one comes when the next chunk would have come. The default code is ``AnswerScript/usualErrorCode``.
        case error(message: String, code: String?)
        /// Stops the answer; it is never completed and not stored, and the next question is answered.
        ///
        /// The next answer starts when the next chunk would have come. Steps after a silence never happen.
        case silence
        /// Completes and stores the answer so far, and starts another one with its own id.
        ///
        /// Its first chunk takes as long as the first one after the question; without steps there is no other answer.
        case anotherAnswer
    }

    /// The steps of one answer: a script is split where another answer starts.
    struct Part: Equatable {
        enum Ending: Equatable {
            case completion, silence
            case error(message: String, code: String)
        }

        var steps: [Step] = []
        var ending = Ending.completion
    }

    /// The answers of a script, at least one.
    ///
    /// Steps after a silence are unreachable; another answer without steps does not count.
    var parts: [Part] {
        let silence = steps.firstIndex(of: .silence)
        var parts = steps[..<(silence ?? steps.count)].split(
            separator: .anotherAnswer, omittingEmptySubsequences: false
        )
        .map { Part(steps: Array($0)) }
        let last = parts.count - 1
        if silence != nil {
            parts[last].ending = .silence
        } else if steps.last == .anotherAnswer {
            parts.removeLast()
        } else if case .error(let message, let code) = steps.last {
            parts[last].steps.removeLast()
            parts[last].ending = .error(message: message, code: code ?? Self.usualErrorCode)
        }
        return parts
    }

    /// The number of messages that an answer adds to a history.
    var messageCount: Int { parts.count { $0.ending == .completion } }
}

/// The timing of the chunks of a scripted answer.
public struct StreamTiming: Sendable, Equatable {
    /// Nanoseconds from the question to the first chunk; nil means a human pace, 0.3 to 0.9 s.
    public var firstChunk: Int64?
    public var rate: Rate
    /// The random change of the time after each chunk, seeded by the answer; all other times are exact.
    public var jitter: Jitter

    public enum Rate: Sendable, Equatable {
        /// A human pace: about 20 chunks a second, with a pause at punctuation.
        case human
        /// Chunks per second, at even intervals.
        case chunksPerSecond(Double)
        /// Tokens per second, four bytes per token: longer chunks take longer.
        case tokensPerSecond(Double)
    }

    /// The random variation of gaps.
    public enum Jitter: Sendable, Equatable {
        case none
        /// Uniformly distributed between minus and plus this many nanoseconds; no gap becomes negative.
        case uniform(Int64)
        /// Multiplies each gap by a log-normal number with median 1 and this sigma.
        case logNormal(sigma: Double)
    }

    public init(firstChunk: Int64? = nil, rate: Rate = .human, jitter: Jitter = .none) {
        (self.firstChunk, self.rate, self.jitter) = (firstChunk, rate, jitter)
    }

    public static let human = StreamTiming()
}

/// A rule for answers; the first matching rule applies, or the built-in coach if there is none.
public struct AnswerRule: Sendable, Equatable {
    // Conditions that are empty or nil match every question.
    public var personas: Set<Persona>
    public var contextTypes: Set<ContextType>
    public var content: TextMatch?
    /// Positions among the user's messages in the consultation, from 1.
    public var turns: ClosedRange<Int>?
    public var script: AnswerScript

    public init(
        personas: Set<Persona> = [], contextTypes: Set<ContextType> = [], content: TextMatch? = nil,
        turns: ClosedRange<Int>? = nil, script: AnswerScript
    ) {
        (self.personas, self.contextTypes, self.content) = (personas, contextTypes, content)
        (self.turns, self.script) = (turns, script)
    }
}

public enum TextMatch: Sendable, Equatable {
    /// Contains these words, ignoring case.
    case contains(SoughtWords)
    /// A part matches the expression.
    case matches(Pattern)
}

/// A rule for meals; the first matching rule applies, or the built-in parser if there is none.
public struct MealRule: Sendable, Equatable {
    // Conditions that are empty or nil match every meal.
    public var text: TextMatch?
    public var mealTypes: Set<MealType>
    /// Whether it is about photos of meals, which have no text.
    public var isForPhotos = false
    /// The processing time in nanoseconds; nil for the usual 2.0 to 4.5 s.
    public var duration: Int64?
    public var outcome: Outcome

    public enum Outcome: Sendable, Equatable {
        /// The result of the built-in parser.
        case parsed
        /// These foods; their ids derive from the log's.
        case completed([MealItem])
        case failed(MealLogFailure)
        /// Processing never ends.
        case never
    }

    public init(
        text: TextMatch? = nil, mealTypes: Set<MealType> = [], duration: Int64? = nil, outcome: Outcome = .parsed
    ) {
        (self.text, self.mealTypes, self.duration, self.outcome) = (text, mealTypes, duration, outcome)
    }
}
