import FitIQAPI
import JSON
import Testing

@testable import FitIQClient

@Suite("Client core: the meal socket")
struct MealSocketTests {
    private static let ws = "WS /ws/meal-logs"
    private static let meal: JSONValue = [
        "type": "meal_log.completed",
        "data": ["id": .string(CoreBench.meal), "status": "completed", "total_calories": 140],
    ]

    private func listening(_ change: (inout ClientConfiguration) -> Void = { _ in }) -> CoreBench {
        var bench = CoreBench.asked(.listenToMeals, guide: .union, fresh: nil, change)
        bench.greet()
        _ = bench.take()
        return bench
    }

    @Test("The client opens one meal socket and does not poll for a meal whose event it received")
    func events() {
        var bench = CoreBench.asked(.listenToMeals)
        #expect(bench.state.isBusy)
        bench.perform(.listenToMeals)
        bench.shake()
        bench.frame(["type": "connected", "user_id": "u"])
        #expect(bench.take() == ["0 \(Self.ws)"] && !bench.state.isBusy && bench.state.connection == .disconnected)
        bench.perform(.logMeal(text: "2 eggs", type: .lunch))
        bench.answer(201, ["data": ["id": .string(CoreBench.meal), "status": "processing"]])
        bench.wait(3)
        bench.frame(Self.meal)
        #expect(bench.state.meals.map(\.calories) == [140] && !bench.state.isBusy)
        _ = bench.take()
        bench.wait(26)
        #expect(bench.take() == ["25 ping"])
        bench.perform(.disconnect)
        #expect(bench.take() == ["29 close 1000"] && bench.state.isBusy)
        bench.end(.normalClosure, isOwn: true)
        #expect(!bench.state.isBusy && bench.core.nextDeadline == nil)
        // The client must not reconnect within 3 s of closing the socket itself.
        bench.perform(.listenToMeals)
        bench.wait(5)
        #expect(bench.take() == ["32 \(Self.ws)"])
    }

    @Test("The client polls meals while it reopens a dropped meal socket")
    func reconnects() {
        var bench = listening()
        bench.end(.goingAway)
        for time in [1, 3, 6, 10, 15] {
            bench.wait(Double(time) - bench.seconds)
            #expect(bench.take() == ["\(time) \(Self.ws)"])
            bench.shake(503)
        }
        #expect(bench.state.problems.map(\.kind) == [.unavailable] && !bench.state.isBusy)
        #expect(bench.core.nextDeadline == nil)
        bench = listening()
        bench.wait(36)
        #expect(bench.take() == ["25 ping", "35 drop", "36 \(Self.ws)"])
        bench.shake()
        bench.wait(10)
        #expect(bench.take() == ["46 close 1001"])
        bench.end(.goingAway, isOwn: true)
        bench.wait(10)
        #expect(bench.take() == ["49 \(Self.ws)"])
    }

    @Test("The client does not reopen a meal socket that another device took over")
    func replaced() {
        var bench = listening()
        bench.frame(["type": "error", "error": "Another has it.", "error_code": "CONNECTION_LIMIT"])
        bench.end(.policyViolation)
        bench.wait(100)
        #expect(bench.take() == [] && bench.state.problems.map(\.message) == ["Another has it."])
        #expect(!bench.state.isBusy)
    }

    @Test("A chat socket opens and closes independently of the meal socket")
    func besideAChat() {
        var bench = listening()
        let meals = bench.socket
        bench.connect()
        bench.ask(.archive, 200, ["success": true])
        #expect(bench.take().last == "0 close 1000")
        bench.end(.normalClosure, isOwn: true)
        bench.socket = meals
        bench.perform(.logMeal(text: "2 eggs", type: .lunch))
        bench.answer(201, ["data": ["id": .string(CoreBench.meal), "status": "processing"]])
        bench.frame(Self.meal)
        #expect(bench.state.meals.map(\.status) == [.completed])
    }

    @Test("After a 401, the client reopens the meal socket with the fresh token")
    func refusals() {
        var bench = CoreBench.asked(.listenToMeals, fresh: "new")
        bench.shake(401)
        #expect(bench.handshakes.map { $0.fields[.authorization] } == ["Bearer new"])
        bench.shake(400, body: CoreBench.refusal("BAD_REQUEST", "Bad."))
        bench.wait(100)
        #expect(bench.state.problems.map(\.message) == ["Bad."] && bench.handshakes.isEmpty && !bench.state.isBusy)
        for guide in GuideMode.guides {
            var bench = CoreBench.asked(.listenToMeals, guide: guide)
            #expect(bench.take().isEmpty && bench.state.problems.map(\.kind) == [.refused])
        }
    }
}
