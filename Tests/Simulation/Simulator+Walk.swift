import FitIQAPI
import FitIQBackend
import JSON

/// Before a run ends, reads all lists page by page and tries unknown ids on every path.
extension Simulator {
    func walkLists() {
        for world in worlds where world.mode == .union && world.checks == .all {
            for user in world.users where failure == nil {
                connected(as: user) { client in
                    guard client.isConnected, !client.isUncertain else { return }
                    for (endpoint, ids) in lists(of: user) where failure == nil {
                        walk(AppRequest(endpoint: endpoint, ids: ids), by: client)
                    }
                    tryStrayIDs(by: client)
                }
            }
        }
    }

    /// A user's lists, with the ids in their paths.
    private func lists(of user: SimulatedUser) -> [(Endpoint, [String])] {
        let chats = engine.inspectBackend(ofWorld: user.world.id) { $0.consultationIDs(of: user.subject) } ?? []
        let documents = Endpoint.allCases.filter {
            $0.documents != nil && $0.parameters.contains("limit") && $0 != .searchJournal
        }
        // Metrics are listed without totals.
        return [(.listConsultations, []), (.listGoals, []), (.listMealLogs, [])]
            + chats.suffix(2).map { (.listMessages, [$0.description]) }
            + documents.filter { $0.documents != .profileMetrics }.map { ($0, []) }
    }

    /// Reads a list by offsets and by page numbers, and checks that both show each item once and match the total.
    private func walk(_ request: AppRequest, by client: SimulatedClient) {
        let world = client.world
        func pages(isOffset: Bool) -> [String] {
            var request = request
            var found: [String] = []
            var total: Int?
            let size = 3
            while failure == nil {
                let start = isOffset ? found.count : found.count / size + 1
                request.part = ListPart(isOffset: isOffset, start: start, size: size)
                guard let data = ask(.app(request), by: client)?["data"] else {
                    client.fail("\(request) got no answer")
                    break
                }
                var items: [JSONValue] = []
                for (_, value) in data.object ?? JSONObject() { items = value.array ?? items }
                found += items.compactMap { ($0["id"] ?? $0["template_id"])?.string }
                let told = data["total_count"]?.int
                if let total, told != total { client.fail("\(request): the total changes from \(total)") }
                total = told
                if data["has_more"]?.bool != true || items.isEmpty { break }
            }
            if failure == nil, total != found.count || Set(found.map { ExactString($0) }).count != found.count {
                client.fail("\(request): the total is \(total ?? -1), the pages show \(found.count): \(found)")
            }
            return found
        }
        let found = pages(isOffset: true)
        let deleted = Set(world.deleted)
        for id in found.compactMap({ ResourceID($0) }) where deleted.contains(id) {
            client.fail("\(request): \(id) was deleted, and is listed")
        }
        guard request.endpoint.documents == nil, failure == nil else { return }
        let other = pages(isOffset: false)
        if failure == nil, found != other { client.fail("\(request): offsets show \(found), numbers show \(other)") }
    }

    /// Checks that deleted ids and other users' ids are unknown on every path.
    private func tryStrayIDs(by client: SimulatedClient) {
        let (world, subject) = (client.world, client.user.subject)
        let foreign = world.ownedIDs.filter { world.owners[$0] != ExactString(subject) }
        // Try some of each kind; for other users' entities, try the oldest and the newest.
        let stray = world.deleted.suffix(3) + foreign.prefix(2) + foreign.suffix(2)
        for endpoint in Endpoint.allCases where endpoint.template.contains("{") {
            for id in stray where failure == nil {
                // Shared templates can be shown and copied, but not changed.
                if endpoint.documents == .workoutTemplates, isReadable(id, by: subject, in: world) { continue }
                _ = ask(.stray(endpoint, id.description), by: client)
            }
        }
    }

    // MARK: Controlled clients

    /// Sends an admin API request on its own connection.
    func operate(_ target: Target) { connected(as: defaultWorld.users[0]) { client in _ = ask(target, by: client) } }

    /// Passes the body a separate client, which performs no actions on its own.
    func connected(as user: SimulatedUser, _ body: (SimulatedClient) -> Void) {
        let client = SimulatedClient(number: 0, user: user, operations: 0, simulator: self)
        client.connect()
        body(client)
        client.wire?.vanish()
        catchUp()
    }

    func ask(_ target: Target, by client: SimulatedClient) -> JSONValue? {
        lastAnswer = nil
        client.request(target)
        catchUp()
        client.checkAnswers()
        return lastAnswer
    }
}
