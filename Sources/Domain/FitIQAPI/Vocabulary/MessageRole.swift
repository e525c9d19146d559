/// Who wrote a message of a consultation (enhanced-consultations, MessageRole).
public enum MessageRole: String, CaseIterable, Sendable, Hashable {
    /// The person using the app.
    case user
    /// The AI coach.
    case assistant
    /// The backend itself.
    case system
}
