import FitIQMockTesting
import Foundation
import Testing

@Suite("Worlds in the testing library", .timeLimit(.minutes(2)))
struct WorldTests {
    @Test("A world provides credentials for a client and environment variables for a program")
    func account() async throws {
        let world = try await Mock.server.world(scenario: "app-returning-user", clock: .manual, seed: 7, label: "Ann's")
        #expect(world.url.absoluteString.hasSuffix("/w/\(world.id)") && world.webSocketURL.scheme == "ws")
        #expect(world.scenario == "app-returning-user" && world.seed == "7" && world.label == "Ann's")
        #expect(world.email == "sam@example.com" && world.password != nil && world.refreshToken != nil)
        #expect(world.freshToken != nil && world.user != nil)
        #expect(world.headers == ["Authorization": "Bearer \(world.token)", "X-API-Key": world.apiKey])
        #expect(world.environment["FITIQ_MOCK_URL"] == world.url.absoluteString)
        #expect(world.environment["FITIQ_MOCK_REFRESH_TOKEN"] == world.refreshToken)
        #expect(try await PlannedClient(world: world).goals() == 200)
        try await world.end()
    }

    @Test("Two hundred concurrent worlds share no goals")
    func isolation() async throws {
        let server = try await MockServer.start(binary: Mock.binary)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let world = try await server.world(scenario: "default", seed: UInt64(number))
                    let client = PlannedClient(world: world)
                    #expect(try await client.addGoal("Goal \(number)") == 201)
                    #expect(try await world.goals().map(\.title) == ["Goal \(number)"])
                    #expect(try await world.requests().map(\.path) == ["/api/v1/goals"])
                    try await world.end()
                }
            }
            try await group.waitForAll()
        }
        let (data, _) = try await PlannedClient.session.data(
            from: try await server.url.appendingPathComponent("__admin/worlds"))
        #expect(try MockWorld.JSON(text: String(decoding: data, as: UTF8.self))["count"] == 1)
        await server.stop()
    }

    @Test("Creating, judging and deleting a world takes milliseconds")
    func time() async throws {
        var times: [Duration] = []
        for _ in 0..<30 {
            times.append(
                try await ContinuousClock().measure {
                    let world = try await Mock.server.world()
                    #expect(try await world.verdicts(.broken).isEmpty)
                    try await world.end()
                })
        }
        let median = times.sorted()[times.count / 2]
        print("A test's world takes \(median) from begin through verdicts to end, at the median.")
        // The bound must hold on any machine, even while other tests run.
        #expect(median < .seconds(2))
    }

    @Test("A manual clock can advance by a duration or until an event")
    func clock() async throws {
        let world = try await Mock.server.world(scenario: "meal-completes", clock: .manual)
        let start = try await world.now()
        let client = PlannedClient(world: world)
        _ = try await client.call("POST", "api/v1/meal-logs/natural", #"{"raw_input":"an apple","meal_type":"lunch"}"#)
        #expect(try await world.meals().map(\.status) == ["processing"])
        try await world.advance(by: .milliseconds(3500))
        #expect(try await world.now().timeIntervalSince(start) == 3.5)
        let meals = try await world.meals()
        #expect(meals.map(\.status) == ["completed"] && meals.first?.items?.isEmpty == false)
        let error = try #require(
            await #expect(throws: MockError.self) {
                try await world.advance(until: .frame("stream_complete"), within: .seconds(10))
            })
        #expect(error.kind == .nothingMatched)
        let from = Date(timeIntervalSince1970: 1_700_000_000)
        let other = try await Mock.server.world(clock: .manual(from: from))
        #expect(try await other.now() == from)
        let real = try await Mock.server.world(clock: .real)
        let refusal = try #require(
            await #expect(throws: MockError.self) { try await real.advance(by: .seconds(1)) })
        #expect(refusal.kind == .refused(status: 409, code: "CONFLICT"))
        for world in [world, other, real] { try await world.end() }
    }

    @Test("Faults can be added, disabled and removed while a client is connected")
    func faults() async throws {
        let world = try await Mock.server.world()
        let client = PlannedClient(world: world)
        #expect(
            try await world.add(faults: .status(503, on: "GET /api/v1/goals", requests: "1..2", name: "down"))
                == ["down"])
        #expect(try await client.call("GET", "api/v1/goals").status == 503)
        try await world.setFault("down", isEnabled: false)
        #expect(try await client.call("GET", "api/v1/goals").status == 200)
        let names = try await world.add(
            faults: .status(500, on: "any", name: "all"),
            ["on": "GET /api/v1/goals", "quota": ["requests": 1, "per": "1h"]])
        #expect(names.count == 2 && names[0] == "all")
        #expect(try await world.faults() == ["down"] + names)
        try await world.removeFault("all")
        let odd = "50%/ö?#"
        try await world.add(faults: .status(500, on: "GET /api/v1/goals", name: odd))
        try await world.setFault(odd, isEnabled: false)
        #expect(try await client.call("GET", "api/v1/goals").status == 200)
        try await world.removeFault(odd)
        #expect(try await world.faults() == ["down", names[1]])
        try await world.removeAllFaults()
        #expect(try await world.faults() == [])
        #expect(try await client.call("GET", "api/v1/goals").status == 200)
        try await world.setNetwork("offline")
        await #expect(throws: (any Error).self) { try await client.call("GET", "api/v1/goals") }
        try await world.setNetwork(nil)
        #expect(try await client.call("GET", "api/v1/goals").status == 200)
        try await world.end()
    }

    @Test("A world can rewind to a mark, fork and restart with a different scenario")
    func states() async throws {
        let world = try await Mock.server.world(clock: .manual)
        let client = PlannedClient(world: world)
        _ = try await client.addGoal("First")
        try await world.mark("one goal")
        _ = try await client.addGoal("Second")
        let fork = try await world.fork()
        try await world.rewind(to: "one goal")
        #expect(try await world.goals().map(\.title) == ["First"])
        #expect(try await fork.goals().map(\.title) == ["First", "Second"])
        #expect(fork.token != world.token)
        try await world.load(scenario: "conflict")
        #expect(try await world.consultations().map(\.persona) == ["nutritionist"])
        #expect(try await world.consultations().first?.messages?.first?.user == "How much protein do I need?")
        try await world.reset()
        try await world.load(scenario: ["name": "mine", "users": [["id": "default", "goals": [["title": "Run"]]]]])
        #expect(try await world.goals().map(\.title) == ["Run"])
        try await fork.end()
        try await world.end()
    }

    @Test("A test can wait for a request with certain members or for the absence of requests")
    func waiting() async throws {
        let world = try await Mock.server.world()
        let client = PlannedClient(world: world)
        async let waited = world.wait(for: .request("POST /api/v1/goals", status: 201, json: ["data.title": "Run"]))
        _ = try await client.addGoal("Walk")
        _ = try await client.addGoal("Run")
        let entry = try await waited
        #expect(entry.response?.status == 201 && entry.request?.body?.contains("Run") == true)
        let next: MockWorld.Condition = .request("/api/v1/goals")
        #expect(try await world.firstEntry(of: next, within: .milliseconds(100)) == nil)
        #expect(try await world.firstEntry(of: next, within: .seconds(5), since: .beginning)?.number == 1)
        #expect(try await world.wait(for: next, since: .after(try await world.wait(for: next))).number == entry.number)
        let error = try #require(
            await #expect(throws: MockError.self) {
                try await world.wait(for: .request("/api/v1/goals", status: 404), within: .milliseconds(100))
            })
        #expect(error.kind == .nothingMatched && error.description.contains("nearest: #"), "\(error)")
        try await world.end()
    }

    @Test("A test can read a world's requests, journal, HAR and report")
    func traffic() async throws {
        let world = try await Mock.server.world(label: "a </script> in a name")
        let client = PlannedClient(world: world)
        _ = try await client.addGoal("</script><b>")
        _ = try await client.call("GET", "api/v1/goals")
        let requests = try await world.requests()
        #expect(requests.map(\.method) == ["POST", "GET"] && requests.map(\.status) == [201, 200])
        #expect(requests[0].path == "/api/v1/goals" && requests[0].field("x-api-key") == world.apiKey)
        #expect(try requests[0].json()["title"] == "</script><b>")
        #expect(requests[0].entry.endpoint == "createGoal")
        #expect(String(decoding: try await world.journal(), as: UTF8.self).split(separator: "\n").count == 2)
        let har = try MockWorld.JSON(text: String(decoding: try await world.har(), as: UTF8.self))
        #expect(har["log"]?["entries"]?.elements.count == 2)
        let page = String(decoding: try await world.htmlReport(), as: UTF8.self)
        let element = try #require(page.split(separator: "<script type=\"application/json\" class=\"run\">").last)
        let run = try MockWorld.JSON(text: String(try #require(element.split(separator: "</script>").first)))
        #expect(run["journal"]?.elements.count == 2 && run["verdicts"]?["verdicts"]?.elements.isEmpty == false)
        #expect(run["title"] == "a </script> in a name")
        try await world.end()
    }

    @Test("A test can send on, hold, close and reset its client's sockets")
    func sockets() async throws {
        let world = try await Mock.server.world(scenario: "conflict")
        let consultation = try #require(try await world.consultations().first?.id)
        let chat = try SocketPeer(world.url, consultation, world.headers)
        let opened = try await world.wait(for: .socket(), within: .seconds(20))
        let socket = try #require(try await world.sockets().first)
        #expect(socket.isOpen && socket.connection == opened.connection && socket.path.hasSuffix("/ws"))
        try await socket.send(["type": "maintenance"])
        try chat.receive(until: "maintenance")
        try await socket.hold()
        try await socket.hold()
        try chat.send(#"{"type":"ping"}"#)
        try await world.wait(for: ["kind": "held"])
        #expect(try await world.firstEntry(of: .frame("pong"), within: .milliseconds(50), since: .beginning) == nil)
        try await socket.release()
        try chat.receive(until: "pong")
        #expect(try await world.frames().contains { $0.type == "ping" && $0.isFromClient })
        try await socket.close(code: 1013, reason: "Later")
        try chat.receive(until: "Later")
        chat.close()
        let closed = try await world.wait(for: ["kind": "closed"])
        #expect(try await world.sockets().isEmpty)
        let other = try SocketPeer(world.url, consultation, world.headers)
        let reopened = try await world.wait(for: .socket(), within: .seconds(20), since: .after(closed))
        try await #require(try await world.sockets().first).reset()
        try await world.wait(for: ["kind": "closed"], since: .after(reopened))
        other.close()
        #expect(try await world.sockets().isEmpty)
        try await world.end()
    }
}
