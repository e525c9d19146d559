import FitIQAPI
import Traffic

struct CredentialsOnEveryRequest: ObligationJudge {
    static let obligation = Obligation(
        id: "auth/credentials-on-every-request", level: .must,
        origin: .guides([.consultationWebSocket, .enhancedConsultations, .mealLogWebSocket]),
        clause: "Each REST request carries a bearer token and the API key.",
        tolerance: "The token need not be valid here, and paths that are not endpoints need no credentials.",
        advice: "Build every request in one place that sets Authorization, Bearer and the token, and X-API-Key.",
        swiftAdvice: "Call setValue(\"Bearer \\(token)\", forHTTPHeaderField: \"Authorization\") and setValue(apiKey, "
            + "forHTTPHeaderField: \"X-API-Key\") on the URLRequest.")
    static let needs: Evidence = .credentials

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        guard case .request(let request) = fact.kind, let endpoint = request.restEndpoint else { return }
        findings.exercised()
        var missing: [String] = []
        if endpoint.credentials == .bearer, (request.credentials.bearer ?? "").isEmpty {
            missing.append(Self.nameOfToken(request))
        }
        if scene.mode.requiresAPIKey, (request.credentials.apiKey ?? "").isEmpty { missing.append("X-API-Key") }
        if !missing.isEmpty { findings.found(RESTMessages.missingCredentials(request.title, missing), [fact.entry]) }
    }

    private static func nameOfToken(_ request: RequestFact) -> String {
        guard let value = request.exchange.head.fields[.authorization], !value.isEmpty else { return "a bearer token" }
        // The value may be the token itself, so only its beginning is shown.
        return RESTMessages.noBearer(String(value.unicodeScalars.prefix { $0 != " " }.prefix(8)))
    }
}
