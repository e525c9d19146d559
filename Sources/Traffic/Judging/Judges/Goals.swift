import FitIQAPI
import JSON
import Traffic

struct ReusesConversation: ObligationJudge {
    static let obligation = Obligation(
        id: "goal/reuses-conversation", level: .must, origin: .guides([.goalLinking]), place: "GoalDetailViewModel",
        clause:
            "Once an answer contains a goal's conversationId, the client does not send another chat-about-goal request "
            + "for the goal.",
        tolerance:
            "The client may replace a conversation that has been archived or deleted, or that the backend has refused.",
        advice: "Save conversationId from the answer to chat-about-goal and from every loaded goal, and open that "
            + "conversation if there is one.",
        scenarios: ["established-account"])

    private struct Link: Sendable {
        let conversation: ExactString
        let entry: JournalEntry
        /// Whether using this link no longer counts as exercised; true from the start for a link that the client made
        /// itself.
        var isFaced: Bool
    }

    private var links = Recent<Owned, Link>()
    private var goals = Recent<Owned, ExactString>()
    /// Conversations that the backend refused; they stay refused even while goals still refer to them.
    private var refused = Recent<Owned, Bool>()

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        switch fact.kind {
        case .opened(let opening): use(opening.consultation, by: opening.user ?? "", &findings)
        case .request(let request):
            guard let client = request.client else { return }
            if request.restEndpoint == .chatAboutGoal, let goal = request.body?["goalId"]?.exactString,
                let link = links[Owned(client: client, id: goal)], request.requestedAt >= link.entry.time
            {
                let message =
                    "chat-about-goal was sent for the goal \(goal.text), although an answer at "
                    + "\(Messages.clock(findings.date(of: link.entry.time))) had contained its conversation "
                    + "\(link.conversation.text)."
                findings.breached(message, [link.entry, request.entry])
            }
            notice(request, of: client, &findings)
        case .frame(let frame):
            // The socket reports the refusal before it closes.
            guard frame.isHeard, frame.type == "error", let socket = scene.sockets[fact.connection],
                frame.json?["error"]?.string?.contains("not active") == true
            else { return }
            forget(conversation: socket.consultation, of: socket.user)
        case .closed, .fault, .other: return
        }
    }

    /// Records that the client continues a conversation from a response.
    private mutating func use(_ conversation: ExactString, by client: ExactString, _ findings: inout Findings) {
        guard let goal = goals[Owned(client: client, id: conversation)] else { return }
        let key = Owned(client: client, id: goal)
        guard var link = links[key], !link.isFaced else { return }
        findings.exercised()
        link.isFaced = true
        links[key] = link
    }

    private mutating func notice(_ request: RequestFact, of client: ExactString, _ findings: inout Findings) {
        if let id = request.pathID, let endpoint = request.endpoint, endpoint.namesConsultation {
            let isRefused = request.status.map { $0 == 404 || (request.isHandshake && $0 == 400) } ?? false
            if isRefused || [.archiveConsultation, .completeConsultation, .deleteConsultation].contains(endpoint) {
                forget(conversation: id, of: client)
                if isRefused { refused[Owned(client: client, id: id)] = true }
            } else if request.isSuccess {
                refused[Owned(client: client, id: id)] = nil
                use(id, by: client, &findings)
            }
        }
        if let id = request.pathID, request.endpoint == .deleteGoal { links[Owned(client: client, id: id)] = nil }
        for consultation in request.shownConsultations where ["archived", "completed"].contains(consultation.status) {
            forget(conversation: consultation.id, of: client)
        }
        for goal in request.shownGoals {
            let key = Owned(client: client, id: goal.id)
            // A goal with a known link is not new when it is shown again; the linking client has just used it.
            if goal.conversation == nil {
                links[key] = nil
            } else if let conversation = goal.conversation, links[key]?.conversation != conversation,
                refused[Owned(client: client, id: conversation)] == nil
            {
                link(conversation, key, request.entry, isFaced: request.endpoint == .updateGoal)
            }
        }
        if let shown = request.shownLink {
            link(shown.conversation, Owned(client: client, id: shown.goal), request.entry, isFaced: true)
        }
    }

    private mutating func link(_ conversation: ExactString, _ key: Owned, _ entry: JournalEntry, isFaced: Bool) {
        links[key] = Link(conversation: conversation, entry: entry, isFaced: isFaced)
        goals[Owned(client: key.client, id: conversation)] = key.id
    }

    private mutating func forget(conversation: ExactString, of client: ExactString) {
        let key = Owned(client: client, id: conversation)
        guard let goal = goals[key] else { return }
        goals[key] = nil
        let goalKey = Owned(client: client, id: goal)
        if links[goalKey]?.conversation == conversation { links[goalKey] = nil }
    }
}

