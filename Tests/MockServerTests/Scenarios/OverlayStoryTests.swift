import JSON
import TestSupport
import Testing

@testable import MockServer

@Suite("An overlay in a world")
struct OverlayStoryTests {
    private func network(_ overlay: String, _ rest: String = "") throws -> VirtualNetwork {
        try .adopting("{name: real, clock: manual, seed: 7, overlay: [\(overlay)]\(rest)}")
    }

    @Test("An overlay changes answers and errors, and the journal records the changed answers")
    func answers() throws {
        let network = try network(
            """
            {on: POST /api/v1/goals, status: 201, becomes: 200},
            {on: POST /api/v1/goals, status: 200, member: data.created_at, value: "2020-01-01T00:00:00.000Z"},
            {on: POST /api/v1/goals, status: 200, content_type: application/vnd.fitiq+json},
            {on: GET /api/v1/goals, status: 200, member: "data.goals[].note", value: text},
            {on: GET /api/v1/goals, status: 401, member: error.code, value: NO_TOKEN, instead_of: [UNAUTHORIZED]}
            """)
        let created = try network.exchange(
            .authorized(.post, "/api/v1/goals", as: TestUser.anna).json(WorldClient.goal))
        #expect(created.status == 200 && created.fields[.contentType] == "application/vnd.fitiq+json")
        #expect(created.json?["data"]?["created_at"] == "2025-01-29T10:30:00.000Z")
        let listed = try network.exchange(.goals)
        #expect(listed.json?["data"]?["goals"]?[0]?["note"] == "text")
        let refused = try network.exchange(Request(target: "/api/v1/goals"))
        #expect(refused.status == 401 && refused.json?["error"]?["code"] == "NO_TOKEN")
        let entries = try network.plainWorld().journal()
        #expect(entries.map { $0["response"]?["status"]?.int } == [200, 200, 401])
        #expect(entries.allSatisfy { ($0["faults"]?.array ?? []).isEmpty })
    }

    @Test("An overlay changes messages by their socket and type")
    func messages() throws {
        let network = try network(
            """
            {on: "socket /api/v1/consultations/{id}/ws", type: connected, becomes: hello},
            {on: "socket /api/v1/consultations/{id}/ws", type: hello, member: user_id, rename: userId},
            {on: socket /ws/meal-logs, type: connected, member: x, value: 1}
            """)
        let socket = try network.socket(on: try network.consultation())
        let hello = try #require(socket.takeFrames().first)
        #expect(hello["type"] == "hello" && hello["userId"] != nil && hello["user_id"] == nil && hello["x"] == nil)
        let meals = try network.client().upgrade(.handshake("/ws/meal-logs", as: TestUser.anna))
        #expect(meals.takeFrames().first?["x"] == 1)
    }

