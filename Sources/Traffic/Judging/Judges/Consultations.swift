import FitIQAPI
import JSON
import Traffic

struct ConflictContinuesExisting: ObligationJudge {
    static let obligation = Obligation(
        id: "consultation/conflict-continues-existing", level: .must, origin: .guides([.consultationWebSocket]),
        place: "HTTP errors",
        clause: "After a 409, the client uses the existing consultation before it repeats the create request.",
        tolerance:
            "Any request or socket with the existing consultation's id counts as using it. The client may repeat the "
            + "create request without using the consultation if the 409 contains no id, if the consultation's socket "
            + "is open, or if a request for the consultation got 404. The judge cannot tell identical concurrent "
            + "create requests from repeats.",
        advice: "Decode error.details.existing_consultation_id from the 409's body and continue with that id, as "
            + "getOrCreateConsultation does in the guide.",
        swiftAdvice: "Decode the consultation's dates with .iso8601, or the next step fails.",
        scenarios: ["conflict"])

    /// Persona and context determine whether two requests to create a consultation are equivalent.
    private struct Create: Hashable, Sendable {
        let client: ExactString
        let persona: String
        let context: ContextType?
        let contextID: ExactString?
    }

    private struct Conflict: Sendable {
        let entry: JournalEntry
        let existing: ExactString
    }

    private var conflicts = Recent<Create, Conflict>()
    private var waiting = Recent<Owned, Create>()
    /// The consultations for which the server returned 404.
    private var gone = Recent<Owned, Bool>()

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        switch fact.kind {
        case .opened(let opening): use(opening.consultation, by: opening.user ?? "")
        case .request(let request):
            guard let client = request.client else { return }
            if let id = request.pathID {
                use(id, by: client)
                if request.status == 404 { gone[Owned(client: client, id: id.asciiLowercased())] = true }
            }
            if request.restEndpoint == .deleteUser {
                for conflict in conflicts.values { use(conflict.existing, by: client) }
            }
            if request.endpoint == .updateGoal, let id = request.body?["conversationId"]?.exactString {
                use(id, by: client)
            }
            if request.restEndpoint == .createConsultation { judge(request, of: client, in: scene, &findings) }
        case .frame, .closed, .fault, .other: return
        }
    }

    private mutating func use(_ id: ExactString, by client: ExactString) {
        // `ids/lowercase` judges IDs in upper case.
        let key = Owned(client: client, id: id.asciiLowercased())
        guard let create = waiting[key] else { return }
        conflicts[create] = nil
        waiting[key] = nil
    }

    private mutating func judge(
        _ request: RequestFact, of client: ExactString, in scene: Scene, _ findings: inout Findings
    ) {
        let form = scene.mode.form(of: .createConsultation)
        guard let asked = try? CreateConsultationRequest(body: request.exchange.body.bytes, in: form) else { return }
        let create = Create(
            client: client, persona: asked.persona.rawValue, context: asked.context.type, contextID: asked.context.id)
        if let conflict = conflicts[create], request.requestedAt >= conflict.entry.time {
            findings.found(
                "The create request that got 409 at "
                    + "\(Messages.clock(findings.date(of: conflict.entry.time))) was sent again "
                    + "\(Messages.seconds(request.requestedAt.nanoseconds(since: conflict.entry.time))) later, "
                    + "although the client had not used the existing consultation \(conflict.existing.text).",
                [conflict.entry, request.entry])
        }
        guard request.isAnswered, request.status == 409,
            let id = request.answer?["error"]?["details"]?["existing_consultation_id"]?.exactString
        else { return }
        findings.exercised()
        let existing = Owned(client: client, id: id)
        guard gone[existing] == nil, scene.openSockets(onConsultation: id).isEmpty else { return }
        conflicts[create] = Conflict(entry: request.entry, existing: id)
        waiting[existing] = create
    }
}

struct LimitStopsCreating: ObligationJudge {
    static let obligation = Obligation(
        id: "consultation/limit-stops-creating", level: .must, origin: .guides([.consultationWebSocket]),
        place: "HTTP errors",
        clause:
            "After a 429, the client does not send another create request that gets a 429 within 60 s, unless a "
            + "consultation is archived or deleted in between.",
        tolerance:
            "The judge ignores create requests sent before the 429 arrived. The 60 s limit has a tolerance of 50 ms. "
            + "The judge cannot tell a client that retries from a user who presses the button again, or from "
            + "concurrent create requests.",
        advice: "Do not retry a 429: show that the maximum of 10 active consultations has been reached, disable the "
            + "button, and offer to archive one with POST /api/v1/consultations/{id}/archive.",
        scenarios: ["limit-reached"])

