import FitIQAPI
import FitIQBackend
import JSON

/// Computes the answer that the rules require, from the world's state when the request is sent.
///
/// In union mode, everything is predicted; in the guides' modes, only those statuses that do not depend on a guide's
/// formats.
extension Simulator {
    func expectation(of target: Target, by user: SimulatedUser, credentials: Credentials, traced: Int) -> Expectation {
        var expectation = Expectation(traceNumber: traced)
        func expect(_ status: Int, _ body: BodyCheck = .none) {
            expectation.status = status
            if case .none = body, status >= 400 { expectation.body = .refusal } else { expectation.body = body }
        }
        let world = user.world
        let subject = target.account?.subject ?? user.subject
        expectation.endpoint = target.endpoint
        if let credentials = target.endpoint?.credentials, credentials != .key { expectation.subject = subject }
        func predict(_ target: Target) {
            let prediction = engine.inspectBackend(ofWorld: world.id) { backend in
                Rules(backend: backend, user: subject, limits: limits, now: now(in: world)).answer(to: target)
            }
            if let prediction { expect(prediction.status, prediction.body) }
        }
        switch target {
        case .makeWorld: expect(201)
        case .advanceClock(let id, _):
            expect(engine.inspectWorld(id).map { $0.isManual ? 200 : 409 } ?? 404)
            expectation.listsWhatIsDue = true
        case .resetWorld(let id): expect(engine.inspectWorld(id) == nil ? 404 : 200)
        case .deleteWorld(let id): expect(engine.inspectWorld(id) == nil ? 404 : 204)
        case .listWorlds: expect(200)
        case .unknownWorld: expect(404)
        case .elsewhere(let id):
            let mode = engine.inspectWorld(id)?.mode
            expect(mode?.serves(.listGoals) == true ? 401 : 404)
        default:
            guard engine.inspectWorld(world.id) != nil else {
                expect(404)
                return expectation
            }
            switch target {
            case .health: expect(200)
            case .unknownPath: expect(404)
            case .wrongMethod: if world.mode == .union { expect(405) }
            default:
                if let endpoint = target.endpoint, !world.mode.serves(endpoint) {
                    // A DELETE gets 405 if a guide has the path.
                    if endpoint.isOfGuides, endpoint.method != .delete { expect(404) }
                } else if target.endpoint?.credentials == .key, [.none, .noKey, .wrongKey].contains(credentials) {
                    expect(401)
                } else if let account = target.account, !world.isAlive(account, at: now(in: world)) {
                    expect(401)
                } else if target.endpoint?.credentials == .key, credentials != .good, world.mode == .union {
                    // The key is valid, and the token is ignored.
                    predict(target)
                } else if credentials != .good, credentials != .noKey || target.endpoint?.credentials != .token {
                    expect(401)
                } else if world.mode == .union {
                    predict(target)
                }
            }
        }
        return expectation
    }

    /// The expectation for a handshake; without an id, it is for the meal socket.
    func expectationOfSocket(
        on id: String?, by user: SimulatedUser, credentials: Credentials, traced: Int
    ) -> Expectation {
        var expectation = Expectation(traceNumber: traced, isUpgrade: true)
        expectation.endpoint = id == nil ? .mealSocket : .webSocket
        guard user.world.mode == .union, engine.inspectWorld(user.world.id) != nil else { return expectation }
        guard credentials == .good else {
            expectation.status = 401
            return expectation
        }
        guard let id else {
            expectation.status = 101
            return expectation
        }
        expectation.status = engine.inspectBackend(ofWorld: user.world.id) { backend in
            guard let resource = ResourceID(id), let facts = backend.consultationFacts(resource),
                facts.consultation.userID == ExactString(user.subject)
            else { return 404 }
            return facts.consultation.isActive ? 101 : 400
        }
        return expectation
    }

    /// Whether an answer is streaming in a socket's consultation.
    func isAnswering(in socket: SimulatedSocket, of world: SimulatedWorld) -> Bool {
        guard let id = socket.consultation else { return false }
        return engine.inspectBackend(ofWorld: world.id) { $0.consultationFacts(id)?.isAnswering ?? true } ?? true
    }
}

/// The contract's rules as clients know them, applied to the state of a backend.
struct Rules {
    let backend: Backend
    let user: String
    let limits: FitIQBackend.Limits
    let now: Timestamp

    typealias Answer = (status: Int, body: BodyCheck)

