import FitIQAPI
import HTTPTypes
import JSON
import TestSupport
import Testing

@testable import MockServer

@Suite("Goals over HTTP")
struct GoalTests {
    private let network = VirtualNetwork()

    private static let unknown = "00000000-0000-4000-8000-000000000000"
    private static let given = #""title":"Run","description":"","targetDate":"2025-03-01T00:00:00Z""#

    private static func create(_ json: String = "{\(given)}") -> Request {
        .authorized(.post, "/api/v1/goals", as: TestUser.anna).json(json)
    }

    private static func patch(_ id: String, _ json: String) -> Request {
        .authorized(.patch, "/api/v1/goals/\(id)", as: TestUser.anna).json(json)
    }

    private static func chat(_ id: String) -> Request {
        .authorized(.post, "/api/v1/consultations/chat-about-goal", as: TestUser.anna).json(#"{"goalId":"\#(id)"}"#)
    }

    private static func get(_ path: String) -> Request { .authorized(.get, "/api/v1/\(path)", as: TestUser.anna) }

    private static func goal(in network: VirtualNetwork) throws -> String {
        try #require(try network.exchange(create()).json?["id"]?.string)
    }

    @Test("Flows 1 and 3: a chat about a goal links both resources", arguments: [GuideMode.union, .goalLinking])
    func chatAboutGoal(mode: GuideMode) throws {
        let network = VirtualNetwork { $0.mode = mode }
        let client = try network.client()
        let created = try client.exchange(Self.create())
        #expect(created.status == 201 && created.fields[.contentType] == "application/json; charset=utf-8")
        let goal = try #require(created.json?["id"]?.string)
        #expect(created.json?["status"] == "not_started" && created.json?["conversationId"] == JSONValue.null)
        #expect((created.json?["success"] == true) == (mode == .union))

        let chat = try client.exchange(Self.chat(goal))
        #expect(chat.status == 201 && chat.json?["goalId"] == .string(goal))
        #expect(chat.json?["persona"]?["name"] == "Wellness Coach")
        let id = try #require(chat.json?["conversationId"]?.string)
        #expect(try client.exchange(Self.chat(goal)).body == chat.body)

        #expect(try client.exchange(Self.get("consultations/\(id)")).json?["goalId"] == .string(goal))
        let shown = try client.exchange(Self.get("goals/\(goal)"))
        #expect(shown.status == 200 && shown.json?["conversationId"] == .string(id))
        let list = try client.exchange(Self.get("goals"))
        #expect(list.status == 200 && list.json?["totalCount"] == 1)
        #expect(list.json?["goals"]?[0]?["conversationId"] == .string(id))
        let avatar = try #require(chat.json?["persona"]?["avatar"]?.string)
        #expect(try client.exchange(Request(target: avatar)).fields[.contentType] == "image/svg+xml")
    }

    @Test("Flow 2: PATCH links a goal to the chat that suggested it, and null unlinks it")
    func linkByPatch() throws {
        let id = try network.consultation()
        let client = try network.client()
        let goal = try Self.goal(in: network)
        network.advance(by: .seconds(5))
        let linked = try client.exchange(Self.patch(goal, #"{"conversationId":"\#(id)"}"#))
        #expect(linked.status == 200 && linked.json?["updatedAt"] == "2025-01-29T10:30:05Z")
        #expect(
            linked.json?["conversationId"] == .string(id) && linked.json?["data"]?["conversation_id"] == .string(id))
        #expect(try client.exchange(Self.get("consultations/\(id)")).json?["data"]?["goal_id"] == .string(goal))

        let unlinked = try client.exchange(Self.patch(goal, #"{"conversationId":null,"progress":0.45}"#))
        #expect(unlinked.json?["conversationId"] == JSONValue.null && unlinked.json?["progress"]?.double == 0.45)
        #expect(try client.exchange(Self.get("consultations/\(id)")).json?["goalId"] == JSONValue.null)
        #expect(try client.exchange(Self.patch(goal, "{}")).body == unlinked.body)
    }

    @Test("Archiving a goal's conversation unlinks the goal")
    func archive() throws {
        let goal = try Self.goal(in: network)
        let id = try network.consultation(#"{"persona":"nutritionist","goal_id":"\#(goal)"}"#)
        #expect(try network.exchange(Self.get("goals/\(goal)")).json?["conversationId"] == .string(id))
        try network.archive(id)
        #expect(try network.exchange(Self.get("goals/\(goal)")).json?["conversationId"] == JSONValue.null)
        let refused = try network.exchange(Self.patch(goal, #"{"conversationId":"\#(id)"}"#))
        #expect(refused.refusal == "400 CONSULTATION_NOT_ACTIVE")
    }

    @Test("HEAD returns the fields of GET without a body")
    func head() throws {
        let client = try network.client()
        for path in ["/api/v1/goals", "/api/v1/goals/\(try Self.goal(in: network))"] {
            let get = try client.exchange(.authorized(.get, path, as: TestUser.anna))
            let head = try client.exchange(.authorized(.head, path, as: TestUser.anna))
            #expect(head.status == 200 && head.body.isEmpty && head.fields[.contentLength] == String(get.body.count))
        }
    }

    @Test(
        "The server checks method, credentials, id, media type and body in that order",
        arguments: [
            (.post, "/api/v1/goals"), (.patch, "/api/v1/goals/{id}"), (.post, "/api/v1/consultations/chat-about-goal"),
        ] as [(HTTPRequest.Method, String)])
    func order(method: HTTPRequest.Method, path: String) throws {
        let goal = try Self.goal(in: network)
        func ask(
            _ id: String, _ method: HTTPRequest.Method, authorized: Bool = true, type: String = "text/plain",
            body: String = "x"
        ) throws -> Response {
            var request = Request.authorized(method, path.replacing("{id}", with: id), as: TestUser.anna)
            if !authorized { request.fields = [] }
            request.body = Array(body.utf8)
            return try network.exchange(request.with("Content-Type: \(type)"))
        }
        #expect(try ask(Self.unknown, .trace, authorized: false).status == 405)
        #expect(try ask(Self.unknown, method, authorized: false).status == 401)
        if path.contains("{id}") { #expect(try ask(Self.unknown, method).refusal == "404 GOAL_NOT_FOUND") }
        #expect(try ask(goal, method).errorCode == "UNSUPPORTED_MEDIA_TYPE")
        #expect(try ask(goal, method, type: "application/json").errorCode == "INVALID_JSON")
        let empty = try ask(goal, method, type: "application/json", body: "")
        #expect(empty.refusal == "400 INVALID_JSON" && empty.message.contains("the body is empty"))
        let backend = network.engine.defaultWorld.backend
        #expect([backend.goalCount, backend.consultationCount] == [1, 0])
    }

    @Test("A rejected PATCH changes nothing, and validation precedes the conversation's lookup")
    func allOrNothing() throws {
        let client = try network.client()
        let created = try client.exchange(Self.create())
        let goal = try #require(created.json?["id"]?.string)
        for (body, refusal) in [
            (#"{"title":"New","conversationId":"\#(Self.unknown)","progress":2}"#, "400 VALIDATION_FAILED"),
            (#"{"title":"New","conversationId":"\#(Self.unknown)"}"#, "404 NOT_FOUND"),
            (#"{"title":"New","conversationId":7}"#, "400 VALIDATION_FAILED"),
            (#"{"title":"New","status":"done"}"#, "400 VALIDATION_FAILED"),
            (#"{"title":"New","targetDate":"tomorrow"}"#, "400 VALIDATION_FAILED"),
            (#"{"title":"New"}}"#, "400 INVALID_JSON"),
        ] {
            #expect(try client.exchange(Self.patch(goal, body)).refusal == refusal, "\(body)")
            #expect(try client.exchange(Self.get("goals/\(goal)")).body == created.body)
        }
    }

    @Test("chat-about-goal returns 400 for an invalid id and 404 for an unknown id")
    func chatRefusals() throws {
        let goal = try Self.goal(in: network)
        for (id, refusal) in [
            ("backend-123", "400 VALIDATION_FAILED"), (goal.uppercased(), "404 GOAL_NOT_FOUND"),
            (Self.unknown, "404 GOAL_NOT_FOUND"),
        ] {
            let response = try network.exchange(Self.chat(id))
            #expect(response.refusal == refusal && response.message.contains("never the app's local one"), "\(id)")
        }
        #expect(try network.exchange(Self.chat(goal.uppercased())).message.contains("lower-case it to \"\(goal)\""))
    }

    @Test(
        "Modes of guides that presuppose goals have the union's form without chat-about-goal",
        arguments: [GuideMode.consultationWebSocket, .enhancedConsultations])
    func support(mode: GuideMode) throws {
        let network = VirtualNetwork { $0.mode = mode }
        let created = try network.exchange(Self.create())
        #expect(created.status == 201 && created.json?["success"] == true)
        #expect(created.json?["data"]?["target_date"] != nil)
        let goal = try #require(created.json?["id"]?.string)
        #expect(try network.exchange(Self.chat(goal)).status == 404)
    }

    @Test(
        "If a guide has no goals, its mode returns 404 before it checks credentials",
        arguments: [GuideMode.webSocketArchitecture, .mealLogWebSocket])
    func absent(mode: GuideMode) throws {
        let network = VirtualNetwork { $0.mode = mode }
        for target in ["/api/v1/goals", "/api/v1/goals/\(Self.unknown)"] {
            #expect(try network.exchange(Request(target: target)).refusal == "404 NOT_FOUND")
        }
    }

    @Test("Creating a goal beyond the limit returns 507")
    func limit() throws {
        let network = VirtualNetwork { $0.worldLimits.goals = 1 }
        #expect(try network.exchange(Self.create()).status == 201)
        #expect(try network.exchange(Self.create()).refusal == "507 STORE_FULL")
    }
}
