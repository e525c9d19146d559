import FitIQAPI
import JSON
import Traffic

struct ConflictContinuesExisting: ObligationJudge {
    static let obligation = Obligation(
        id: "consultation/conflict-continues-existing", level: .must, origin: .guides([.consultationWebSocket]),
        place: "HTTP errors",
        clause: "After 409 the existing consultation is used before the same create is sent again.",
        tolerance: "Any request or socket that names the existing id uses it; a 409 that names no id requires nothing. "
            + "Equal creates that are under way at the same time cannot be told from repeats.",
        advice: "Decode error.details.existing_consultation_id from the 409's body and go on with that id, as "
            + "getOrCreateConsultation does in the guide.",
        swiftAdvice: "Decode the consultation's dates with .iso8601, or the next step fails.",
        scenarios: ["conflict"])

    /// Persona and context determine whether two creates are equal.
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
    /// The creates that await the use of a consultation.
    private var waiting = Recent<Owned, Create>()

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        switch fact.kind {
        case .opened(let opening): use(opening.consultation, by: opening.user)
        case .request(let request):
            guard let client = request.client else { return }
            if let id = request.pathID { use(id, by: client) }
            if request.restEndpoint == .deleteUser {
                for conflict in conflicts.values { use(conflict.existing, by: client) }
            }
            if request.endpoint == .updateGoal, let id = request.body?["conversationId"]?.exactString {
                use(id, by: client)
            }
            if request.restEndpoint == .createConsultation {
                judge(request, of: client, in: scene.mode, &findings)
            }
        case .frame, .closed, .fault, .other: return
        }
    }

    private mutating func use(_ id: ExactString, by client: ExactString) {
        // Upper case is judged by `ids/lowercase`.
        let key = Owned(client: client, id: id.asciiLowercased())
        guard let create = waiting[key] else { return }
        conflicts[create] = nil
        waiting[key] = nil
    }

    private mutating func judge(
        _ request: RequestFact, of client: ExactString, in mode: GuideMode, _ findings: inout Findings
    ) {
        let form = mode.form(of: .createConsultation)
        guard let asked = try? CreateConsultationRequest(body: request.exchange.body.bytes, in: form) else { return }
        let create = Create(
            client: client, persona: asked.persona.rawValue, context: asked.context.type, contextID: asked.context.id)
        if let conflict = conflicts[create], request.requestedAt >= conflict.entry.time {
            findings.found(
                RESTMessages.createdAgain(
                    existing: conflict.existing.text, conflictAt: conflict.entry.time,
                    after: request.requestedAt.lag(behind: conflict.entry.time)), [conflict.entry, request.entry])
        }
        guard request.isAnswered, request.status == 409,
            let id = request.answer?["error"]?["details"]?["existing_consultation_id"]?.exactString
        else { return }
        findings.exercised()
        conflicts[create] = Conflict(entry: request.entry, existing: id)
        waiting[Owned(client: client, id: id)] = create
    }
}
