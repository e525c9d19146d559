import JSON
import TestSupport
import Testing

@testable import MockServer

@Suite("Live control: forks and marks")
struct ForkTests {
    private let network = VirtualNetwork()

    private static func state(_ world: WorldClient) throws -> JSONValue {
        var state = try #require(try world.ask(.get, "state").json?.object)
        state["name"] = nil
        return .object(state)
    }

    private static func journal(_ world: WorldClient) throws -> [JSONValue] {
        try world.journal().map { entry in
            var object = entry.object ?? JSONObject()
            object["world"] = nil
            return .object(object)
        }
    }

    /// A world that is in the middle of an answer and has a goal and a meal.
    private static func busyWorld() throws -> (WorldClient, VirtualSocket) {
        let network = VirtualNetwork.manual()
        let world = try network.world(#"{"clock":"manual"}"#)
        _ = try world.exchange(.post, "/api/v1/goals", WorldClient.goal)
        let socket = try world.socket(on: try world.consultation())
        _ = socket.takeEvents()
        _ = try world.exchange(.post, "/api/v1/meal-logs/natural", #"{"raw_input":"2 eggs","meal_type":"lunch"}"#)
        socket.send(#"{"type":"message","content":"Hello"}"#)
        try world.advance("1s")
        return (world, socket)
    }

    private static func fork(_ world: WorldClient, _ body: String = "{}") throws -> WorldClient {
        let answer = try world.ask(.post, "fork", body)
        try #require(answer.status == 201, "\(answer.text)")
        #expect(answer.json?["forked_from"]?.string == world.id)
        let fork = try WorldClient(world.network, answer)
        #expect(answer.fields[.location] == "/__admin/worlds/\(fork.id)")
        return fork
    }

    @Test("A fork copies the world and then changes independently")
    func fork() throws {
        let (world, socket) = try Self.busyWorld()
        let fork = try Self.fork(world)
        #expect(try Self.state(fork) == Self.state(world))
        #expect(fork.token != world.token && fork.apiKey != world.apiKey)
        // The fork's journal is the same as the world's, plus the end of the socket that was not forked.
        let (old, new) = (try Self.journal(world), try Self.journal(fork))
        #expect(new.dropLast() == old[...])
        #expect(new.last?["kind"] == "closed" && new.last?["connection"] == 3 && new.last?["cause"] == "shutdown")
        // The clock and the due events are the same.
        #expect(try fork.ask(.get, "clock").json?["now"] == world.ask(.get, "clock").json?["now"])
        for world in [world, fork] { try world.advance("10s") }
        #expect(try Self.state(fork) == Self.state(world) && socket.takeTypes().last != nil)
        // The next ids are the same; later ids differ.
        for (creator, areSame) in [(fork, false), (world, true)] {
            #expect(try creator.exchange(.post, "/api/v1/goals", WorldClient.goal).status == 201)
            #expect(try (Self.state(fork) == Self.state(world)) == areSame)
        }
        #expect(try fork.exchange(.get, "/api/v1/goals", token: world.token).status == 401)
        // The fork's URLs contain its own id.
        #expect(try !fork.exchange(.get, "/api/v1/consultations").text.contains("/w/\(world.id)/"))
    }

    @Test("A fork includes faults with their counts, and verdicts with their findings")
    func faultsAndVerdicts() throws {
        let network = VirtualNetwork { $0.mode = .consultationWebSocket }
        let world = try network.world(#"{"judged":true}"#)
        _ = try world.ask(
            .post, "faults", #"{"name":"first","on":"POST /api/v1/consultations","requests":"1..2","status":503}"#)
        _ = try world.exchange(.post, "/api/v1/consultations", #"{"persona":"nutritionist"}"#)
        _ = try world.exchange(.get, "/api/v1/consultations/ABCDEF00-0000-4000-8000-000000000000")
        let fork = try Self.fork(world)
        #expect(try fork.ask(.get, "faults").text == world.ask(.get, "faults").text)
        let verdicts = try [fork, world].map {
            try $0.ask(.get, "verdicts").json?["verdicts"]?.array?.map { [$0["id"], $0["verdict"], $0["exercised"]] }
        }
        #expect(verdicts[0] == verdicts[1])
        for status in [503, 201] {
            let create = try fork.exchange(.post, "/api/v1/consultations", #"{"persona":"nutritionist"}"#)
            #expect(create.status == status)
        }
        // The world's own count is unaffected.
        #expect(try world.ask(.get, "faults/first").json?["acted"] == 1)
    }

    @Test("A fork of an unjudged world can be judged", arguments: [true, false])
    func judged(_ isJudged: Bool) throws {
        let fork = try Self.fork(try network.world(), "{\"judged\":\(isJudged)}")
        #expect((network.engine.worlds["\(fork.id)"]?.judge != nil) == isJudged)
        #expect(try fork.ask(.post, "fork", #"{"judge":true}"#).status == 400)
        let usual = try Self.fork(try network.world())
        #expect(network.engine.worlds["\(usual.id)"]?.judge == nil)
    }

    @Test("The default world can be forked up to the world limit")
    func limits() throws {
        let network = VirtualNetwork { $0.limits.worlds = 2 }
        let fork = try Self.fork(try network.plainWorld())
        #expect(fork.id == "w1")
        #expect(try network.admin(.post, "fork").status == 507)
        _ = try network.admin(.delete, "worlds/w1")
        #expect(try network.admin(.post, "fork").json?["id"] == "w2")
    }

    @Test("Requests to a large world wait while a job copies it")
    func job() throws {
        let network = VirtualNetwork.manual()
        let world = try network.largeWorld(#"{"clock":"manual"}"#)
        let before = try Self.state(world)
        let jobs = HeldJobs(network)
        let client = try world.send(.post, "fork", "{}")
        #expect(jobs.count == 1 && client.wire.received.isEmpty)
        let waiting = try network.sending(world.request(.get, "/api/v1/goals"))
        #expect(waiting.wire.received.isEmpty)
        try jobs.runAll()
        network.catchUp()
        try jobs.runAll()
        let fork = try WorldClient(network, try client.response())
        #expect(try waiting.response().status == 200)
        network.engine.startJob = nil
        #expect(try Self.state(fork) == before)
    }

    @Test("If a fork fails at the end of its job, the next world gets its number")
    func lateRefusal() throws {
        let network = VirtualNetwork { $0.limits.storedBytes = 1_000_000 }
        let (world, plain) = (try network.world(), try network.plainWorld())
        let goal = WorldClient.goal.replacing(":\"d\"", with: ":\"\(String(repeating: "x", count: 1900))\"")
        for _ in 0..<40 { #expect(try world.exchange(.post, "/api/v1/goals", goal).status == 201) }
        let jobs = HeldJobs(network)
        let fork = try world.send(.post, "fork", "{}")
        #expect(jobs.count == 1)
        // Create goals until no more fit.
        for _ in 0..<100 { _ = try plain.exchange(.post, "/api/v1/goals", goal) }
        try jobs.runAll()
        #expect(try fork.response().status == 507)
        #expect(try network.world().id == "w2")
    }

    @Test("A world can rewind to the same mark repeatedly", arguments: [true, false])
    func rewind(_ byNumber: Bool) throws {
        let (world, socket) = try Self.busyWorld()
        let before = try Self.state(world)
        let mark = try #require(try world.ask(.post, "marks", #"{"name":"before"}"#).json)
        #expect(try mark["name"] == "before" && mark["number"]?.int == world.journal().count)
        #expect(try #require(mark["bytes"]?.int) > 0)
        let clock = try world.ask(.get, "clock").json
        #expect(try world.ask(.get, "marks").json == ["marks": [.object(try #require(mark.object))], "limit": 16])
        for _ in 0..<2 {
            try world.advance("1m")
            _ = try world.exchange(.post, "/api/v1/goals", WorldClient.goal)
            #expect(try Self.state(world) != before)
            let count = try world.journal().count
            let to = byNumber ? "\(mark["number"]?.int ?? 0)" : "\"before\""
            let answer = try world.ask(.post, "rewind", "{\"to\":\(to)}")
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try Self.state(world) == before && world.ask(.get, "clock").json == clock)
            // The journal continues.
            let journal = try world.journal()
            #expect(journal.count > count && journal.last?["kind"] == "note")
            #expect(journal.last?["text"]?.string?.contains("before") == true, "\(journal)")
        }
        _ = socket.takeEvents()
        #expect(socket.wire.ending == .closed)
        let closed = try #require(try world.journal().first { $0["kind"] == "closed" })
        #expect(closed["cause"] == "shutdown" && closed["by"] == "server")
        // New sockets get the answer that was streaming at the mark, as before.
        #expect(try world.exchange(.get, "/api/v1/consultations").status == 200)
    }

    @Test("A rewind ends sockets as its request specifies", arguments: ["close", "finish", "reset"])
    func sockets(_ ending: String) throws {
        let (world, socket) = try Self.busyWorld()
        _ = try world.ask(.post, "marks")
        #expect(try world.ask(.post, "rewind", "{\"to\":\"mark-1\",\"sockets\":\"\(ending)\"}").status == 200)
        _ = socket.takeEvents()
        #expect(socket.wire.ending == (ending == "reset" ? .reset : .closed))
        #expect(try world.journal().count { $0["kind"] == "closed" } == 1)
        #expect(try world.ask(.get, "sockets").json?["sockets"] == [])
    }

    @Test(
        "A rewind ends sockets as the scenario specifies unless the request specifies otherwise",
        arguments: [("close", nil), ("finish", nil), ("reset", nil), ("reset", "finish")])
    func onRewind(_ written: String, _ asked: String?) throws {
        let scenario = #"{"name":"a","on_rewind":"\#(written)"}"#
        let world = try VirtualNetwork.manual().world(#"{"clock":"manual","scenario":\#(scenario)}"#)
        let socket = try world.socket(on: try world.consultation())
        _ = socket.takeTypes()
        #expect(try world.ask(.post, "marks", "{}").status == 201)
        let sockets = asked.map { ",\"sockets\":\"\($0)\"" } ?? ""
        #expect(try world.ask(.post, "rewind", "{\"to\":\"mark-1\"\(sockets)}").status == 200)
        let ending = asked ?? written
        #expect((ending == "close") == socket.takeEvents().contains { if case .closing = $0 { true } else { false } })
        #expect(socket.wire.ending == (ending == "reset" ? .reset : .closed))
        #expect(try world.ask(.get, "state").json?["on_rewind"]?.string == written)
    }

    @Test("A rewind sends output held by a fault before it ends the socket", arguments: ["finish", "reset"])
    func heldBack(_ ending: String) throws {
        let world = try VirtualNetwork.manual().world(#"{"clock":"manual"}"#)
        let delay = #"{"on":"socket","at":{"frame":"2.."},"delay":"1m"}"#
        #expect(try world.ask(.post, "faults", delay).status == 201)
        let socket = try world.socket(on: try world.consultation())
        socket.send(#"{"type":"ping"}"#)
        #expect(socket.takeTypes() == ["connected"])
        #expect(try world.ask(.post, "marks").status == 201)
        #expect(try world.ask(.post, "rewind", "{\"to\":\"mark-1\",\"sockets\":\"\(ending)\"}").status == 200)
        #expect(socket.takeTypes() == ["pong"] && socket.wire.ending == (ending == "reset" ? .reset : .closed))
        let frame = try #require(try world.journal().last { $0["kind"] == "frame" })
        #expect(frame["delivery"] == nil && frame["payload"]?.string?.contains("pong") == true)
    }

    @Test("A rewind ends only the world's own sockets")
    func others() throws {
        let (world, other) = (try network.world(), try network.world())
        let socket = try world.socket(on: try world.consultation())
        let theirs = try other.socket(on: try other.consultation())
        let (echo, idle) = (try network.echo(), try network.client())
        #expect(try idle.exchange(world.request(.get, "/api/v1/goals")).status == 200)
        #expect(try world.ask(.post, "marks").status == 201)
        #expect(try world.ask(.post, "rewind", #"{"to":"mark-1","sockets":"reset"}"#).status == 200)
        #expect(socket.wire.ending == .reset)
        #expect([theirs.wire, echo.wire, idle.wire].allSatisfy { $0.ending == .open })
        theirs.send(#"{"type":"ping"}"#)
        #expect(theirs.takeTypes() == ["connected", "pong"])
        #expect(try other.journal().allSatisfy { $0["kind"] != "closed" })
    }

    @Test("A rewind restarts judging and removes users created after the mark")
    func later() throws {
        let network = VirtualNetwork { $0.mode = .consultationWebSocket }
        let world = try network.world(#"{"judged":true}"#)
        _ = try world.ask(.post, "marks")
        let client = try network.client()
        _ = try client.exchange(world.request(.get, "/api/v1/consultations/ABCDEF00-0000-4000-8000-000000000000"))
        func broken() throws -> Int? {
            try world.ask(.get, "verdicts").json?["verdicts"]?.array?.count { $0["verdict"] == "broken" }
        }
        #expect(try broken() == 1)
        #expect(try world.ask(.post, "rewind", #"{"to":"mark-1"}"#).json?["users"] == 0)
        #expect(try broken() == 0)
        // The connection no longer trusts earlier credentials.
        #expect(try client.exchange(world.request(.get, "/api/v1/goals")).status == 200)
    }

    @Test("A rewind deletes later marks, and a reset deletes all marks")
    func marks() throws {
        let world = try VirtualNetwork().world()
        for name in ["a", "b", "c"] { _ = try world.ask(.post, "marks", "{\"name\":\"\(name)\"}") }
        func names() throws -> [String] {
            try world.ask(.get, "marks").json?["marks"]?.array?.compactMap { $0["name"]?.string } ?? []
        }
        #expect(try world.ask(.post, "rewind", #"{"to":"b"}"#).status == 200)
        #expect(try names() == ["a", "b"])
        for status in [204, 404] { #expect(try world.ask(.delete, "marks/a").status == status) }
        let unknown = try world.ask(.post, "rewind", #"{"to":"a"}"#)
        #expect(unknown.status == 404 && unknown.message.contains(#""b" (entry 2)"#), "\(unknown.text)")
        #expect(try names() == ["b"])
        _ = try world.ask(.post, "reset")
        #expect(try names().isEmpty)
    }

    @Test("The server rejects a mark beyond the limits on count and name length")
    func markLimits() throws {
        let world = try VirtualNetwork().world()
        let name = String(repeating: "x", count: Mark.nameBytes)
        for (name, status) in [(name + "x", 400), ("", 400), (name, 201), (name, 400)] {
            #expect(try world.ask(.post, "marks", #"{"name":"\#(name)"}"#).status == status, "\(name)")
        }
        for _ in 1..<Mark.most { #expect(try world.ask(.post, "marks").status == 201) }
        #expect(try world.ask(.post, "marks").status == 507)
        #expect(try world.ask(.post, "fork").status == 201)
    }

    @Test("A mark's bytes count against the limit on stored bytes")
    func room() throws {
        let network = VirtualNetwork { $0.limits.storedBytes = 100_000 }
        let world = try network.world()
        for _ in 0..<10 { _ = try world.exchange(.post, "/api/v1/goals", WorldClient.goal) }
        let bytes = network.engine.worlds.storedBytes
        var count = 0
        while try world.ask(.post, "marks").status == 201 { count += 1 }
        #expect(count == (100_000 - bytes) / bytes && count < Mark.most, "\(bytes)")
        #expect(network.engine.worlds.storedBytes == (count + 1) * bytes)
        #expect(try world.ask(.post, "fork").status == 507)
        _ = try world.ask(.delete, "marks/mark-1")
        #expect(network.engine.worlds.storedBytes == count * bytes)
        _ = try world.ask(.post, "reset")
        #expect(network.engine.worlds.storedBytes < bytes)
    }

    @Test(
        "An invalid rewind request changes nothing",
        arguments: [
            ("{}", 400), (#"{"to":true}"#, 400), (#"{"to":"x"}"#, 404), (#"{"to":99}"#, 404), (#"{"to":1.5}"#, 400),
            (#"{"to":"mark-1","sockets":"keep"}"#, 400), (#"{"mark":"mark-1"}"#, 400),
        ])
    func refused(_ body: String, _ status: Int) throws {
        let (world, socket) = try Self.busyWorld()
        _ = try world.ask(.post, "marks")
        let count = try world.journal().count
        #expect(try world.ask(.post, "rewind", body).status == status)
        #expect(try world.journal().count == count && socket.wire.ending == .open)
    }

    @Test("A job rewinds a large world and leaves its mark unchanged")
    func largeRewind() throws {
        let network = VirtualNetwork.manual()
        let world = try network.largeWorld(#"{"clock":"manual"}"#)
        let before = try Self.state(world)
        let jobs = HeldJobs(network)
        func send(_ path: String, _ body: String) throws -> Response {
            let client = try world.send(.post, path, body)
            try #require(jobs.count == 1)
            while jobs.count > 0 {
                try jobs.runAll()
                network.catchUp()
            }
            return try client.response()
        }
        #expect(try send("marks", "{}").status == 201)
        for _ in 0..<2 {
            #expect(try world.exchange(.post, "/api/v1/goals", WorldClient.goal).status == 201)
            #expect(try send("rewind", #"{"to":"mark-1"}"#).status == 200)
        }
        network.engine.startJob = nil
        #expect(try Self.state(world) == before)
    }

    @Test("A fork of a replaying world keeps its position in the session")
    func replayed() throws {
        let take = (1...3).reduce(Take()) { $0.asked("GET", "/next", at: Int64($1), answer: "\($1)") }
        let world = try network.world(#"{"scenario":\#(take.json)}"#)
        func next(_ world: WorldClient) throws -> String { try world.exchange(.get, "/next").text }
        #expect(try next(world) == "1")
        _ = try world.ask(.post, "marks")
        let fork = try Self.fork(world)
        #expect(try next(fork) == "2" && next(fork) == "3")
        #expect(try next(world) == "2")
        _ = try world.ask(.post, "rewind", #"{"to":"mark-1"}"#)
        #expect(try next(world) == "2" && next(world) == "3")
    }
}
