/// How the server answers: so that clients of all the guides understand it, or exactly as one guide says.
///
/// Each name is the guide's short name (CONTRACT: two ways to answer). Rules, statuses and ids are the same in every mode.
public enum GuideMode: String, CaseIterable, Sendable, Hashable {
    /// Every answer satisfies the models of all guides at once.
    case union
    /// Consultations, 409 and 429, chat with `stream_chunk`.
    case consultationWebSocket = "consultation-websocket"
    /// Personas, context types, quick actions, paging, chat with `assistant_message_chunk`.
    case enhancedConsultations = "enhanced-consultations"
    /// Goals and the chat about a goal, in camelCase and without an envelope.
    case goalLinking = "goal-linking"
    /// One socket for chat and meal events, with `?token=`.
    case webSocketArchitecture = "websocket-architecture"
    /// Meal logs with complete data in the notification.
    case mealLogWebSocket = "meal-log-websocket"

    /// The modes that are a guide.
    public static let guides = allCases.filter { $0 != .union }

    /// What a mode makes of an endpoint.
    public enum Provision: Sendable {
        /// The guide documents it: exactly its fields, names, types and nesting.
        case documented
        /// The guide presupposes it without documenting it: answers as in the union.
        case support
        /// The guide knows nothing of it: 404.
        case absent
    }

    /// The shape in which an endpoint answers: the guide's own for what it documents, the union's for the rest.
    public func form(of endpoint: Endpoint) -> GuideMode {
        provision(of: endpoint) == .documented ? self : .union
    }

    /// Whether the mode answers at an endpoint at all.
    public func serves(_ endpoint: Endpoint) -> Bool { provision(of: endpoint) != .absent }
}