    static let window = 60 * Tolerance.second

    /// The last 429 for each client since the client archived or deleted a consultation.
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
                let wait = request.requestedAt.nanoseconds(since: refusal.time)
                if wait >= 0, wait < Self.window - Tolerance.interval {
                    findings.found(
                        "A create request got another 429 \(Messages.seconds(wait)) after the 429 at "
                            + "\(Messages.clock(findings.date(of: refusal.time))), with no consultation archived "
                            + "in between; the client must wait at least 60 s.",
                        [refusal, fact.entry])
                }
            }
            refusals[client] = fact.entry
        default: return
        }
    }
}

extension RequestFact {
    /// Whether the server refused the request because of too many active consultations; a quota's 429 does not count.
    fileprivate var isAtLimit: Bool {
        // If the journal dropped the response, the reason for the refusal is unknown.
        guard isAnswered, status == 429, !exchange.responseBody.isCut else { return false }
        guard let code = answer?["error"]?["code"]?.string else { return !isFaulted }
        return code == ErrorCode.tooManyActiveConsultations.rawValue
    }
}

struct HistoryBeforeConnect: ObligationJudge {
    static let obligation = Obligation(
        id: "consultation/history-before-connect", level: .should,
        origin: .guides([.consultationWebSocket, .enhancedConsultations]),
        place: "startConsultation (consultation-websocket); chat view, .task (enhanced-consultations)",
        clause: "The client fetches a consultation's messages before it opens the consultation's first socket.",
        tolerance:
            "A failed fetch satisfies the obligation. A socket without chat messages needs no fetch. If the journal "
            + "has dropped its oldest entries, the judge considers only consultations that appear in the remaining "
            + "answers.",
        advice: "Await GET /api/v1/consultations/{id}/messages and show the result, then open the socket, as the "
            + "guide's startConsultation does in three steps.")

    /// When each client first finished fetching each history.
    private var fetched = Recent<Owned, Timestamp>()
    private var opened = Recent<Owned, Bool>()
    /// The number of the first entry; if it is above 1, the client may have fetched the history earlier.
    private var firstNumber: Int?
    /// The consultations shown since the first entry, if earlier entries are missing.
    private var shown = Recent<Owned, Bool>()
    /// First sockets whose history was not fetched, until the client sends a message on them.
    private var hasty = Recent<UInt64, JournalEntry>()

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        firstNumber = firstNumber ?? fact.entry.number
        switch fact.kind {
        case .request(let request):
            note(request)
            guard request.restEndpoint == .listMessages, let client = request.client, let id = request.pathID else {
                return
            }
            // The attempt alone is enough, because upper-case IDs get 404, and `ids/lowercase` judges them.
            let key = Owned(client: client, id: id.asciiLowercased())
            if fetched[key] == nil { fetched[key] = request.answeredAt }
        case .opened(let opening):
            // If the user is unknown, the history cannot be attributed to a client.
            guard let user = opening.user, !opening.isOfMeals else { return }
            let key = Owned(client: user, id: opening.consultation.asciiLowercased())
            guard opened[key] == nil else { return }
            opened[key] = true
            if let time = fetched[key], time <= opening.requestedAt {
                findings.exercised()
            } else if firstNumber == 1 || shown[key] != nil {
                hasty[fact.connection] = fact.entry
            }
        case .frame(let frame):
            guard frame.isChatMessage, let entry = hasty[fact.connection] else { return }
            hasty[fact.connection] = nil
            findings.exercised()
            let id = scene.sockets[fact.connection]?.consultation ?? ""
            let message = Messages.noHistory(of: id.text, openedAt: findings.date(of: entry.time))
            findings.found(message, [entry, fact.entry])
        case .closed: hasty[fact.connection] = nil
        case .fault, .other: return
        }
    }

    private mutating func note(_ request: RequestFact) {
        guard firstNumber != 1, let client = request.client else { return }
        for id in request.shownConsultations.map(\.id) + [request.shownLink?.conversation].compactMap(\.self) {
            shown[Owned(client: client, id: id)] = true
        }
    }
}
