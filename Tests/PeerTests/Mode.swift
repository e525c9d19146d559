/// The values that `--guide` accepts.
enum Mode: String, CaseIterable {
    case union
    case consultationWebSocket = "consultation-websocket"
    case enhancedConsultations = "enhanced-consultations"
    case goalLinking = "goal-linking"
    case webSocketArchitecture = "websocket-architecture"
    case mealLogWebSocket = "meal-log-websocket"

    /// The guides' modes.
    static let guides = allCases.filter { $0 != .union }

    /// The chapter with the guide's own client, and the union chapters that also apply to the guide.
    var chapters: [String] {
        let own = [rawValue.replacing("-", with: "_")]
        return switch self {
        case .union: []
        case .consultationWebSocket, .enhancedConsultations: own
        case .goalLinking: own + ["goal_chat", "goal_from_chat", "goal_rules"]
        case .webSocketArchitecture, .mealLogWebSocket: own + ["meals", "meals_heard", "meals_listed"]
        }
    }
}
