import FitIQAPI
import JSON
import Nutrition
import Patterns

/// Rules that replace a world's built-in behaviour.
public struct Script: Sendable, Equatable {
    public var answers: [AnswerRule]
    public var meals: [MealRule]

    /// Creates a script; an empty one changes nothing.
    public init(answers: [AnswerRule] = [], meals: [MealRule] = []) { (self.answers, self.meals) = (answers, meals) }

    /// The script of the first rule that matches a question; nil means the built-in coach.
    ///
    /// - Parameter turn: The message's number among the consultation's user messages, from 1.
    public func answer(to content: String, turn: Int, persona: Persona, contextType: ContextType) -> AnswerScript? {
        lazy var text = SearchedText(content)
        return answers.first { rule in
            // The most expensive check comes last.
            (rule.personas.isEmpty || rule.personas.contains(persona))
                && (rule.contextTypes.isEmpty || rule.contextTypes.contains(contextType))
                && (rule.turns?.contains(turn) ?? true) && (rule.content?.fits(text) ?? true)
        }?.script
    }

    /// The first rule that matches a meal; nil means the built-in parser at its own pace.
    ///
    /// - Parameter text: The words; nil for a photo, which has separate rules.
    public func meal(_ text: String?, mealType: MealType) -> MealRule? {
        lazy var searched = SearchedText(text ?? "")
        return meals.first { rule in
            rule.isForPhotos == (text == nil) && (rule.mealTypes.isEmpty || rule.mealTypes.contains(mealType))
                && (rule.text?.fits(searched) ?? true)
        }
    }

    /// Crashes on an invalid rule; script readers must reject invalid rules first.
    func checkInvariants() {
        for rule in answers {
            precondition(rule.turns.map { $0.lowerBound >= 1 } ?? true, "Turns must be numbered from 1.")
            rule.script.checkInvariants()
        }
        for rule in meals { rule.checkInvariants() }
    }
}

extension TextMatch {
    /// Whether a string matches, in linear time.
    public func fits(_ text: SearchedText) -> Bool {
        switch self {
        case .contains(let words): words.isFound(in: text)
        case .matches(let pattern): pattern.isFound(in: text)
        }
    }

    /// The maximum number of bounded steps per scalar of a string.
    ///
    /// Words take at most two comparisons, which together cost at most one pattern step.
    public var stepsPerScalar: Int {
        switch self {
        case .contains: 1
        case .matches(let pattern): pattern.stepsPerScalar
        }
    }
}

extension AnswerScript {
    /// The longest duration in a script, in nanoseconds: 366 days.
    public static let longestDuration: Int64 = 366 * 86_400 * 1_000_000_000
    /// The limit in nanoseconds from a question to the end of its answers: about ten years; later events are moved to
    /// the limit.
    public static let longestTimeline = 10 * longestDuration
    /// The largest ``StreamTiming/Jitter/logNormal(sigma:)``.
    public static let largestSigma = 10.0
    /// The default `code` of a scripted error.
    public static let usualErrorCode = "COACH_ERROR"

    static func isDuration(_ duration: Int64) -> Bool { (0...longestDuration).contains(duration) }

    fileprivate func checkInvariants() {
        for step in steps { step.checkInvariants() }
        precondition(tokensUsed.map { $0 >= 0 } ?? true, "Tokens must be counted from 0.")
        precondition(timing.firstChunk.map(Self.isDuration) ?? true, "The first chunk must arrive within 366 days.")
        switch timing.rate {
        case .human: break
        case .chunksPerSecond(let rate), .tokensPerSecond(let rate):
            precondition(rate > 0 && rate.isFinite, "A rate must be a positive number, not \(rate).")
        }
        switch timing.jitter {
        case .none: break
        case .uniform(let width): precondition(Self.isDuration(width), "Jitter must be at most 366 days.")
        case .logNormal(let sigma):
            precondition((0...Self.largestSigma).contains(sigma), "A sigma must be from 0 to 10, not \(sigma).")
        }
    }
}

extension AnswerScript.Step {
    fileprivate func checkInvariants() {
        switch self {
        case .text(let text): precondition(!text.isEmpty, "The text must not be empty.")
        case .chunk(let content, let after):
            precondition(!content.isEmpty, "A chunk must contain text.")
            precondition(after.map(AnswerScript.isDuration) ?? true, "A chunk must arrive within 366 days.")
        case .burst(let chunks): precondition(!chunks.contains(""), "Each chunk of a burst must contain text.")
        case .pause(let duration): precondition(AnswerScript.isDuration(duration), "A pause must end within 366 days.")
        case .builtInAnswer, .template, .error, .silence, .anotherAnswer: break
        }
    }
}

extension MealRule {
    /// The maximum number of kilocalories, or of tenths of grams, in a food; the sum of thousands of foods cannot
    /// overflow.
    public static let largestNutrient = 1_000_000_000

