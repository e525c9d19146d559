import FitIQAPI
import Patterns

/// The replacement of a world's built-in behaviour.
public struct Script: Sendable, Equatable {
    public var answers: [AnswerRule]
    public var meals: [MealRule]

    /// Creates a script; an empty one changes nothing.
    public init(answers: [AnswerRule] = [], meals: [MealRule] = []) { (self.answers, self.meals) = (answers, meals) }

    /// The script of the first rule that matches a question; nil means the built-in coach.
    ///
    /// - Parameter turn: The number of the message among the user's messages in the consultation, from 1.
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
    /// - Parameter text: The words; nil for a photo, which has rules of its own.
    public func meal(_ text: String?, mealType: MealType) -> MealRule? {
        lazy var searched = SearchedText(text ?? "")
        return meals.first { rule in
            rule.isForPhotos == (text == nil) && (rule.mealTypes.isEmpty || rule.mealTypes.contains(mealType))
                && (rule.text?.fits(searched) ?? true)
        }
    }

    /// Crashes on an invalid rule; readers of scripts must refuse these first.
    func checkInvariants() {
        for rule in answers {
            precondition(rule.turns.map { $0.lowerBound >= 1 } ?? true, "Turns count from 1.")
            rule.script.checkInvariants()
        }
        for rule in meals { rule.checkInvariants() }
    }
}

extension TextMatch {
    /// Whether a text matches, in linear time.
    public func fits(_ text: SearchedText) -> Bool {
        switch self {
        case .contains(let words): words.isFound(in: text)
        case .matches(let pattern): pattern.isFound(in: text)
        }
    }

    /// The maximum number of steps for a scalar of a text, each of bounded cost.
    ///
    /// Words take at most two comparisons, which together cost no more than a step of a pattern.
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
    /// The limit in nanoseconds from a question to the end of its answers, about ten years; later events come then.
    public static let longestTimeline = 10 * longestDuration
    /// The largest ``StreamTiming/Jitter/logNormal(sigma:)``.
    public static let largestSigma = 10.0
    /// The default `code` of a scripted error.
    public static let usualErrorCode = "COACH_ERROR"

    static func isDuration(_ duration: Int64) -> Bool { (0...longestDuration).contains(duration) }

    fileprivate func checkInvariants() {
        for step in steps { step.checkInvariants() }
        precondition(tokensUsed.map { $0 >= 0 } ?? true, "Tokens are counted from 0.")
        precondition(timing.firstChunk.map(Self.isDuration) ?? true, "The first chunk comes within 366 days.")
        switch timing.rate {
        case .human: break
        case .chunksPerSecond(let rate), .tokensPerSecond(let rate):
            precondition(rate > 0 && rate.isFinite, "A rate is a positive number, not \(rate).")
        }
        switch timing.jitter {
        case .none: break
        case .uniform(let width): precondition(Self.isDuration(width), "A jitter lies within 366 days.")
        case .logNormal(let sigma):
            precondition((0...Self.largestSigma).contains(sigma), "A sigma lies between 0 and 10, not at \(sigma).")
        }
    }
}

extension AnswerScript.Step {
    fileprivate func checkInvariants() {
        switch self {
        case .text(let text): precondition(!text.isEmpty, "A text says something.")
        case .chunk(let content, let after):
            precondition(!content.isEmpty, "A chunk says something.")
            precondition(after.map(AnswerScript.isDuration) ?? true, "A chunk comes within 366 days.")
        case .burst(let chunks): precondition(!chunks.contains(""), "Each chunk of a burst says something.")
        case .pause(let duration): precondition(AnswerScript.isDuration(duration), "A pause ends within 366 days.")
        case .builtInAnswer, .template, .error, .silence, .anotherAnswer: break
        }
    }
}

extension MealRule {
    /// The limit of kilocalories, or tenths of grams, of a food: sums of thousands of them stay far below Int's limit.
    public static let largestNutrient = 1_000_000_000

    fileprivate func checkInvariants() {
        precondition(duration.map(AnswerScript.isDuration) ?? true, "Processing ends within 366 days, or never.")
        precondition(!isForPhotos || outcome != .never, "A photo is processed at once.")
        guard case .completed(let items) = outcome else { return }
        for item in items {
            precondition(item.quantity.isFinite && item.quantity >= 0, "A quantity is a number from 0.")
            precondition((0...1).contains(item.confidence), "A confidence lies between 0 and 1.")
            let amounts = [item.nutrients.calories] + item.nutrients.tenths
            precondition(amounts.allSatisfy((0...Self.largestNutrient).contains), "Nutrients go from 0 to 10⁹.")
        }
    }
}
