extension GuideMode {
    /// Whether every REST request must bring `X-API-Key`; two guides do not mention it, and there only a wrong one is refused.
    public var requiresAPIKey: Bool { self != .goalLinking && self != .webSocketArchitecture }

    /// Where a WebSocket handshake carries its credentials.
    public enum WebSocketCredentials: Sendable {
        /// `Authorization` and, where the mode requires it, `X-API-Key`.
        case headers
        /// `?token=<JWT>` in the URL.
        case queryToken
        /// As the client likes.
        case either
    }

    /// Where the mode's WebSocket handshakes carry their credentials (CONTRACT: where the guides disagree).
    public var webSocketCredentials: WebSocketCredentials {
        switch self {
        case .union, .goalLinking: .either
        case .consultationWebSocket, .mealLogWebSocket: .headers
        case .enhancedConsultations, .webSocketArchitecture: .queryToken
        }
    }
}
