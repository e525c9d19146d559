import FitIQAPI

/// What the user of a client does.
public enum ClientInstruction: Sendable, Hashable {
    /// Begins a consultation, or goes on with the one that exists, and opens the chat: history first, then the socket.
    case startConsultation(persona: Persona)
    /// Opens the chat of a consultation that is known.
    case openConsultation(id: String)
    /// Sends a message in the open chat.
    case send(text: String)
    /// Archives the open consultation.
    case archive
    /// Leaves the chat.
    case disconnect
    /// Creates a goal; one that the coach suggested in the open chat belongs to that consultation.
    case createGoal(title: String, description: String)
    /// Opens the chat about a goal, by the id that the report gives it.
    case chatAboutGoal(id: String)
    /// Logs a meal, and waits for what it comes to: by events while a chat is open, by asking while none is.
    case logMeal(text: String, type: MealType)
    /// Looks at the goals anew.
    case loadGoals
}
