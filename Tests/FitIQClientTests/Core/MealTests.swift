import FitIQAPI
import JSON
import Testing

@testable import FitIQClient

@Suite("Client core: meals")
struct MealTests {
    private static let create = #"POST /api/v1/meal-logs/natural {"raw_input":"2 eggs","meal_type":"lunch"}"#
    private static let load = "GET /api/v1/meal-logs/\(CoreBench.meal)"

    private func log(_ status: String, _ more: [String: JSONValue] = [:]) -> JSONValue {
        var log: JSONObject = [
            "id": .string(CoreBench.meal), "status": .string(status), "raw_input": "2 eggs", "meal_type": "lunch",
            "created_at": "2025-01-29T10:30:00Z",
        ]
        for (key, value) in more { log[key] = value }
        return .object(log)
    }

    /// A client whose meal is being processed.
    private func logged(_ bench: CoreBench = CoreBench()) -> CoreBench {
        var bench = bench
        bench.ask(.logMeal(text: "2 eggs", type: .lunch), 201, ["data": log("processing")])
        return bench
    }

    /// Lets the client poll a meal that is never finished.
    private func poll(_ bench: inout CoreBench) {
        while !bench.requests.isEmpty {
            bench.answer(200, ["data": log("processing")])
            bench.wait(5)
        }
    }

    @Test("With an open socket, the client waits for the event and sends no requests")
    func event() {
        var bench = logged(CoreBench.connected())
        bench.wait(4)
        #expect(bench.state.isBusy)
        bench.frame(["type": "meal_log.completed", "data": log("completed", ["total_calories": 140.0])])
        bench.wait(20)
        #expect(bench.take() == ["0 \(Self.create)"])
        #expect(bench.state.meals.map(\.calories) == [140] && bench.state.meals.map(\.status) == [.completed])
        #expect(!bench.state.isBusy && bench.state.problems.isEmpty)
    }

    @Test("A meal shows the event's foods and protein")
    func contents() {
        var bench = CoreBench.connected(.logMeal(text: "2 eggs", type: .lunch))
        bench.answer(201, ["data": log("pending")])
        #expect(bench.state.meals.map(\.status) == [.processing] && bench.state.meals.map(\.items) == [[]])
        let items: JSONValue = [["name": "Egg"], ["food_name": "Toast"]]
        let finished = log("completed", ["total_protein_g": 16.2, "items": items])
        bench.frame(["type": "meal_log.completed", "data": finished])
        #expect(bench.state.meals.map(\.items) == [["Egg", "Toast"]] && bench.state.meals.map(\.protein) == [16.2])
    }

    @Test("A meal event that arrives before the answer to the create request still counts")
    func earlyEvent() {
        var bench = CoreBench.connected(.logMeal(text: "2 eggs", type: .lunch))
        bench.frame(["type": "meal_log.completed", "data": log("completed", ["total_calories": 140])])
        bench.answer(201, ["data": log("processing")])
        bench.wait(20)
        #expect(bench.take() == ["0 \(Self.create)"] && bench.state.meals.map(\.calories) == [140])
    }

    @Test("The client keeps up to 32 events that arrive before the answer", arguments: [31, 32])
    func earlyEvents(others: Int) {
        var bench = CoreBench.connected(.logMeal(text: "2 eggs", type: .lunch))
        bench.frame(["type": "meal_log.completed", "data": log("completed")])
        for number in 1...others {
            let id = JSONValue.string("6f1c2d3e-0000-4000-8000-0000000000\(10 + number)")
            bench.frame(["type": "meal_log.completed", "data": log("completed", ["id": id])])
        }
        bench.answer(201, ["data": log("processing")])
        #expect(bench.state.meals.map(\.status) == [others < 32 ? .completed : .processing])
    }

    @Test("With an open socket, the client polls once before 5 s and gives up later")
    func lostEvent() {
        var bench = logged(CoreBench.connected { $0.patience.pingInterval = .seconds(1000) })
        bench.wait(4.7)
        bench.answer(200, ["data": log("processing")])
        bench.wait(100)
        #expect(bench.take() == ["0 \(Self.create)", "4.7 \(Self.load)"])
        #expect(bench.state.problems.map(\.kind) == [.meal] && !bench.state.isBusy)
    }

