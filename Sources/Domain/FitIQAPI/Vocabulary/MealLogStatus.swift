/// Where a meal log is in its life (meal-log-websocket, MealLogStatus).
public enum MealLogStatus: String, CaseIterable, Sendable, Hashable {
    /// The text is being worked out.
    case processing
    /// The foods are known.
    case completed
    /// No foods could be made of the text.
    case failed
    /// Entered food by food; no endpoint of the guides makes one, but lists can ask for it.
    case manual
}
