import FitIQAPI
import HTTPTypes
import JSON
import TestSupport
import Testing

@testable import MockServer

@Suite("Goals over HTTP")
struct GoalTests {
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

    // MARK: The guide's flows

    @Test("Flows 1 and 3: a chat about a goal links both resources", arguments: [GuideMode.union, .goalLinking])
    func chatAboutGoal(mode: GuideMode) throws {
        let network = VirtualNetwork { $0.mode = mode }
        let client = try network.client()
        let created = try client.exchange(Self.create())
        #expect(created.status == 201)
        #expect(created.fields[.contentType] == "application/json; charset=utf-8")
        let goal = try #require(created.json?["id"]?.string)
        #expect(created.json?["status"] == "not_started" && created.json?["conversationId"] == JSONValue.null)
        #expect((created.json?["success"] == true) == (mode == .union))

        let chat = try client.exchange(Self.chat(goal))
        #expect(chat.status == 201)
        #expect(chat.json?["goalId"] == .string(goal))
        #expect(chat.json?["persona"]?["name"] == "Wellness Coach")
        let id = try #require(chat.json?["conversationId"]?.string)
        #expect(try client.exchange(Self.chat(goal)).body == chat.body)

        let conversation = try client.exchange(Self.get("consultations/\(id)"))
        #expect(conversation.json?["goalId"] == .string(goal))
        let shown = try client.exchange(Self.get("goals/\(goal)"))
        #expect(shown.status == 200)
        #expect(shown.json?["conversationId"] == .string(id))
        let list = try client.exchange(Self.get("goals"))
        #expect(list.status == 200)
        #expect(list.json?["goals"]?[0]?["conversationId"] == .string(id) && list.json?["totalCount"] == 1)

        // The persona's avatar exists.
        let avatar = try #require(chat.json?["persona"]?["avatar"]?.string)
        #expect(try client.exchange(Request(target: avatar)).fields[.contentType] == "image/svg+xml")
    }