    @Test("The client repeats a failed poll even with an open socket")
    func failedLook() {
        var bench = logged(CoreBench.connected { $0.patience.pingInterval = .seconds(1000) })
        bench.wait(4.7)
        bench.answer(500)
        bench.wait(5)
        #expect(bench.take() == ["0 \(Self.create)", "4.7 \(Self.load)", "9.7 \(Self.load)"])
    }

    @Test("Without a socket, the client polls immediately and then every 5 s", arguments: [12, 2])
    func polls(maximum: Int) {
        var bench = logged(CoreBench { if maximum != 12 { $0.mealPolling.maximumPolls = maximum } })
        poll(&bench)
        let polls: [String] = (1...maximum).map { "\($0 * 5) \(Self.load)" }
        #expect(bench.take() == ["0 \(Self.create)", "0 \(Self.load)"] + polls)
        #expect(bench.state.problems.map(\.kind) == [.meal] && bench.core.nextDeadline == nil && !bench.state.isBusy)
    }

    @Test("Polling ends when the meal has its final status", arguments: ["completed", "failed"])
    func pollsUntilFinal(status: String) {
        var bench = logged()
        bench.answer(200, ["data": log("processing")])
        bench.wait(5)
        bench.answer(200, ["data": log(status, ["total_calories": 140, "error_message": "No food."])])
        bench.wait(30)
        #expect(bench.take() == ["0 \(Self.create)", "0 \(Self.load)", "5 \(Self.load)"])
        #expect(bench.state.problems == (status == "failed" ? [.init(kind: .meal, message: "No food.")] : []))
        #expect(bench.state.meals.map(\.error) == [status == "failed" ? "No food." : nil])
    }

    @Test("A failed meal shows its error", arguments: ["error_message", "error"])
    func fails(key: String) {
        var bench = logged(CoreBench.connected())
        var data: JSONObject = ["meal_log_id": .string(CoreBench.meal)]
        data[key] = "No food."
        bench.frame(["type": "meal_log.failed", "data": .object(data)])
        #expect(bench.state.problems == [.init(kind: .meal, message: "No food.")])
        #expect(bench.state.meals.map(\.error) == ["No food."] && bench.state.meals.map(\.status) == [.failed])
    }

    @Test("When a socket opens, polling ends after one more fetch")
    func socketOpens() {
        var bench = logged()
        bench.answer(200, ["data": log("processing")])
        bench.wait(1)
        bench.open()
        bench.greet()
        #expect(bench.take().last == "1 \(Self.load)")
        bench.answer(200, ["data": log("processing")])
        bench.wait(20)
        #expect(bench.take().isEmpty)
    }

    @Test("The fetch after a socket opens does not count as a poll")
    func freeLook() {
        var bench = logged(CoreBench { $0.mealPolling.maximumPolls = 2 })
        bench.answer(200, ["data": log("processing")])
        bench.wait(1)
        bench.connect()
        bench.answer(200, ["data": log("processing")])
        bench.end()
        bench.wait(5)
        poll(&bench)
        #expect(bench.take().filter { $0.hasSuffix(Self.load) } == ["6 \(Self.load)", "11 \(Self.load)"])
        #expect(bench.state.problems.map(\.kind) == [.meal])
    }

