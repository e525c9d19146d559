import FitIQAPI
import JSON
import Scenarios
import TestSupport
import Testing

@testable import MockServer

@Suite("Worlds for programs that embed the server") struct ControlTests {
    private static let start = VirtualNetwork.start

    @Test("A program can create, reach and delete a world")
    func lifetime() throws {
        let network = VirtualNetwork()
        let access = try network.engine.makeWorld(
            Scenario(), guide: .goalLinking, seed: 7, clock: .manual, at: network.now)
        #expect(access.id == "w1" && access.mode == .goalLinking && access.now == Self.start)
        #expect(access.webSocketURL == "ws" + access.url.dropFirst(4))
        #expect(network.engine.worlds[ExactString(access.id)]?.judge != nil)
        let client = try WorldClient(network, network.admin(.get, "worlds/\(access.id)"))
        #expect(client.token == access.token && client.apiKey == access.apiKey)
        #expect(try client.exchange(.get, "/api/v1/goals").status == 200)
        let again = network.engine.access(toWorld: access.id, at: network.now)
        #expect(again?.token == access.token && again?.url == access.url)
        #expect(network.engine.access(toWorld: "default", at: network.now)?.url == "http://127.0.0.1:8080")

        network.engine.deleteWorld(access.id, at: network.now)
        #expect(network.engine.access(toWorld: access.id, at: network.now) == nil)
        #expect(network.engine.time(ofWorld: access.id) == nil)
        #expect(network.engine.nextDue(ofWorld: access.id, at: network.now) == nil)
        #expect(network.engine.judgement(ofWorld: access.id) == nil)
        #expect(network.engine.journalLines(ofWorld: access.id).isEmpty)
        #expect(network.engine.activity(ofWorld: access.id) == 0)
        network.engine.deleteWorld("default", at: network.now)
        #expect(try network.exchange(.authorized(.get, "/api/v1/consultations")).status == 200)
    }

    @Test("A program can delete a consultation without a request")
    func deletion() throws {
        let network = VirtualNetwork()
        let access = try network.engine.makeWorld(Scenario(), clock: .manual, at: network.now)
        let client = try WorldClient(network, network.admin(.get, "worlds/\(access.id)"))
        let id = try client.consultation()
        #expect(try client.exchange(.get, "/api/v1/consultations/\(id)").status == 200)
        let count = network.engine.journalEntries(ofWorld: access.id).count
        for world in ["w9", access.id, access.id] {
            network.engine.deleteConsultation(id, ofWorld: world, at: network.now)
        }
        #expect(network.engine.journalEntries(ofWorld: access.id).count == count)
        #expect(try client.exchange(.get, "/api/v1/consultations/\(id)").status == 404)
    }

    @Test("Creating a world beyond the limit throws")
    func tooMany() throws {
        let network = VirtualNetwork { $0.limits.worlds = 2 }
        _ = try network.engine.makeWorld(Scenario(), at: network.now)
        #expect(throws: APIError.self) { try network.engine.makeWorld(Scenario(), at: network.now) }
    }

    @Test(
        "A fresh token belongs to the same user and expires after the last time that any clock can reach",
        arguments: [nil, Int64(60), WorldSettings.lastTokenExpiry - VirtualNetwork.start.secondsSinceEpoch])
    func freshToken(lifetime: Int64?) throws {
        let network = VirtualNetwork()
        let scenario = Scenario(tokenLifetime: lifetime.map { $0 * 1_000_000_000 })
        let access = try network.engine.makeWorld(scenario, clock: .manual, at: network.now)
        let client = try WorldClient(network, network.admin(.get, "worlds/\(access.id)"))
        #expect(access.freshToken != access.token)
        let id = try client.consultation()
        func status(_ token: String) throws -> Int {
            try client.exchange(.get, "/api/v1/consultations/\(id)", token: token).status
        }
        #expect(try status(access.freshToken) == 200)
        try client.advance("61s")
        #expect(try status(access.token) == (lifetime == 60 ? 401 : 200))
        #expect(try status(access.freshToken) == 200)
        let last = try #require(DateTime("2199-12-31T23:59:59Z")?.timestamp)
        network.engine.advanceWorld(access.id, to: last, at: network.now)
        #expect(try status(access.freshToken) == 200)
    }

