import FitIQAPI
import FitIQBackend
import JSON

extension Simulator {
    func judge(_ expectation: Expectation, status: Int, body: [UInt8], for client: SimulatedClient) {
        // A response that a scenario replaces cannot be predicted.
        guard client.checks.contains(.statuses) else { return }
        let world = client.world
        var value: JSONValue?
        if !body.isEmpty {
            value = try? JSON.parse(body)
            if value == nil { return client.fail("the body of a \(status) is no JSON: \(Simulator.excerpt(body))") }
        } else if status != 204, status != 101 {
            return client.fail("a \(status) has no body")
        }
        if client.number == 0 { lastAnswer = value }
        if let expected = expectation.status, expected != status {
            return client.fail("\(status) came where \(expected) is due: \(Simulator.excerpt(body))")
        }
        if expectation.status == nil, status >= 500, status != 507 {
            return client.fail("\(status) came: \(Simulator.excerpt(body))")
        }
        if status >= 400, value?["error"]?["message"]?.string?.isEmpty != false {
            return client.fail("a \(status) does not say why: \(Simulator.excerpt(body))")
        }
        if status < 300, let subject = expectation.subject, let value {
            noteIDs(in: value, toldTo: subject, of: client)
        }
        if status == 204 { forgetWorlds() }
        if status == 204, let what = violation(of: expectation.body, world) { return client.fail(what) }
        guard let value, let what = violation(of: expectation.body, in: value, world) else { return }
        client.fail("\(what): \(Simulator.excerpt(body))")
    }

    private func violation(of check: BodyCheck, in value: JSONValue, _ world: SimulatedWorld) -> String? {
        switch check {
        case .none, .refusal, .deleted, .deletedUser, .loggedOut: return nil
        case .revoked:
            let message = value["error"]?["message"]?.string ?? ""
            return message.contains("revoked") ? nil : "the refresh token was revoked, and the answer does not say so"
        case .tokens(let spent):
            if spent != nil, value["refresh_token"] != value["data"]?["refresh_token"] {
                return "the tokens are not at the top as well"
            }
            return world.adoptTokens(
                of: value["data"], replacing: spent, limit: limits.refreshTokens, at: now(in: world))
        case .account(let address):
            guard let id = value["data"]?["user_id"]?.string, !world.accounts.contains(where: { $0.subject == id })
            else { return "no new user came" }
            world.adopt(account: id, address: address)
            return world.adoptTokens(of: value["data"], replacing: nil, limit: limits.refreshTokens, at: now(in: world))
        case .about(let goal):
            return value["data"]?["goal_id"]?.string == goal.description ? nil : "the answer is not about \(goal)"
        case .part(let name, let page, let total): return violation(ofPart: name, page, total: total, in: value["data"])
        case .counted(let name, let range):
            let count = value["data"]?[name]?.array?.count
            guard let count, range.contains(count) else { return "\(count ?? -1) \(name) came" }
            return value["data"]?["count"]?.int == count ? nil : "count is not \(count)"
        case .batch(let name, let entity, let count):
            let items = value["data"]?[name]?.array ?? []
            guard items.count == count, value["data"]?["count"]?.int == count
            else { return "not \(count) \(name) came" }
            for item in items {
                if let what = violation(ofNew: entity, item["id"]?.string, world) { return what }
            }
            return nil
        case .figure(let name, let number):
            let told = name.split(separator: ".").reduce(value["data"]) { $0?[String($1)] }?.int
            return told == number ? nil : "\(name) is \(told ?? -1), \(number) is right"
        case .texts(let members):
            for (name, text) in members where value["data"]?[name]?.string != text {
                return "\(name) is \(value["data"]?[name]?.string ?? "missing"), \(text) is right"
            }
            return nil
        case .answered(let isAtOnce):
            let answer = value["data"]?["assistant_message"]
            guard value["data"]?["user_message"]?["id"]?.string != nil else { return "no question came" }
            return (answer?["content"]?.string != nil) == isAtOnce ? nil : "an answer came, or it did not, wrongly"
        case .confirmed(let photo):
            let log = value["data"]?["id"]?.string
            let shown = engine.inspectBackend(ofWorld: world.id) { $0.photo(photo)?.mealLogID?.description }
            if shown != .some(log) { return "\(photo) was confirmed, and does not name \(log ?? "a log")" }
            return violation(ofNew: .mealLog, log, world)
        case .manual(let calories):
            let data = value["data"]
            guard data?["status"] == "manual", data?["total_calories"]?.int == calories
            else { return "no manual log of \(calories) calories came" }
            return violation(ofNew: .mealLog, data?["id"]?.string, world)
        case .entity(let id):
            return value["data"]?["id"]?.string == id.description ? nil : "the answer is not about \(id)"
        case .new(let entity):
            let data = value["data"]
            let id = data?["id"] ?? data?["session_id"] ?? data?["new_template"]?["id"]
            return violation(ofNew: entity, id?.string, world)
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
            let isActive = engine.inspectBackend(ofWorld: world.id) { $0.consultationFacts(id)?.consultation.isActive }
            return isActive == .some(.some(false)) ? nil : "\(id) is not archived"
        case .linked(let goal, let conversation, let former):
            let linked = engine.inspectBackend(ofWorld: world.id) { $0.inspectGoal(goal)?.conversationID }
            guard linked == .some(conversation) else { return "\(goal) is not linked with \(conversation as Any)" }
            guard let former else { return nil }
            let named = engine.inspectBackend(ofWorld: world.id) { $0.consultationFacts(former)?.consultation.goalID }
            return named == .some(goal) ? "\(former) still names \(goal)" : nil
        }
    }

