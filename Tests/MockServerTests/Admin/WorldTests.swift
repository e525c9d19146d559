import JSON
import Scenarios
import TestSupport
import Testing

@testable import MockServer

@Suite("Admin API: worlds") struct WorldTests {
    private let network = VirtualNetwork()

    @Test("The values in a new world's request override the scenario's and the server's values")
    func made() throws {
        let network = VirtualNetwork {
            $0.seed = 5
            $0.mode = .goalLinking
        }
        func facts(_ json: String) throws -> [String?] {
            let body = try network.admin(.post, "worlds", json).json
            return ["scenario", "seed", "guide", "clock", "now"].map { body?[$0]?.string }
        }
        let now = "2025-01-29T10:30:00Z"
        let written = #"{"name": "a", "guide": "union", "seed": 3, "clock": "manual"}"#
        let rows: KeyValuePairs<String, [String]> = [
            "{}": ["default", "5", "goal-linking", "real", now],
            #"{"seed": 7}"#: ["default", "7", "goal-linking", "real", now],
            #"{"seed": "18446744073709551615"}"#: ["default", "18446744073709551615", "goal-linking", "real", now],
            #"{"guide": "union"}"#: ["default", "5", "union", "real", now],
            #"{"clock": "manual"}"#: ["default", "5", "goal-linking", "manual", now],
            #"{"clock": {"manual": "2030-02-03T04:05:06Z"}}"#:
                ["default", "5", "goal-linking", "manual", "2030-02-03T04:05:06Z"],
            #"{"scenario": "scripted-coach"}"#: ["scripted-coach", "7", "goal-linking", "manual", now],
            #"{"scenario": "scripted-coach", "seed": 1, "clock": "real", "guide": null}"#:
                ["scripted-coach", "1", "goal-linking", "real", now],
            #"{"scenario": \#(written)}"#: ["a", "3", "union", "manual", now],
        ]
        for (body, expected) in rows { #expect(try facts(body) == expected, "\(body)") }
    }

    @Test("The answer for a new world contains its label and everything that a client needs")
    func access() throws {
        let response = try network.admin(
            .post, "worlds", #"{"scenario": "app-returning-user", "label": "LoginTests/expired()"}"#)
        let (world, json) = (try WorldClient(network, response), try #require(response.json))
        #expect(json["label"] == "LoginTests/expired()" && json["admin_url"] == "http://127.0.0.1:8080/w/w1/__admin")
        #expect(json["email"] == "sam@example.com" && json["password"] == "correct horse battery")
        let shown = try network.admin(.get, "worlds/w1")
        #expect(shown.json == json, "\(shown.text)")
        func post(_ path: String, _ body: String) throws -> Int { try world.exchange(.post, path, body).status }
        #expect(
            try post("/api/v1/auth/login", #"{"email":"sam@example.com","password":"correct horse battery"}"#) == 200)
        let refresh = "{\"refresh_token\":\"\(try #require(json["refresh_token"]?.string))\"}"
        #expect(try (0..<2).map { _ in try post("/api/v1/auth/refresh", refresh) } == [200, 401])
        let fresh = try #require(json["fresh_token"]?.string)
        #expect(try fresh != world.token && world.exchange(.get, "/api/v1/goals", token: fresh).status == 200)
        let fork = try world.ask(.post, "fork", #"{"label": "copy"}"#).json
        #expect(fork?["label"] == "copy" && fork?["refresh_token"] != json["refresh_token"])
        #expect(fork?["user"] == json["user"])
        let reset = try world.ask(.post, "reset").json
        #expect(reset?["label"] == json["label"] && reset?["refresh_token"]?.string != nil)
        #expect(try world.ask(.post, "reset", #"{"label": "again"}"#).json?["label"] == "again")
        let plain = try network.admin(.get, "worlds/default").json
        #expect(["label", "email", "password", "refresh_token", "belongs_to"].allSatisfy { plain?[$0] == nil })
        #expect(plain?["admin_url"] == "http://127.0.0.1:8080/__admin")
    }

    @Test("A world's refresh token does not change its ids")
    func sameIDs() throws {
        func first(_ label: String) throws -> String {
            let network = VirtualNetwork()
            let made = try network.admin(.post, "worlds", #"{"scenario": "app-returning-user", "label": "\#(label)"}"#)
            return try WorldClient(network, made).exchange(.post, "/api/v1/goals", WorldClient.goal).text
        }
        let network = VirtualNetwork { $0.scenario = Scenario.builtIn(named: "app-returning-user") ?? $0.scenario }
        let plain = try network.plainWorld().exchange(.post, "/api/v1/goals", WorldClient.goal).json
        #expect(try JSON.parse(first("a"))["data"]?["id"] == plain?["data"]?["id"])
    }

    @Test("A label must have 1 to 200 characters", arguments: [(1, 201), (200, 201), (201, 400), (0, 400)])
    func labels(length: Int, status: Int) throws {
        let label = String(repeating: "a", count: length)
        #expect(try VirtualNetwork().admin(.post, "worlds", "{\"label\": \"\(label)\"}").status == status)
    }

    @Test("A new world contains the scenario's data, and its token belongs to the scenario's user")
    func data() throws {
        let scenario =
            #"{"name":"a","users":[{"id":"ada","goals":[{"title":"Run"}],"fill_active_consultations":10,"#
            + #""meal_logs":[{"text":"2 eggs","meal_type":"lunch","status":"completed"}]}]}"#
        let response = try network.admin(.post, "worlds", #"{"scenario": \#(scenario)}"#)
        #expect(response.status == 201 && response.fields[.location] == "/__admin/worlds/w1", "\(response.text)")
        #expect(response.json?.values(of: "users", "goals", "consultations", "meal_logs") == [1, 1, 10, 1])
        let world = try WorldClient(network, response)
        #expect(try world.exchange(.get, "/api/v1/goals").text.contains("Run"))
        #expect(try world.exchange(.post, "/api/v1/consultations", #"{"persona":"nutritionist"}"#).status == 429)
    }

    private static let badBodies: KeyValuePairs<String, String> = [
        "[]": "must be a JSON object", "{": "not valid JSON", #"{"sed": 1}"#: "Did you mean 'seed'?",
        #"{"seed": -1}"#: "'seed'", #"{"seed": 1.5}"#: "'seed'", #"{"seed": 18446744073709551616}"#: "'seed'",
        #"{"seed": "x"}"#: "'seed'", #"{"seed": true}"#: "'seed'", #"{"guide": "unoin"}"#: "Did you mean \"union\"?",
        #"{"guide": 1}"#: "'guide'", #"{"clock": "manuel"}"#: "Did you mean \"manual\"?", #"{"clock": 1}"#: "'clock'",
        #"{"clock": {"manual": "yesterday"}}"#: "'clock.manual'", #"{"clock": {"real": true}}"#: "'clock'",
        #"{"clock": {"manual": "1969-12-31T23:59:59Z"}}"#: "'clock.manual'",
        #"{"clock": {"manual": "2200-01-01T00:00:00Z"}}"#: "'clock.manual'",
        #"{"scenario": "slow-couch"}"#: "slow-coach", #"{"scenario": 7}"#: "scenario", #"{"scenario": {}}"#: "name",
        #"{"scenario": {"name": "a", "goals": []}}"#: "goals",
        #"{"scenario": {"name": "a", "users": [{"id": "a"}, {"id": "a"}]}}"#: "users[1]",
        #"{"scenario": {"name": "a", "users": [{"id": "a", "goals": [{"title": "x", "progress": 2}]}]}}"#: "progress",
    ]

    @Test("An invalid body does not create a world", arguments: badBodies.indices)
    func refused(_ index: Int) throws {
        let (body, fragment) = Self.badBodies[index]
        for path in ["worlds", "reset", "worlds/default/reset"] {
            let response = try network.admin(.post, path, body)
            #expect(response.status == 400 && response.message.contains(fragment), "\(body): \(response.message)")
        }
        #expect(network.engine.worlds.isEmpty && network.engine.worlds.serial == 0)
    }

    @Test("The world list shows all worlds in order, and a deleted world's id is not reused")
    func list() throws {
        let worlds = try (0..<11).map { _ in try network.world() }
        #expect(try (0..<2).map { _ in try network.admin(.delete, "worlds/w3").status } == [204, 404])
        #expect(try worlds[2].exchange(.get, "/api/v1/goals").message.contains("There is no world \"w3\""))
        #expect(try network.world().id == "w12")
        let list = try network.admin(.get, "worlds").json
        let ids = list?["worlds"]?.array?.compactMap { $0["id"]?.string }
        #expect(ids == ["default", "w1", "w2", "w4", "w5", "w6", "w7", "w8", "w9", "w10", "w11", "w12"])
        #expect(list?["count"] == 12)
        let (first, second) = (try #require(network.engine.worlds["w1"]), try #require(network.engine.worlds["w2"]))
        #expect(first < second && !(second < first) && !(first < first))
    }

    @Test("A DELETE of the default world fails")
    func defaultStays() throws {
        let response = try network.admin(.delete, "worlds/default")
        #expect(response.status == 405 && response.fields[.allow] == "GET, HEAD, OPTIONS")
    }

    @Test(
        "Deleting or resetting a world closes only that world's sockets, with 1001",
        arguments: [("delete", 204, "The world was deleted"), ("reset", 200, "The world was reset")])
    func sockets(_ action: String, _ status: Int, _ reason: String) throws {
        let (doomed, other) = (try network.world(), try network.world())
        let sockets = try [doomed, other].map { try $0.socket(on: try $0.consultation()) }
        _ = sockets.map { $0.takeTypes() }
        #expect(try Self.end(doomed, by: action).status == status)
        #expect(sockets[0].closeCode == .goingAway && sockets[0].closeReason == reason)
        #expect(sockets[0].wire.ending != .open)
        sockets[1].send(#"{"type":"ping"}"#)
        #expect(sockets[1].takeTypes() == ["pong"] && network.engine.defaultWorld.journal.count == 0)
    }

    private static func end(_ world: WorldClient, by action: String) throws -> Response {
        try action == "delete" ? world.network.admin(.delete, "worlds/\(world.id)") : world.ask(.post, "reset")
    }

    @Test("A reset world starts like a new world and accepts its old credentials")
    func reset() throws {
        let world = try network.world(#"{"scenario": "conflict", "seed": 9}"#)
        let before = try world.ask(.get, "state").text
        let keptAlive = try network.client()
        let create = world.request(.post, "/api/v1/goals", WorldClient.goal)
        let first = try keptAlive.exchange(create)
        #expect(first.status == 201)
        let answer = try world.ask(.post, "reset")
        #expect(answer.status == 200 && answer.json?["goals"]?.int == 0)
        #expect(try world.ask(.get, "state").text == before && world.journal().isEmpty)
        // The connection that created the goal still works, and creates the same goal.
        #expect(try keptAlive.exchange(create).body == first.body)
    }

    @Test("A reset can set a different scenario, seed, guide and clock, and they also apply to later resets")
    func resetOtherwise() throws {
        let world = try network.world(#"{"seed": 9, "guide": "goal-linking"}"#)
        let answer = try world.ask(.post, "reset", #"{"scenario": "scripted-coach"}"#).json
        let facts = answer?.values(of: "scenario", "seed", "guide", "clock")
        #expect(facts == ["scripted-coach", "7", "union", "manual"])
        let again = try world.ask(.post, "reset", #"{"seed": 2}"#).json
        #expect(again?.values(of: "scenario", "seed") == ["scripted-coach", "2"])
    }

    @Test("Deleting or resetting a world discards output held by a fault", arguments: ["delete", "reset"])
    func heldBack(_ action: String) throws {
        let faults = #"[{"on":"GET /api/v1/goals","delay":"1h"},{"on":"socket","at":{"type":"pong"},"silence":true}]"#
        let world = try network.world(#"{"clock":"manual","scenario":{"name":"a","faults":\#(faults)}}"#)
        let waiting = try network.open()
        waiting.send(world.request(.get, "/api/v1/goals").bytes)
        let silent = try world.socket(on: try world.consultation())
        silent.send(#"{"type":"ping"}"#)
        #expect(waiting.received.isEmpty && waiting.ending == .open)
        _ = try Self.end(world, by: action)
        // No clock move will release the response.
        #expect(waiting.received.starts(with: "HTTP/1.1 200 OK".utf8))
        #expect(waiting.ending == .open && silent.wire.ending == .reset)
        network.advance(by: .seconds(7200))
        #expect(network.openCount == 0)
    }

    @Test("The server accepts exactly the maximum number of worlds")
    func limit() throws {
        let network = VirtualNetwork { $0.limits.worlds = 4 }
        for _ in 0..<3 { _ = try network.world() }
        let refused = try network.admin(.post, "worlds", "{}")
        #expect(refused.status == 507 && refused.message.hasPrefix("4 worlds exist"))
        #expect(try network.admin(.delete, "worlds/w1").status == 204 && network.world().id == "w4")
        #expect(ServerLimits().worlds == 12_000)
    }

    @Test("The server deletes an idle world on time unless requests, sockets or followers use it")
    func idle() throws {
        let worlds = try (0..<5).map { _ in try network.world() }
        let socket = try worlds[1].socket(on: try worlds[1].consultation())
        let events = try network.open()
        events.send(Request(target: "/__admin/worlds/w3/events").bytes)
        network.advance(by: .seconds(1799))
        #expect(try worlds[3].exchange(.get, "/api/v1/goals").status == 200)
        #expect(try worlds[4].ask(.get, "clock").status == 200 && network.engine.worlds.count == 5)
        for (seconds, left) in [(1, ["w2", "w3", "w4", "w5"]), (1799, ["w2", "w3", "w4", "w5"]), (60, ["w2", "w3"])] {
            network.advance(by: .seconds(seconds))
            #expect(network.engine.worlds.keys.map(\.text).sorted() == left, "after \(seconds) s more")
        }
        socket.close()
        events.vanish()
        network.advance(by: .seconds(1860))
        #expect(network.engine.worlds.isEmpty && network.engine.nextDeadline == nil)
    }

    @Test("Each of ten thousand worlds answers with its own data")
    func many() throws {
        let client = try network.client()
        var worlds: [WorldClient] = []
        for seed in 0..<10_000 {
            let make = Request(method: .post, target: "/__admin/worlds").json("{\"seed\":\(seed % 100)}")
            worlds.append(try WorldClient(network, try client.exchange(make)))
        }
        #expect(Set(worlds.map(\.apiKey)).count == 10_000 && Set(worlds.map(\.token)).count == 10_000)
        var ids: [[String]] = Array(repeating: [], count: 100)
        for (number, world) in worlds.enumerated() {
            let response = try client.exchange(world.request(.post, "/api/v1/goals", WorldClient.goal))
            ids[number % 100].append(response.json?["id"]?.string ?? response.text)
        }
        #expect(ids.allSatisfy { Set($0).count == 1 && $0.count == 100 } && Set(ids.map { $0[0] }).count == 100)
    }
}
