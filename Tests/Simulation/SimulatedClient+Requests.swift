import FitIQAPI
import FitIQBackend
import TestSupport

extension SimulatedClient {
    var draw: Draw {
        _read { yield simulator.draw }
        _modify { yield &simulator.draw }
    }

    func note(_ operation: Operation) { simulator.note(operation, by: number) }

    /// Sends a request and expects the outcome that the rules require.
    func request(_ target: Target) {
        let foreigner = simulator.foreigner(to: world)
        var credentials = number == 0 || target.account != nil ? .good : drawCredentials()
        if credentials == .foreignWorld, foreigner == nil { credentials = .none }
        // Not every guide requires the key.
        if credentials == .good, world.mode == .union, number > 0, target.account == nil,
            target.endpoint?.credentials == .token || draw.once(in: 64), draw.once(in: 2)
        {
            credentials = .noKey
        }
        let traced = simulator.noteRequest(.request(target, credentials), by: number)
        let expectation = simulator.expectation(of: target, by: user, credentials: credentials, traced: traced)
        let fields = target.account?.fields ?? user.fields(credentials, foreigner: foreigner)
        if case .resetWorld(let id) = target { simulator.noteReset(of: id) }
        send(RequestWriter.bytes(of: target, in: world, fields: fields), expectation)
    }

    /// Sends a request without judging the answer, because there is no telling when the request will be served.
    func requestUnjudged(_ target: Target) {
        let traced = simulator.noteRequest(.request(target, .good), by: number)
        let fields = user.fields(.good, foreigner: nil)
        send(RequestWriter.bytes(of: target, in: world, fields: fields), Expectation(traceNumber: traced))
    }

    func drawCredentials() -> Credentials {
        draw.once(in: 16) ? Credentials(rawValue: 1 + draw.below(4)) ?? .none : .good
    }

    func drawReading() -> Target {
        switch draw.below(9) {
        case 0: .listConsultations(page: 1 + draw.below(3), size: 1 + draw.below(8))
        case 1, 2: .show(drawConsultation(activeOnly: false))
        case 3, 4: .messages(drawConsultation(activeOnly: false), page: draw.once(in: 3) ? 1 : nil)
        case 5: .listGoals
        case 6: .showGoal(drawGoal())
        case 7: draw.once(in: 3) ? .listMeals : .showMeal(drawMeal())
        default: .health
        }
    }

    func drawTarget() -> Target {
        if world.isManual, draw.once(in: 4) {
            let milliseconds = draw.once(in: 30) ? 80_000 : draw.below(2500)
            return .advanceClock(world.id, milliseconds: milliseconds)
        }
        switch draw.place(in: [26, 8, 10, 3, 5, 5, 8, 6, 4, 1, 1, 5, 40]) {
        case 0: return drawCreate()
        case 1: return .archive(drawConsultation(activeOnly: draw.below(3) > 0))
        case 2: return drawReading()
        case 3: return .createGoal
        case 4: return .chatAboutGoal(drawGoal())
        case 5: return drawUpdate()
        case 6: return .createMeal(draw.below(Texts.meals.count))
        case 7: return drawReading()
        case 8 where draw.once(in: 2):
            guard let foreigner = simulator.foreigner(to: world) else { return .unknownWorld }
            return .elsewhere(foreigner.world.id)
        case 8: return draw.element(of: [.badBody, .wrongMethod, .unknownPath, .unknownWorld])
        case 9: return .quickActions
        case 11: return drawDeletion()
        case 12: return drawAppTarget()
        default: return drawAdmin()
        }
    }

    private func drawDeletion() -> Target {
        switch draw.below(12) {
        case 0, 1: return .deleteGoal(drawGoal())
        case 2, 3: return .deleteMeal(drawMeal())
        case 4 where draw.once(in: 2): return .deleteUser
        case 5...6 where hasAccounts: return .register(address: draw.below(3))
        case 7...8 where hasAccounts && !world.accounts.isEmpty:
            return .showAccount(draw.element(of: world.accounts))
        case 9 where hasAccounts && !world.accounts.isEmpty:
            return .deleteAccount(draw.element(of: world.accounts))
        default: return .deleteConsultation(drawConsultation(activeOnly: draw.once(in: 2)))
        }
    }

    /// Whether to register accounts: this is fast only in the default world, where password hashing is cheap.
    var hasAccounts: Bool { world.id == nil && world.mode == .union }

    private func drawAdmin() -> Target {
        switch draw.below(12) {
        case 0: .deleteWorld(world.id ?? "w999")
        case 1: .resetWorld(world.id ?? "w999")
        default: .listWorlds
        }
    }

    private func drawCreate() -> Target {
        let persona = draw.element(of: Persona.allCases)
        let type = draw.element(of: ContextType.allCases)
        switch type {
        case .general: return .create(persona, type, nil)
        case .goal: return .create(persona, type, draw.once(in: 6) ? nil : drawGoal())
        case .insight, .mood, .journal:
            return .create(persona, type, draw.once(in: 2) ? "item-\(draw.below(2))" : nil)
        }
    }

    private func drawUpdate() -> Target {
        let conversation: UpdateGoalRequest.Conversation =
            switch draw.below(4) {
            case 0: .unlink
            case 1: .keep
            default: .link(drawConsultation(activeOnly: draw.below(3) > 0))
            }
        return .updateGoal(drawGoal(), conversation, progress: draw.below(101))
    }

    // MARK: Ids

    /// The owner of the next id: usually the client's user, sometimes another user or a user in another world.
    func drawOwner() -> SimulatedUser {
        switch draw.below(24) {
        case 0: draw.element(of: world.users)
        case 1: simulator.foreigner(to: world) ?? user
        default: user
        }
    }

    /// A consultation's id, usually a recent one.
    func drawConsultation(activeOnly: Bool) -> String {
        let owner = drawOwner()
        let recent = draw.below(8)
        var attempts = 0
        let id = simulator.engine.inspectBackend(ofWorld: owner.world.id) { backend -> ResourceID? in
            let ids = backend.consultationIDs(of: owner.subject)
            guard !ids.isEmpty else { return nil }
            var number = max(0, ids.count - 1 - recent)
            while activeOnly, attempts < 12, backend.consultationFacts(ids[number])?.consultation.isActive == false {
                attempts += 1
                number = (number + 1) % ids.count
            }
            return ids[number]
        }
        return text(of: id ?? nil)
    }

    /// A goal's id, usually an old one.
    func drawGoal() -> String { drawID(4, among: { $0.goalIDs(of: $1).reversed() }) }
    func drawMeal() -> String { drawID(6, among: { $0.mealLogIDs(of: $1) }) }

    /// The id of one of a user's entities, usually one of this many recent ones.
    func drawID(_ count: Int = 3, among list: (Backend, String) -> [ResourceID]) -> String {
        let owner = drawOwner()
        let place = draw.below(count)
        let id = simulator.engine.inspectBackend(ofWorld: owner.world.id) { backend -> ResourceID? in
            let ids = list(backend, owner.subject)
            return ids.isEmpty ? nil : ids[max(0, ids.count - 1 - place)]
        }
        return text(of: id ?? nil)
    }

    func text(of id: ResourceID?) -> String {
        if !world.deleted.isEmpty, draw.once(in: 20) { return draw.element(of: world.deleted).description }
        guard let id else { return "00000000-0000-4000-8000-000000000000" }
        return draw.once(in: 30) ? id.description.uppercased() : id.description
    }
}
