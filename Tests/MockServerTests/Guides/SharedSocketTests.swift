import FitIQAPI
import FitIQBackend
import GuideModels
import TestSupport
import Testing

@testable import MockServer

@Suite("Sockets with several clients or subjects") struct SharedSocketTests {
    private static let meal = ["raw_input": "120g chicken breast", "meal_type": "lunch"]

    @Test(
        "A meal's event reaches exactly its user's open sockets",
        arguments: [GuideMode.union, .webSocketArchitecture, .mealLogWebSocket], [Pace.instant, .human])
    func mealEvents(server: GuideMode, pace: Pace) throws {
        let client = GuideClient(server, of: server, pace: pace)
        let ben = client.loggedIn(as: TestUser.ben)
        let consultation = try client.consultation()
        let hearing = [
            try client.connect(consultation), try client.connect(consultation),
            try client.connect(client.consultation(.fitnessCoach)),
        ]
        let closed = try client.connect(consultation)
        let foreign = try ben.connect(ben.consultation())
        closed.close()
        #expect(try client.post("meal-logs/natural", Self.meal).status == 201)
        client.network.advance(by: .seconds(5))
        let late = try client.connect(consultation)
        client.network.advance(by: .seconds(5))

        let heard = hearing.map { $0.takeFrames() }
        #expect(heard[0].story == ["connected", "meal_log.completed"] && heard[0].count == 2)
        for frames in heard.dropFirst() { #expect(frames.last == heard[0].last && frames.count == 2) }
        #expect(foreign.takeTypes() == ["connected"] && late.takeTypes() == ["connected"])
        #expect(closed.takeTypes().filter { $0.hasPrefix("meal_log") } == [])
        #expect(try ben.get("meal-logs").json?["data"]?["total_count"] == 0)
    }

    @Test("In the union, a chat socket also receives meal events that both chat models decode")
    func mealWhileChatting() throws {
        typealias Chat = ConsultationWebSocketGuide
        typealias Enhanced = EnhancedConsultationsGuide
        let client = GuideClient(.union, of: .union)
        let id = try client.consultation()
        let streaming = try client.connect(id)
        let assisted = try client.connect(id)
        try streaming.send(Chat.OutgoingMessage(type: "message", content: "What now?"))
        try assisted.send(Enhanced.OutgoingMessage(content: "And then?"))
        _ = try client.post("meal-logs/natural", Self.meal)
        client.network.advance(by: .seconds(10))
        let streamed = streaming.takeFrames()
        let assistance = assisted.takeFrames()
        for frames in [streamed, assistance] {
            #expect(frames.filter { $0["type"] == "meal_log.completed" }.count == 1)
            for frame in frames {
                let type = frame["type"]?.string
                #expect(try client.read(Chat.WebSocketMessage.self, .any, frame).type == type)
                #expect(try client.read(Enhanced.IncomingMessage.self, .any, frame).type == type)
                #expect(try client.read(WebSocketArchitectureGuide.BaseMessage.self, .any, frame).type == type)
            }
        }
        #expect(!streamed.story.contains("user_message") && !assistance.story.contains("stream_chunk"))
    }

    @Test("In the union, a socket without chat gets only frames that meal-log-websocket defines")
    func silentSocket() throws {
        typealias Meals = MealLogWebSocketGuide
        let client = GuideClient(.mealLogWebSocket, of: .union)
        let id = try client.consultation()
        let silent = try client.connect(id)
        let chatting = try client.connect(id)
        chatting.send(#"{"type":"message","content":"What now?"}"#)
        _ = try client.post("meal-logs/natural", Self.meal)
        client.network.advance(by: .seconds(5))
        #expect(chatting.takeFrames().story.contains("stream_complete"))
        let frames = silent.takeFrames()
        #expect(frames.story == ["connected", "meal_log.completed"])
        for frame in frames { _ = try client.read(Meals.WebSocketMessage.self, .any, frame) }
    }
}
