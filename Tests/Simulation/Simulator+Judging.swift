import FitIQAPI
import FitIQBackend
import JSON

/// Compares responses with what was expected.
extension Simulator {
    func judge(_ expectation: Expectation, status: Int, body: [UInt8], for client: SimulatedClient) {
        // A response that a scenario put in another's place says what the scenario likes.
        guard client.checks.contains(.statuses) else { return }
        let world = client.world
        var value: JSONValue?
        if !body.isEmpty {
            value = try? JSON.parse(body)
            if value == nil { return client.fail("the body of a \(status) is no JSON: \(Simulator.excerpt(body))") }
        } else if status != 204, status != 101 {
            return client.fail("a \(status) has no body")
        }
        if let expected = expectation.status, expected != status {
            return client.fail("\(status) came where \(expected) is due: \(Simulator.excerpt(body))")
        }
        if expectation.status == nil, status >= 500, status != 507 {
            return client.fail("\(status) came: \(Simulator.excerpt(body))")
        }
        if status >= 400, value?["error"]?["message"]?.string?.isEmpty != false {
            return client.fail("a \(status) does not say why: \(Simulator.excerpt(body))")
        }
        if status == 204 { forgetWorlds() }
        if status == 204, let what = violation(of: expectation.body, world) { return client.fail(what) }
        guard let value, let what = violation(of: expectation.body, in: value, world) else { return }
        client.fail("\(what): \(Simulator.excerpt(body))")
    }

    private func violation(of check: BodyCheck, in value: JSONValue, _ world: SimulatedWorld) -> String? {
        switch check {
        case .none, .refusal, .deleted, .deletedUser: return nil
        case .account(let address):
            guard let id = value["data"]?["user_id"]?.string, !world.accounts.contains(where: { $0.subject == id })
            else { return "no new user came" }
            world.adopt(account: id, address: address)
            return nil
        case .entity(let id):
            return value["data"]?["id"]?.string == id.description ? nil : "the answer is not about \(id)"
        case .new(let entity):
            guard let id = value["data"]?["id"]?.string.flatMap({ ResourceID($0) }) else { return "no id came" }
            let places = worlds.filter { exists(entity, id, in: $0) }
            guard places.count == 1, places[0] === world else {
                return "\(id) exists in \(places.map(\.name)), and was made in \(world.name)"
            }
            return nil
        case .conflict(let id):
            let existing = value["error"]?["details"]?["existing_consultation_id"]?.string
            return existing == id.description ? nil : "the conflict is not with \(id)"
        case .conversation(let id):
            guard let told = value["conversationId"]?.string else { return "no conversation came" }
            return id == nil || told == id?.description ? nil : "the conversation is not \(id?.description ?? "")"
        case .page(let name, let total, let count):
            let told = value["data"]?["pagination"]?["total_count"]?.int
            guard told == total else { return "total_count is \(told ?? -1), there are \(total)" }
            let items = value["data"]?[name]?.array?.count
            return items == count ? nil : "\(items ?? -1) \(name) came, \(count) are due"
        case .list(let name, let total):
            let told = value["data"]?["total_count"]?.int
            guard told == total else { return "total_count is \(told ?? -1), there are \(total)" }
            let items = value["data"]?[name]?.array?.count
            return items == min(total, 100) || (name == "goals" && items == total) ? nil : "\(items ?? -1) \(name) came"
        case .archived(let id):
            let isActive = engine.inspectBackend(ofWorld: world.id) {
                $0.consultationFacts(id)?.consultation.isActive
            }
            return isActive == .some(.some(false)) ? nil : "\(id) is not archived"
        case .linked(let goal, let conversation, let former):
            let linked = engine.inspectBackend(ofWorld: world.id) { $0.inspectGoal(goal)?.conversationID }
            guard linked == .some(conversation) else { return "\(goal) is not linked with \(conversation as Any)" }
            guard let former else { return nil }
            let named = engine.inspectBackend(ofWorld: world.id) { $0.consultationFacts(former)?.consultation.goalID }
            return named == .some(goal) ? "\(former) still names \(goal)" : nil
        }
    }

    /// What is wrong after a deletion.
    private func violation(of check: BodyCheck, _ world: SimulatedWorld) -> String? {
        switch check {
        case .deleted(let entity, let id):
            world.deleted.append(id)
            return exists(entity, id, in: world) ? "\(id) was deleted, and exists" : nil
        case .deletedUser(let id):
            let hasAnything = engine.inspectBackend(ofWorld: world.id) { backend in
                !(backend.consultationIDs(of: id) + backend.goalIDs(of: id) + backend.mealLogIDs(of: id)).isEmpty
            }
            return hasAnything == true ? "\(id) was deleted, and has something" : nil
        default: return nil
        }
    }

    /// What was deleted is not there, nor in a list.
    func checkDeleted(in world: SimulatedWorld) {
        for id in world.deleted {
            for entity in [BodyCheck.Entity.consultation, .goal, .mealLog] where exists(entity, id, in: world) {
                fail("\(id) was deleted, and exists", in: world)
            }
        }
        let listed = engine.inspectBackend(ofWorld: world.id) { backend in
            world.users.flatMap { user in
                backend.consultationIDs(of: user.subject) + backend.goalIDs(of: user.subject)
                    + backend.mealLogIDs(of: user.subject)
            }
        }
        for id in Set(listed ?? []).intersection(world.deleted) { fail("\(id) was deleted, and is listed", in: world) }
    }

    private func exists(_ entity: BodyCheck.Entity, _ id: ResourceID, in world: SimulatedWorld) -> Bool {
        engine.inspectBackend(ofWorld: world.id) { backend in
            switch entity {
            case .consultation: backend.consultationFacts(id) != nil
            case .goal: backend.inspectGoal(id) != nil
            case .mealLog: backend.hasMealLog(id)
            }
        } ?? false
    }

    private static func excerpt(_ body: [UInt8]) -> String {
        String(decoding: body.prefix(300), as: UTF8.self)
    }
}
