import FitIQAPI
import Patterns

/// A scripted answer, exact to the chunk and the nanosecond.
public struct AnswerScript: Sendable, Equatable {
    /// The steps, in order.
    ///
    /// Unless the last step is ``Step/silence`` or an error, the answer completes. An answer without text is stored
    /// empty.
    public var steps: [Step]
    /// The timing of the chunks.
    public var timing: StreamTiming
    /// `metadata.tokens_used` of each answer; nil counts four bytes per token.
    public var tokensUsed: Int?
    /// `metadata.function_called` of each answer.
    public var functionCalled: String?

    public init(
        steps: [Step], timing: StreamTiming = .human, tokensUsed: Int? = nil, functionCalled: String? = nil
    ) {
        self.steps = steps
        self.timing = timing
        self.tokensUsed = tokensUsed
        self.functionCalled = functionCalled
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
}

/// The timing of the chunks of a scripted answer.
public struct StreamTiming: Sendable, Equatable {
    /// Nanoseconds from the question to the first chunk; nil means a human pace, 0.3 to 0.9 s.
    public var firstChunk: Int64?
    public var rate: Rate
    /// The random change of the time after each chunk, seeded by the answer.
    ///
    /// The first chunk, pauses, and the steps' own times are exact to the nanosecond.
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
        self.firstChunk = firstChunk
        self.rate = rate
        self.jitter = jitter
    }

    public static let human = StreamTiming()
}

extension AnswerScript {
    /// The steps of one answer: a script is split where another answer starts.
    struct Part: Equatable {
        enum Ending: Equatable {
            case completion
            case silence
            case error(message: String, code: String)
        }

        var steps: [Step] = []
        var ending = Ending.completion
    }

    /// The answers of a script, at least one.
    ///
    /// Steps after a silence are unreachable; another answer without steps does not count.
    var parts: [Part] {
        var parts: [Part] = []
        var part = Part()
        for (number, step) in steps.enumerated() {
            let isLast = number == steps.count - 1
            switch step {
            case .silence:
                part.ending = .silence
                return parts + [part]
            case .anotherAnswer:
                parts.append(part)
                part = Part()
                if isLast { return parts }
            case .error(let message, let code) where isLast:
                part.ending = .error(message: message, code: code ?? Self.usualErrorCode)
            default: part.steps.append(step)
            }
        }
        return parts + [part]
    }

    /// The number of messages that an answer adds to a history.
    var messageCount: Int { parts.count { $0.ending == .completion } }
}

/// A rule for answers; the first matching rule applies, or the built-in coach if there is none.
public struct AnswerRule: Sendable, Equatable {
    /// The matching personas; empty for any.
    public var personas: Set<Persona>
    /// The matching contexts; empty for any.
    public var contextTypes: Set<ContextType>
    /// The match of the question's text; nil for any.
    public var content: TextMatch?
    /// The matching positions among the user's messages in the consultation, from 1; nil for any.
    public var turns: ClosedRange<Int>?
    public var script: AnswerScript

    /// Creates a rule; one without conditions matches every question.
    public init(
        personas: Set<Persona> = [], contextTypes: Set<ContextType> = [], content: TextMatch? = nil,
        turns: ClosedRange<Int>? = nil, script: AnswerScript
    ) {
        self.personas = personas
        self.contextTypes = contextTypes
        self.content = content
        self.turns = turns
        self.script = script
    }
}

public enum TextMatch: Sendable, Equatable {
    /// Contains these words, ignoring case.
    case contains(String)
    /// A part matches the expression.
    case matches(Pattern)
}

/// A rule for meals; the first matching rule applies, or the built-in parser if there is none.
public struct MealRule: Sendable, Equatable {
    /// The match of the text; nil for any.
    public var text: TextMatch?
    /// The matching meals; empty for any.
    public var mealTypes: Set<MealType>
    /// The processing time in nanoseconds; nil for the usual 2.0 to 4.5 s.
    public var duration: Int64?
    public var outcome: Outcome

    /// The result of processing.
    public enum Outcome: Sendable, Equatable {
        /// The result of the built-in parser.
        case parsed
        /// These foods; their ids derive from the log's.
        case completed([Item])
        /// A failure, with the guide's details if given.
        case failed(message: String, details: String?)
        /// Processing never ends.
        case never
    }

    /// A food, in the units of the wire.
    public struct Item: Sendable, Equatable {
        /// `food_name`.
        public var name: String
        public var quantity: Double
        /// `unit`.
        public var unit: String
        public var nutrients: MealNutrients
        /// `confidence_score`, from 0 to 1.
        public var confidence: Double
        /// `parsing_notes`.
        public var notes: String?

        public init(
            name: String, quantity: Double, unit: String, nutrients: MealNutrients, confidence: Double = 1,
            notes: String? = nil
        ) {
            self.name = name
            self.quantity = quantity
            self.unit = unit
            self.nutrients = nutrients
            self.confidence = confidence
            self.notes = notes
        }
    }

    /// Creates a rule; one without conditions matches every meal.
    public init(
        text: TextMatch? = nil, mealTypes: Set<MealType> = [], duration: Int64? = nil, outcome: Outcome = .parsed
    ) {
        self.text = text
        self.mealTypes = mealTypes
        self.duration = duration
        self.outcome = outcome
    }
}