    @Test("An overlay does not change faults, stubs or the server's own paths")
    func others() throws {
        let network = try network(
            "{on: GET /api/v1/goals, status: 200, member: x, value: 1}",
            #", faults: [{on: GET /api/v1/goals, requests: 1, status: 200, body: "{}"}]"#)
        #expect(try network.exchange(.goals).text == "{}")
        #expect(try network.exchange(.goals).json?["x"] == 1)
        let overlay = #"[{"on":"GET /api/v1/goals","status":200,"member":"y","value":2}]"#
        for (scenario, x, y) in [
            (#"{"name":"a"}"#, 1 as JSONValue?, nil as JSONValue?), (#"{"name":"b","overlay":\#(overlay)}"#, nil, 2),
        ] {
            let world = try network.world(#"{"scenario":\#(scenario)}"#)
            let goals = try world.exchange(.get, "/api/v1/goals")
            #expect(goals.json?["x"] == x && goals.json?["y"] == y)
            // After a reset, the world starts in the same way.
            try #require(try network.admin(.post, "reset", #"{"scenario":\#(scenario)}"#).status == 200)
            let own = try network.exchange(.goals).json
            #expect(own?["x"] == x && own?["y"] == y)
        }
        let refused = try network.admin(.post, "worlds", #"{"scenario":{"name":"c","overlay":"real.yaml"}}"#)
        let sentence = #"The overlay "real.yaml" is a file"#
        #expect(refused.status == 400 && refused.message.contains(sentence), "\(refused.text)")
    }

    @Test("A job changes a long answer while the world pauses")
    func long() throws {
        let network = try network("{on: GET /api/v1/goals, status: 200, member: 'data.goals[].note', value: text}")
        let world = try network.world()
        try #require(try world.ask(.put, "state", largeState(goals: 300, name: "real")).status == 200)
        let request = world.request(.get, "/api/v1/goals", token: try world.token(of: "u0"))
        let jobs = HeldJobs(network)
        let client = try network.sending(request)
        #expect(jobs.count == 1 && client.wire.received.isEmpty)
        try jobs.runAll()
        let goals = try client.response().json?["data"]?["goals"]?.array ?? []
        #expect(goals.count == 300 && goals.allSatisfy { $0["note"] == "text" })
        network.engine.startJob = nil
    }

    @Test("The descriptions match the changed answers and messages")
    func descriptions() throws {
        let network = try network(
            """
            {on: POST /api/v1/goals, status: 299, becomes: 400},
            {on: POST /api/v1/goals, status: 201, becomes: 200},
            {on: POST /api/v1/goals, status: 200, member: data.created_at, rename: createdAt},
            {on: GET /api/v1/goals, status: 200, member: "data.goals[].note", value: {a: [1]}},
            {on: GET /api/v1/goals, status: 200, member: data.total, remove: true},
            {on: GET /api/v1/goals, status: 200, member: "data.goals[].status", value: done, instead_of: [completed]},
            {on: GET /api/v1/goals, status: 200, content_type: text/json},
            {on: GET /api/v1/goals, status: 418},
            {on: socket /ws/meal-logs, type: pong, becomes: heartbeat}
            """)
        let api = try #require(try network.exchange(Request(target: "/openapi.yaml")).json)
        let created = api["paths"]?["/api/v1/goals"]?["post"]?["responses"]
        // A status whose answers do not change is kept.
        #expect(created?["201"] == nil && created?["400"] != nil)
        let choices = try #require(created?["200"]?["content"]?["application/json"]?["schema"]?["anyOf"]?.array)
        let data = choices.compactMap { $0["properties"]?["data"]?["properties"] }
        #expect(!data.isEmpty && data.allSatisfy { $0["createdAt"] != nil && $0["created_at"] == nil })
        let listed = api["paths"]?["/api/v1/goals"]?["get"]?["responses"]
        #expect(listed?["418"]?["description"] != nil)
        let list = try #require(listed?["200"]?["content"]?["text/json"]?["schema"]?["properties"]?["data"])
        #expect(list["properties"]?["total"] == nil && list["required"]?.array?.contains("total") == false)
        let goal = try #require(list["properties"]?["goals"]?["items"])
        #expect(goal["properties"]?["note"]?["properties"]?["a"]?["items"] == ["type": "number"])
        #expect(goal["required"]?.array?.contains("note") == true)
        let words = goal["properties"]?["status"]?["enum"]?.array ?? []
        #expect(words.contains("done") && !words.contains("completed") && words.contains("active"), "\(words)")
        // The overlay does not change schemas that other endpoints use.
        #expect(api["components"]?["schemas"]?["GoalStatus"]?["enum"]?.array?.contains("completed") == true)
        let sockets = try #require(try network.exchange(Request(target: "/asyncapi.yaml")).json)
        let pong = sockets["components"]?["messages"]?["pong"]?["payload"]?["properties"]?["type"]
        #expect(pong?["enum"] == ["heartbeat"] && pong?["const"] == nil)
        let plain = VirtualNetwork { $0.pace = .instant }
        #expect(try plain.exchange(Request(target: "/openapi.yaml")).text.hasPrefix("# Generated"))
    }
}
