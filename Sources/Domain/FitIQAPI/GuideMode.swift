/// The form of the server's responses: understood by clients of all guides, or exactly as one guide says.
///
/// Each name is the guide's short name. Rules, statuses and ids are the same in every mode.
public enum GuideMode: String, CaseIterable, Sendable, Hashable {
    /// Every response satisfies the models of all guides at once.
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

    /// The modes that follow one guide.
    public static let guides = allCases.filter { $0 != .union }

    /// Whether the mode has what only the two apps use, and their members beside the guides'.
    public var servesApps: Bool { self == .union }

    /// Whether each REST request must carry an API key in `X-API-Key`.
    ///
    /// Two guides do not mention the key; in their modes only a wrong one is refused.
    public var requiresAPIKey: Bool { self != .goalLinking && self != .webSocketArchitecture }

    /// Where a WebSocket handshake carries its credentials.
    public enum WebSocketCredentials: Sendable {
        /// `Authorization` and, where the mode requires it, `X-API-Key`.
        case headers
        /// `?token=<JWT>` in the URL.
        case queryToken
        case either
    }

    /// Where the mode's WebSocket handshakes carry their credentials (openapi/DEVIATIONS.md).
    public var webSocketCredentials: WebSocketCredentials {
        switch self {
        case .union, .goalLinking: .either
        case .consultationWebSocket, .mealLogWebSocket: .headers
        case .enhancedConsultations, .webSocketArchitecture: .queryToken
        }
    }

    /// How a mode provides an endpoint.
    public enum Provision: Sendable {
        /// The guide documents the endpoint: exactly its fields, names, types and nesting.
        case documented
        /// The guide presupposes the endpoint without documenting it: responses as in the union.
        case support
        /// The guide does not contain the endpoint: 404.
        case absent
    }

    public func provision(of endpoint: Endpoint) -> Provision {
        switch self {
        case .union: .documented
        case .consultationWebSocket:
            switch endpoint {
            case .createConsultation, .showConsultation, .listMessages, .webSocket: .documented
            case .archiveConsultation, .createGoal, .listGoals, .showGoal, .updateGoal: .support
            default: .absent
            }
        case .enhancedConsultations:
            switch endpoint {
            case .createConsultation, .listConsultations, .listQuickActions, .showConsultation, .listMessages,
                .archiveConsultation, .webSocket:
                .documented
            case .createGoal, .listGoals, .showGoal, .updateGoal: .support
            default: .absent
            }
        case .goalLinking:
            switch endpoint {
            case .createGoal, .listGoals, .showGoal, .updateGoal, .chatAboutGoal, .showConsultation: .documented
            // "Goal was deleted on backend", "Conversation was deleted": the guide says what a client does then.
            case .listMessages, .archiveConsultation, .deleteConsultation, .deleteGoal, .webSocket: .support
            default: .absent
            }
        case .webSocketArchitecture:
            switch endpoint {
            case .createConsultation, .webSocket: .documented
            case .showConsultation, .listMessages, .createMealLog, .listMealLogs, .showMealLog: .support
            default: .absent
            }
        case .mealLogWebSocket:
            switch endpoint {
            case .createMealLog, .showMealLog, .webSocket: .documented
            case .createConsultation, .listMealLogs: .support
            default: .absent
            }
        }
    }

    public func serves(_ endpoint: Endpoint) -> Bool { provision(of: endpoint) != .absent }
    /// The form of an endpoint's responses: the guide's own for what it documents, the union's for the rest.
    public func form(of endpoint: Endpoint) -> GuideMode { provision(of: endpoint) == .documented ? self : .union }
}
