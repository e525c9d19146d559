import FitIQAPI
import Foundation
import GuideModels
import JSON
import TestSupport
import Testing

@testable import MockServer

/// Compares each JSON example in the guides with what this server sends or accepts in that guide's mode.
@Suite("The server's answers and the guides' printed answers") struct GuideFixtureTests {
    /// The check for each example, by the example's name.
    static let uses: [String: @Sendable (GuideFixture) throws -> Void] = {
        var uses: [String: @Sendable (GuideFixture) throws -> Void] = [
            "consultation-websocket/message.client": sendMessage, "consultation-websocket/ping.client": sendPing,
            "goal-linking/chat-about-goal.request": chatAboutGoal, "goal-linking/chat-about-goal": chatAboutGoal,
            "goal-linking/link-goal.request": linkGoal, "goal-linking/goal.linked": linkGoal,
            "goal-linking/goal": showGoal, "goal-linking/conversation": showConversation,
            "websocket-architecture/meal_log.completed": mealEvent,
            "websocket-architecture/meal_log.failed": mealEvent,
        ]
        for type in ConsultationWebSocketGuide.frameTypes { uses["consultation-websocket/\(type)"] = chatFrame }
        return uses
    }()

    @Test("The table uses each example in the guides")
    func complete() {
        #expect(Set(GuideFixture.all.map(\.description)) == Set(Self.uses.keys) && GuideFixture.all.count == 16)
    }

    @Test("The server's answer has the fields, nesting and types of the printed example", arguments: GuideFixture.all)
    func example(fixture: GuideFixture) throws {
        let use = try #require(Self.uses[fixture.description], "no answer is compared with \(fixture)")
        try use(fixture)
    }

    // MARK: Comparing

    /// Members whose values the backend generates; the guides have placeholders for them.
    private static let issued: Set = [
        "id", "user_id", "userId", "goalId", "conversationId", "meal_log_id", "avatar", "timestamp", "created_at",
        "createdAt", "updated_at", "updatedAt", "lastMessageAt", "processing_started_at", "processing_completed_at",
    ]