    fileprivate func checkInvariants() {
        precondition(duration.map(AnswerScript.isDuration) ?? true, "Processing must end within 366 days, or never.")
        precondition(!isForPhotos || outcome != .never, "A photo must be processed immediately.")
        guard case .completed(let items) = outcome else { return }
        for item in items {
            precondition(item.quantity.isFinite && item.quantity >= 0, "A quantity must be a finite number, 0 or more.")
            precondition((0...1).contains(item.confidence), "A confidence must be from 0 to 1.")
            let amounts = [item.nutrients.calories] + item.nutrients.tenths
            precondition(amounts.allSatisfy((0...Self.largestNutrient).contains), "Nutrients must be from 0 to 10⁹.")
        }
    }
}

/// A scripted answer with exact chunks and times.
public struct AnswerScript: Sendable, Equatable {
    /// The steps; the answer completes, even without text, unless the last one is ``Step/silence`` or an error.
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
        /// Non-empty text with one chunk per word, at the script's pace.
        case text(String)
        /// The built-in coach's answer, split into words.
        case builtInAnswer
        /// One non-empty chunk; `after` is in nanoseconds and replaces the script's pace.
        case chunk(String, after: Int64? = nil)
        /// Non-empty chunks without delays between them; the first one is delayed like any other chunk.
        case burst([String])
        /// A pause in nanoseconds, in addition to the pace.
        case pause(Int64)
        /// `template_created`, and the answer's `metadata.template_created`, which contains the last template.
        ///
        /// This step takes no time, like an error between chunks; only pauses delay it.
        case template(CreatedTemplate)
        /// An `error` frame to the answer's audience; as the last step, it ends the answer without storing it.
        ///
        /// As the last step, the error is sent when the next chunk would be due. The default code is
        /// ``AnswerScript/usualErrorCode``.
        case error(message: String, code: String?)
        /// Stops the answer, which is neither completed nor stored; later questions are answered.
        ///
        /// The next answer starts when the next chunk would be due. Steps after a silence are ignored.
        case silence
        /// Completes and stores the answer so far and starts another with a new id.
        ///
        /// The next answer's first chunk takes as long as the first chunk after the question. As the last step, another
        /// answer has no effect.
        case anotherAnswer
    }

    /// The steps of one answer; each ``Step/anotherAnswer`` starts a new part.
    struct Part: Equatable {
        enum Ending: Equatable {
            case completion, silence
            case error(message: String, code: String)
        }

        var steps: [Step] = []
        var ending = Ending.completion
    }

    /// A script's answers, at least one.
    ///
    /// Steps after a silence are unreachable; another answer without steps is ignored.
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

/// The timing of a scripted answer's chunks.
public struct StreamTiming: Sendable, Equatable {
    /// Nanoseconds from the question to the first chunk; nil means a human pace, 0.3 to 0.9 s.
    public var firstChunk: Int64?
    public var rate: Rate
    /// The random change to the gap after each chunk, seeded by the answer; all other times are exact.
    public var jitter: Jitter

    public enum Rate: Sendable, Equatable {
        /// A human pace: about 20 chunks a second, with a pause at punctuation.
        case human
        /// Chunks per second, at even intervals.
        case chunksPerSecond(Double)
        /// Tokens per second, with four bytes per token, so longer chunks take longer.
        case tokensPerSecond(Double)
    }

    /// The random variation of gaps.
    public enum Jitter: Sendable, Equatable {
        case none
        /// A uniform change by up to plus or minus this many nanoseconds; gaps do not become negative.
        case uniform(Int64)
        /// Multiplies each gap by a log-normal number with median 1 and this sigma.
        case logNormal(sigma: Double)
    }

    public init(firstChunk: Int64? = nil, rate: Rate = .human, jitter: Jitter = .none) {
        (self.firstChunk, self.rate, self.jitter) = (firstChunk, rate, jitter)
    }

    public static let human = StreamTiming()
}

/// A rule for answers; the first matching rule applies, and the built-in coach answers if none matches.
public struct AnswerRule: Sendable, Equatable {
    // An empty or nil condition matches every question.
    public var personas: Set<Persona>
    public var contextTypes: Set<ContextType>
    public var content: TextMatch?
    /// The matching positions among the consultation's user messages, from 1.
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
    /// The text contains these words, ignoring case.
    case contains(SoughtWords)
    /// The expression matches a part of the text.
    case matches(Pattern)
}

/// A rule for meals; the first matching rule applies, and the built-in parser applies if none matches.
public struct MealRule: Sendable, Equatable {
    // An empty or nil condition matches every meal.
    public var text: TextMatch?
    public var mealTypes: Set<MealType>
    /// Whether the rule applies to meal photos, which have no text.
    public var isForPhotos = false
    /// The processing time in nanoseconds; nil means the usual 2.0 to 4.5 s.
    public var duration: Int64?
    public var outcome: Outcome

    public enum Outcome: Sendable, Equatable {
        /// The result of the built-in parser.
        case parsed
        /// These foods, with ids derived from the log's.
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