    func answer(to target: Target) -> Answer {
        switch target {
        case .create(let persona, let type, let id): create(persona, ConsultationContext(type, id: id.map { "\($0)" }))
        case .listConsultations(let page, let size):
            part("consultations", page, size, of: backend.consultationIDs(of: user).count)
        case .show(let id): owned(id).map { (200, .entity($0.consultation.id)) } ?? (404, .refusal)
        case .messages(let id, let page):
            owned(id).map { facts in
                let count = count(ofMessagesIn: facts)
                return part("messages", page ?? 1, page == nil ? max(1, count) : 3, of: count)
            } ?? (404, .refusal)
        case .archive(let id): owned(id).map { (200, .archived($0.consultation.id)) } ?? (404, .refusal)
        case .quickActions: (200, .none)
        case .createGoal: backend.goalIDs(of: user).count < limits.goals ? (201, .new(.goal)) : (507, .refusal)
        case .listGoals: (200, .list("goals", total: backend.goalIDs(of: user).count))
        case .showGoal(let id): goal(id).map { (200, .entity($0.id)) } ?? (404, .refusal)
        case .updateGoal(let id, let conversation, _): update(id, conversation)
        case .chatAboutGoal(let id): chat(about: id)
        case .createMeal: backend.mealLogIDs(of: user).count < limits.mealLogs ? (201, .new(.mealLog)) : (507, .refusal)
        case .listMeals: (200, .list("meal_logs", total: backend.mealLogIDs(of: user).count))
        case .showMeal(let id): mealLog(id).map { (200, .entity($0)) } ?? (404, .refusal)
        case .deleteGoal(let id): goal(id).map { (204, .deleted(.goal, $0.id)) } ?? (404, .refusal)
        case .deleteConsultation(let id):
            owned(id).map { (204, .deleted(.consultation, $0.consultation.id)) } ?? (404, .refusal)
        case .deleteMeal(let id): mealLog(id).map { (204, .deleted(.mealLog, $0)) } ?? (404, .refusal)
        case .deleteUser: (204, .deletedUser(user, had: backend.ids(of: user)))
        case .register(let address):
            backend.hasAddress(SimulatedAccount.email(address)) ? (409, .refusal) : (201, .account(address: address))
        case .showAccount(let account): backend.hasUser(account.subject) ? (200, .none) : (401, .refusal)
        case .deleteAccount(let account):
            backend.hasUser(account.subject)
                ? (204, .deletedUser(account.subject, had: backend.ids(of: account.subject))) : (401, .refusal)
        case .app(let request): answer(to: request)
        case .stray: (404, .refusal)
        case .badBody: (400, .refusal)
        case .wrongMethod, .unknownPath, .unknownWorld, .elsewhere, .health, .makeWorld, .advanceClock, .resetWorld,
            .deleteWorld, .listWorlds:
            preconditionFailure("Answered whatever a backend holds.")
        }
    }

    func create(_ persona: Persona, _ context: ConsultationContext) -> Answer {
        if context.type == .goal, let id = context.id, goal(id.text) == nil { return (404, .refusal) }
        if let existing = active(persona, context) { return (409, .conflict(existing)) }
        return activeCount < limits.activeConsultations ? (201, .new(.consultation)) : (429, .refusal)
    }

    private func chat(about id: String) -> Answer {
        guard let resource = ResourceID(id) else {
            if case .malformed = ResourceID.read(id) { return (400, .refusal) }
            return (404, .refusal)
        }
        guard let goal = goal(id) else { return (404, .refusal) }
        if let conversation = goal.conversationID { return (201, .conversation(conversation)) }
        let context = ConsultationContext(.goal, id: resource.description)
        if let existing = active(.generalWellness, context) { return (201, .conversation(existing)) }
        return activeCount < limits.activeConsultations ? (201, .conversation(nil)) : (429, .refusal)
    }

    private func update(_ id: String, _ conversation: UpdateGoalRequest.Conversation) -> Answer {
        guard let goal = goal(id) else { return (404, .refusal) }
        switch conversation {
        case .keep: return (200, .linked(goal: goal.id, goal.conversationID, former: nil))
        case .unlink: return (200, .linked(goal: goal.id, nil, former: goal.conversationID))
        case .link(let id):
            guard let facts = owned(id) else { return (404, .refusal) }
            guard facts.consultation.isActive else { return (400, .refusal) }
            let former = goal.conversationID == facts.consultation.id ? nil : goal.conversationID
            return (200, .linked(goal: goal.id, facts.consultation.id, former: former))
        }
    }

    private func part(_ name: String, _ page: Int, _ size: Int, of total: Int) -> Answer {
        (200, .page(name, total: total, count: Page(number: page, size: size).range(of: total).count))
    }

    // MARK: State

    /// The number of messages in a list, counting the answer to a waiting first question.
    func count(ofMessagesIn facts: Backend.ConsultationFacts) -> Int {
        facts.historyCount + (facts.isAnswering ? 0 : facts.waitingCount)
    }

    func owned(_ id: String) -> Backend.ConsultationFacts? {
        guard let resource = ResourceID(id), let facts = backend.consultationFacts(resource) else { return nil }
        return facts.consultation.userID == ExactString(user) ? facts : nil
    }

    func goal(_ id: String) -> Goal? {
        guard let resource = ResourceID(id), let goal = backend.inspectGoal(resource) else { return nil }
        return goal.userID == ExactString(user) ? goal : nil
    }

    func mealLog(_ id: String) -> ResourceID? {
        ResourceID(id).flatMap { backend.mealLogIDs(of: user).contains($0) ? $0 : nil }
    }

    func active(_ persona: Persona, _ context: ConsultationContext, except other: ResourceID? = nil) -> ResourceID? {
        activeConsultations.last { $0.id != other && $0.persona == persona && $0.context == context }?.id
    }

    private var activeConsultations: [Consultation] {
        backend.consultationIDs(of: user).compactMap { backend.consultationFacts($0)?.consultation }.filter(\.isActive)
    }

    var activeCount: Int { activeConsultations.count }
}
