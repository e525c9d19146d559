import FitIQAPI
import JSON
import Scenarios
import TestSupport
import Testing

@testable import MockServer

@Suite("The work of one clock step, one slice and one turn") struct ClockStepTests {
    private static func network(_ scenario: String) throws -> VirtualNetwork {
        let scenario = try Scenario.read(scenario)
        return VirtualNetwork.manual { $0.scenario = scenario }
    }

    /// Opens this many connections to the default world, all of them idle for the same time.
    private static func beIdle(_ count: Int, _ network: VirtualNetwork) throws {
        let clients = try (0..<count).map { _ in try network.client() }
        for client in clients { #expect(try client.exchange(.goals).status == 200) }
    }

    /// Moves the default world's clock as a body specifies, without other events in between.
    private static func move(_ json: String, _ network: VirtualNetwork) throws -> ClockMove {
        let body = try AdminBody(Array(json.utf8), keys: nil)
        let move = try ClockMove(of: network.engine.defaultWorld, in: network.engine, body)
        try move.begin()
        return move
    }

    @Test("A move's response follows every event due at the target time")
    func target() throws {
        let network = try Self.network("{name: at the end, meals: [{after: 10s}]}")
        for _ in 0..<40 { #expect(try network.exchange(.logMeal()).status == 201) }
        let clock = try #require(try network.admin(.post, "clock", #"{"advance":"10s"}"#).json)
        #expect(clock["next_step"] == .null && clock["due_count"] == 0 && clock["due"] == [])
    }

    @Test("A search stops at its match even if more events are due at that time", arguments: [[1], [0, 1]])
    func sameTime(_ wanted: [Int]) throws {
        let network = try Self.network("{name: at once, meals: [{after: 3s}]}")
        let socket = try network.socket(on: try network.consultation())
        let ids = try (0..<3).map { _ in try #require(try network.exchange(.logMeal()).json?["data"]?["id"]?.string) }
        for index in wanted {
            let condition = "{\"advance_until\":{\"type\":\"meal_log.completed\",\"text\":\"\(ids[index])\"}}"
            let move = try Self.move(condition, network)
            var slice = BodySlice(size: 64 * 1024, at: network.now)
            let progress = try move.fill(&slice)
            #expect(progress == .end)
            let answer = try JSON.parse(slice.bytes)
            #expect(answer["now"] == "2025-01-29T10:30:03.000000000Z")
            #expect(answer["last_number"] == answer["entry"]?["number"] && answer["due_count"]?.int == 2 - index)
        }
        network.catchUp()
        #expect(socket.takeTypes().filter { $0 == "meal_log.completed" }.count == 3)
    }

    @Test("A search can take any number of slices")
    func search() throws {
        let chunks = (0..<60).map { "\"\($0) \"" }.joined(separator: ", ")
        let timing = "timing: {first_chunk: 1s, chunks_per_second: 1}"
        let network = try Self.network("{name: long, answers: [{chunks: [\(chunks)], \(timing)}]}")
        let socket = try network.socket(on: try network.consultation())
        socket.send(#"{"type":"message","content":"Hello"}"#)
        network.motion = .slicesByTurn
        let client = try network.client()
        let body = #"{"advance_until":{"type":"stream_complete"}}"#
        client.wire.send(Request(method: .post, target: "/__admin/clock").json(body).bytes)
        let turns = network.turnUntilIdle()
        let answer = try client.response()
        #expect(answer.status == 200 && turns > 2, "\(answer.text)")
        #expect(answer.json?["entry"]?["time"] == answer.json?["now"])
    }

    @Test("In one slice, a search skips all simultaneous time-outs that do not match")
    func timeOuts() throws {
        let network = VirtualNetwork.manual()
        try Self.beIdle(100, network)
        let move = try Self.move(#"{"advance_until":{"kind":"opened"},"within":"2m"}"#, network)
        var slice = BodySlice(size: 64 * 1024, at: network.now)
        // The engine has already found that nothing will match in time.
        #expect(throws: APIError.self) { try move.fill(&slice) }
        #expect(network.engine.connections.filter { $0.ending == .close }.count == 100)
        network.settle()
    }

    @Test("Each time-out counts as a step, and a move stops at its step limit")
    func steps() throws {
        let network = VirtualNetwork.manual()
        try Self.beIdle(40, network)
        let (engine, target) = (network.engine, VirtualNetwork.start + .seconds(100))
        var slow: Set<ConnectionID>?
        engine.advance(engine.defaultWorld, to: target, steps: 16, slow: &slow, at: network.now)
        #expect(engine.connections.filter { $0.ending == .close }.count == 16)
        #expect(engine.manualTime == VirtualNetwork.start + .seconds(75))
        network.settle()
    }

    @Test("On the system clock, a turn leaves excess work for the next turn")
    func share() throws {
        let scenario = try Scenario.read(
            "{name: late, meals: [{after: 3s}], faults: [{on: GET /api/v1/goals, delay: 5s}]}")
        let network = VirtualNetwork {
            $0.pace = .human
            $0.scenario = scenario
        }
        for _ in 0..<64 { #expect(try network.exchange(.logMeal()).status == 201) }
        let client = try network.client()
        client.wire.send(Request.goals.bytes)
        var counts: [[Int?]] = []
        for _ in 0..<2 {
            network.engine.advance(to: network.now + .seconds(60))
            let meals = network.engine.defaultWorld.backend.mealLogs.count { $0.log.status == .processing }
            counts.append([meals, network.engine.inspectWorld(nil)?.heldOutputCount])
        }
        #expect(counts == [[0, 1], [0, 0]])
    }

    @Test("On a manual clock, events without a delay happen immediately")
    func noTime() throws {
        let network = VirtualNetwork { $0.clock = .manual }
        let socket = try network.socket(on: try network.consultation())
        socket.send(#"{"type":"message","content":"Hello"}"#)
        network.catchUp()
        #expect(socket.takeTypes().last == "stream_complete" && network.engine.manualTime == VirtualNetwork.start)
    }

    @Test("A world counts each clock move once and ignores reads of the clock")
    func moves() throws {
        let world = try VirtualNetwork.manual().plainWorld()
        for count in 1...2 {
            try world.advance("1s")
            #expect(try world.ask(.get, "sockets").status == 200)
            #expect(world.network.engine.defaultWorld.clockMoveCount == count)
        }
    }

    @Test("A client has the full idle time to read output written during a move")
    func writtenOnTheWay() throws {
        let world = try VirtualNetwork.manual().plainWorld()
        let socket = try world.socket(on: try world.consultation(), window: 4096)
        _ = socket.takeTypes()
        socket.send(#"{"type":"message","content":"How much protein?"}"#)
        _ = socket.takeTypes()
        socket.wire.stopReading()
        try world.advance("200s")
        #expect(socket.wire.ending == .open)
        try world.advance("74s")
        #expect(socket.wire.ending == .open)
        try world.advance("1s")
        #expect(socket.wire.ending == .reset)
    }

    @Test("POST tokens rejects a user id of more than a thousand bytes")
    func users() throws {
        let world = try VirtualNetwork.manual().plainWorld()
        // Each text repeats one five-byte character; only the second text's last character has six bytes.
        let letter = "e\u{301}\u{301}"
        let longest = String(repeating: letter, count: 200)
        let longer = String(repeating: letter, count: 199) + "\u{E9}\u{301}\u{301}"
        #expect(longest.utf8.count == 1000 && longer.utf8.count == 1001)
        #expect(try world.ask(.post, "tokens", "{\"user\":\"\(longest)\"}").status == 201)
        let refused = try world.ask(.post, "tokens", "{\"user\":\"\(longer)\"}")
        #expect(refused.status == 400 && refused.message.contains("1001"), "\(refused.message)")
    }

    @Test("A token in a world with a late start expires 366 days after that start")
    func lateTokens() throws {
        let world = try VirtualNetwork().world(#"{"clock":{"manual":"2150-01-01T00:00:00Z"}}"#)
        #expect(try world.ask(.post, "tokens", "{}").json?["expires_at"] == "2151-01-02T00:00:00Z")
    }
}
