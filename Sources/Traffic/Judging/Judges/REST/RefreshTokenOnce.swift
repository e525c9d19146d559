import FitIQAPI
import JSON
import Traffic

struct RefreshTokenOnce: ObligationJudge {
    static let obligation = Obligation(
        id: "auth/refresh-token-once", level: .must, origin: .ours,
        clause: "A refresh token is sent to /auth/refresh once, and never after it was used, refused with 401 or "
            + "revoked by logging out.",
        tolerance: "It may be sent again after a refresh that failed with another status, that went unanswered, or "
            + "whose answer a fault touched.",
        advice: "Let one actor refresh, and let every request that got 401 wait for it; store the new refresh token in "
            + "place of the old one at once, and after \"revoked\" delete it and ask for the password.")
    static let needs: Evidence = .credentials

    /// The request that ended a token, and how.
    private struct End: Sendable {
        let entry: JournalEntry
        let requestedAt: Timestamp
        let kind: String
    }

    /// In bytes; a server takes no longer one.
    private static let longestToken = 4096

    private var ends = Recent<ExactString, End>()

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        guard case .request(let request) = fact.kind, let endpoint = request.restEndpoint,
            endpoint == .refreshTokens || endpoint == .logOut,
            let token = request.body?["refresh_token"]?.exactString, token.utf8.count <= Self.longestToken
        else { return }
        let end = ends[token]
        if endpoint == .refreshTokens {
            findings.exercised()
            // One that the client gave up earlier, which the server noticed late, is not a repeat.
            if let end, request.isAnswered || request.requestedAt >= end.requestedAt {
                let message = RESTMessages.refreshedAgain(request.title, end.kind, at: end.entry.time)
                findings.found(message, [end.entry, fact.entry])
            }
        }
        guard end == nil, let kind = Self.end(by: request, endpoint) else { return }
        ends[token] = End(entry: fact.entry, requestedAt: request.requestedAt, kind: kind)
    }

    /// How a request ended its token, as far as the client could know; nil if it did not.
    private static func end(by request: RequestFact, _ endpoint: Endpoint) -> String? {
        guard endpoint == .refreshTokens else { return request.isSuccess ? RESTMessages.wasRevoked : nil }
        if request.isSuccess { return request.isFaulted ? nil : RESTMessages.wasUsed }
        return request.isAnswered && request.status == 401 ? RESTMessages.wasRefused : nil
    }
}