    private static func masked(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let elements): .array(elements.map(masked))
        case .object(let object):
            .object(JSONObject(object.map { ($0.key, issued.contains($0.key) ? "issued" : masked($0.value)) }))
        default: value
        }
    }

    /// Expects the same shape in both directions.
    private static func expectAlike(_ answer: JSONValue?, _ fixture: GuideFixture) throws {
        let answer = try #require(answer)
        #expect(try Shape(fixture).differences(from: answer) == [])
        #expect(Shape(of: answer).differences(from: try fixture.value) == [])
    }

    /// Also expects the guide's own values, in the same notation and order.
    private static func expectSame(_ answer: JSONValue?, _ fixture: GuideFixture) throws {
        try expectAlike(answer, fixture)
        let printed = try masked(fixture.value).encoded()
        let sent = try masked(#require(answer)).encoded()
        #expect(String(decoding: sent, as: UTF8.self) == String(decoding: printed, as: UTF8.self))
    }

    private static func text(_ fixture: GuideFixture) throws -> String {
        String(decoding: try fixture.data, as: UTF8.self)
    }

    // MARK: consultation-websocket

    /// The answers to a chat, a ping and a frame that is not valid JSON.
    private static func frames(_ client: GuideClient, _ texts: String...) throws -> [JSONValue] {
        let socket = try client.connect(client.consultation())
        for text in texts { socket.send(text) }
        client.network.advance(by: .seconds(5))
        return socket.takeFrames()
    }

    private static func chatFrame(_ fixture: GuideFixture) throws {
        let client = GuideClient(.consultationWebSocket, of: .consultationWebSocket)
        let frames = try frames(
            client, #"{"type":"message","content":"What should I eat?"}"#, #"{"type":"ping"}"#, "{")
        let ofThisType = frames.filter { $0["type"]?.string == fixture.name }
        #expect(!ofThisType.isEmpty)
        for frame in ofThisType {
            try expectAlike(frame, fixture)
            #expect(frame.object?.keys == (try fixture.value.object?.keys))
        }
    }

    private static func sendMessage(_ fixture: GuideFixture) throws {
        let client = GuideClient(.consultationWebSocket, of: .consultationWebSocket)
        let story = try frames(client, text(fixture)).story
        #expect(story == ["connected", "message_received", "stream_chunk", "stream_complete"])
    }

    private static func sendPing(_ fixture: GuideFixture) throws {
        let client = GuideClient(.consultationWebSocket, of: .consultationWebSocket)
        #expect(try frames(client, text(fixture)).story == ["connected", "pong"])
    }

    // MARK: goal-linking

    /// Chats about a goal with the request that the guide prints.
    private static func chat(_ client: GuideClient, _ goal: String) throws -> Response {
        let request = try text(GuideFixture("goal-linking", "chat-about-goal.request"))
            .replacing("backend-goal-id-string", with: goal)
        return try client.send(.post, "consultations/chat-about-goal", json: request)
    }

    private static func chatAboutGoal(_ fixture: GuideFixture) throws {
        let client = GuideClient(.goalLinking, of: .goalLinking)
        let goal = try client.goal()
        let response = try chat(client, goal)
        #expect(response.status == 201 && response.json?["goalId"] == .string(goal))
        try expectSame(response.json, GuideFixture("goal-linking", "chat-about-goal"))
    }

    /// The guide's goal, which is in progress and was linked with the request that the guide prints.
    private static func linkedGoal(_ client: GuideClient) throws -> (id: String, conversation: String, Response) {
        let conversation = try client.consultation()
        let goal = try client.goal()
        _ = try client.patch("goals/\(goal)", GoalLinkingGuide.UpdateGoalRequest(progress: 0.45, status: "in_progress"))
        let request = try text(GuideFixture("goal-linking", "link-goal.request"))
            .replacing("uuid-v4-string", with: conversation)
        return (goal, conversation, try client.send(.patch, "goals/\(goal)", json: request))
    }

    private static func linkGoal(_ fixture: GuideFixture) throws {
        let client = GuideClient(.goalLinking, of: .goalLinking)
        let (_, conversation, response) = try linkedGoal(client)
        #expect(response.status == 200 && response.json?["conversationId"] == .string(conversation))
        try expectSame(response.json, GuideFixture("goal-linking", "goal.linked"))
    }

    private static func showGoal(_ fixture: GuideFixture) throws {
        let client = GuideClient(.goalLinking, of: .goalLinking)
        let (goal, conversation, _) = try linkedGoal(client)
        let response = try client.get("goals/\(goal)")
        #expect(response.json?["id"] == .string(goal) && response.json?["conversationId"] == .string(conversation))
        try expectSame(response.json, fixture)
        try expectSame(client.get("goals").json?["goals"]?[1], fixture)
    }

    private static func showConversation(_ fixture: GuideFixture) throws {
        let client = GuideClient(.goalLinking, of: .goalLinking)
        let goal = try client.goal()
        let id = try #require(try chat(client, goal).json?["conversationId"]?.string)
        let socket = try client.connect(id)
        // The guide's conversation has twelve messages.
        for _ in 0..<6 {
            socket.send(#"{"type":"message","content":"And then?"}"#)
            client.network.advance(by: .seconds(5))
        }
        let response = try client.get("consultations/\(id)")
        #expect(response.json?["id"] == .string(id) && response.json?["goalId"] == .string(goal))
        try expectSame(response.json, fixture)
    }

    // MARK: websocket-architecture

    private static func mealEvent(_ fixture: GuideFixture) throws {
        let client = GuideClient(.webSocketArchitecture, of: .webSocketArchitecture)
        let socket = try client.connect(client.consultation())
        let input = fixture.name == "meal_log.failed" ? "qwertyuiop" : "120g chicken breast"
        let created = try client.post(
            "meal-logs/natural",
            ["raw_input": input, "meal_type": "lunch", "logged_at": "2024-01-15T13:30:00.5+01:00"])
        client.network.advance(by: .seconds(5))
        let event = try #require(socket.takeFrames().last)
        #expect(event["data"]?["id"] ?? event["data"]?["meal_log_id"] == created.json?["data"]?["id"])
        try expectSame(event, fixture)
    }
}
