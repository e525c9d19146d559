import FitIQAPI
import Patterns

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

extension AnswerScript {
    /// The steps of one answer: a script is cut where another one begins.
    struct Part: Equatable {
        enum Ending: Equatable {
            case completion
            case silence
            case error(message: String, code: String)
        }

        var steps: [Step] = []
        var ending = Ending.completion
    }

    /// The answers that a script gives, at least one.
    ///
    /// What stands behind a silence is never reached; another answer without steps is none.
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

    /// How many messages an answer adds to a history.
    var messageCount: Int { parts.count { $0.ending == .completion } }
}

/// What a coach says when a question fits; the first rule that fits is taken, the built-in coach where none does.
public struct AnswerRule: Sendable, Equatable {
    /// Who is asked; empty for anyone.
    public var personas: Set<Persona>
    /// What the consultation is about; empty for anything.
    public var contextTypes: Set<ContextType>
    /// What the question says; nil for anything.
    public var content: TextMatch?
    /// Which of the user's messages in the consultation it is, from 1; nil for any.
    public var turns: ClosedRange<Int>?
    /// What is said.
    public var script: AnswerScript

    /// Makes a rule; one without conditions fits every question.
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

/// What a text must be like.
public enum TextMatch: Sendable, Equatable {
    /// It contains these words, whatever their case.
    case contains(String)
    /// A part of it matches the expression.
    case matches(Pattern)
}

/// What becomes of a meal log whose text fits; the first rule that fits is taken, the built-in parser where none does.
public struct MealRule: Sendable, Equatable {
    /// What the text says; nil for anything.
    public var text: TextMatch?
    /// Which meals; empty for any.
    public var mealTypes: Set<MealType>
    /// How long processing takes, in nanoseconds; nil for the usual 2.0 to 4.5 s.
    public var duration: Int64?
    /// What processing ends with.
    public var outcome: Outcome

    /// What processing ends with.
    public enum Outcome: Sendable, Equatable {
        /// What the built-in parser makes of the text.
        case parsed
        /// These foods; their ids are made from the log's.
        case completed([Item])
        /// A failure, with the guide's details where given.
        case failed(message: String, details: String?)
        /// It never ends.
        case never
    }

    /// A food, in the units of the wire.
    public struct Item: Sendable, Equatable {
        /// `food_name`.
        public var name: String
        /// `quantity` and `unit`.
        public var quantity: Double
        /// `unit`.
        public var unit: String
        /// Calories, and the other nutrients.
        public var nutrients: MealNutrients
        /// `confidence_score`, from 0 to 1.
        public var confidence: Double
        /// `parsing_notes`.
        public var notes: String?

        /// Makes a food.
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

    /// Makes a rule; one without conditions fits every meal.
    public init(
        text: TextMatch? = nil, mealTypes: Set<MealType> = [], duration: Int64? = nil, outcome: Outcome = .parsed
    ) {
        self.text = text
        self.mealTypes = mealTypes
        self.duration = duration
        self.outcome = outcome
    }
}
