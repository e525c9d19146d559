import FitIQAPI
import JSON
import Traffic

struct GoneNotReused: ObligationJudge {
    static let obligation = Obligation(
        id: "ids/gone-not-reused", level: .should, origin: .guides([.goalLinking]), place: "error handling",
        clause: "A goal or conversation that was answered with 404 is not asked for again.",
        tolerance: "Requests that were sent before the 404 arrived do not count, and a later answer that shows it "
            + "makes it usable again; handshakes that follow refused handshakes belong to ws/refused-handshake.",
        advice: "On 404 remove the local goal, or clear the goal's conversationId, and tell the user that it no longer "
            + "exists."
    )

    private var gone = Recent<Owned, JournalEntry>()

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        switch fact.kind {
        case .opened(let opening) where !opening.isOfMeals:
            let asked = [(kind: "conversation", id: opening.consultation)]
            judge(asked, of: opening.user, at: opening.requestedAt, by: "a handshake", fact.entry, &findings)
            gone[Owned(client: opening.user, id: opening.consultation)] = nil
        case .request(let request):
            // A deletion asks for nothing, and a repeated one is answered with 404.
            guard let client = request.client, request.exchange.unmatched == nil, request.method != .delete
            else { return }
            let asked = Self.ids(in: request)
            judge(asked, of: client, at: request.requestedAt, by: request.title, fact.entry, &findings)
            if request.isAnswered, request.status == 404, !request.isHandshake,
                let missing = asked.first(where: { request.misses($0.kind) })
            {
                let key = Owned(client: client, id: missing.id)
                if gone[key] == nil { findings.exercised() }
                gone[key] = fact.entry
            } else if request.isSuccess {
                revive(asked.map(\.id) + request.shownGoals.map(\.id) + request.shownConsultations.map(\.id), client)
            }
        case .opened, .frame, .closed, .fault, .other: return
        }
    }

    private mutating func revive(_ ids: [ExactString], _ client: ExactString) {
        for id in ids { gone[Owned(client: client, id: id)] = nil }
    }

    private func judge(
        _ asked: [(kind: String, id: ExactString)], of client: ExactString, at time: Timestamp, by request: String,
        _ entry: JournalEntry, _ findings: inout Findings
    ) {
        for (kind, id) in asked {
            guard let refusal = gone[Owned(client: client, id: id)], time >= refusal.time else { continue }
            findings.found(
                RESTMessages.reused(
                    kind, id.text, by: request, after: time.lag(behind: refusal.time), goneAt: refusal.time),
                [refusal, entry])
        }
    }

    /// Returns the goals and conversations that a request names.
    private static func ids(in request: RequestFact) -> [(kind: String, id: ExactString)] {
        var ids: [(kind: String, id: ExactString)] = []
        if let goal = SentGoal(request) { ids.append(("goal", goal.id)) }
        switch request.endpoint {
        case let endpoint? where endpoint.namesConsultation:
            if let id = request.pathID { ids.append(("conversation", id)) }
        case .updateGoal: if let id = request.body?["conversationId"]?.exactString { ids.append(("conversation", id)) }
        default: break
        }
        return ids
    }
}

extension RequestFact {
    fileprivate func misses(_ kind: String) -> Bool {
        endpoint != .updateGoal || !exchange.responseBody.isCut && (kind == "goal") == missesGoal
    }
}
