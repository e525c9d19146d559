import FitIQAPI

/// What the user of a client does.
public enum ClientCommand: Sendable, Hashable {
    /// Begins a consultation, or goes on with the one that exists, and opens the chat.
    case startConsultation(persona: Persona)
    /// Opens the chat of a consultation that is known.
    case openConsultation(id: String)
    /// Sends a message in the open chat.
    case send(text: String)
    /// Archives the open consultation.
    case archive
    /// Leaves the chat.
    case disconnect
    /// Creates a goal; one that the coach suggested in the open chat is linked to it.
    case createGoal(title: String, description: String, targetDate: Timestamp)
    /// Opens the chat about a goal.
    case chatAboutGoal(id: String)
    /// Logs a meal and follows what it comes to.
    case logMeal(text: String, type: MealType)
    /// Looks at the goals anew.
    case loadGoals
    /// Brings the token for which ``ClientEvent/credentialsRefused`` asked; what waited for it goes on.
    case useToken(String)
    /// Says that there is no other token; what waited for one is given up.
    case giveUpToken
}
