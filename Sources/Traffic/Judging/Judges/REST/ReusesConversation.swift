import FitIQAPI
import JSON
import Traffic

struct ReusesConversation: ObligationJudge {
    static let obligation = Obligation(
        id: "goal/reuses-conversation", level: .must, origin: .guides([.goalLinking]), place: "GoalDetailViewModel",
        clause: "No second chat-about-goal is sent for a goal that was shown with a conversationId.",
        tolerance: "A conversation that was archived or deleted, or that the backend refused, may be replaced.",
        advice: "Keep conversationId from the answer of chat-about-goal and from every goal that is loaded, and open "
            + "that conversation if it is set.",
        scenarios: ["established-account"])

    private struct Link: Sendable {
        let conversation: ExactString
        /// The entry that showed the link.
        let entry: JournalEntry
        /// Whether the client has faced it; a link that the client made itself is new.
        var isFaced: Bool
    }

    private var links = Recent<Owned, Link>()
    private var goals = Recent<Owned, ExactString>()

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        switch fact.kind {
        case .opened(let opening): use(opening.consultation, by: opening.user, &findings)
        case .request(let request):
            guard let client = request.client else { return }
            if request.restEndpoint == .chatAboutGoal, let goal = request.body?["goalId"]?.exactString,
                let link = links[Owned(client: client, id: goal)], request.requestedAt >= link.entry.time
            {
                let message = RESTMessages.secondConversation(
                    goal: goal.text, conversation: link.conversation.text, shownAt: link.entry.time)
                findings.exercised()
                findings.found(message, [link.entry, request.entry])
            }
            notice(request, of: client, &findings)
        case .frame(let frame):
            // The socket says so before it closes.
            guard frame.isHeard, frame.type == "error", let socket = scene.sockets[fact.connection],
                frame.json?["error"]?.string?.contains("not active") == true
            else { return }
            forget(conversation: socket.consultation, of: socket.user)
        case .closed, .fault, .other: return
        }
    }

    /// Records that the client continues a conversation it was shown.
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
            } else if request.isSuccess {
                use(id, by: client, &findings)
            }
        }
        if let id = request.pathID, request.endpoint == .deleteGoal { links[Owned(client: client, id: id)] = nil }
        for consultation in request.shownConsultations where ["archived", "completed"].contains(consultation.status) {
            forget(conversation: consultation.id, of: client)
        }
        for goal in request.shownGoals {
            let key = Owned(client: client, id: goal.id)
            // A goal shown again with a known link is not new; the client that linked it has just used it.
            if goal.conversation == nil {
                links[key] = nil
            } else if let conversation = goal.conversation, links[key]?.conversation != conversation {
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
