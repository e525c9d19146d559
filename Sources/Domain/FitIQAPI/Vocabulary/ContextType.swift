/// What a consultation is about (enhanced-consultations, ContextType).
public enum ContextType: String, CaseIterable, Sendable, Hashable {
    /// Open-ended; counts as a context of its own when duplicates are looked for.
    case general
    /// A goal of the user.
    case goal
    /// An insight that the backend produced.
    case insight
    /// A mood entry.
    case mood
    /// A journal entry.
    case journal
}
