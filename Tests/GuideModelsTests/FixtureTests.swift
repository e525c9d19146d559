import Foundation
import GuideModels
import JSON
import Testing

@Suite("The guides' printed JSON")
struct FixtureTests {
    @Test(
        "Every JSON example in the guides has a fixture",
        arguments: [("consultation-websocket", 8), ("goal-linking", 6), ("websocket-architecture", 2)])
    func isComplete(guide: String, count: Int) {
        #expect(GuideFixture.all.filter { $0.guide == guide }.count == count)
    }

    @Test("Each fixture is valid JSON and matches its own shape", arguments: GuideFixture.all)
    func isJSON(fixture: GuideFixture) throws {
        #expect(try Shape(fixture).differences(from: fixture.value) == [])
    }

    @Test("Each fixture belongs to an existing guide")
    func isOfAGuide() {
        #expect(
            Set(GuideFixture.all.map(\.guide)) == ["consultation-websocket", "goal-linking", "websocket-architecture"])
    }

    @Test("Request and client frame models encode to the fixtures")
    func requests() throws {
        func check(_ request: some Encodable, _ guide: String, _ name: String) throws {
            let encoded = try JSON.parse(Array(JSONEncoder.iso8601().encode(request)))
            #expect(try encoded == GuideFixture(guide, name).value)
        }
        try check(
            ConsultationWebSocketGuide.OutgoingMessage(type: "message", content: "What should I eat for breakfast?"),
            "consultation-websocket", "message.client")
        try check(
            GoalLinkingGuide.ChatAboutGoalRequest(goalId: "backend-goal-id-string"), "goal-linking",
            "chat-about-goal.request")
        try check(
            GoalLinkingGuide.UpdateGoalRequest(conversationId: "uuid-v4-string"), "goal-linking", "link-goal.request")
    }

    @Test("Each fixture decodes with its guide's models")
    func answers() throws {
        func read<Model: Decodable>(_ model: Model.Type, _ guide: String, _ name: String) throws -> Model {
            try JSONDecoder.iso8601().decode(model, from: GuideFixture(guide, name).data)
        }
        typealias Architecture = WebSocketArchitectureGuide
        for type in ConsultationWebSocketGuide.frameTypes {
            let frame = try read(ConsultationWebSocketGuide.WebSocketMessage.self, "consultation-websocket", type)
            #expect(frame.type == type)
        }
        let goal = try read(GoalLinkingGuide.BackendGoal.self, "goal-linking", "goal")
        #expect(goal.status == .inProgress && goal.progress == 0.45)
        let linked = try read(GoalLinkingGuide.BackendGoal.self, "goal-linking", "goal.linked")
        #expect(linked.conversationId == "uuid-v4-string")
        let chat = try read(GoalLinkingGuide.ChatAboutGoalResponse.self, "goal-linking", "chat-about-goal")
        #expect(chat.persona.name == "Wellness Coach")
        let completed = try read(
            Architecture.MealLogMessage<Architecture.MealLogCompleted>.self, "websocket-architecture",
            "meal_log.completed")
        #expect(completed.data.items.map(\.quantity) == ["120g"])
        #expect(completed.data.totalCalories == 198)
        let failed = try read(
            Architecture.MealLogMessage<Architecture.MealLogFailed>.self, "websocket-architecture", "meal_log.failed")
        #expect(failed.data.error == "Failed to parse meal input")
    }
}
