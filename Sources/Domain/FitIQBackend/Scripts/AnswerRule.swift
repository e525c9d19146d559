import FitIQAPI
import Patterns

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
