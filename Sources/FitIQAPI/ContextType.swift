/// What a consultation is about.
public enum ContextType: String, CaseIterable, Sendable {
    /// Nothing in particular.
    case general
    /// One of the user's goals.
    case goal
    /// An insight that the backend generated.
    case insight
    /// A mood entry.
    case mood
    /// A journal entry.
    case journal
}
