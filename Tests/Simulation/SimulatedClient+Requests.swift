import FitIQAPI
import FitIQBackend
import TestSupport

/// The requests that clients send.
extension SimulatedClient {
    /// Sends a request and expects the outcome that the rules require.
    func request(_ target: Target) {
        let foreigner = simulator.foreigner(to: world)
        var credentials = number == 0 || target.account != nil ? .good : drawCredentials()
        if credentials == .foreignWorld, foreigner == nil { credentials = .none }
        // Not every guide requires the key.
        if credentials == .good, world.mode == .union, number > 0, target.account == nil,
            target.endpoint?.credentials == .token || simulator.draw.once(in: 64), simulator.draw.once(in: 2)
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
        simulator.draw.once(in: 16) ? Credentials(rawValue: 1 + simulator.draw.below(4)) ?? .none : .good
    }

    /// A random request that changes nothing.
    func drawReading() -> Target {
        switch simulator.draw.below(9) {
        case 0: .listConsultations(page: 1 + simulator.draw.below(3), size: 1 + simulator.draw.below(8))
        case 1, 2: .show(drawConsultation(activeOnly: false))
        case 3, 4: .messages(drawConsultation(activeOnly: false), page: simulator.draw.once(in: 3) ? 1 : nil)
        case 5: .listGoals
        case 6: .showGoal(drawGoal())
        case 7: simulator.draw.once(in: 3) ? .listMeals : .showMeal(drawMeal())
        default: .health
        }
    }

    func drawTarget() -> Target {
        if world.isManual, simulator.draw.once(in: 4) {
            let milliseconds = simulator.draw.once(in: 30) ? 80_000 : simulator.draw.below(2500)
            return .advanceClock(world.id, milliseconds: milliseconds)
        }
        switch simulator.draw.place(in: [26, 8, 10, 3, 5, 5, 8, 6, 4, 1, 1, 5, 40]) {
        case 0: return drawCreate()
        case 1: return .archive(drawConsultation(activeOnly: simulator.draw.below(3) > 0))
        case 2: return drawReading()
        case 3: return .createGoal
        case 4: return .chatAboutGoal(drawGoal())
        case 5: return drawUpdate()
        case 6: return .createMeal(simulator.draw.below(Texts.meals.count))
        case 7: return drawReading()
        case 8 where simulator.draw.once(in: 2):
            guard let foreigner = simulator.foreigner(to: world) else { return .unknownWorld }
            return .elsewhere(foreigner.world.id)
        case 8: return simulator.draw.element(of: [.badBody, .wrongMethod, .unknownPath, .unknownWorld])
        case 9: return .quickActions
        case 11: return drawDeletion()
        case 12: return drawAppTarget()
        default: return drawAdmin()
        }
    }

    private func drawDeletion() -> Target {
        switch simulator.draw.below(12) {
        case 0, 1: return .deleteGoal(drawGoal())
        case 2, 3: return .deleteMeal(drawMeal())
        case 4 where simulator.draw.once(in: 2): return .deleteUser
        case 5...6 where hasAccounts:
            return .register(address: simulator.draw.below(3))
        case 7...8 where hasAccounts && !world.accounts.isEmpty:
            return .showAccount(simulator.draw.element(of: world.accounts))
        case 9 where hasAccounts && !world.accounts.isEmpty:
            return .deleteAccount(simulator.draw.element(of: world.accounts))
        default: return .deleteConsultation(drawConsultation(activeOnly: simulator.draw.once(in: 2)))
        }
    }

    /// Whether to register accounts: this is fast only in the default world, where password hashing is cheap.
    var hasAccounts: Bool { world.id == nil && world.mode == .union }

    private func drawAdmin() -> Target {
        switch simulator.draw.below(12) {
        case 0: .deleteWorld(world.id ?? "w999")
        case 1: .resetWorld(world.id ?? "w999")
        default: .listWorlds
        }
    }

    private func drawCreate() -> Target {
        let persona = simulator.draw.element(of: Persona.allCases)
        let type = simulator.draw.element(of: ContextType.allCases)
        switch type {
        case .general: return .create(persona, type, nil)
        case .goal: return .create(persona, type, simulator.draw.once(in: 6) ? nil : drawGoal())
        case .insight, .mood, .journal:
            return .create(persona, type, simulator.draw.once(in: 2) ? "item-\(simulator.draw.below(2))" : nil)
        }
    }

    private func drawUpdate() -> Target {
        let conversation: UpdateGoalRequest.Conversation =
            switch simulator.draw.below(4) {
            case 0: .unlink
            case 1: .keep
            default: .link(drawConsultation(activeOnly: simulator.draw.below(3) > 0))
            }
        return .updateGoal(drawGoal(), conversation, progress: simulator.draw.below(101))
    }

    // MARK: Ids

    /// The owner of the next id: usually the client's user, sometimes another user or a user in another world.
    func drawOwner() -> SimulatedUser {
        switch simulator.draw.below(24) {
        case 0: simulator.draw.element(of: world.users)
        case 1: simulator.foreigner(to: world) ?? user
        default: user
        }
    }

    /// A consultation's id, usually a recent one.
    func drawConsultation(activeOnly: Bool) -> String {
        let owner = drawOwner()
        let recent = simulator.draw.below(8)
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

    func drawGoal() -> String {
        let owner = drawOwner()
        let place = simulator.draw.below(4)
        let id = simulator.engine.inspectBackend(ofWorld: owner.world.id) { backend -> ResourceID? in
            let ids = backend.goalIDs(of: owner.subject)
            return ids.isEmpty ? nil : ids[min(place, ids.count - 1)]
        }
        return text(of: id ?? nil)
    }

    func drawMeal() -> String {
        let owner = drawOwner()
        let place = simulator.draw.below(6)
        let id = simulator.engine.inspectBackend(ofWorld: owner.world.id) { backend -> ResourceID? in
            let ids = backend.mealLogIDs(of: owner.subject)
            return ids.isEmpty ? nil : ids[max(0, ids.count - 1 - place)]
        }
        return text(of: id ?? nil)
    }

    func text(of id: ResourceID?) -> String {
        if !world.deleted.isEmpty, simulator.draw.once(in: 20) {
            return simulator.draw.element(of: world.deleted).description
        }
        guard let id else { return "00000000-0000-4000-8000-000000000000" }
        return simulator.draw.once(in: 30) ? id.description.uppercased() : id.description
    }
}
