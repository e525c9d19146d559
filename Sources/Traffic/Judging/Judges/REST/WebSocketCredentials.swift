import FitIQAPI
import Traffic

struct WebSocketCredentials: ObligationJudge {
    static let obligation = Obligation(
        id: "auth/websocket-credentials", level: .must,
        origin: .guides([.consultationWebSocket, .enhancedConsultations, .webSocketArchitecture, .mealLogWebSocket]),
        clause: "A WebSocket's handshake carries token and API key in its headers, or the token as ?token=.",
        tolerance: "The token need not be valid here.",
        advice: "Send Authorization and X-API-Key with the handshake, or add ?token=; consultation-websocket's Quick "
            + "Start sends neither.",
        swiftAdvice: "webSocketTask(with: URL) sends no headers of yours: make a URLRequest with them and use "
            + "webSocketTask(with: request).")
    static let needs: Evidence = .credentials

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        // The credentials of an accepted handshake sufficed.
        if case .opened(let opening) = fact.kind, opening.opening.endpoint?.isSocket == true { findings.exercised() }
        guard case .request(let request) = fact.kind, request.isHandshake else { return }
        findings.exercised()
        let credentials = request.credentials
        if let token = credentials.queryToken, !token.isEmpty { return }
        if (credentials.bearer ?? "").isEmpty {
            findings.found(RESTMessages.handshakeWithoutToken(request.path), [fact.entry])
        } else if (credentials.apiKey ?? "").isEmpty, scene.mode.requiresAPIKey {
            findings.found(RESTMessages.handshakeWithoutKey(request.path), [fact.entry])
        }
    }
}
