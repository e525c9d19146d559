import FitIQAPI
import JSON
import Scenarios
import TestSupport
import Testing

@testable import MockServer

@Suite("Worlds for programs that embed the server") struct ControlTests {
    private let network = VirtualNetwork()

    private static let start = VirtualNetwork.start

    /// Makes a world with a manual clock, and a client for it.
    private func manualWorld(
        _ scenario: Scenario = Scenario(), _ guide: GuideMode? = nil, on other: VirtualNetwork? = nil
    ) throws -> (id: String, access: Engine.WorldAccess, client: WorldClient) {
        let network = other ?? network
        let access = try network.engine.makeWorld(scenario, guide: guide, seed: 7, clock: .manual, at: network.now)
        return (access.id, access, try WorldClient(network, network.admin(.get, "worlds/\(access.id)")))
    }

    @Test("A program can create, reach and delete a world")
    func lifetime() throws {
        let (id, access, client) = try manualWorld(Scenario(), .goalLinking)
        let (engine, now) = (network.engine, network.now)
        #expect(id == "w1" && access.mode == .goalLinking && access.now == Self.start)
        #expect(access.webSocketURL == "ws" + access.url.dropFirst(4) && engine.worlds[ExactString(id)]?.judge != nil)
        #expect(client.token == access.token && client.apiKey == access.apiKey)
        #expect(try client.exchange(.get, "/api/v1/goals").status == 200)
        let again = engine.access(toWorld: id, at: now)
        #expect(again?.token == access.token && again?.url == access.url)
        #expect(engine.access(toWorld: "default", at: now)?.url == "http://127.0.0.1:8080")

        engine.deleteWorld(id, at: now)
        #expect(engine.access(toWorld: id, at: now) == nil && engine.time(ofWorld: id) == nil)
        #expect(engine.nextDue(ofWorld: id, at: now) == nil && engine.judgement(ofWorld: id) == nil)
        #expect(engine.journalLines(ofWorld: id).isEmpty && engine.activity(ofWorld: id) == 0)
        engine.deleteWorld("default", at: now)
        #expect(try network.exchange(.authorized(.get, "/api/v1/consultations")).status == 200)
    }

    @Test("A program can delete a consultation without a request")
    func deletion() throws {
        let (world, _, client) = try manualWorld()
        let id = try client.consultation()
        func status() throws -> Int { try client.exchange(.get, "/api/v1/consultations/\(id)").status }
        #expect(try status() == 200)
        let count = network.engine.journalEntries(ofWorld: world).count
        for world in ["w9", world, world] { network.engine.deleteConsultation(id, ofWorld: world, at: network.now) }
        #expect(try network.engine.journalEntries(ofWorld: world).count == count && status() == 404)
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
        let (world, access, client) = try manualWorld(Scenario(tokenLifetime: lifetime.map { $0 * 1_000_000_000 }))
        #expect(access.freshToken != access.token)
        let id = try client.consultation()
        func status(_ token: String) throws -> Int {
            try client.exchange(.get, "/api/v1/consultations/\(id)", token: token).status
        }
        #expect(try status(access.freshToken) == 200)
        try client.advance("61s")
        #expect(try status(access.token) == (lifetime == 60 ? 401 : 200) && status(access.freshToken) == 200)
        let last = try #require(DateTime("2199-12-31T23:59:59Z")?.timestamp)
        network.engine.advanceWorld(world, to: last, at: network.now)
        #expect(try status(access.freshToken) == 200)
    }

    @Test("The next due time is the world's next step or a connection's time-out")
    func nextDue() throws {
        let network = VirtualNetwork { $0.pace = .human }
        let (id, _, client) = try manualWorld(on: network)
        let engine = network.engine
        func due() -> Duration? {
            engine.nextDue(ofWorld: id, at: network.now).map {
                .nanoseconds($0.nanosecondsSinceEpoch - Self.start.nanosecondsSinceEpoch)
            }
        }
        func advance(to due: Duration) {
            engine.advanceWorld(id, to: Self.start + due, at: network.now)
            network.settle()
        }
        #expect(due() == nil)
        let socket = try client.socket(on: client.consultation())
        #expect(due() == nil)
        socket.close()
        #expect(due() == nil)

        let idle = try network.client()
        #expect(try idle.exchange(client.request(.get, "/api/v1/consultations")).status == 200 && due() == .seconds(75))
        // The system's clock keeps running but the world's does not, so less time is left.
        network.advance(by: .seconds(5))
        #expect(due() == .seconds(70))
        let meal = #"{"raw_input":"eggs","meal_type":"lunch"}"#
        #expect(try client.exchange(.post, "/api/v1/meal-logs/natural", meal).status < 300)
        let step = try #require(due())
        #expect(step > .zero && step < .seconds(10))
        advance(to: step)
        #expect(engine.time(ofWorld: id) == Self.start + step)
        while let next = due(), next < .seconds(70) { advance(to: next) }
        #expect(due() == .seconds(70) && idle.wire.ending == .open)
        advance(to: .seconds(70))
        #expect(idle.wire.ending == .closed && due() == nil)
    }

    @Test("advanceWorld moves only a manual clock, and only forward")
    func advance() throws {
        let engine = network.engine
        let id = try manualWorld().id
        for (target, isNoted, time, lines) in [(1, false, 1, 0), (0, true, 1, 0), (2, true, 2, 1)] {
            engine.advanceWorld(id, to: Self.start + .seconds(target), at: network.now, noted: isNoted)
            #expect(engine.time(ofWorld: id) == Self.start + .seconds(time), "to \(target) s")
            #expect(engine.journalLines(ofWorld: id).count { $0 == 0x0A } == lines, "to \(target) s")
        }

        let real = try engine.makeWorld(Scenario(), at: network.now)
        engine.advanceWorld(real.id, to: Self.start + .seconds(9), at: network.now)
        #expect(engine.time(ofWorld: real.id) == Self.start)
    }

    @Test("Only traffic on a world's connections increases the world's activity")
    func activity() throws {
        let (world, _, client) = try manualWorld()
        var last = network.engine.activity(ofWorld: world)
        #expect(last == 0)
        func hasGrown() -> Bool {
            defer { last = network.engine.activity(ofWorld: world) }
            return network.engine.activity(ofWorld: world) > last
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
        let (id, _, client) = try manualWorld()
        for _ in 0..<3 { _ = try client.exchange(.get, "/api/v1/consultations") }
        let lines = network.engine.journalLines(ofWorld: id, after: 1).split(separator: 0x0A)
        #expect(try lines.map { try JSON.parse(Array($0))["number"] } == [2, 3])
        #expect(network.engine.journalEntries(ofWorld: id, after: 2).map(\.number) == [3])
    }
}
