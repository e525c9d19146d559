import FitIQAPI
import Foundation
import GuideModels
import JSON
import TestSupport
import Testing

@testable import MockServer

@Suite("A client of websocket-architecture reads every answer") struct WebSocketArchitectureAnswerTests {
    typealias Guide = WebSocketArchitectureGuide
    typealias Completed = Guide.MealLogMessage<Guide.MealLogCompleted>
    typealias Failed = Guide.MealLogMessage<Guide.MealLogFailed>

    static let servers = [GuideMode.union, .webSocketArchitecture]

    /// The frames on a socket without a chat while a meal is being processed.
    private func frames(_ client: GuideClient, after input: String) throws -> [JSONValue] {
        let socket = try client.connect(client.consultation())
        let created = try client.post("meal-logs/natural", ["raw_input": input, "meal_type": "lunch"])
        #expect(created.status == 201 && created.json?["data"]?["status"] == "processing")
        client.network.advance(by: .seconds(5))
        let frames = socket.takeFrames()
        #expect(frames.first?["type"] == "connected")
        return Array(frames.dropFirst())
    }

    @Test("The client decodes the create response, with and without the context's free text", arguments: servers)
    func create(server: GuideMode) throws {
        let client = GuideClient(.webSocketArchitecture, of: server)
        for (coach, context) in [("nutritionist", "meal_log_tracking"), ("fitness_coach", nil)] {
            let request = Guide.CreateConsultationRequest(coachType: coach, context: context)
            let response = try client.post("consultations", request)
            let created = try client.read(Guide.CreateConsultationResponse.self, Guide.created, response, status: 201)
            #expect(try client.connect(created.consultationID).takeTypes() == ["connected"])
        }
    }

    @Test("The client decodes a chat, a pong and an error on its one socket", arguments: servers)
    func chat(server: GuideMode) throws {
        typealias Chat = ConsultationWebSocketGuide
        let client = GuideClient(.webSocketArchitecture, of: server)
        let socket = try client.connect(client.consultation())
        socket.send(#"{"type":"message","content":"What should I eat?"}"#)
        client.network.advance(by: .seconds(5))
        socket.send(#"{"type":"ping"}"#)
        socket.send(#"{"type":"subscribe"}"#)
        let frames = socket.takeFrames()
        // This guide names these frames but prints none; the members come from the guide that does.
        for frame in frames {
            let type = try client.read(Guide.BaseMessage.self, .any, frame).type
            #expect(client.departures(of: frame, from: try Chat.frame(type)).filter { !$0.hasPrefix("code:") } == [])
        }
        let story = ["connected", "message_received", "stream_chunk", "stream_complete", "pong", "error"]
        #expect(frames.story == story.filter { $0 != "message_received" || server == .union })
    }

    @Test(
        "The client decodes a completed meal as printed in the guide",
        arguments: ["120g chicken breast", "2 eggs and toast"])
    func completed(input: String) throws {
        let client = GuideClient(.webSocketArchitecture, of: .webSocketArchitecture, pace: .human)
        let frames = try frames(client, after: input)
        #expect(frames.count == 1)
        let meal = try client.read(Completed.self, Guide.completed(), try #require(frames.last)).data
        #expect(meal.rawInput == input && meal.status == "completed" && meal.userID == TestUser.anna)
        #expect(meal.totalCalories == meal.items.map(\.calories).reduce(0, +) && meal.totalCalories > 100)
        #expect(meal.items.allSatisfy { $0.mealLogID == meal.id })
        #expect(meal.processingStartedAt == meal.createdAt && meal.processingCompletedAt == meal.updatedAt)
        #expect((2...5).contains(meal.processingCompletedAt.timeIntervalSince(meal.processingStartedAt)))
    }

    @Test("The client decodes the union's completed meal except for the quantity")
    func quantityIsTheExceptionOfTheUnion() throws {
        let client = GuideClient(.webSocketArchitecture, of: .union)
        let frame = try #require(try frames(client, after: "120g chicken breast").last)
        #expect(
            try client.departures(of: frame, from: Guide.completed()).sorted() == [
                "data.items[0].calories: number 198, expected number with a fraction",
                "data.items[0].quantity: number 120, expected string",
                "data.total_calories: number 198, expected number with a fraction",
            ])
        let failure = #expect(throws: DecodingError.self) {
            try Guide.decoder.decode(Completed.self, from: Data(frame.encoded()))
        }
        guard case .typeMismatch(_, let context) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["data", "items", "Index 0", "quantity"])

        // Calories without a fraction can be decoded; only the quantity cannot.
        var root = try #require(frame.object)
        var data = try #require(frame["data"]?.object)
        var item = try #require(data["items"]?[0]?.object)
        item["quantity"] = "120g"
        data["items"] = .array([.object(item)])
        root["data"] = .object(data)
        let meal = try Guide.decoder.decode(Completed.self, from: Data(JSONValue.object(root).encoded())).data
        #expect(meal.totalCalories == 198 && meal.items.map(\.name) == ["Chicken Breast"])
    }

    @Test("The client decodes a failed meal", arguments: servers)
    func failed(server: GuideMode) throws {
        let client = GuideClient(.webSocketArchitecture, of: server)
        let frame = try #require(try frames(client, after: "qwertyuiop").last)
        let meal = try client.read(Failed.self, Guide.failed(), frame).data
        #expect(meal.error == "Failed to parse meal input")
        #expect(meal.details == "Could not identify any food items in the input")
    }

    @Test("Option 1, polling: the list contains the completed meal five seconds after saving", arguments: servers)
    func polling(server: GuideMode) throws {
        let client = GuideClient(.webSocketArchitecture, of: server, pace: .human)
        var ids: [JSONValue?] = []
        for input in ["2 eggs", "qwertyuiop"] {
            let created = try client.post("meal-logs/natural", ["raw_input": input, "meal_type": "breakfast"])
            ids.append(created.json?["data"]?["id"])
        }
        func statuses() throws -> [JSONValue?] {
            let logs = try client.get("meal-logs").json?["data"]?["meal_logs"]?.array ?? []
            return ids.map { id in logs.first { $0["id"] == id }?["status"] }
        }
        #expect(try statuses() == ["processing", "processing"])
        client.network.advance(by: .seconds(5))
        #expect(try statuses() == ["completed", "failed"])
        // A socket that opens now gets neither event.
        let late = try client.connect(client.consultation())
        client.network.advance(by: .seconds(5))
        #expect(late.takeTypes() == ["connected"])
    }
}
