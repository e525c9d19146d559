import FitIQAPI
import FitIQBackend
import JSON

/// Compares the server's state with the ids and tokens that clients received, deleted and revoked.
extension Simulator {
    private static let namesOfIDs: Set<ExactString> = [
        "id", "session_id", "conversationId", "consultation_id", "goal_id", "goalId", "message_id", "meal_log_id",
        "template_id",
    ]

    /// Records the ids in an answer to a user; the first user who receives an entity's id created the entity.
    func noteIDs(in value: JSONValue, toldTo subject: String, of client: SimulatedClient) {
        let world = client.world
        // A late answer may come from a world that was reset in the meantime.
        guard world.resetCount == 0 || client.checks.contains(.promptness) else { return }
        let name = ExactString(subject)
        for id in Simulator.ids(in: value) {
            guard let owner = world.owners[id] else {
                world.owners[id] = name
                world.ownedIDs.append(id)
                continue
            }
            if owner != name, !isReadable(id, by: subject, in: world) {
                client.fail("\(id) of \(owner) was told to \(subject)")
            }
        }
    }

    private static func ids(in value: JSONValue) -> [ResourceID] {
        if let array = value.array { return array.flatMap { ids(in: $0) } }
        return value.object?.flatMap { name, value in
            guard let text = value.string else { return ids(in: value) }
            return namesOfIDs.contains(ExactString(name)) ? ResourceID(text).map { [$0] } ?? [] : []
        } ?? []
    }

    /// Whether the id belongs to a public template, a template shared with the user, or an exercise of such a template.
    func isReadable(_ id: ResourceID, by subject: String, in world: SimulatedWorld) -> Bool {
        engine.inspectBackend(ofWorld: world.id) { backend in
            backend.templates(publicOrSharedWith: subject, isPublic: true, isShared: true).contains { template in
                template.id == id
                    || template.object["exercises"]?.array?.contains { $0["id"] == .string(id.description) } == true
            }
        } ?? false
    }

    /// Checks that deleted entities do not exist and appear in no list.
    func checkDeleted(in world: SimulatedWorld) {
        let deleted = Set(world.deleted)
        let left = engine.inspectBackend(ofWorld: world.id) { backend in
            let listed = backend.users.flatMap { backend.ids(of: $0.id.text) }.filter { deleted.contains($0) }
            return listed
                + world.deleted.filter { id in
                    backend.consultationFacts(id) != nil || backend.inspectGoal(id) != nil || backend.hasMealLog(id)
                }
        }
        for id in left ?? [] { fail("\(id) was deleted, and exists", in: world) }
    }

    /// Checks that refresh tokens are invalid if they were used or revoked, or if their account was deleted, and valid
    /// otherwise.
    func checkTokens(in world: SimulatedWorld) {
        guard !world.tickets.isEmpty, let now = engine.inspectWorld(world.id)?.now else { return }
        _ = engine.inspectBackend(ofWorld: world.id) { backend in
            for subject in world.deadAccounts where backend.hasUser(subject.text) {
                fail("\(subject) was deleted, and exists", in: world)
            }
            for ticket in world.tickets {
                let works = backend.ticketIDs(of: ticket.subject).contains(ticket.id)
                if works, ticket.isSpent { fail("the refresh token \(ticket.id) is spent, and works", in: world) }
                if !works, !ticket.isSpent, now < ticket.expiresAt, world.checks == .all {
                    fail("the refresh token \(ticket.id) does not work", in: world)
                }
            }
        }
    }

    /// Checks that a user has at most one open meal socket from the clients' point of view; another check counts the
    /// server's list.
    func checkMealSockets(in world: SimulatedWorld) {
        for user in world.users {
            let heard = clients.count { $0.user === user && $0.isListening && $0.socket?.place == .meals }
            if heard > 1 { fail("\(user.subject) hears \(heard) meal sockets", in: world) }
        }
    }
}
