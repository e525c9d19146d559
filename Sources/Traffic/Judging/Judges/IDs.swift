import FitIQAPI
import JSON
import Traffic

struct LowercaseIDs: ObligationJudge {
    static let obligation = Obligation(
        id: "ids/lowercase", level: .must, origin: .guides([.consultationWebSocket]), place: "best practice 1",
        clause: "The client sends ids in paths in lower case.",
        advice:
            "The backend compares ids as text, so send each id in lower case, as the backend spelled it. "
            + "goal-linking's Conversation.id is a UUID, which the client sends in upper case, so the request gets "
            + "404.",
        swiftAdvice: "uuidString is upper case: use uuidString.lowercased(), or keep ids as String.")

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        let id: ExactString?
        switch fact.kind {
        case .request(let request), .opened(let request): id = request.sentID
        default: return
        }
        // An ID without letters has no case.
        guard let id, id.utf8.contains(where: \.isLetter) else { return }
        findings.exercised()
        if id.hasUpperCase { findings.found(Messages.upperCase(id.text), [fact.entry]) }
    }
}

extension ExactString {
    var hasUpperCase: Bool { utf8.contains(where: \.isUppercaseLetter) }
}

struct BackendGoalIDs: ObligationJudge {
    static let obligation = Obligation(
        id: "ids/backend-goal-id", level: .must, origin: .guides([.goalLinking]), place: "critical rule",
        clause: "The client sends only goal ids that the backend issued.",
        tolerance:
            "An id counts as issued if the backend accepts it or has sent it before. The obligation ids/lowercase "
            + "covers upper-case ids in paths.",
        advice: "Send goal.backendId, never the local goal.id. If backendId is nil, first create the goal with POST "
            + "/api/v1/goals and save the id from its answer.",
        scenarios: ["established-account"])

    static let needs: Evidence = .backend

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
        // The world accepts free-form IDs.
        case .malformed where request.isSuccess: findings.exercised()
        case .malformed where request.isFaulted: return
        case .malformed: findings.breached(Messages.noGoalID(sent.id.text, in: sent.place), [request.entry])
        case .wrongCase where sent.isInPath: return
        case .wrongCase, .id:
            // A 404 that was injected, or a response that was sent before the ID was checked, proves nothing about the
            // ID.
            guard !request.isFaulted, let status = request.status else { return }
            if (200..<300).contains(status) || status == 409 || status == 429 {
                findings.exercised()
            } else if status == 404, request.missesGoal {
                findings.breached(
                    "\(sent.place) has the goal id \(sent.id.text), which the backend never issued to this "
                        + "user; it answered with 404.", [request.entry])
            }
        }
    }

    private static func ids(shownBy request: RequestFact) -> [ExactString] {
        // The first of two deletions may have succeeded without an answer.
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
    /// The place where the ID was sent, as a phrase for messages.
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
    /// Whether a 404 concerns the goal rather than the conversation in a PATCH.
    var missesGoal: Bool {
        // The answer is unknown, because the journal dropped the body.
        if endpoint == .updateGoal, exchange.responseBody.isCut { return false }
        guard status == 404, let code = answer?["error"]?["code"]?.string else { return status == 404 }
        return endpoint != .updateGoal || code == ErrorCode.goalNotFound.rawValue
    }
}

struct GoneNotReused: ObligationJudge {
    static let obligation = Obligation(
        id: "ids/gone-not-reused", level: .should, origin: .guides([.goalLinking]), place: "error handling",
        clause: "After a 404 for a goal or conversation, the client does not request it again.",
        tolerance:
            "The judge ignores requests sent before the 404 arrived. If a later answer contains the goal or "
            + "conversation, the client may request it again. The obligation ws/refused-handshake covers handshakes "
            + "after a refused handshake.",
        advice: "On 404, delete the local goal, or clear the goal's conversationId, and tell the user that the goal or "
            + "conversation no longer exists."
    )

    private var gone = Recent<Owned, JournalEntry>()

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        switch fact.kind {
        case .opened(let opening) where !opening.isOfMeals:
            let (user, id) = (opening.user ?? "", opening.consultation)
            judge([("conversation", id)], of: user, at: opening.requestedAt, by: "a handshake", fact.entry, &findings)
            gone[Owned(client: user, id: id)] = nil
        case .request(let request):
            // A repeated DELETE is harmless and gets 404.
            guard let client = request.client, request.exchange.unmatched == nil, request.method != .delete
            else { return }
            let asked = Self.ids(in: request)
            judge(asked, of: client, at: request.requestedAt, by: request.title, fact.entry, &findings)
            if request.isAnswered, request.status == 404, !request.isHandshake,
                let missing = asked.first(where: { request.misses($0.kind) }), !missing.id.hasUpperCase
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
        _ asked: [(kind: String, id: ExactString)], of client: ExactString, at time: Timestamp,
        by request: @autoclosure () -> String, _ entry: JournalEntry, _ findings: inout Findings
    ) {
        for (kind, id) in asked {
            guard let refusal = gone[Owned(client: client, id: id)], time >= refusal.time else { continue }
            findings.found(
                "The backend returned 404 for the \(kind) \(id.text) at "
                    + "\(Messages.clock(findings.date(of: refusal.time))), and \(request()) requested it again "
                    + "\(Messages.seconds(time.nanoseconds(since: refusal.time))) later.", [refusal, entry])
        }
    }

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
