import FitIQAPI
import Patterns

extension Script {
    /// The script of the first rule that fits a question; nil where the built-in coach answers.
    ///
    /// - Parameter turn: which of the user's messages in the consultation it is, from 1.
    public func answer(
        to content: String, turn: Int, persona: Persona, contextType: ContextType
    ) -> AnswerScript? {
        answers.first { $0.fits(content, turn: turn, persona: persona, contextType: contextType) }?.script
    }

    /// The first rule that fits a meal; nil where the built-in parser works it out at its pace.
    public func meal(_ text: String, mealType: MealType) -> MealRule? {
        meals.first { $0.fits(text, mealType: mealType) }
    }
}

extension AnswerRule {
    func fits(_ question: String, turn: Int, persona: Persona, contextType: ContextType) -> Bool {
        // What costs most comes last.
        (personas.isEmpty || personas.contains(persona)) && (contextTypes.isEmpty || contextTypes.contains(contextType))
            && (turns?.contains(turn) ?? true) && (content?.fits(question) ?? true)
    }
}

extension MealRule {
    func fits(_ rawInput: String, mealType: MealType) -> Bool {
        (mealTypes.isEmpty || mealTypes.contains(mealType)) && (text?.fits(rawInput) ?? true)
    }
}

extension TextMatch {
    /// Whether a text is so, in time linear in it.
    public func fits(_ text: String) -> Bool {
        switch self {
        case .contains(let words): Caseless.contains(words, in: text)
        case .matches(let pattern): pattern.isFound(in: text)
        }
    }
}
