import JSON
import TestSupport
import Testing

@testable import MockServer

@Suite("Limits shared by all worlds") struct SharedLimitTests {
    private static func goal(_ world: WorldClient) throws -> Response {
        let text = String(repeating: "x", count: 1900)
        return try world.exchange(.post, "/api/v1/goals", WorldClient.goal.replacing(":\"d\"", with: ":\"\(text)\""))
    }

    /// Creates goals in the worlds in turn until a world refuses one; returns the refusal.
    private static func fill(_ worlds: WorldClient...) throws -> Response {
        var number = 0
        while true {
            let response = try goal(worlds[number % worlds.count])
            guard response.status == 201 else { return response }
            number += 1
        }
    }

    @Test("Worlds share a limit on stored JSON, and deleting or resetting one frees its share")
    func storage() throws {
        let limit = 100_000
        let network = VirtualNetwork { $0.limits.storedBytes = limit }
        let worlds = [try network.plainWorld(), try network.world(), try network.world()]
        let last = try Self.fill(worlds[0], worlds[1], worlds[2])
        #expect(last.status == 507 && last.errorCode == "STORE_FULL" && last.message.contains("\(limit) bytes"))
        let all = [network.engine.defaultWorld] + network.engine.worlds.values
        let held = all.reduce(0) { $0 + $1.backend.storedBytes }
        #expect(network.engine.worlds.storedBytes == held && (limit..<limit + 10_000).contains(held))
        for world in worlds { #expect(try Self.goal(world).status == 507) }
        // A new world with data does not fit either, but a world without data does.
        let data = #"{"scenario":{"name":"a","users":[{"id":"a","goals":[{"title":"x"}]}]}}"#
        #expect(try network.admin(.post, "worlds", data).status == 507)
        #expect(try network.admin(.put, "state", #"{"name":"a","users":[]}"#).status == 200)
        for world in worlds { #expect(try Self.goal(world).status == 201) }
        #expect(try network.admin(.delete, "worlds/w1").status == 204)
        #expect(try network.admin(.post, "worlds", data).status == 201)
        for id in ["w2", "w3"] { #expect(try network.admin(.delete, "worlds/\(id)").status == 204) }
        // What was imported is kept for a reset.
        for (body, stored) in [(nil, 23), (#"{"scenario":"default"}"#, 0)] {
            #expect(try network.admin(.post, "reset", body).status == 200)
            #expect(network.engine.worlds.storedBytes == stored)
        }
    }

    @Test("Scenarios and faults from clients count against the shared limit until they are removed")
    func written() throws {
        let network = VirtualNetwork { $0.limits.storedBytes = 100_000 }
        let text = String(repeating: "x", count: 30_000)
        func rule(_ name: String) -> String {
            "{\"name\":\"\(name)\",\"on\":\"any\",\"status\":500,\"body\":\"\(text)\"}"
        }
        func add(_ name: String, to path: String = "") throws -> Response {
            try network.admin(.post, path + "faults", rule(name))
        }
        let scenario = "{\"name\":\"a\",\"faults\":[\(rule("f"))]}"
        let world = try network.world("{\"scenario\":\(scenario)}")
        #expect((30_768..<30_968).contains(network.engine.worlds.storedBytes))
        for name in ["g", "h"] { #expect(try add(name, to: world.admin).status == 201) }
        let refused = try add("i")
        #expect(refused.status == 507 && refused.message.contains("100000 bytes"))
        #expect(try network.admin(.post, "worlds", "{\"scenario\":\(scenario)}").status == 507)
        #expect(try world.ask(.delete, "faults/g").status == 204 && add("i").status == 201)
        #expect(try world.ask(.post, "reset").status == 200)
        #expect((61_536..<61_936).contains(network.engine.worlds.storedBytes))
        #expect(try network.admin(.delete, "worlds/w1").status == 204)
        #expect(try network.admin(.post, "reset").status == 200)
        #expect(network.engine.worlds.storedBytes == 0)
    }

    @Test("An import beyond the shared limit fails and keeps the old data")
    func imports() throws {
        let network = VirtualNetwork { $0.limits.storedBytes = 10_000 }
        let world = try network.plainWorld()
        _ = try Self.fill(world)
        let before = try world.ask(.get, "state").text
        let goal = "{\"title\":\"Run\",\"description\":\"\(String(repeating: "x", count: 1900))\"}"
        let goals = Array(repeating: goal, count: 20).joined(separator: ",")
        let response = try world.ask(.put, "state", "{\"name\":\"a\",\"users\":[{\"id\":\"a\",\"goals\":[\(goals)]}]}")
        #expect(response.status == 507 && response.message.contains("10000 bytes"), "\(response.message)")
        #expect(try world.ask(.get, "state").text == before)
    }

    @Test("The server creates an empty world even if the others exceed the limit")
    func beyond() throws {
        let network = VirtualNetwork { $0.limits.storedBytes = 10_000 }
        _ = try Self.fill(network.plainWorld())
        try #require(network.engine.worlds.storedBytes > 10_000)
        #expect(try network.admin(.post, "worlds", "{}").status == 201)
    }

    @Test("A world's own limit applies in addition to the shared limit")
    func own() throws {
        let network = VirtualNetwork {
            $0.worldLimits.storedBytes = 10_000
            $0.limits.storedBytes = 15_000
        }
        for limit in [10_000, 15_000] {
            #expect(try Self.fill(network.world()).message.contains("\(limit) bytes"))
        }
    }

    @Test("A full world still stores and counts chunks that are due")
    func answers() throws {
        let network = VirtualNetwork.manual { $0.limits.storedBytes = 4000 }
        let world = try network.plainWorld()
        let socket = try world.socket(on: try world.consultation())
        func ask() {
            _ = socket.takeTypes()
            socket.send(#"{"type":"message","content":"How much protein?"}"#)
        }
        ask()
        try world.advance("10s")
        #expect(network.engine.worlds.storedBytes == network.engine.defaultWorld.backend.storedBytes)
        _ = try Self.fill(world)
        ask()
        #expect(socket.takeFrames().first?["type"]?.string == "error")
        let meal = #"{"raw_input":"2 eggs","meal_type":"lunch"}"#
        #expect(try world.exchange(.post, "/api/v1/meal-logs/natural", meal).status == 507)
    }

    @Test("Journals share a limit, and the longest journals lose their oldest entries")
    func journals() throws {
        let limit = 200_000
        let network = VirtualNetwork { $0.limits.journalBytes = limit }
        let worlds = try (0..<4).map { _ in try network.world() }
        _ = try worlds[0].exchange(.get, "/api/v1/goals")
        for _ in 0..<200 { for world in worlds[1...] { _ = try world.exchange(.get, "/api/v1/goals") } }
        let journals = network.engine.worlds.values.map(\.journal)
        #expect(network.engine.worlds.journalWeight <= limit)
        #expect(network.engine.worlds.journalWeight == journals.reduce(0) { $0 + $1.weight })
        #expect(try worlds[0].journal().count == 1)
        for world in worlds[1...] {
            let numbers = try world.journal().compactMap { $0["number"]?.int }
            #expect(numbers.last == 200 && numbers.count > 10)
            #expect(try world.ask(.get, "requests?limit=1").json?["dropped"]?.int == 200 - numbers.count)
        }
        for id in ["w1", "w2", "w3", "w4"] { #expect(try network.admin(.delete, "worlds/\(id)").status == 204) }
        #expect(network.engine.worlds.journalWeight == 0)
        #expect(ServerLimits().journalBytes == 256 << 20 && ServerLimits().storedBytes == 640 << 20)
    }
}
