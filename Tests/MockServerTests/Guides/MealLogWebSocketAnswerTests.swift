import FitIQAPI
import Foundation
import GuideModels
import JSON
import TestSupport
import Testing

@testable import MockServer

@Suite("A client of meal-log-websocket reads every answer") struct MealLogWebSocketAnswerTests {
    typealias Guide = MealLogWebSocketGuide
    typealias Answer = Guide.APIResponse<Guide.MealLogResponse>
    typealias Completed = Guide.MealLogMessage<Guide.MealLogCompletedData>
    typealias Failed = Guide.MealLogMessage<Guide.MealLogFailedData>

    static let servers = [GuideMode.union, .mealLogWebSocket]

    /// These members are optional in the guide's model, but the server always sends them.
    private static let response = Guide.answer(Guide.response).requiring("data.raw_input")
    private static func requiringAll(_ shape: Shape) -> Shape {
        shape.requiring(
            "data.raw_input", "data.total_calories", "data.total_protein_g", "data.total_carbs_g", "data.total_fat_g",
            "data.total_fiber_g", "data.total_sugar_g", "data.processing_started_at", "data.processing_completed_at",
            "data.items[].food_id", "data.items[].fiber_g", "data.items[].sugar_g", "data.items[].confidence_score")
    }

    private func log(_ client: GuideClient, _ input: String, at time: Date? = nil) throws -> Guide.MealLogResponse {
        let request = Guide.CreateMealLogRequest(rawInput: input, mealType: .breakfast, loggedAt: time)
        let response = try client.post("meal-logs/natural", request)
        return try client.read(Answer.self, Self.response, response, status: 201).data
    }

    @Test("The client can follow a meal to its completion over REST alone", arguments: servers)
    func withoutSocket(server: GuideMode) throws {
        let client = GuideClient(.mealLogWebSocket, of: server, pace: .human)
        let created = try log(client, "2 eggs and toast", at: Date(timeIntervalSince1970: 1_738_137_600))
        #expect(created.status == .processing && created.mealType == .breakfast && created.userId == TestUser.anna)
        #expect(created.loggedAt == Date(timeIntervalSince1970: 1_738_137_600))
        let path = "meal-logs/\(created.id)"
        #expect(try client.read(Answer.self, Self.response, client.get(path)).data.status == .processing)
        client.network.advance(by: .seconds(5))
        let shape = Self.response.requiring(
            "data.total_calories", "data.total_protein_g", "data.total_carbs_g", "data.total_fat_g")
        let shown = try client.read(Answer.self, shape, client.get(path)).data
        #expect(shown.status == .completed && shown.totalCalories == 290 && shown.totalProteinG == 16)
        #expect(shown.loggedAt == created.loggedAt && shown.updatedAt > shown.createdAt)

        let failing = try log(client, "qwertyuiop")
        client.network.advance(by: .seconds(5))
        let response = try client.get("meal-logs/\(failing.id)")
        #expect(try client.read(Answer.self, Self.response, response).data.status == .failed)
    }

    @Test("The client decodes notifications with the same data as GET", arguments: servers)
    func notifications(server: GuideMode) throws {
        let client = GuideClient(.mealLogWebSocket, of: server, pace: .human)
        let socket = try client.connect(client.consultation())
        let eaten = try log(client, "120g chicken breast")
        client.network.advance(by: .seconds(5))
        let unreadable = try log(client, "qwertyuiop")
        client.network.advance(by: .seconds(5))
        let frames = socket.takeFrames()
        #expect(frames.story == ["connected", "meal_log.completed", "meal_log.failed"])

        let completed = try client.read(Completed.self, Self.requiringAll(Guide.frame(.mealLogCompleted)), frames[1])
        #expect(completed.data.id == eaten.id && completed.timestamp == completed.data.processingCompletedAt)
        #expect(completed.data.totalCalories == 198 && completed.data.totalProteinG == 37.2)
        let item = try #require(completed.data.items.first)
        #expect(completed.data.items.count == 1 && item.foodName == "Chicken Breast" && item.mealLogId == eaten.id)
        #expect(item.quantity == 120 && item.unit == "grams" && item.orderIndex == 0 && item.fatG == 4.3)
        #expect(try shares(client.get("meal-logs/\(eaten.id)"), with: frames[1]))

        let failed = try client.read(Failed.self, Guide.frame(.mealLogFailed), frames[2])
        #expect(failed.data.id == unreadable.id && failed.data.errorMessage == "Failed to parse meal input")
        #expect(try shares(client.get("meal-logs/\(unreadable.id)"), with: frames[2]))
    }

    /// Whether an event has all the data that a response has about a log, even where the guide's model has more.
    private func shares(_ response: Response, with event: JSONValue) throws -> Bool {
        try #require(response.json?["data"]?.object).allSatisfy { event["data"]?[$0.key] == $0.value }
    }

    @Test("The client decodes connected, pong and error frames", arguments: servers)
    func plainFrames(server: GuideMode) throws {
        let client = GuideClient(.mealLogWebSocket, of: server)
        let socket = try client.connect(client.consultation())
        socket.send(#"{"type":"ping"}"#)
        socket.send(#"{"type":"subscribe"}"#)
        let frames = socket.takeFrames()
        #expect(frames.story == ["connected", "pong", "error"])
        for frame in frames {
            // Decode as the guide's client does: first the frame's type, then the content for that type.
            let type = try client.read(Guide.WebSocketMessage.self, .any, frame).type
            let message = try client.read(Guide.PlainMessage.self, Guide.frame(type), frame)
            #expect((message.error != nil) == (type == .error))
        }
    }

    @Test("The client decodes errors, and its own mode sends them in the guide's form", arguments: servers)
    func refusals(server: GuideMode) throws {
        let client = GuideClient(.mealLogWebSocket, of: server)
        let unread = Guide.CreateMealLogRequest(rawInput: " ", mealType: .lunch)
        for (response, status) in [
            (try client.post("meal-logs/natural", unread), 400),
            (try client.post("meal-logs/natural", ["raw_input": "2 eggs", "meal_type": "brunch"]), 400),
            (try client.get("meal-logs/\(TestUser.ben)"), 404),
        ] {
            #expect(response.status == status)
            let json = try #require(response.json)
            let shape = server == .union ? Shape.failure(in: server) : Guide.failure.requiring("error.code")
            #expect(shape.differences(from: json) == [])
            #expect(try client.read(Guide.APIError.self, .any, json).error.code != nil)
        }
    }
}
