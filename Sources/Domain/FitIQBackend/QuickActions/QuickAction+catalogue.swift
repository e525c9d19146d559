import FitIQAPI

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
