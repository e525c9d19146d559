import Foundation
import GuideModels
import JSON
import Testing

@testable import FitIQAPI

@Suite("The models of meal-log-websocket") struct MealLogGuideTests {
    typealias Guide = MealLogWebSocketGuide
    static let forms = [GuideMode.union, .mealLogWebSocket]
    static let date = Date(timeIntervalSince1970: 1_738_146_600)

    @Test("The models decode a log with any status in the answers to create and get requests", arguments: forms)
    func response(form: GuideMode) throws {
        for log in [MealLogExamples.processing, MealLogExamples.completed, MealLogExamples.failed] {
            let body = Data(log.body(of: log.object(in: form), in: form))
            let decoded = try Guide.decoder.decode(Guide.APIResponse<Guide.MealLogResponse>.self, from: body).data
            #expect(decoded.id == log.id.description && decoded.userId == "user-1")
            #expect(decoded.rawInput == log.rawInput && decoded.mealType == .lunch)
            #expect(decoded.status.rawValue == log.status.rawValue)
            #expect(decoded.totalCalories == (log.status == .completed ? 198 : nil))
            #expect(decoded.totalProteinG == (log.status == .completed ? 37.2 : nil))
            #expect(decoded.loggedAt == Self.date - 900 && decoded.createdAt == Self.date)
            #expect(decoded.updatedAt == (log.status == .processing ? Self.date : Self.date + 3))
        }
    }

    @Test("The models decode a completed event with all its items", arguments: forms)
    func completed(form: GuideMode) throws {
        let frame = try #require(MealLogEvent.frame(of: MealLogExamples.mixed, in: form))
        let message = try Guide.decoder.decode(Guide.MealLogMessage<Guide.MealLogCompletedData>.self, from: Data(frame))
        let data = message.data
        #expect(message.type == .mealLogCompleted && message.timestamp == Self.date + 3)
        #expect(data.totalCalories == 273 && data.totalFiberG == 0.7 && data.totalSugarG == 1.2)
        #expect(data.processingStartedAt == Self.date && data.processingCompletedAt == Self.date + 3)
        #expect(data.items.map(\.foodName) == ["Chicken Breast", "Toast"])
        #expect(data.items.map(\.quantity) == [120, 0.5] && data.items.map(\.orderIndex) == [0, 1])
        #expect(data.items.map(\.parsingNotes) == ["Grilled, skinless", nil])
        #expect(data.items.allSatisfy { $0.mealLogId == data.id && $0.foodId != nil && $0.userFoodId == nil })
        #expect(data.items.map(\.confidenceScore) == [0.95, 0.8])
    }

    @Test("The models decode a failed event", arguments: forms)
    func failed(form: GuideMode) throws {
        let frame = try #require(MealLogEvent.frame(of: MealLogExamples.failed, in: form))
        let message = try Guide.decoder.decode(Guide.MealLogMessage<Guide.MealLogFailedData>.self, from: Data(frame))
        #expect(message.type == .mealLogFailed)
        #expect(message.data.errorMessage == "Failed to parse meal input" && message.data.status == "failed")
    }

    @Test("The guide's own decoder cannot decode a meal log", arguments: forms)
    func convertingTwice(form: GuideMode) {
        let body = Data(MealLogExamples.processing.body(of: MealLogExamples.processing.object(in: form), in: form))
        #expect(throws: DecodingError.self) {
            try Guide.contradictoryDecoder.decode(Guide.APIResponse<Guide.MealLogResponse>.self, from: body)
        }
    }

    /// websocket-architecture, "meal_log.completed" and "meal_log.failed", with ids in place of "uuid".
    @Test("Events equal the printed frames of websocket-architecture in names, order and types")
    func architecture() throws {
        let printed = try JSON.parse(
            #"""
            {"type":"meal_log.completed","data":{"id":"uuid","user_id":"uuid","raw_input":"120g chicken breast",
            "meal_type":"lunch","status":"completed","logged_at":"2024-01-15T12:30:00Z","items":[{"id":"uuid",
            "meal_log_id":"uuid","name":"Chicken Breast","quantity":"120g","unit":"grams","calories":198.0,
            "protein":37.2,"carbohydrates":0.0,"fat":4.3,"fiber":0.0,"sugar":0.0,"confidence":0.95,
            "notes":"Grilled, skinless"}],"total_calories":198.0,"total_protein":37.2,"total_carbs":0.0,
            "total_fat":4.3,"total_fiber":0.0,"total_sugar":0.0,"processing_started_at":"2024-01-15T12:30:01Z",
            "processing_completed_at":"2024-01-15T12:30:04Z","created_at":"2024-01-15T12:30:00Z",
            "updated_at":"2024-01-15T12:30:04Z"},"timestamp":"2024-01-15T12:30:04Z"}
            """#.bytes)
        let frame = try #require(MealLogEvent.frame(of: MealLogExamples.completed, in: .webSocketArchitecture))
        let ours = try JSON.parse(frame)
        func shape(_ object: JSONValue?) -> [String] {
            (object?.object?.keys ?? []).map { "\($0): \(object?[$0]?.typeName ?? "")" }
        }
        #expect(shape(ours) == shape(printed) && shape(ours["data"]) == shape(printed["data"]))
        #expect(shape(ours["data"]?["items"]?[0]) == shape(printed["data"]?["items"]?[0]))
        // Numbers are equal if their texts are equal.
        for (name, value) in printed["data"]?.object ?? [:] where value.number != nil {
            #expect(ours["data"]?[name] == value, "\(name)")
        }
        for (name, value) in printed["data"]?["items"]?[0]?.object ?? [:] where value != "uuid" {
            #expect(ours["data"]?["items"]?[0]?[name] == value, "\(name)")
        }
    }
}
