import FitIQAPI
import Traffic

/// `auth/websocket-credentials`: a handshake carries the credentials it needs.
struct WebSocketCredentials: ObligationJudge {
    static let obligation = Obligation(
        id: "auth/websocket-credentials", level: .must,
        origin: .guides([.consultationWebSocket, .enhancedConsultations, .webSocketArchitecture, .mealLogWebSocket]),
        clause: "A WebSocket's handshake carries token and API key in its headers, or the token as ?token=.",
        tolerance: "Whether the token is good is not asked here.",
        advice:
            "webSocketTask(with: URL) sends no headers of yours, as consultation-websocket's Quick Start does: make a "
            + "URLRequest with Authorization and X-API-Key and use webSocketTask(with: request), or add ?token=.")
    static let needs: Evidence = .credentials

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        let credentials: PresentedCredentials
        let path: String
        switch fact.kind {
        case .request(let request) where request.isHandshake:
            (credentials, path) = (request.credentials, request.path)
        case .opened(let opening) where opening.opening.endpoint == .webSocket:
            // It was accepted, so its credentials sufficed.
            return findings.exercised()
        default: return
        }
        findings.exercised()
        if let token = credentials.queryToken, !token.isEmpty { return }
        if (credentials.bearer ?? "").isEmpty {
            findings.found(RESTSentences.handshakeWithoutToken(path), [fact.entry])
        } else if (credentials.apiKey ?? "").isEmpty, scene.mode.requiresAPIKey {
            findings.found(RESTSentences.handshakeWithoutKey(path), [fact.entry])
        }
    }
}
