import FitIQAPI
import JSON
import Traffic

struct LimitStopsCreating: ObligationJudge {
    static let obligation = Obligation(
        id: "consultation/limit-stops-creating", level: .must, origin: .guides([.consultationWebSocket]),
        place: "HTTP errors",
        clause: "After 429 no further create gets a 429 within 60 s, unless a consultation was archived or deleted in "
            + "between.",
        tolerance: "50 ms; creates that were sent before the 429 arrived do not count. A user who presses the button "
            + "again cannot be told from a client that repeats, nor can creates that are under way at the same time.",
        advice: "Do not retry a 429: show that the maximum of 10 active consultations is reached, disable the button, "
            + "and offer to archive one with POST /api/v1/consultations/{id}/archive.",
        scenarios: ["limit-reached"])

    static let window = 60 * Tolerance.second

    /// The last 429 of each client since it archived or deleted a consultation.
    private var refusals = Recent<ExactString, JournalEntry>()

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        guard case .request(let request) = fact.kind, let client = request.client else { return }
        switch request.restEndpoint {
        case .archiveConsultation, .completeConsultation, .updateConsultation, .deleteConsultation, .deleteUser:
            // Without a response, the client may assume that the request succeeded.
            if request.isSuccess || !request.isAnswered { refusals[client] = nil }
        case .createConsultation where request.isAtLimit:
            findings.exercised()
            if let refusal = refusals[client] {
                let wait = request.requestedAt.lag(behind: refusal.time)
                if wait >= 0, wait < Self.window - Tolerance.interval {
                    findings.found(
                        RESTMessages.createdAtLimit(after: wait, limitAt: refusal.time), [refusal, fact.entry])
                }
            }
            refusals[client] = fact.entry
        default: return
        }
    }
}

extension RequestFact {
    /// Whether the response reports too many active consultations; the 429 of a quota says something else.
    fileprivate var isAtLimit: Bool {
        // A response that was not kept may have said either.
        guard isAnswered, status == 429, !exchange.responseBody.isCut else { return false }
        guard let code = answer?["error"]?["code"]?.string else { return !isFaulted }
        return code == ErrorCode.tooManyActiveConsultations.rawValue
    }
}
