/// The form of the server's responses: one that all guides' clients understand, or the form of exactly one guide.
///
/// The raw values are the guides' short names. Rules, statuses and ids are the same in every mode.
public enum GuideMode: String, CaseIterable, Sendable, Hashable {
    /// Every response satisfies the models of all guides.
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

    /// Whether the mode adds the apps' endpoints and members to the guides'.
    public var servesApps: Bool { self == .union }

    /// Whether each REST request must carry an API key in `X-API-Key`.
    ///
    /// Two guides do not mention the key; their modes accept a missing key but reject a wrong key.
    public var requiresAPIKey: Bool { self != .goalLinking && self != .webSocketArchitecture }

    /// Where a WebSocket handshake carries its credentials.
    public enum WebSocketCredentials: Sendable {
        /// `Authorization` and, if the mode requires it, `X-API-Key`.
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
        /// The guide documents the endpoint; fields, names, types and nesting must match it exactly.
        case documented
        /// The guide presupposes the endpoint without documenting it, so responses have the union's form.
        case support
        /// The guide does not contain the endpoint: 404.
        case absent
    }

    /// This guide; empty for the union.
    var asSet: Guides {
        switch self {
        case .union: []
        case .consultationWebSocket: .chat
        case .enhancedConsultations: .personas
        case .goalLinking: .goals
        case .webSocketArchitecture: .sockets
        case .mealLogWebSocket: .meals
        }
    }

    public func provision(of endpoint: Endpoint) -> Provision {
        guard self != .union else { return .documented }
        let row = endpoint.row
        return row.guides.contains(asSet) ? .documented : row.support.contains(asSet) ? .support : .absent
    }

    public func serves(_ endpoint: Endpoint) -> Bool { provision(of: endpoint) != .absent }
    /// The form of an endpoint's responses: the guide's if it documents the endpoint, otherwise the union's.
    public func form(of endpoint: Endpoint) -> GuideMode { provision(of: endpoint) == .documented ? self : .union }
}
