import FitIQAPI

/// A prompt that a client offers to start a conversation with.
public struct QuickAction: Sendable, Hashable {
    /// What is sent when it is chosen.
    public var prompt: String
    /// What it is about, in a few words.
    public var description: String?
    /// The kind of consultation it belongs to.
    public var contextType: ContextType
    /// Whom it is meant for; nil if it fits every persona.
    public var persona: Persona?
    /// A word to group actions by, in snake case.
    public var category: String?

    /// Creates a quick action.
    public init(
        prompt: String, description: String? = nil, contextType: ContextType, persona: Persona? = nil,
        category: String? = nil
    ) {
        self.prompt = prompt
        self.description = description
        self.contextType = contextType
        self.persona = persona
        self.category = category
    }
}

extension QuickAction {
    /// The built-in actions: each persona's own, then those that fit them all.
    public static let catalogue = nutritionist + fitnessCoach + wellnessSpecialist + generalWellness + shared

    /// The built-in actions of a context and for a persona, in the order of the catalogue; nil asks for all of them.
    ///
    /// An action without a persona fits every persona; each of the 20 combinations has some.
    public static func matching(contextType: ContextType?, persona: Persona?) -> [QuickAction] {
        catalogue.filter { action in
            let fitsContext = contextType == nil || action.contextType == contextType
            let fitsPersona = persona == nil || action.persona == nil || action.persona == persona
            return fitsContext && fitsPersona
        }
    }
}
