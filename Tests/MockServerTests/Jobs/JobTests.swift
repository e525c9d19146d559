import FitIQAPI
import Foundation
import JSON
import Sockets
import TestSupport
import Testing

@testable import MockServer

@Suite("Work off the loop")
struct JobTests {
    private let network = VirtualNetwork()

    @Test("Jobs create large worlds concurrently, each with its own number")
    func worlds() throws {
        let jobs = HeldJobs(network)
        func make(_ scenario: String) throws -> HTTPClient<VirtualClient> {
            let request = Request(method: .post, target: "/__admin/worlds")
            return try network.sending(request.json("{\"scenario\":\(scenario)}"))
        }
        // Few bytes create a lot of data.
        let brief = #""consultations":[{"persona":"nutritionist","made_up_messages":500}]"#
        let scenarios = [largeState(), "\"long-history\"", #"{"name":"a","users":[{"id":"a",\#(brief)}]}"#]
        let made = try scenarios.map(make)
        #expect(jobs.count == 3)
        #expect(try network.world().id == "w4", "little work is not held up by much")
        try jobs.runAll()
        #expect(try made.map { try $0.response().json?["id"]?.string } == ["w1", "w2", "w3"])
        #expect(try network.admin(.get, "worlds/w1").json?["goals"]?.int == 4000)
        let broken = try make(largeState().replacing("\"id\":\"u3\"", with: "\"id\":\"u2\""))
        try jobs.runAll()
        #expect(try broken.response().status == 400)
        #expect(try network.world().id == "w5")
    }

    @Test("A job prepares a reset's large data and frees the old data")
    func reset() throws {
        let world = try network.largeWorld()
        #expect(try world.exchange(.post, "/api/v1/goals", WorldClient.goal).status == 201)
        let jobs = HeldJobs(network)
        func runOnly() throws {
            #expect(jobs.count == 1)
            try jobs.runNext()
        }
        let reset = try world.send(.post, "reset")
        try runOnly()
        #expect(try reset.response().json?["goals"]?.int == 4000)
        try runOnly()
        // The work needs little computation but frees a lot of memory.
        #expect(try world.ask(.post, "reset", #"{"scenario":"default"}"#).json?["goals"]?.int == 0)
        try runOnly()
        #expect(try world.ask(.post, "reset").status == 200)
        #expect(jobs.count == 0)
    }

    @Test("A job restarts a world with a long session", arguments: [(50, false), (51, true)])
    func session(requests: Int, isLong: Bool) throws {
        var take = Take()
        for _ in 0..<requests { take = take.asked("GET", "/a") }
        let network = try take.network()
        let jobs = HeldJobs(network)
        let reset = try network.plainWorld().send(.post, "reset")
        #expect(reset.wire.received.isEmpty == isLong && jobs.count == (isLong ? 1 : 0))
        try jobs.runAll()
        #expect(try reset.response().status == 200)
    }

    @Test("The loop exports a small world directly, even with a long journal")
    func smallExport() throws {
        let world = try network.world()
        for _ in 0..<300 { _ = try world.exchange(.get, "/api/v1/goals") }
        let served = try #require(network.engine.worlds[ExactString(world.id)])
        #expect(served.journal.weight > Engine.largestWorkOnLoop && served.isLargeToFree)
        let jobs = HeldJobs(network)
        #expect(try world.ask(.get, "state").status == 200)
        #expect(jobs.count == 0)
    }

    @Test("A job frees a large world that is deleted or idle, and a large journal that is cleared")
    func freed() throws {
        let network = VirtualNetwork { $0.limits.worldIdleTime = .seconds(60) }
        let worlds = try (0..<2).map { _ in try network.world() }
        for world in worlds { #expect(try world.ask(.put, "state", largeState()).status == 200) }
        let jobs = HeldJobs(network)
        #expect(try network.admin(.delete, "worlds/\(worlds[0].id)").status == 204)
        #expect(jobs.count == 1)
        network.advance(by: .seconds(180))
        #expect(network.engine.worlds.isEmpty && jobs.count == 2)
        let plain = try network.plainWorld()
        let goal = WorldClient.goal.replacing(":\"d\"", with: ":\"\(String(repeating: "x", count: 1900))\"")
        for _ in 0..<40 { _ = try plain.exchange(.post, "/api/v1/goals", goal) }
        #expect(try plain.ask(.delete, "journal").status == 204)
        #expect(jobs.count == 3)
        try jobs.runAll()
    }

    @Test("The server collects a large body in pieces and passes it on whole", arguments: [true, false])
    func body(isChunked: Bool) throws {
        let network = VirtualNetwork { $0.limits.stateBody = 4 << 20 }
        let client = try network.client()
        let state = #"{"name": "filled"}"# + String(repeating: " ", count: 3_000_000)
        let framing = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(state.utf8.count)"
        client.wire.send(
            "PUT /__admin/state HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\(framing)\r\n\r\n")
        let connection = try #require(network.connection(of: client.wire))
        #expect(connection.body.capacity < 100_000)
        if isChunked { client.wire.send("\(String(state.utf8.count, radix: 16))\r\n") }
        client.wire.send(String(state.dropLast()))
        #expect(connection.body.capacity <= 2 << 20 && connection.bodyPieces.count == 2)
        #expect((3_000_000...3_100_000).contains(network.engine.connections.heldBytes))
        client.wire.send(" " + (isChunked ? "\r\n0\r\n\r\n" : ""))
        let response = try client.response()
        #expect(response.json?["scenario"] == "filled", "\(response.status) \(response.text)")
        #expect(network.engine.connections.heldBytes == 0 && connection.bodyPieces.isEmpty)
    }

    @Test("A job's request counts as held until the job ends, even without its client")
    func jobBytes() throws {
        let network = VirtualNetwork { $0.limits.heldBytes = 1_000_000 }
        let jobs = HeldJobs(network)
        let worlds = try (0..<3).map { _ in try network.world() }
        let state = #"{"name": "filled"}"# + String(repeating: " ", count: 300_000)
        for world in worlds.prefix(2) { try world.send(.put, "state", state).wire.vanish() }
        #expect(network.engine.connections.heldBytes == 0 && network.engine.jobs.heldBytes > 600_000)
        #expect(try worlds[2].send(.put, "state", state).response().status == 507)
        let holder = try network.open(window: 0)
        holder.send("POST /health HTTP/1.1\r\nHost: a\r\nContent-Length: 500000\r\n\r\n")
        holder.send([UInt8](repeating: 0x20, count: 390_000))
        #expect(try network.exchange(Request()).status == 200)
        try jobs.runAll()
        #expect(network.engine.jobs.heldBytes == 0 && jobs.count == 0)
        #expect(try worlds[2].ask(.put, "state", "{\"name\":\"small\"}").status == 200)
    }

    @Test("Jobs hold at most three quarters of the limit", arguments: [(350_000, 2), (350_001, 1)])
    func mostJobBytes(size: Int, count: Int) throws {
        let network = VirtualNetwork { $0.limits.heldBytes = 1_000_000 }
        let jobs = HeldJobs(network)
        for size in [400_000, size] {
            let state = #"{"name":"a"}"#
            let padding = String(repeating: " ", count: size - state.utf8.count)
            _ = try network.world().send(.put, "state", state + padding)
        }
        #expect(jobs.count == count)
        try jobs.runAll()
    }

    @Test("The server deletes many idle worlds gradually and keeps worlds that get requests")
    func swept() throws {
        let network = VirtualNetwork { $0.limits.worldIdleTime = .seconds(60) }
        let count = 2 * WorldLives.sweptAtOnce + 2
        let worlds = try (0..<count).map { _ in try network.world() }
        // Idleness is checked every minute, so at the first check the worlds have been idle for a minute.
        network.advance(by: .seconds(60))
        #expect(network.engine.worlds.count == count - WorldLives.sweptAtOnce)
        #expect(try network.admin(.get, "worlds/\(worlds[count - 1].id)").status == 200)
        #expect(try network.admin(.delete, "worlds/\(worlds[count - 2].id)").status == 204)
        network.advance(by: .milliseconds(5))
        #expect(network.engine.worlds.count == 1 && network.engine.worlds.idle.isEmpty)
        network.advance(by: .seconds(120))
        #expect(network.engine.worlds.isEmpty && network.engine.worlds.nextSweep == nil)
    }

    /// Makes each of a server's jobs report that it has started and wait for a signal.
    private func holdJobs(of server: RunningHost) throws -> (began: DispatchSemaphore, goOn: DispatchSemaphore) {
        let (began, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        try server.onLoop { host in
            let start = host.engine.startJob
            host.engine.startJob = { job in
                let held = Job(number: job.number) {
                    began.signal()
                    _ = goOn.wait(timeout: .now() + 30)
                    return job.run().value
                }
                start?(held)
            }
        }
        return (began, goOn)
    }

    @Test("Other clients get answers while a job runs")
    func host() throws {
        let server = try RunningHost(.platformDefault)
        let (began, goOn) = try holdJobs(of: server)
        let (putting, other) = (try server.connect(), try server.connect())
        let put = Request(method: .put, target: "/__admin/state").json(largeState(goals: 20_000))
        try putting.write(put.bytes)
        try #require(began.wait(timeout: .now() + 30) == .success)
        for _ in 0..<3 { #expect(try other.exchange(Request(target: "/health")).status == 200) }
        let goals = Request.authorized(.get, "/api/v1/goals", as: "u19")
        try other.write(goals.bytes)
        goOn.signal()
        #expect(try putting.response(to: put).json?["goals"]?.int == 20_000)
        #expect(try other.response(to: goals).json?["data"]?["goals"]?.array?.count == 1000)
        // The thread ends with its jobs, and the next job starts another thread.
        for _ in 0..<10 { goOn.signal() }
        let state = try other.exchange(Request(target: "/__admin/state"))
        let expected = try server.onLoop { host in
            try? host.engine.exportState(at: Timestamp(secondsSinceEpoch: 4_000_000_000))
        }
        #expect(state.body == expected)
        try server.shutDown()
    }

    @Test("A stopping server does not wait for a job for longer than the limit")
    func stopping() throws {
        let server = try RunningHost(.platformDefault) { $0.limits.shutdownTime = .milliseconds(300) }
        let (began, goOn) = try holdJobs(of: server)
        let putting = try server.connect()
        try putting.write(Request(method: .put, target: "/__admin/state").json(largeState()).bytes)
        try #require(began.wait(timeout: .now() + 30) == .success)
        try server.shutDown()
        goOn.signal()
    }

    @Test("The host serves many touched connections in batches")
    func touchedAtOnce() throws {
        let server = try RunningHost(.platformDefault)
        let clients = try (0..<10).map { _ in try server.connect() }
        for client in clients { #expect(try client.exchange(Request()).status == 200) }
        let left = try server.onLoop { host in
            host.servedInTurn = 2
            for connection in host.engine.connections { host.engine.touch(connection) }
            host.flushTouched(MonotonicInstant(nanoseconds: 0))
            return host.unserved.count
        }
        #expect(left == 6)
        for client in clients { #expect(try client.exchange(Request()).status == 200) }
        #expect(try server.onLoop { $0.unserved.count } == 0)
        try server.shutDown()
    }
}
