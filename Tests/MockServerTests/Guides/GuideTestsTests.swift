import FitIQAPI
import Foundation
import GuideModels
import HTTPTypes
import JSON
import Scenarios
import TestSupport
import Testing

@testable import MockServer

/// The guides' printed tests, with their ids and credentials, against the scenario `guide-tests`.
@Suite("The guides' own tests against guide-tests") struct GuideTestsTests {
    /// A world that runs the scenario and answers as a guide, with a guide's key.
    struct World {
        let network: VirtualNetwork
        let key: String

        init(_ mode: GuideMode, key: String = "test-api-key") throws {
            let scenario = try #require(Scenario.builtIn(named: "guide-tests"))
            self.key = key
            network = VirtualNetwork {
                $0.scenario = scenario
                $0.mode = mode
                $0.pace = .human
                $0.apiKey = key
            }
        }

        func ask<Body: Encodable>(
            _ method: HTTPRequest.Method, _ path: String, _ body: Body? = nil as String?, token: String = "test-token"
        ) throws -> Response {
            let fields = [Request.bearer(token), "X-API-Key: \(key)"]
            let request = Request(method: method, target: "/api/v1/\(path)", fields: fields)
            guard let body else { return try network.exchange(request) }
            return try network.exchange(
                request.json(String(decoding: JSONEncoder.iso8601().encode(body), as: UTF8.self)))
        }

        func get<Model: Decodable>(_ model: Model.Type, _ path: String) throws -> Model {
            try read(model, ask(.get, path))
        }

        func read<Model: Decodable>(_ model: Model.Type, _ response: Response) throws -> Model {
            #expect((200...201).contains(response.status), "\(response.text)")
            return try JSONDecoder.iso8601().decode(model, from: Data(response.body))
        }
    }

    @Test("enhanced-consultations: test-token opens the socket for test-id")
    func consultations() throws {
        typealias Guide = EnhancedConsultationsGuide
        let world = try World(.enhancedConsultations)
        let request = Guide.CreateConsultationRequest(persona: .nutritionist, contextType: .general)
        // Tests can run again.
        for _ in 0..<2 {
            let answer = try world.ask(.post, "consultations", request)
            let created = try world.read(Guide.ConsultationResponse.self, answer).data
            #expect(created.persona == .nutritionist && created.contextType == .general)
        }
        let list = try world.get(Guide.ConsultationsListResponse.self, "consultations").data
        #expect(list.consultations.map(\.id).contains("test-id") && list.pagination.totalCount == 3)
        let actions = try world.get(Guide.QuickActionsResponse.self, "consultations/quick-actions").data
        #expect(!actions.quickActions.isEmpty)
        let socket = try world.network.client().upgrade(.handshake("/api/v1/consultations/test-id/ws?token=test-token"))
        #expect(socket.takeTypes() == ["connected"])
        try socket.send(Guide.OutgoingMessage(content: "Hello, I need help with my goals"))
        let messages = try world.get(Guide.MessagesResponse.self, "consultations/test-id/messages").data.messages
        #expect(messages.map(\.consultationId) == ["test-id"])
    }

