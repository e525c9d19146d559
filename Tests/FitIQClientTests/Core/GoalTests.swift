import FitIQAPI
import JSON
import Testing

@testable import FitIQClient

@Suite("Client core: goals")
struct GoalTests {
    private static let create =
        #"POST /api/v1/goals {"title":"Run","description":"5 km","targetDate":"2025-01-29T10:30:00Z"}"#
    private static let command = ClientCommand.createGoal(
        title: "Run", description: "5 km", targetDate: CoreBench.start)

    private static let suggested: JSONValue = ["template_created": ["type": "goal", "id": "t1", "name": "Run"]]
    private static let suggestion: JSONValue = ["type": "template_created", "metadata": suggested]

    private func goal(_ conversation: JSONValue = nil, at time: String = "2025-01-29T10:30:00Z") -> JSONValue {
        ["id": .string(CoreBench.goal), "title": "Run", "conversationId": conversation, "createdAt": .string(time)]
    }

    @Test("The client links a suggested goal only once", arguments: [true, false])
    func links(byFrame: Bool) {
        var bench = CoreBench.connected { $0.checksAnswers = true }
        if byFrame {
            bench.frame(Self.suggestion)
        } else {
            bench.perform(.send(text: "One"))
            bench.reply("Yes")
            let answer: JSONValue = ["id": "2", "role": "assistant", "content": "Yes", "metadata": Self.suggested]
            bench.answer(200, CoreBench.history([CoreBench.message("1", "user", "One"), answer]))
        }
        _ = bench.take()
        bench.ask(Self.command, 201, goal())
        #expect(
            bench.take() == [
                "0 \(Self.create)",
                #"0 PATCH /api/v1/goals/\#(CoreBench.goal) {"conversationId":"\#(CoreBench.consultation)"}"#,
            ])
        bench.answer(200, goal(.string(CoreBench.consultation)))
        #expect(bench.state.goals.map(\.conversation) == [CoreBench.consultation] && !bench.state.isBusy)
        bench.frame(Self.suggestion)
        bench.ask(Self.command, 201, ["id": .string(CoreBench.other), "title": "Run"])
        #expect(bench.take() == ["0 \(Self.create)"])
    }

    @Test("A goal that the coach did not suggest is not linked", arguments: ["workout", nil])
    func noLink(type: String?) {
        var bench = CoreBench.connected()
        if let type {
            let made: JSONValue = ["template_created": ["type": .string(type), "id": "t"]]
            bench.frame(["type": "template_created", "metadata": made])
        }
        bench.ask(Self.command, 201, ["success": true, "data": goal()])
        #expect(bench.take() == ["0 \(Self.create)"])
        #expect(bench.state.goals.map(\.id) == [CoreBench.goal])
    }

    @Test("Each template appears once, even if an older answer contains it")
    func templates() {
        func made(_ number: Int, _ type: JSONValue) -> JSONValue {
            ["template_created": ["type": type, "id": .string("t\(number)"), "name": .string("Template \(number)")]]
        }
        var bench = CoreBench { $0.limits.templates = 2 }
        bench.connect(history: [["id": "1", "role": "assistant", "content": "Yes", "metadata": made(1, "goal")]])
        #expect(bench.state.templates == [.init(type: "goal", name: "Template 1")])
        for number in [2, 2, 3] { bench.frame(["type": "template_created", "metadata": made(number, "meal")]) }
        #expect(bench.state.templates == [2, 3].map { .init(type: "meal", name: "Template \($0)") })
        // The goal was suggested in an older session.
        bench.ask(Self.command, 201, goal())
        #expect(bench.take() == ["0 \(Self.create)"])
    }

    @Test("The client unlinks a goal from a conversation that no longer exists", arguments: [true, false])
    func goneConversation(byHistory: Bool) {
        var bench = CoreBench.asked(.loadGoals)
        bench.answer(200, ["goals": [goal(.string(CoreBench.consultation))]])
        #expect(bench.state.goals.map(\.conversation) == [CoreBench.consultation])
        bench.perform(.chatAboutGoal(id: CoreBench.goal))
        bench.answer(byHistory ? 404 : 200, byHistory ? CoreBench.refusal("NOT_FOUND") : CoreBench.history([]))
        if !byHistory { bench.shake(404, body: CoreBench.refusal("NOT_FOUND")) }
        #expect(bench.state.problems.map(\.kind) == [.notFound])
        #expect(bench.state.goals.map(\.conversation) == [nil])
    }

    @Test("Quick actions appear, and a failure to load them appears as a problem")
    func quickActions() {
        var bench = CoreBench.asked(.loadQuickActions)
        #expect(bench.take() == ["0 GET /api/v1/consultations/quick-actions"])
        bench.answer(200, ["data": ["quick_actions": [["prompt": "What can I eat?"], [:]], "count": 2]])
        #expect(bench.state.quickActions == ["What can I eat?"] && bench.state.problems.isEmpty)
        bench.ask(.loadQuickActions, 400, CoreBench.refusal("BAD_REQUEST"))
        #expect(bench.state.quickActions == ["What can I eat?"] && bench.state.problems.map(\.kind) == [.refused])
        var other = CoreBench.asked(.loadQuickActions, guide: .goalLinking)
        #expect(other.take().isEmpty && other.state.problems.map(\.kind) == [.refused])
    }

    @Test("A suggestion is valid for ten minutes", arguments: [(600.0, true), (600.5, false)])
    func suggestionLife(seconds: Double, isLinked: Bool) {
        var bench = CoreBench.connected()
        bench.frame(Self.suggestion)
        bench.leave()
        bench.wait(seconds)
        bench.ask(Self.command, 201, goal())
        #expect(bench.take().contains { $0.contains(" PATCH ") } == isLinked)
    }

    @Test(
        "After an unanswered create request, the client searches for the goal before it creates another",
        arguments: [true, false])
    func uncertain(wasMade: Bool) {
        var bench = CoreBench.asked(Self.command)
        bench.answer(502)
        bench.wait(1)
        let old: JSONValue = ["id": .string(CoreBench.other), "title": "Run", "createdAt": "2024-01-29T10:30:00Z"]
        // The goal's id is invalid.
        let unusable: JSONValue = ["id": "1", "title": "Run", "createdAt": "2025-01-29T10:30:00Z"]
        bench.answer(200, ["goals": wasMade ? [old, goal(), unusable] : [old, unusable]])
        #expect(bench.take() == ["0 \(Self.create)", "1 GET /api/v1/goals"] + (wasMade ? [] : ["1 \(Self.create)"]))
        if !wasMade { bench.answer(201, goal()) }
        #expect(bench.state.goals.map(\.id) == [CoreBench.goal] && !bench.state.isBusy)
        #expect(bench.state.problems.isEmpty)
    }

    @Test(
        "A goal may result from a request if it was created up to five minutes before the request",
        arguments: [
            ("2025-01-29T10:30:00Z", true), ("2025-01-29T10:25:00Z", true), ("2025-01-29T10:24:59Z", false),
            ("soon", false), (nil, false),
        ] as [(String?, Bool)])
    func recent(time: String?, isRecent: Bool) {
        #expect(ClientCore.isRecent(time.map { JSONValue.string($0) }, since: CoreBench.start) == isRecent)
    }

    @Test("The client gives up on a goal after three unanswered create requests")
    func lost() {
        var bench = CoreBench.asked(Self.command)
        for _ in 1...3 {
            bench.answer(502)
            bench.wait(1)
            bench.answer(200, ["goals": []])
            bench.wait(1)
        }
        let list = "GET /api/v1/goals"
        #expect(
            bench.take() == [
                "0 \(Self.create)", "1 \(list)", "1 \(Self.create)", "3 \(list)", "4 \(Self.create)", "5 \(list)",
            ])
        #expect(bench.state.problems.map(\.kind) == [.unavailable] && !bench.state.isBusy)
    }

    @Test("The client reports a created goal immediately, even while other requests are in progress")
    func told() {
        // The bench checks that each change is reported.
        var bench = CoreBench.connected()
        bench.frame(Self.suggestion)
        bench.ask(Self.command, 201, goal())
        bench.perform(.logMeal(text: "2 eggs", type: .lunch))
        bench.answer(200, goal(.string(CoreBench.consultation)))
        #expect(bench.state.goals.map(\.conversation) == [CoreBench.consultation] && bench.state.isBusy)

        bench = CoreBench()
        bench.ask(.chatAboutGoal(id: CoreBench.goal), 200, ["goals": [goal()]])
        bench.ask(.startConsultation(persona: .nutritionist), 201, ["conversationId": .string(CoreBench.consultation)])
        #expect(bench.state.goals.map(\.conversation) == [CoreBench.consultation] && bench.state.isBusy)
    }

    @Test("The client drops the oldest goal beyond the limit")
    func bounded() {
        var bench = CoreBench { $0.limits.goals = 1 }
        for id in [CoreBench.goal, CoreBench.other] {
            bench.ask(Self.command, 201, ["id": .string(id), "title": "Run"])
            #expect(bench.state.goals.map(\.id) == [id])
        }
    }

    @Test("A chat about a goal continues the goal's conversation or creates a conversation")
    func chatAboutGoal() {
        var bench = CoreBench.asked(.chatAboutGoal(id: CoreBench.goal.uppercased()))
        bench.answer(200, ["goals": [goal()]])
        #expect(
            bench.take() == [
                "0 GET /api/v1/goals",
                #"0 POST /api/v1/consultations/chat-about-goal {"goalId":"\#(CoreBench.goal)"}"#,
            ])
        bench.answer(201, ["conversationId": .string(CoreBench.consultation), "goalId": .string(CoreBench.goal)])
        #expect(bench.state.goals.map(\.conversation) == [CoreBench.consultation])
        bench.recall()
        bench.perform(.disconnect)
        bench.handshakes = []
        _ = bench.take()
        bench.perform(.chatAboutGoal(id: CoreBench.goal))
        #expect(bench.take() == ["0 GET /api/v1/consultations/\(CoreBench.consultation)/messages"])
    }

    @Test("Before a chat about a new goal, a client that has not yet listed its goals lists them")
    func staleGoals() {
        var bench = CoreBench.asked(Self.command)
        bench.answer(201, goal())
        bench.perform(.chatAboutGoal(id: CoreBench.goal))
        #expect(bench.take() == ["0 \(Self.create)", "0 GET /api/v1/goals"])
    }

    @Test("The client never uses a goal id that the backend did not send")
    func unknownGoal() {
        var bench = CoreBench.asked(.chatAboutGoal(id: CoreBench.other))
        bench.answer(200, ["goals": [goal()]])
        #expect(bench.state.problems.map(\.kind) == [.notFound] && !bench.state.isBusy)
        bench.ask(.chatAboutGoal(id: CoreBench.goal), 404, CoreBench.refusal("GOAL_NOT_FOUND"))
        _ = bench.take()
        bench.perform(.chatAboutGoal(id: CoreBench.goal))
        #expect(bench.take().isEmpty && bench.state.problems.map(\.kind) == [.notFound, .notFound, .notFound])
    }

    @Test("The client can create the longest goal that the API accepts")
    func longest() {
        var bench = CoreBench()
        let (title, description) = (String(repeating: "x", count: 200), String(repeating: "y", count: 2000))
        bench.perform(.createGoal(title: title, description: description, targetDate: CoreBench.start))
        #expect(bench.take().count == 1 && bench.state.problems.isEmpty)
    }

    @Test("The client rejects goals that the API would reject")
    func badGoals() {
        var bench = CoreBench()
        for (title, description) in [
            (" ", ""), (String(repeating: "x", count: 201), ""), ("x", String(repeating: "x", count: 2001)),
        ] { bench.perform(.createGoal(title: title, description: description, targetDate: CoreBench.start)) }
        #expect(bench.take().isEmpty && bench.state.problems.map(\.kind) == [.refused, .refused, .refused])
    }
}
