/// What a world does in place of its built-in behaviour.
public struct Script: Sendable, Equatable {
    /// What coaches say; the first rule that fits.
    public var answers: [AnswerRule]
    /// What becomes of meals; the first rule that fits.
    public var meals: [MealRule]

    /// Makes a script; an empty one changes nothing.
    public init(answers: [AnswerRule] = [], meals: [MealRule] = []) {
        self.answers = answers
        self.meals = meals
    }
}