    @Test(
        "After an unanswered create request, the client searches for the log before it creates another",
        arguments: [true, false])
    func uncertain(wasMade: Bool) {
        var bench = CoreBench.asked(.logMeal(text: "2 eggs", type: .lunch))
        bench.answer(502)
        bench.wait(1)
        let old: JSONValue = [
            "id": .string(CoreBench.other), "status": "completed", "raw_input": "2 eggs", "meal_type": "lunch",
            "created_at": "2025-01-28T10:30:00Z",
        ]
        var logs = [
            old, log("completed", ["id": .string(CoreBench.goal), "meal_type": "dinner"]),
            log("completed", ["id": .string(CoreBench.consultation), "raw_input": "3 eggs"]),
        ]
        if wasMade { logs.append(log("processing")) }
        bench.answer(200, ["data": ["meal_logs": .array(logs)]])
        #expect(
            bench.take() == ["0 \(Self.create)", "1 GET /api/v1/meal-logs"] + (wasMade ? [] : ["1 \(Self.create)"]))
        if !wasMade { bench.answer(201, ["data": log("processing")]) }
        bench.wait(5)
        #expect(bench.take() == (wasMade ? ["6 \(Self.load)"] : ["1 \(Self.load)"]))
        #expect(bench.state.problems.isEmpty)
    }

    @Test("The client polls a log from the list as often as any other log")
    func foundPolls() {
        var bench = CoreBench.asked(.logMeal(text: "2 eggs", type: .lunch)) { $0.mealPolling.maximumPolls = 2 }
        bench.answer(502)
        bench.wait(1)
        bench.answer(200, ["data": ["meal_logs": [log("processing")]]])
        bench.wait(5)
        poll(&bench)
        #expect(bench.take() == ["0 \(Self.create)", "1 GET /api/v1/meal-logs", "6 \(Self.load)", "11 \(Self.load)"])
    }

    @Test("The client does not search the list while a meal event is pending on an open socket")
    func searchWaits() {
        var bench = logged(CoreBench.connected())
        bench.ask(.logMeal(text: "3 eggs", type: .lunch), 502)
        bench.wait(3)
        #expect(bench.take().count == 2)
        bench.frame(["type": "meal_log.completed", "data": log("completed")])
        bench.wait(1)
        #expect(bench.take() == ["4 GET /api/v1/meal-logs"])
    }

    @Test("The client searches again immediately if no known log is being processed")
    func searches() {
        var bench = CoreBench()
        for text in ["2 eggs", "3 eggs"] { bench.perform(.logMeal(text: text, type: .lunch)) }
        bench.answer(502)
        bench.answer(502)
        bench.wait(1)
        bench.answer(200, ["data": ["meal_logs": []]])
        let searches = bench.take().filter { $0.hasSuffix("/meal-logs") }
        #expect(searches == ["1 GET /api/v1/meal-logs", "1 GET /api/v1/meal-logs"])
    }

    @Test("At the limit, the client drops the oldest settled meal")
    func bounded() {
        var bench = logged(CoreBench.connected { $0.limits.meals = 1 })
        bench.perform(.logMeal(text: "3 eggs", type: .lunch))
        #expect(bench.state.problems.map(\.kind) == [.refused] && bench.state.meals.map(\.text) == ["2 eggs"])
        bench.frame(["type": "meal_log.completed", "data": log("completed")])
        bench.perform(.logMeal(text: "3 eggs", type: .lunch))
        #expect(bench.state.meals.map(\.text) == ["3 eggs"])
    }

    @Test("The client gives up after three failed polls at intervals of 5 s")
    func failedLooks() {
        var bench = logged()
        for _ in 1...3 {
            bench.answer(500)
            bench.wait(5)
        }
        #expect(bench.take() == ["0 \(Self.create)", "0 \(Self.load)", "5 \(Self.load)", "10 \(Self.load)"])
        #expect(bench.state.problems.map(\.kind) == [.unavailable] && !bench.state.isBusy)
    }

    @Test("A meal that fails because of a missing token appears as failed")
    func noToken() {
        var bench = CoreBench.asked(.logMeal(text: "2 eggs", type: .lunch))
        bench.answer(401)
        bench.perform(.giveUpToken)
        #expect(bench.state.problems.map(\.kind) == [.unauthorized] && !bench.state.isBusy)
        #expect(bench.state.meals.map(\.error) == [ClientMessages.mealFailed])
    }

    @Test("The client can log the longest text that the API accepts")
    func longest() {
        var bench = CoreBench.asked(.logMeal(text: String(repeating: "x", count: 1000), type: .lunch))
        #expect(bench.take().count == 1 && bench.state.problems.isEmpty)
    }

    @Test(
        "The client rejects meals that the API would reject",
        arguments: ["", " \n", String(repeating: "x", count: 1001)])
    func badMeal(text: String) {
        var bench = CoreBench.asked(.logMeal(text: text, type: .lunch))
        #expect(bench.take().isEmpty && bench.state.problems.map(\.kind) == [.refused] && bench.state.meals.isEmpty)
    }

    @Test("Each rejected meal shows the backend's message")
    func refused() {
        var bench = CoreBench { $0.limits.problems = 1 }
        for _ in 1...2 {
            bench.ask(.logMeal(text: "2 eggs", type: .lunch), 400, CoreBench.refusal("VALIDATION_FAILED", "No food."))
        }
        #expect(bench.state.meals.map(\.error) == ["No food.", "No food."])
    }
}