    @Test("The next due time is the world's next step or a connection's time-out")
    func nextDue() throws {
        let network = VirtualNetwork { $0.pace = .human }
        let engine = network.engine
        let access = try engine.makeWorld(Scenario(), clock: .manual, at: network.now)
        let client = try WorldClient(network, network.admin(.get, "worlds/\(access.id)"))
        func due() -> Timestamp? { engine.nextDue(ofWorld: access.id, at: network.now) }
        #expect(due() == nil)
        let socket = try client.socket(on: client.consultation())
        #expect(due() == nil)
        socket.close()
        #expect(due() == nil)

        let idle = try network.client()
        #expect(try idle.exchange(client.request(.get, "/api/v1/consultations")).status == 200)
        #expect(due() == Self.start + .seconds(75))
        // The system's clock keeps running but the world's does not, so less time is left.
        network.advance(by: .seconds(5))
        #expect(due() == Self.start + .seconds(70))
        let meal = #"{"raw_input":"eggs","meal_type":"lunch"}"#
        #expect(try client.exchange(.post, "/api/v1/meal-logs/natural", meal).status < 300)
        let step = try #require(due())
        #expect(step > Self.start && step < Self.start + .seconds(10))
        engine.advanceWorld(access.id, to: step, at: network.now)
        network.settle()
        #expect(engine.time(ofWorld: access.id) == step)
        while let next = due(), next < Self.start + .seconds(70) {
            engine.advanceWorld(access.id, to: next, at: network.now)
            network.settle()
        }
        #expect(due() == Self.start + .seconds(70) && idle.wire.ending == .open)
        engine.advanceWorld(access.id, to: Self.start + .seconds(70), at: network.now)
        network.settle()
        #expect(idle.wire.ending == .closed && due() == nil)
    }

    @Test("advanceWorld moves only a manual clock, and only forward")
    func advance() throws {
        let network = VirtualNetwork()
        let engine = network.engine
        let access = try engine.makeWorld(Scenario(), clock: .manual, at: network.now)
        func lines() -> Int { engine.journalLines(ofWorld: access.id).count { $0 == 0x0A } }
        engine.advanceWorld(access.id, to: Self.start + .seconds(1), at: network.now)
        #expect(engine.time(ofWorld: access.id) == Self.start + .seconds(1) && lines() == 0)
        engine.advanceWorld(access.id, to: Self.start, at: network.now, noted: true)
        #expect(engine.time(ofWorld: access.id) == Self.start + .seconds(1) && lines() == 0)
        engine.advanceWorld(access.id, to: Self.start + .seconds(2), at: network.now, noted: true)
        #expect(engine.time(ofWorld: access.id) == Self.start + .seconds(2) && lines() == 1)

        let real = try engine.makeWorld(Scenario(), at: network.now)
        engine.advanceWorld(real.id, to: Self.start + .seconds(9), at: network.now)
        #expect(engine.time(ofWorld: real.id) == Self.start)
    }

    @Test("Only traffic on a world's connections increases the world's activity")
    func activity() throws {
        let network = VirtualNetwork()
        let engine = network.engine
        let access = try engine.makeWorld(Scenario(), clock: .manual, at: network.now)
        let client = try WorldClient(network, network.admin(.get, "worlds/\(access.id)"))
        var last = engine.activity(ofWorld: access.id)
        #expect(last == 0)
        func hasGrown() -> Bool {
            defer { last = engine.activity(ofWorld: access.id) }
            return engine.activity(ofWorld: access.id) > last
        }
        let id = try client.consultation()
        #expect(hasGrown())
        #expect(!hasGrown())
        let socket = try client.socket(on: id)
        #expect(hasGrown())
        socket.ping("p")
        #expect(hasGrown())
        socket.wire.vanish()
        #expect(hasGrown())
        _ = try network.exchange(.authorized(.get, "/api/v1/consultations"))
        #expect(!hasGrown())
    }

    @Test("A program can read the journal after a given entry")
    func journal() throws {
        let network = VirtualNetwork()
        let access = try network.engine.makeWorld(Scenario(), at: network.now)
        let client = try WorldClient(network, network.admin(.get, "worlds/\(access.id)"))
        for _ in 0..<3 { _ = try client.exchange(.get, "/api/v1/consultations") }
        let lines = network.engine.journalLines(ofWorld: access.id, after: 1).split(separator: 0x0A)
        #expect(try lines.map { try JSON.parse(Array($0))["number"] } == [2, 3])
        #expect(network.engine.journalEntries(ofWorld: access.id, after: 2).map(\.number) == [3])
    }
}
