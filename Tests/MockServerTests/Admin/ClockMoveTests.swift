import Scenarios
import TestSupport
import Testing

@testable import MockServer

@Suite("A long clock move in slices") struct ClockMoveTests {
    /// A world with a manual clock and this many meals in processing, and a client with a socket.
    private static func network(meals: Int, _ scenario: String = "name: usual") throws -> (
        VirtualNetwork, VirtualSocket
    ) {
        let scenario = try Scenario.read(scenario)
        let network = VirtualNetwork.manual { $0.scenario = scenario }
        let socket = try network.socket(on: try network.consultation())
        for _ in 0..<meals { #expect(try network.exchange(.logMeal(as: TestUser.anna)).status == 201) }
        return (network, socket)
    }

    /// Asks for a move of ten seconds; the answer is read later.
    private static func move(_ network: VirtualNetwork) throws -> HTTPClient<VirtualClient> {
        let client = try network.client()
        client.wire.send(Request(method: .post, target: "/__admin/clock").json(#"{"advance":"10s"}"#).bytes)
        return client
    }

    @Test(
        "A move in slices gives the same events as one move, and other connections are served in between",
        arguments: [
            ("name: usual", 100), ("{name: at once, meals: [{after: 3s}]}", 300),
            ("{name: at the end, meals: [{after: 10s}]}", 300),
        ])
    func slices(_ scenario: String, _ meals: Int) throws {
        let (network, socket) = try Self.network(meals: meals, scenario)
        network.motion = .slicesByTurn
        let client = try Self.move(network)
        let other = try network.client()
        let turns = try network.turnUntilIdle { () throws in #expect(try other.exchange(Request()).status == 200) }
        #expect(turns > (meals == 100 ? 5 : 2))
        #expect(try client.response().json?["now"] == "2025-01-29T10:30:10.000000000Z")

        let (whole, otherSocket) = try Self.network(meals: meals, scenario)
        let target = whole.now.advanced(byNanoseconds: 10_000_000_000)
        whole.engine.advanceWorld(World.defaultID, to: target, at: whole.now, noted: true)
        whole.settle()
        let lines = network.engine.journalLines(ofWorld: World.defaultID)
        #expect(lines == whole.engine.journalLines(ofWorld: World.defaultID))
        #expect(socket.takeTypes() == otherSocket.takeTypes())
    }

    @Test("A second clock move starts where the first ends, even if the requests overlap")
    func second() throws {
        let (network, _) = try Self.network(meals: 60)
        network.motion = .slicesByTurn
        let clients = try (0..<2).map { _ in
            defer { network.turn() }
            return try Self.move(network)
        }
        network.turnUntilIdle()
        let times = try clients.map { try $0.response().json?["now"] }
        #expect(times == ["2025-01-29T10:30:10.000000000Z", "2025-01-29T10:30:20.000000000Z"])
    }

    @Test("A queued move uses no turns and starts when the running move's client disconnects")
    func waiting() throws {
        let (network, _) = try Self.network(meals: 200)
        network.motion = .slicesByTurn
        let first = try Self.move(network)
        network.turn()
        let second = try Self.move(network)
        for _ in 0..<2 { network.turn() }
        #expect(network.engine.streams.waiting.count == 1 && network.engine.streams.idle.count == 1)
        first.wire.vanish()
        network.turnUntilIdle()
        #expect(try second.response().status == 200 && network.engine.streams.idle.isEmpty)
    }

    @Test("On the system clock, one turn handles a limited number of overdue events in time order")
    func late() throws {
        let scenario = try Scenario.read("{name: at once, meals: [{after: 3s}]}")
        let network = VirtualNetwork {
            $0.pace = .human
            $0.scenario = scenario
        }
        for _ in 0..<300 { #expect(try network.exchange(.logMeal(as: TestUser.anna)).status == 201) }
        let later = network.now + .seconds(60)
        var counts: [Int] = []
        repeat {
            network.engine.advance(to: later)
            counts.append(network.engine.defaultWorld.backend.mealLogs.count { $0.log.status == .processing })
        } while network.engine.isBusy && counts.count < 10
        #expect(counts == [236, 172, 108, 44, 0])
    }

    @Test("A reset or a disconnected client ends a clock move", arguments: [true, false])
    func ends(isReset: Bool) throws {
        let (network, _) = try Self.network(meals: 60)
        network.motion = .slicesByTurn
        let client = try Self.move(network)
        network.turn()
        #expect(network.engine.isBusy)
        if isReset {
            #expect(try network.admin(.post, "reset", "{}").status == 200)
            network.turnUntilIdle()
            #expect(try client.response().json?["now"] == "2025-01-29T10:30:00.000000000Z")
        } else {
            client.wire.vanish()
            network.turn()
            let now = try #require(network.engine.defaultWorld.clock.manualTime)
            #expect(now > VirtualNetwork.start && now < VirtualNetwork.start + .seconds(10))
        }
        client.wire.vanish()
        let next = try Self.move(network)
        network.turnUntilIdle()
        #expect(try next.response().status == 200 && network.engine.defaultWorld.clockMove == nil)
    }
}
