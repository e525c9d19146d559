import FitIQAPI
import GuideModels
import TestSupport
import Testing

@testable import MockServer

@Suite("A client of consultation-websocket reads every answer") struct ConsultationWebSocketAnswerTests {
    typealias Guide = ConsultationWebSocketGuide

    static let servers = [GuideMode.union, .consultationWebSocket]

    private func create(_ client: GuideClient, _ body: [String: String]) throws -> Guide.Consultation {
        let response = try client.post("consultations", body)
        let made = try client.read(Guide.CreateConsultationResponse.self, Guide.created, response, status: 201)
        return made.data.consultation
    }

    @Test("The client decodes the answers to create and get requests, with and without a goal", arguments: servers)
    func createAndGet(server: GuideMode) throws {
        let client = GuideClient(.consultationWebSocket, of: server)
        let goal = try client.goal()
        for goalID in [nil, goal] {
            var body = ["persona": "nutritionist"]
            body["goal_id"] = goalID
            let created = try create(client, body)
            #expect(created.userID == TestUser.anna && created.persona == "nutritionist" && created.status == "active")
            #expect(created.goalID == goalID && created.messageCount == 0)
            let response = try client.get("consultations/\(created.id)")
            let shown = try client.read(Guide.ConsultationResponse.self, Guide.shown, response).data
            #expect(shown.id == created.id && shown.goalID == goalID && shown.startedAt == created.createdAt)
        }
    }

    @Test("The client decodes the 409 and continues the existing consultation", arguments: servers)
    func conflict(server: GuideMode) throws {
        let client = GuideClient(.consultationWebSocket, of: server)
        for body in [["persona": "nutritionist"], ["persona": "nutritionist", "goal_id": try client.goal()]] {
            let created = try create(client, body)
            let again = try client.post("consultations", body)
            let shape = body["goal_id"] == nil ? Guide.conflict : Guide.conflict.requiring("error.details.goal_id")
            let refusal = try client.read(Guide.ConflictErrorResponse.self, shape, again, status: 409).error
            #expect(refusal.code == "CONSULTATION_EXISTS" && !refusal.message.isEmpty)
            #expect(refusal.details.existingConsultationID == created.id && refusal.details.canContinue)
            #expect(refusal.details.status == "active" && refusal.details.goalID == body["goal_id"])
            let response = try client.get("consultations/\(refusal.details.existingConsultationID)")
            #expect(try client.read(Guide.ConsultationResponse.self, Guide.shown, response).data.id == created.id)
        }
    }

    @Test("A 429 and the other errors have the same form as the guide's 409", arguments: servers)
    func refusals(server: GuideMode) throws {
        let client = GuideClient(.consultationWebSocket, of: server)
        for _ in 0..<10 { _ = try create(client, ["persona": "nutritionist", "goal_id": try client.goal()]) }
        let refusals = [
            (try client.post("consultations", ["persona": "nutritionist"]), 429, "TOO_MANY_ACTIVE_CONSULTATIONS"),
            (try client.post("consultations", ["persona": "chef"]), 400, "VALIDATION_FAILED"),
            (try client.get("consultations/\(TestUser.ben)"), 404, "NOT_FOUND"),
            (try client.get("consultations/\(TestUser.ben)/messages"), 404, "NOT_FOUND"),
        ]
        for (response, status, code) in refusals {
            #expect(response.status == status && response.errorCode == code, "\(response.text)")
            #expect(Shape.failure(in: server).differences(from: response.body) == [])
        }
    }

    @Test("The client decodes a chat on the socket, errors, a pong and the history", arguments: servers)
    func chat(server: GuideMode) throws {
        let client = GuideClient(.consultationWebSocket, of: server)
        let id = try client.consultation()
        let socket = try client.connect(id)
        try socket.send(Guide.OutgoingMessage(type: "message", content: "What should I eat for breakfast?"))
        client.network.advance(by: .seconds(5))
        try socket.send(["type": "ping"])
        try socket.send(Guide.OutgoingMessage(type: "message", content: " "))
        socket.send(binary: [1])
        client.network.settle()

        let frames = socket.takeFrames()
        let story = ["connected", "message_received", "stream_chunk", "stream_complete", "pong", "error"]
        #expect(frames.story == story && Set(story) == Set(Guide.frameTypes))
        let messages = try frames.map { frame in
            let shape = try Guide.frame(#require(frame["type"]?.string))
            return try client.read(Guide.WebSocketMessage.self, shape, frame)
        }
        #expect(messages.filter { $0.type != "pong" }.allSatisfy { $0.consultationID == id })
        #expect(messages.filter { $0.type == "error" }.allSatisfy { $0.error?.isEmpty == false })

        let answer = try client.get("consultations/\(id)/messages")
        let history = try client.read(Guide.MessagesResponse.self, Guide.messages, answer).data.messages
        #expect(history.map(\.role) == ["user", "assistant"] && history.allSatisfy { $0.consultationID == id })
        #expect(messages.compactMap(\.content).joined() == history[1].content)
        let shown = try client.get("consultations/\(id)")
        #expect(try client.read(Guide.ConsultationResponse.self, Guide.shown, shown).data.messageCount == 2)
    }
}