    @Test("A world with free-form ids survives export and import after a goal's deletion")
    func deletedGoal() throws {
        let scenario = try #require(Scenario.builtIn(named: "guide-tests"))
        let network = VirtualNetwork { $0.scenario = scenario }
        let world = try network.world(#"{"scenario":"guide-tests"}"#)
        func ask(_ method: HTTPRequest.Method, _ path: String, _ body: String = "") throws -> Response {
            try world.exchange(method, "/api/v1/\(path)", body, token: "test-token")
        }
        let chat = try ask(.post, "consultations/chat-about-goal", #"{"goalId":"backend-123"}"#)
        let id = try #require(chat.json?["conversationId"]?.string, "\(chat.text)")
        #expect(try ask(.delete, "goals/backend-123").status == 204)
        let state = try world.ask(.get, "state")
        let copy = try network.world(#"{"scenario":"default"}"#)
        let answer = try copy.ask(.put, "state", state.text)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try copy.ask(.get, "state").body == state.body)
        let shown = try copy.exchange(.get, "/api/v1/consultations/\(id)", token: "test-token")
        #expect(shown.json?["data"]?["context_id"]?.string == "backend-123", "\(shown.text)")
        let saved = try JSON.parse(state.body)
        #expect(throws: Never.self) { try Scenario.read(json: saved, isSaved: true) }
    }

    @Test("consultation-websocket: the socket connects within 1 s and answers within 5 s")
    func chat() throws {
        typealias Guide = ConsultationWebSocketGuide
        let world = try World(.consultationWebSocket)
        let answer = try world.ask(.post, "consultations", ["persona": "nutritionist"])
        let created = try world.read(Guide.CreateConsultationResponse.self, answer)
        let path = "/api/v1/consultations/\(created.data.consultation.id)/ws"
        var handshake = Request.handshake(path)
        handshake.fields += [Request.bearer("test-token"), "X-API-Key: test-api-key"]
        let socket = try world.network.client().upgrade(handshake)
        world.network.advance(by: .seconds(1))
        #expect(socket.takeTypes() == ["connected"])
        try socket.send(Guide.OutgoingMessage(type: "message", content: "Hello"))
        world.network.advance(by: .seconds(5))
        #expect(socket.takeTypes().last == "stream_complete")
    }

    @Test("goal-linking: backend-123 gets a linked conversation, and an unknown goal id gets a 404")
    func goals() throws {
        typealias Guide = GoalLinkingGuide
        let world = try World(.goalLinking)
        let request = Guide.ChatAboutGoalRequest(goalId: "backend-123")
        let chat = try world.read(
            Guide.ChatAboutGoalResponse.self, world.ask(.post, "consultations/chat-about-goal", request))
        #expect(chat.goalId == "backend-123" && UUID(uuidString: chat.conversationId) != nil)
        let goal = try world.get(Guide.BackendGoal.self, "goals/backend-123")
        #expect(goal.id == "backend-123" && goal.conversationId == chat.conversationId)
        let conversation = try world.get(Guide.Conversation.self, "consultations/\(chat.conversationId)")
        #expect(conversation.goalId == "backend-123")
        let unknown = Guide.ChatAboutGoalRequest(goalId: "backend-124")
        #expect(try world.ask(.post, "consultations/chat-about-goal", unknown).status == 404)
        #expect(try world.ask(.get, "goals/backend-123", token: "other-token").status == 401)
    }

    @Test("meal-log-websocket: meal-123 has 140 kcal, and a new meal completes after five seconds")
    func meals() throws {
        typealias Guide = MealLogWebSocketGuide
        typealias Answer = Guide.APIResponse<Guide.MealLogResponse>
        let world = try World(.mealLogWebSocket, key: "test-key")
        let planted = try world.get(Answer.self, "meal-logs/meal-123").data
        #expect(planted.id == "meal-123" && planted.userId == "user-456" && planted.totalCalories == 140)
        let request = Guide.CreateMealLogRequest(rawInput: "2 scrambled eggs", mealType: .breakfast)
        let created = try world.read(Answer.self, world.ask(.post, "meal-logs/natural", request)).data
        #expect(created.status == .processing)
        world.network.advance(by: .seconds(5))
        let updated = try world.get(Answer.self, "meal-logs/\(created.id)").data
        #expect(updated.status == .completed && (updated.totalCalories ?? 0) > 0)
    }

    @Test("The world keeps its ids and tokens through export and import")
    func export() throws {
        let world = try World(.union)
        let state = world.network.engine.defaultWorld.backend.data(at: world.network.now)
        #expect(state.users.first?.goals.first?.id == ResourceID(freeText: "backend-123"))
        let file = state.scenarioFile(
            name: "again", guide: .union, seed: 1, clock: .real,
            rules: world.network.engine.defaultWorld.settings.scenario.rules)
        let again = try Scenario.read(file)
        #expect(again.data.users == state.users && again.rules.tokens == ["test-token": "user-456"])
    }
}