    private func violation(ofNew entity: BodyCheck.Entity, _ text: String?, _ world: SimulatedWorld) -> String? {
        guard let id = text.flatMap({ ResourceID($0) }) else { return "no id came" }
        let places = worlds.filter { exists(entity, id, in: $0) }
        guard places.count == 1, places[0] === world
        else { return "\(id) exists in \(places.map(\.name)), and was made in \(world.name)" }
        return world.deleted.contains(id) ? "\(id) was deleted, and is made again" : nil
    }

    private func violation(ofPart name: String?, _ page: Page, total: Int, in data: JSONValue?) -> String? {
        guard let name else {
            let (count, due) = (data?.array?.count, page.range(of: total).count)
            return count == due ? nil : "\(count ?? -1) came, \(due) are due"
        }
        let told = data?["total_count"]?.int
        guard told == total, data?["total"]?.int == total
        else { return "total_count is \(told ?? -1), there are \(total)" }
        let (items, range) = (data?[name]?.array?.count, page.range(of: total))
        guard items == range.count else { return "\(items ?? -1) \(name) came, \(range.count) are due" }
        guard data?["offset"]?.int == page.offset else { return "offset is not \(page.offset)" }
        return data?["has_more"]?.bool == (range.upperBound < total) ? nil : "has_more is wrong"
    }

    private func violation(of check: BodyCheck, _ world: SimulatedWorld) -> String? {
        switch check {
        case .deleted(let entity, let id):
            world.deleted.append(id)
            return exists(entity, id, in: world) ? "\(id) was deleted, and exists" : nil
        case .deletedUser(let subject, let ids):
            world.deleted += ids
            world.bury(subject)
            let rest = engine.inspectBackend(ofWorld: world.id) { $0.ids(of: subject) }
            return rest?.isEmpty == false ? "\(subject) was deleted, and has something" : nil
        case .loggedOut(let ticket):
            ticket.isSpent = true
            return nil
        default: return nil
        }
    }

    func exists(_ entity: BodyCheck.Entity, _ id: ResourceID, in world: SimulatedWorld) -> Bool {
        engine.inspectBackend(ofWorld: world.id) { backend in
            switch entity {
            case .consultation: backend.consultationFacts(id) != nil
            case .goal: backend.inspectGoal(id) != nil
            case .mealLog: backend.hasMealLog(id)
            case .photo: backend.hasPhoto(id)
            case .document(let collection): backend.hasDocument(id, in: collection)
            }
        } ?? false
    }

    private static func excerpt(_ body: [UInt8]) -> String { String(decoding: body.prefix(300), as: UTF8.self) }
}