    @Test("Flow 2: PATCH links a goal to the chat that suggested it, and null unlinks it")
    func linkByPatch() throws {
        let network = VirtualNetwork()
        let id = try network.consultation()
        let client = try network.client()
        let goal = try #require(try client.exchange(Self.create()).json?["id"]?.string)
        network.advance(by: .seconds(5))
        let linked = try client.exchange(Self.patch(goal, #"{"conversationId":"\#(id)"}"#))
        #expect(linked.status == 200)
        #expect(linked.json?["conversationId"] == .string(id))
        #expect(linked.json?["data"]?["conversation_id"] == .string(id))
        #expect(linked.json?["updatedAt"] == "2025-01-29T10:30:05Z")
        #expect(try client.exchange(Self.get("consultations/\(id)")).json?["data"]?["goal_id"] == .string(goal))

        let unlinked = try client.exchange(Self.patch(goal, #"{"conversationId":null,"progress":0.45}"#))
        #expect(unlinked.json?["conversationId"] == JSONValue.null && unlinked.json?["progress"]?.double == 0.45)
        #expect(try client.exchange(Self.get("consultations/\(id)")).json?["goalId"] == JSONValue.null)
        #expect(try client.exchange(Self.patch(goal, "{}")).body == unlinked.body)
    }

    @Test("Archiving a goal's conversation unlinks the goal")
    func archive() throws {
        let network = VirtualNetwork()
        let client = try network.client()
        let goal = try #require(try client.exchange(Self.create()).json?["id"]?.string)
        let id = try network.consultation(#"{"persona":"nutritionist","goal_id":"\#(goal)"}"#)
        #expect(try client.exchange(Self.get("goals/\(goal)")).json?["conversationId"] == .string(id))
        try network.archive(id)
        #expect(try client.exchange(Self.get("goals/\(goal)")).json?["conversationId"] == JSONValue.null)
        let refused = try client.exchange(Self.patch(goal, #"{"conversationId":"\#(id)"}"#))
        #expect(refused.status == 400 && refused.errorCode == "CONSULTATION_NOT_ACTIVE")
    }

    @Test("HEAD returns the fields of GET without a body")
    func head() throws {
        let network = VirtualNetwork()
        let client = try network.client()
        let goal = try #require(try client.exchange(Self.create()).json?["id"]?.string)
        for path in ["/api/v1/goals", "/api/v1/goals/\(goal)"] {
            let get = try client.exchange(.authorized(.get, path, as: TestUser.anna))
            let head = try client.exchange(.authorized(.head, path, as: TestUser.anna))
            #expect(head.status == 200 && head.body.isEmpty)
            #expect(head.fields[.contentLength] == String(get.body.count))
        }
    }

    // MARK: Refusals

    /// An endpoint with a body, and whether its path contains an id.
    static let endpoints: [(method: HTTPRequest.Method, path: String, hasID: Bool)] = [
        (.post, "/api/v1/goals", false), (.patch, "/api/v1/goals/", true),
        (.post, "/api/v1/consultations/chat-about-goal", false),
    ]

    @Test("The server checks method, credentials, id, media type and body in that order", arguments: endpoints)
    func order(endpoint: (method: HTTPRequest.Method, path: String, hasID: Bool)) throws {
        let network = VirtualNetwork()
        let goal = try #require(try network.exchange(Self.create()).json?["id"]?.string)
        func request(_ id: String, authorized: Bool = true, type: String = "text/plain", body: String = "x") -> Request
        {
            let path = endpoint.path + (endpoint.hasID ? id : "")
            var request =
                authorized
                ? Request.authorized(endpoint.method, path, as: TestUser.anna)
                : Request(method: endpoint.method, target: path)
            request.body = Array(body.utf8)
            return request.with("Content-Type: \(type)")
        }
        var wrongMethod = request(Self.unknown, authorized: false)
        wrongMethod.method = .trace
        #expect(try network.exchange(wrongMethod).status == 405)
        #expect(try network.exchange(request(Self.unknown, authorized: false)).status == 401)
        if endpoint.hasID {
            let response = try network.exchange(request(Self.unknown))
            #expect(response.status == 404 && response.errorCode == "GOAL_NOT_FOUND")
        }
        #expect(try network.exchange(request(goal)).errorCode == "UNSUPPORTED_MEDIA_TYPE")
        #expect(try network.exchange(request(goal, type: "application/json")).errorCode == "INVALID_JSON")
        let empty = try network.exchange(request(goal, type: "application/json", body: ""))
        #expect(empty.status == 400 && empty.errorCode == "INVALID_JSON")
        #expect(empty.message.contains("the body is empty"))
        #expect(
            network.engine.defaultWorld.backend.goalCount == 1
                && network.engine.defaultWorld.backend.consultationCount == 0)
    }

    @Test("A rejected PATCH changes nothing, and validation precedes the conversation's lookup")
    func allOrNothing() throws {
        let network = VirtualNetwork()
        let client = try network.client()
        let created = try client.exchange(Self.create())
        let goal = try #require(created.json?["id"]?.string)
        let refused: [(String, Int, String)] = [
            (#"{"title":"New","conversationId":"\#(Self.unknown)","progress":2}"#, 400, "VALIDATION_FAILED"),
            (#"{"title":"New","conversationId":"\#(Self.unknown)"}"#, 404, "NOT_FOUND"),
            (#"{"title":"New","conversationId":7}"#, 400, "VALIDATION_FAILED"),
            (#"{"title":"New","status":"done"}"#, 400, "VALIDATION_FAILED"),
            (#"{"title":"New","targetDate":"tomorrow"}"#, 400, "VALIDATION_FAILED"),
            (#"{"title":"New"}}"#, 400, "INVALID_JSON"),
        ]
        for (body, status, code) in refused {
            let response = try client.exchange(Self.patch(goal, body))
            #expect(response.status == status && response.errorCode == code, "\(body)")
            #expect(try client.exchange(Self.get("goals/\(goal)")).body == created.body)
        }
    }

    @Test("chat-about-goal returns 400 for an invalid id and 404 for an unknown id")
    func chatRefusals() throws {
        let network = VirtualNetwork()
        let goal = try #require(try network.exchange(Self.create()).json?["id"]?.string)
        let malformed = try network.exchange(Self.chat("backend-123"))
        #expect(malformed.status == 400 && malformed.errorCode == "VALIDATION_FAILED")
        #expect(malformed.message.contains("never the app's local one"))
        for id in [goal.uppercased(), Self.unknown] {
            let response = try network.exchange(Self.chat(id))
            #expect(response.status == 404 && response.errorCode == "GOAL_NOT_FOUND")
            #expect(response.message.contains("never the app's local one"))
        }
        #expect(try network.exchange(Self.chat(goal.uppercased())).message.contains("lower-case it to \"\(goal)\""))
    }

    static let supporting: [GuideMode] = [.consultationWebSocket, .enhancedConsultations]

    @Test("Modes of guides that presuppose goals have the union's form without chat-about-goal", arguments: supporting)
    func support(mode: GuideMode) throws {
        let network = VirtualNetwork { $0.mode = mode }
        let created = try network.exchange(Self.create())
        #expect(created.status == 201)
        #expect(created.json?["success"] == true && created.json?["data"]?["target_date"] != nil)
        let goal = try #require(created.json?["id"]?.string)
        #expect(try network.exchange(Self.chat(goal)).status == 404)
    }

    @Test(
        "If a guide has no goals, its mode returns 404 before it checks credentials",
        arguments: [GuideMode.webSocketArchitecture, .mealLogWebSocket])
    func absent(mode: GuideMode) throws {
        let network = VirtualNetwork { $0.mode = mode }
        for target in ["/api/v1/goals", "/api/v1/goals/\(Self.unknown)"] {
            let response = try network.exchange(Request(target: target))
            #expect(response.status == 404 && response.errorCode == "NOT_FOUND")
        }
    }

    @Test("Creating a goal beyond the limit returns 507")
    func limit() throws {
        let network = VirtualNetwork { $0.worldLimits.goals = 1 }
        #expect(try network.exchange(Self.create()).status == 201)
        let response = try network.exchange(Self.create())
        #expect(response.status == 507 && response.errorCode == "STORE_FULL")
    }
}
