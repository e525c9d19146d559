import FitIQAPI
import JSON
import TestSupport
import Testing

@testable import MockServer

@Suite("Admin API: the clock") struct ClockTests {
    private let network = VirtualNetwork.manual()

    private func clock() throws -> JSONValue { try #require(try network.admin(.get, "clock").json) }

    @Test("A manual clock stops between moves, and every timestamp follows it")
    func stands() throws {
        network.advance(by: .seconds(100))
        let shown = try clock().values(of: "mode", "now", "next_step")
        #expect(shown == ["manual", "2025-01-29T10:30:00.000000000Z", .null])
        let world = try network.plainWorld()
        try world.advance("26.5s")
        let goal = try world.exchange(.post, "/api/v1/goals", WorldClient.goal)
        #expect(goal.json?["createdAt"]?.string == "2025-01-29T10:30:26Z")
        #expect(goal.fields[.date] == "Wed, 29 Jan 2025 10:30:26 GMT")
        let moved = try network.admin(.post, "clock", #"{"advance_to":"2025-01-29T10:31:00Z"}"#).json
        #expect(moved?["now"]?.string == "2025-01-29T10:31:00.000000000Z")
        #expect(try network.admin(.post, "clock", #"{"advance":"0"}"#).status == 200)
        let kinds = try world.journal().map { [$0["kind"]?.string ?? "", "\($0["advanced_by_ns"]?.int ?? 0)"] }
        #expect(kinds == [["clock", "26500000000"], ["exchange", "0"], ["clock", "33500000000"]])
    }

    @Test("A world's next step excludes connection time-outs")
    func nextStep() throws {
        func nextStep(_ world: String = World.defaultID) -> Timestamp? { network.engine.nextStep(ofWorld: world) }
        let socket = try network.socket(on: try network.consultation())
        #expect(nextStep() == nil)
        let idle = try network.client()
        _ = try idle.exchange(.goals)
        #expect(nextStep() == nil && network.engine.nextDue(ofWorld: World.defaultID, at: network.now) != nil)
        socket.send(#"{"type":"message","content":"Hello"}"#)
        #expect(try clock()["next_step"]?.string == (try #require(nextStep())).nanosecondText)
        #expect(nextStep("w99") == nil)
    }

    @Test(
        "An invalid advance does not move the clock",
        arguments: [
            nil, "{}", #"{"advance":1}"#, #"{"advance":"-1s"}"#, #"{"advance":"1 s"}"#, #"{"advance":"366.1d"}"#,
            #"{"advance":"1s","advance_to":"2025-01-29T10:31:00Z"}"#, #"{"advance_to":"2025-01-29T10:29:59Z"}"#,
            #"{"advance_to":"2200-01-01T00:00:00Z"}"#, #"{"advance_to":"2026-01-31T10:30:00Z"}"#,
            #"{"advance_to":"tomorrow"}"#, #"{"by":"1s"}"#,
        ])
    func refused(_ body: String?) throws {
        #expect(try network.admin(.post, "clock", body).status == 400)
        #expect(network.engine.defaultWorld.clock.manualTime == VirtualNetwork.start)
        #expect(network.engine.defaultWorld.journal.count == 0)
    }

    @Test("The error for an invalid date says why the date is invalid")
    func badDates() throws {
        for (date, reason) in [
            ("2025-02-30T10:30:00Z", "Month 2 of 2025 has 28 days, so there is no day 30."),
            ("2025-03-01T10:30:00+0200", "An offset needs a colon between its hours and minutes: write +02:00."),
            ("2200-01-01T00:00:00Z", "got a string: \"2200-01-01T00:00:00Z\"."),
        ] {
            let move = try network.admin(.post, "clock", "{\"advance_to\":\"\(date)\"}")
            let world = try network.admin(.post, "worlds", "{\"clock\":{\"manual\":\"\(date)\"}}")
            for (field, response) in [("advance_to", move), ("clock.manual", world)] {
                #expect(response.status == 400 && response.message.hasSuffix(reason), "\(response.message)")
                #expect(response.message.hasPrefix("The field '\(field)' must be a time such as"))
            }
        }
    }

    @Test("The clock advances year by year up to 2199")
    func end() throws {
        let network = VirtualNetwork()
        let world = try network.world(#"{"clock":{"manual":"2199-12-30T23:59:59Z"}}"#)
        try world.advance("1d")
        #expect(try world.ask(.post, "clock", #"{"advance":"1ns"}"#).message.contains("2199"))
        let old = try network.world(#"{"clock":{"manual":"1970-01-01T00:00:00Z"}}"#)
        try old.advance("366d")
        #expect(try old.ask(.get, "clock").json?["now"]?.string == "1971-01-02T00:00:00.000000000Z")
    }

    @Test("A request to advance the system clock returns 409")
    func real() throws {
        let network = VirtualNetwork()
        #expect(try network.admin(.post, "clock", #"{"advance":"1s"}"#).status == 409)
        network.advance(by: .seconds(3))
        let clock = try network.admin(.get, "clock").json
        #expect(clock?["mode"] == "real" && clock?["now"] == "2025-01-29T10:30:03.000000000Z")
    }

    @Test("Tokens expire according to the world's clock")
    func tokens() throws {
        let world = try network.plainWorld()
        let token = try world.ask(.post, "tokens", #"{"user":"ada","expires_in":"90s"}"#).json
        #expect(token?["expires_at"]?.string == "2025-01-29T10:31:30Z" && token?["user"]?.string == "ada")
        let text = try #require(token?["token"]?.string)
        for (step, status) in [("89.999s", 200), ("1ms", 401)] {
            try world.advance(step)
            #expect(try world.exchange(.get, "/api/v1/goals", token: text).status == status, "after \(step)")
        }
    }

    @Test("Each chunk of an answer arrives at its time on the world's clock")
    func streaming() throws {
        let world = try network.world(#"{"scenario":"scripted-coach"}"#)
        let socket = try world.socket(on: try world.consultation(#"{"persona":"fitness_coach"}"#))
        socket.send(#"{"type":"message","content":"How do I begin?"}"#)
        #expect(socket.takeTypes() == ["connected", "message_received"])
        // The first chunk arrives after 1 s, the second chunk 2 s later, and then ten chunks a second.
        let expected: [(String, [String])] = [
            ("999ms", []), ("1ms", ["Warm up "]), ("1999ms", []), ("1ms", ["for ten minutes, "]), ("99ms", []),
            ("1ms", ["then run."]),
        ]
        for (step, chunks) in expected {
            try world.advance(step)
            let frames = socket.takeFrames().filter { $0["type"]?.string == "stream_chunk" }
            #expect(frames.compactMap { $0["content"]?.string } == chunks, "after \(step)")
        }
    }

    @Test("Meal processing, quotas, delays and dribbles follow the world's clock")
    func mealsAndFaults() throws {
        let world = try network.world(#"{"scenario":"meal-completes","clock":"manual"}"#)
        let meal = #"{"raw_input":"eggs","meal_type":"lunch"}"#
        let made = try world.exchange(.post, "/api/v1/meal-logs/natural", meal).json
        let id = try #require(made?["data"]?["id"]?.string)
        for (step, status) in [("2999ms", "processing"), ("1ms", "completed")] {
            try world.advance(step)
            let shown = try world.exchange(.get, "/api/v1/meal-logs/\(id)").json
            #expect(shown?["data"]?["status"]?.string == status, "after \(step)")
        }

        _ = try world.ask(.post, "faults", #"{"on":"GET /api/v1/goals","quota":{"requests":1,"per":"10s"}}"#)
        for (step, status) in [("0s", 200), ("0s", 429), ("9999ms", 429), ("1ms", 200)] {
            try world.advance(step)
            #expect(try world.exchange(.get, "/api/v1/goals").status == status, "after \(step)")
        }

        _ = try world.ask(.post, "faults", #"{"on":"GET /api/v1/consultations","delay":"2s"}"#)
        let client = try network.client()
        client.wire.send(world.request(.get, "/api/v1/consultations").bytes)
        network.advance(by: .seconds(60))
        try world.advance("1999ms")
        #expect(client.wire.received.isEmpty)
        try world.advance("1ms")
        #expect(try client.response().status == 200)
    }

    @Test("Only the time-outs of a world's own connections follow the world's clock")
    func timeOuts() throws {
        let (mine, other) = (try network.plainWorld(), try network.world())
        func idle(_ world: WorldClient) throws -> VirtualClient {
            let client = try network.client()
            _ = try client.exchange(world.request(.get, "/api/v1/goals"))
            return client.wire
        }
        let admin = try network.client()
        func advance(_ duration: String) throws {
            let request = Request(method: .post, target: "/__admin/clock").json("{\"advance\":\"\(duration)\"}")
            #expect(try admin.exchange(request).status == 200)
        }
        let (mineIdle, otherIdle) = (try idle(mine), try idle(other))
        try advance("74s")
        #expect(mineIdle.ending == .open)
        try advance("1s")
        #expect(mineIdle.ending == .closed)
        #expect(otherIdle.ending == .open && admin.wire.ending == .open)

        let socket = try mine.socket(on: try mine.consultation())
        socket.wire.closesInReply = false
        socket.wire.stopReading()
        #expect(try mine.ask(.post, "reset").status == 200 && socket.wire.ending == .open)
        try advance("75s")
        #expect(socket.wire.ending != .open, "it reads nothing, not even the close frame")
        #expect(otherIdle.ending == .open && admin.wire.ending == .open)
        network.advance(by: .seconds(75))
        #expect(otherIdle.ending == .closed && admin.wire.ending == .closed)
    }

    @Test("A time-out that starts during a clock move counts from its start")
    func timeOutOnTheWay() throws {
        let world = try network.plainWorld()
        /// Expects that the socket is open after the first step and reset after the second.
        func expectReset(_ socket: VirtualSocket, after steps: (String, String)) throws {
            try world.advance(steps.0)
            #expect(socket.wire.ending == .open)
            try world.advance(steps.1)
            #expect(socket.wire.ending == .reset)
        }
        let socket = try world.socket(on: try world.consultation(), window: 4096)
        _ = socket.takeTypes()
        socket.wire.stopReading()
        socket.send(#"{"type":"message","content":"How much protein?"}"#)
        // The message's acknowledgement is waiting from now on, and the idle limit is 75 s regardless of the steps.
        try expectReset(socket, after: ("74s", "1s"))

        let second = try world.socket(on: try world.consultation(#"{"persona":"fitness_coach"}"#), window: 4096)
        _ = second.takeTypes()
        second.send(#"{"type":"message","content":"How much protein?"}"#)
        _ = second.takeTypes()
        second.wire.stopReading()
        // The first chunk is due after at least 0.3 s, and is waiting from then on.
        try expectReset(second, after: ("75s", "5s"))
    }
}
