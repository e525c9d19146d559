import FitIQAPI
import Traffic

struct NoExpiredBearer: ObligationJudge {
    static let obligation = Obligation(
        id: "auth/no-expired-bearer", level: .should, origin: .ours,
        clause: "No request to /auth/* carries a bearer token that has expired.",
        tolerance:
            "A token whose expiry cannot be read, because it is redacted or not a JSON Web Token, is not judged.",
        advice: "Leave Authorization out when you register, log in, refresh or log out: a server that checks it first "
            + "refuses the very request that would bring another token.")
    static let needs: Evidence = .credentials

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        guard case .request(let request) = fact.kind, request.restEndpoint?.credentials == .key else { return }
        guard let bearer = request.credentials.bearer, !bearer.isEmpty else { return findings.exercised() }
        guard let expiry = AccessToken.claimedExpiry(of: bearer.text) else { return }
        findings.exercised()
        guard expiry <= request.requestedAt else { return }
        findings.found(RESTMessages.expiredBearer(request.title, expiredAt: expiry), [fact.entry])
    }
}