struct LinksCreatedGoal: ObligationJudge {
    static let obligation = Obligation(
        id: "goal/links-created-goal", level: .must, origin: .guides([.goalLinking]), place: "flow 2",
        clause:
            "If the client creates a goal after the coach suggested one in a chat, it links the goal to that "
            + "consultation with a PATCH.",
        tolerance:
            "The first goal created within 10 minutes of a suggestion counts as the suggested goal. The client must "
            + "link the goal within 30 s, or by the end of the journal if that is later. A failed attempt satisfies "
            + "the obligation, and so does chat-about-goal.",
        advice: "After POST /api/v1/goals, send PATCH /api/v1/goals/{id} with {\"conversationId\": "
            + "currentConversationId}, using the id from the answer; decode the answer into a separate model, not "
            + "into the local Goal.",
        scenarios: ["scripted-coach"])

    static let suggestionLife = 600 * Tolerance.second
    static let dueAfter = 30 * Tolerance.second

    private struct Suggestion: Sendable {
        let consultation: ExactString
        let entry: JournalEntry
    }

    private struct Debt: Sendable {
        let goal: ExactString
        let suggestion: Suggestion
        let entry: JournalEntry
    }

    private var suggestions = Recent<ExactString, Suggestion>()
    /// When the coach created each item; several frames may report it.
    private var told = Recent<[ExactString], Timestamp>()
    private var debts = Recent<Owned, Debt>()
    /// The last requested link for each goal, with its time.
    ///
    /// The time is needed because the journal may record the creation's response after the link.
    private var links = Recent<Owned, (consultation: ExactString?, requestedAt: Timestamp)>()

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        switch fact.kind {
        case .frame(let frame):
            guard frame.frame.faults.isEmpty, let template = frame.createdTemplate,
                template["type"]?.string == "goal", let socket = scene.sockets[fact.connection]
            else { return }
            let made = [socket.user, socket.consultation, template["id"]?.exactString ?? ""]
            if let time = told[made], fact.time.nanoseconds(since: time) < Self.suggestionLife { return }
            told[made] = fact.time
            suggestions[socket.user] = Suggestion(consultation: socket.consultation, entry: fact.entry)
        case .request(let request):
            guard let client = request.client else { return }
            observe(request, of: client, &findings)
        case .opened, .closed, .fault, .other: return
        }
    }

    private mutating func observe(_ request: RequestFact, of client: ExactString, _ findings: inout Findings) {
        switch request.restEndpoint {
        case .createGoal:
            guard let goal = request.shownGoals.first, let suggestion = suggestions[client] else { return }
            let age = request.requestedAt.nanoseconds(since: suggestion.entry.time)
            // The client sent this goal before the suggestion, so it is not the suggested goal.
            guard age >= 0 else { return }
            suggestions[client] = nil
            guard age <= Self.suggestionLife else { return }
            findings.exercised()
            let key = Owned(client: client, id: goal.id)
            if let link = links[key], link.requestedAt >= request.requestedAt,
                link.consultation == suggestion.consultation
            {
                return
            }
            debts[key] = Debt(goal: goal.id, suggestion: suggestion, entry: request.entry)
        case .updateGoal:
            // `ids/lowercase` judges upper case.
            guard let id = request.pathID?.asIssued else { return }
            let key = Owned(client: client, id: id)
            // The client has acted correctly even if the server refuses.
            let conversation = request.body?["conversationId"]?.exactString?.asIssued
            links[key] = (conversation, request.requestedAt)
            if debts[key]?.suggestion.consultation == conversation { debts[key] = nil }
        case .deleteConsultation, .deleteUser: forget(request, of: client)
        case .chatAboutGoal, .createConsultation, .deleteGoal:
            // These requests also link the goal, or make a link unnecessary.
            if let sent = SentGoal(request) { debts[Owned(client: client, id: sent.id)] = nil }
        case let endpoint? where endpoint.namesConsultation && request.status == 404: forget(request, of: client)
        default: return
        }
    }

    /// Removes consultations that can no longer be linked: the path's consultation, or all of the user's consultations.
    private mutating func forget(_ request: RequestFact, of client: ExactString) {
        let isGone = { (suggestion: Suggestion) in
            request.restEndpoint == .deleteUser || suggestion.consultation == request.pathID
        }
        if let suggestion = suggestions[client], isGone(suggestion) { suggestions[client] = nil }
        for debt in debts.values where isGone(debt.suggestion) { debts[Owned(client: client, id: debt.goal)] = nil }
    }

    func conclude(at end: Timestamp, in scene: Scene, _ findings: inout Findings) {
        let due = debts.values.filter { end.nanoseconds(since: $0.entry.time) >= Self.dueAfter }
        for debt in due.sorted(by: { $0.entry.number < $1.entry.number }) {
            findings.found(
                "The goal \(debt.goal.text), created at "
                    + "\(Messages.clock(findings.date(of: debt.entry.time))) after the coach suggested a goal, "
                    + "was not linked to the consultation \(debt.suggestion.consultation.text) within 30 s.",
                [debt.suggestion.entry, debt.entry])
        }
    }
}
