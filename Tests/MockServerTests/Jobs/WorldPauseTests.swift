import JSON
import TestSupport
import Testing

@testable import MockServer

@Suite("Worlds that pause while a job replaces or exports their data")
struct WorldPauseTests {
    private let network = VirtualNetwork()

    private func isAnswered(_ client: HTTPClient<VirtualClient>) -> Bool { !client.wire.received.isEmpty }

    @Test("Requests to a world wait in order while a job prepares its state")
    func others() throws {
        let jobs = HeldJobs(network)
        let (world, other) = (try network.world(), try network.world())
        let token = try world.token(of: "u1")
        let put = try world.send(.put, "state", largeState())
        #expect(jobs.count == 1 && !isAnswered(put))

        for path in ["/health", "/ready", "/__admin/health"] { #expect(try network.get(path).status == 200) }
        #expect(try network.admin(.get, "worlds").json?["count"]?.int == 3)
        #expect(try other.exchange(.post, "/api/v1/goals", WorldClient.goal).status == 201)
        #expect(try other.ask(.get, "state").status == 200)

        let client = try network.client()
        let goals = world.request(.get, "/api/v1/goals", token: token)
        let more = world.request(.post, "/api/v1/goals", WorldClient.goal, token: token)
        client.wire.send(more.bytes + goals.bytes)
        let asked = try world.send(.get, "journal")
        #expect(!isAnswered(client) && !isAnswered(asked))
        // A waiting connection is not idle.
        network.advance(by: .seconds(200))
        #expect(client.wire.ending == .open && put.wire.ending == .open)

        try jobs.runNext()
        #expect(try put.response().json?["goals"]?.int == 4000)
        #expect(try client.response(to: more).errorCode == "STORE_FULL")
        #expect(try client.response(to: goals).json?["data"]?["goals"]?.array?.count == 1000)
        #expect(try asked.response().text.split(separator: "\n").count == 2)
        #expect(network.engine.connections.heldBytes == 0)
        // Send the next request on the connection that sent the state.
        #expect(try put.exchange(Request(target: "/health")).status == 200)
    }

    @Test("A job reads a list of more than 64 faults and adds all of them or none")
    func faults() throws {
        let jobs = HeldJobs(network)
        let (world, other) = (try network.world(), try network.world())
        func list(_ count: Int, last: String = #"{"on":"any","status":503}"#) -> String {
            let rules = Array(repeating: #"{"on":"any","status":503}"#, count: count - 1) + [last]
            return #"{"faults":[\#(rules.joined(separator: ","))]}"#
        }
        #expect(try world.ask(.post, "faults", list(64)).status == 201)
        #expect(jobs.count == 0)
        let many = try world.send(.post, "faults", list(65))
        let one = try world.send(.post, "faults", #"{"on":"any","status":500}"#)
        #expect(jobs.count == 1 && !isAnswered(many) && !isAnswered(one))
        #expect(try other.ask(.get, "faults").status == 200)
        try jobs.runNext()
        let added = try many.response()
        let faults = added.json?["faults"]?.array
        #expect(added.status == 201 && faults?.count == 65 && faults?.last?["name"] == "live-129")
        #expect(try one.response().json?["name"]?.string == "live-130")

        let wrong = try world.send(.post, "faults", list(65, last: #"{"on":"any","statsu":503}"#))
        try jobs.runNext()
        let refusal = try wrong.response()
        #expect(refusal.status == 400 && refusal.text.contains("faults[64].statsu"))
        #expect(try world.ask(.get, "faults").json?["faults"]?.array?.count == 130)
        #expect(network.engine.jobs.heldBytes == 0)
    }

    @Test("A job's export equals the engine's, and sockets and events that are due wait for it")
    func export() throws {
        let network = VirtualNetwork { $0.pace = .human }
        let world = try network.largeWorld()
        let socket = try world.socket(on: try world.consultation())
        socket.send(#"{"type":"message","content":"Hello"}"#)
        network.advance(by: .milliseconds(500))
        let jobs = HeldJobs(network)
        let plain = try world.ask(.get, "journal").text
        _ = socket.takeFrames()
        let get = try world.send(.get, "state")
        let expected = try #require(network.engine.worlds["\(world.id)"]).backend
        #expect(jobs.count == 1 && !isAnswered(get))
        network.advance(by: .seconds(60))
        socket.send(#"{"type":"message","content":"Hello again"}"#)
        #expect(socket.takeFrames().isEmpty)
        try jobs.runNext()
        let text = try get.response().text
        #expect(text.contains("Run 999") && text.contains("Hello") && !text.contains("again"))
        network.engine.startJob = nil
        let replica = try network.world()
        #expect(try replica.ask(.put, "state", text).json?["goals"]?.int == expected.goalCount)
        #expect(try replica.ask(.get, "state").text == text)
        // Now everything that is due happens, and the waiting message is answered.
        network.advance(by: .seconds(60))
        #expect(socket.takeTypes().count { $0 == "stream_complete" } == 2)
        #expect(try world.ask(.get, "journal").text.hasPrefix(plain))
    }

    @Test("The loop serves waiting requests in order of arrival, several per turn")
    func turns() throws {
        let world = try network.largeWorld()
        let jobs = HeldJobs(network)
        let get = try world.send(.get, "state")
        let waiting = try (0..<50).map { _ in try world.send(.get, "clock") }
        network.motion = .slicesByTurn
        try jobs.runNext()
        var counts: [Int] = []
        while network.engine.isBusy {
            network.turn()
            #expect(try network.exchange(Request()).status == 200)
            let answered = waiting.prefix { isAnswered($0) }.count
            #expect(waiting.filter { isAnswered($0) }.count == answered)
            counts.append(answered)
        }
        #expect(counts.filter { $0 < 50 } == [16, 32, 48] && counts.last == 50 && isAnswered(get))
    }

    @Test("A second export among waiting requests delays later requests but does not lose them")
    func standsAgain() throws {
        let world = try network.largeWorld()
        let token = try world.token(of: "u1")
        let goals = world.request(.get, "/api/v1/goals", token: token)
        // Use a connection that has already been used for the world.
        let client = try network.client()
        #expect(try client.exchange(goals).status == 200)
        let jobs = HeldJobs(network)
        let (first, second) = (try world.send(.get, "state"), try world.send(.get, "state"))
        client.wire.send(goals.bytes)
        try jobs.runNext()
        #expect(jobs.count == 1 && !isAnswered(second))
        try jobs.runNext()
        #expect(try first.response().body == second.response().body)
        #expect(try client.response(to: goals).status == 200)
    }

    @Test("A job's export of the default world equals the engine's")
    func defaultExport() throws {
        #expect(try network.admin(.put, "state", largeState()).status == 200)
        let expected = try network.engine.exportState(at: network.now)
        let jobs = HeldJobs(network)
        let get = try network.sending(Request(target: "/__admin/state"))
        try jobs.runNext()
        #expect(try get.response().body == expected)
    }

    @Test("A manual clock pauses with its world and then continues")
    func manualClock() throws {
        let world = try network.largeWorld(#"{"clock":"manual"}"#)
        let jobs = HeldJobs(network)
        let before = try #require(try world.ask(.get, "clock").json?["now"]?.string)
        _ = try world.send(.get, "state")
        let moved = try world.send(.post, "clock", #"{"advance":"10s"}"#)
        network.advance(by: .seconds(300))
        #expect(!isAnswered(moved))
        try jobs.runNext()
        let after = try #require(try moved.response().json?["now"]?.string)
        #expect(before.hasPrefix("2025-01-29T10:30:00") && after.hasPrefix("2025-01-29T10:30:10"), "\(after)")
    }

    @Test("A message in the same turn as an import applies to the old state")
    func sockets() throws {
        let world = try network.world()
        let socket = try world.socket(on: try world.consultation())
        let jobs = HeldJobs(network)
        let put = try world.send(.put, "state", largeState())
        // Deliver the bytes as if the transport had read them before it could check for waiting requests.
        socket.frames([#"{"type":"message","content":"Hello"}"#]).withUnsafeBytes {
            network.engine.receive($0, on: socket.wire.id, at: network.now)
        }
        #expect(socket.closeCode == nil)
        try jobs.runNext()
        #expect(try put.response().status == 200)
        #expect(socket.closeCode == .goingAway && socket.closeReason == "The world's state was replaced")
        #expect(try world.journal().isEmpty)
    }

    @Test(
        "A failed import leaves the world unchanged and running",
        arguments: [
            ("{\"name\":\"a\",\"users\":[" + String(repeating: " ", count: 70_000), 400, "not valid JSON"),
            (largeState().replacing("\"id\":\"u3\"", with: "\"id\":\"u2\""), 400, "users[3]"),
            (largeState(goals: 12_000), 507, "2000000 bytes"),
        ])
    func refusals(body: String, status: Int, fragment: String) throws {
        let network = VirtualNetwork { $0.limits.storedBytes = 2_000_000 }
        let world = try network.world()
        #expect(try world.exchange(.post, "/api/v1/goals", WorldClient.goal).status == 201)
        let before = (try world.ask(.get, "state").text, network.engine.worlds.storedBytes)
        let socket = try world.socket(on: try world.consultation())
        let jobs = HeldJobs(network)
        let put = try world.send(.put, "state", body)
        let goal = try world.send(.get, "state")
        try jobs.runAll()
        let response = try put.response()
        #expect(response.status == status && response.message.contains(fragment), "\(response.message)")
        #expect(response.json?["message"] == nil, "its form is that of the admin API")
        #expect(try goal.response().status == 200)
        #expect(socket.closeCode == nil)
        #expect(network.engine.worlds.storedBytes > before.1 && network.engine.connections.heldBytes == 0)
        #expect(try world.ask(.get, "state").text.contains("Run"))
    }

    @Test("An import continues after its client leaves and releases the held bytes")
    func clientLeaves() throws {
        let jobs = HeldJobs(network)
        let world = try network.world()
        let put = try world.send(.put, "state", largeState())
        #expect(network.engine.connections.heldBytes == 0 && network.engine.jobs.heldBytes > 64_000)
        put.wire.vanish()
        #expect(network.engine.jobs.heldBytes > 64_000)
        let waiting = try world.send(.get, "clock")
        waiting.wire.vanish()
        try jobs.runAll()
        #expect(try network.admin(.get, "worlds/\(world.id)").json?["goals"]?.int == 4000)
        let get = try world.send(.get, "state")
        get.wire.vanish()
        try jobs.runAll()
        let held = [network.engine.connections.heldBytes, network.engine.jobs.heldBytes, network.openCount]
        #expect(held == [0, 0, 0])
        #expect(try network.admin(.get, "worlds/\(world.id)").status == 200)
    }

    @Test("A second import waits for the first, and a deletion waits for both")
    func oneAfterTheOther() throws {
        let jobs = HeldJobs(network)
        let world = try network.world()
        let puts = try [4000, 2000].map { try world.send(.put, "state", largeState(goals: $0)) }
        let deletion = try world.send(.delete, "")
        let late = try world.send(.get, "clock")
        #expect(jobs.count == 1)
        try jobs.runNext()
        #expect(try puts[0].response().json?["goals"]?.int == 4000)
        #expect(!isAnswered(puts[1]) && !isAnswered(deletion))
        try jobs.runAll()
        #expect(try puts[1].response().json?["goals"]?.int == 2000)
        #expect(try deletion.response().status == 204 && late.response().status == 404)
        #expect(network.engine.worlds.storedBytes == 0)
    }

    @Test("Deleting a world from the program fails its import and every waiting request")
    func deletedByProgram() throws {
        let jobs = HeldJobs(network)
        let world = try network.world()
        let put = try world.send(.put, "state", largeState())
        let waiting = try world.send(.get, "clock")
        network.engine.deleteWorld(world.id, at: network.now)
        network.settle()
        #expect(try waiting.response().status == 404)
        try jobs.runAll()
        #expect(try put.response().status == 404)
        #expect(network.engine.worlds.storedBytes == 0 && network.engine.worlds.isEmpty)
    }

    @Test("A stopping server answers requests whose jobs are in progress")
    func shutdown() throws {
        let jobs = HeldJobs(network)
        let world = try network.world()
        let put = try world.send(.put, "state", largeState())
        let waiting = try world.send(.get, "clock")
        network.beginShutdown()
        #expect(put.wire.ending == .open && waiting.wire.ending == .open)
        try jobs.runNext()
        #expect(try put.response().fields[.connection] == "close" && waiting.response().status == 200)
        #expect(network.openCount == 0)

        let other = VirtualNetwork()
        let held = HeldJobs(other)
        let cut = try other.plainWorld().send(.put, "state", largeState())
        other.beginShutdown()
        other.engine.resetAll()
        other.settle()
        #expect(cut.wire.ending == .reset && other.engine.isEmpty)
        try held.runAll()
    }

    @Test("Concurrent imports cannot use the same free space")
    func room() throws {
        #expect(try network.admin(.put, "state", largeState()).status == 200)
        let limit = network.engine.worlds.storedBytes * 3 / 2
        let network = VirtualNetwork { $0.limits.storedBytes = limit }
        let worlds = [try network.world(), try network.world()]
        let jobs = HeldJobs(network)
        let puts = try worlds.map { try $0.send(.put, "state", largeState()) }
        let create = Request(method: .post, target: "/__admin/worlds").json("{\"scenario\":\(largeState())}")
        let made = try network.sending(create)
        #expect(jobs.count == 3)
        try jobs.runAll()
        #expect(try puts[0].response().status == 200)
        let refused = try puts[1].response()
        #expect(refused.status == 507 && refused.message.contains("\(limit) bytes"), "\(refused.message)")
        #expect(try made.response().status == 507)
        #expect(network.engine.worlds.storedBytes <= limit)
        let held = network.engine.worlds.values.reduce(0) { $0 + $1.storedBytes }
        #expect(network.engine.worlds.storedBytes == held)
        // The next world gets the number of the world that was not created.
        #expect(try network.admin(.post, "worlds").json?["id"]?.string == "w3")
    }
}
