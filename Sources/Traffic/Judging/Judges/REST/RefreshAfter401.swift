import FitIQAPI
import JSON
import Traffic

struct RefreshAfter401: ObligationJudge {
    static let obligation = Obligation(
        id: "auth/refresh-after-401", level: .must, origin: .guides([.consultationWebSocket]), place: "HTTP errors",
        clause: "After 401 a request is repeated at most once with the same token.",
        tolerance: "Requests that were sent before the 401 arrived do not count, nor do others with that token; equal "
            + "ones that are under way at the same time cannot be told from retries.",
        advice: "On 401 refresh the token once, send the request again with the new one, and report a second 401 to "
            + "the user.",
        scenarios: ["token-expires-mid-session"])

    private struct Refusal: Sendable {
        let entry: JournalEntry
        /// The requests since then, newest last, limited to what evidence needs.
        var retries: [JournalEntry] = []
        var attempts = 1
    }

    private var refusals = Recent<Target, Refusal>()

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        // A 401 of an endpoint that needs no token is not about the token.
        guard case .request(let request) = fact.kind, request.restEndpoint?.credentials == .bearer,
            let token = request.credentials.bearer
        else { return }
        let target = Target(request, of: token)
        let isRefused = request.isAnswered && request.status == 401
        guard var refusal = refusals[target] else {
            if isRefused {
                findings.exercised()
                refusals[target] = Refusal(entry: fact.entry)
            }
            return
        }
        if request.requestedAt >= refusal.entry.time {
            refusal.attempts += 1
            if refusal.attempts > 2 {
                findings.found(
                    RESTMessages.sameToken(request.title, attempts: refusal.attempts, refusedAt: refusal.entry.time),
                    [refusal.entry] + refusal.retries.suffix(1) + [fact.entry])
            }
            refusal.retries = [fact.entry]
        }
        // A token that is accepted after all was refused by mistake.
        refusals[target] = request.isSuccess ? nil : refusal
    }
}
