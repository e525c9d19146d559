import FitIQAPI
import JSON
import Traffic

struct BackendGoalIDs: ObligationJudge {
    static let obligation = Obligation(
        id: "ids/backend-goal-id", level: .must, origin: .guides([.goalLinking]), place: "critical rule",
        clause: "Goal ids that are sent are ids that the backend issued.",
        tolerance: "An id counts as issued if the backend accepts it or has shown it before. Upper case in paths "
            + "belongs to ids/lowercase.",
        advice: "Send goal.backendId, never the local goal.id; where backendId is nil, create the goal with POST "
            + "/api/v1/goals first and keep the id from its answer.",
        scenarios: ["established-account"])

    private var issued = Recent<Owned, Bool>(capacity: 50_000)

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        switch fact.kind {
        case .request(let request):
            guard let client = request.client, request.restEndpoint != nil else { return }
            judge(request, of: client, &findings)
            for id in Self.ids(shownBy: request) { issued[Owned(client: client, id: id)] = true }
        case .frame(let frame):
            guard let id = frame.createdTemplate?["id"]?.exactString, let user = scene.sockets[fact.connection]?.user
            else { return }
            issued[Owned(client: user, id: id)] = true
        case .opened, .closed, .fault, .other: return
        }
    }

    private func judge(_ request: RequestFact, of client: ExactString, _ findings: inout Findings) {
        guard let sent = SentGoal(request) else { return }
        guard issued[Owned(client: client, id: sent.id)] == nil else { return findings.exercised() }
        switch ResourceID.read(sent.id.text) {
        case .malformed:
            findings.exercised()
            findings.found(RESTMessages.noGoalID(sent.id.text, in: sent.place), [request.entry])
        case .wrongCase where sent.isInPath: return
        case .wrongCase, .id:
            // An injected 404 says nothing about the ID, nor does a response that did not check it.
            guard !request.isFaulted, let status = request.status else { return }
            if (200..<300).contains(status) || status == 409 || status == 429 {
                findings.exercised()
            } else if status == 404, request.missesGoal {
                findings.exercised()
                findings.found(RESTMessages.unknownGoal(sent.id.text, in: sent.place), [request.entry])
            }
        }
    }

    private static func ids(shownBy request: RequestFact) -> [ExactString] {
        // The first of two deletions may be the one without an answer.
        if request.endpoint == .deleteGoal, request.isSuccess || request.isFaulted || !request.isAnswered {
            return request.pathID.map { [$0] } ?? []
        }
        guard request.isSuccess else { return [] }
        return request.shownGoals.map(\.id) + request.shownConsultations.compactMap(\.goal)
            + [request.shownLink?.goal].compactMap { $0 }
    }
}

struct SentGoal {
    let id: ExactString
    /// The ID's location, for sentences.
    let place: String
    let isInPath: Bool

    init?(_ request: RequestFact) {
        switch request.endpoint {
        case .showGoal, .updateGoal, .replaceGoal, .deleteGoal, .listGoalTips, .listGoalSuggestions, .analyzeGoal:
            guard let id = request.pathID else { return nil }
            (self.id, place, isInPath) = (id, request.title, true)
        case .chatAboutGoal:
            guard let id = request.body?["goalId"]?.exactString else { return nil }
            (self.id, place, isInPath) = (request.isSuccess ? id.asIssued : id, "chat-about-goal", false)
        case .createConsultation:
            let ofContext =
                request.body?["context_type"]?.string == "goal" ? request.body?["context_id"]?.exactString : nil
            guard let id = request.body?["goal_id"]?.exactString ?? ofContext else { return nil }
            (self.id, place, isInPath) = (request.isSuccess ? id.asIssued : id, "POST /api/v1/consultations", false)
        default: return nil
        }
    }
}

extension RequestFact {
    /// Whether a 404 is about the goal, not about the conversation that a PATCH also names.
    var missesGoal: Bool {
        // A response that was not kept cannot tell.
        if endpoint == .updateGoal, exchange.responseBody.isCut { return false }
        guard status == 404, let code = answer?["error"]?["code"]?.string else { return status == 404 }
        return endpoint != .updateGoal || code == ErrorCode.goalNotFound.rawValue
    }
}
