import FitIQAPI
import JSON
import Testing

@testable import FitIQClient

@Suite("Client core: goals and their consultations")
struct GoalConsultationTests {
    private static let goals: JSONValue = [
        "goals": [["id": .string(CoreBench.goal), "title": "Run", "conversationId": .string(CoreBench.consultation)]]
    ]

    enum Ending: CaseIterable { case archived, noHistory, noSocket }

    @Test(
        "After a goal's consultation ends, the client fetches the goal before the next chat", arguments: Ending.allCases
    )
    func looksUp(after ending: Ending) {
        var bench = CoreBench.asked(.loadGoals)
        bench.answer(200, Self.goals)
        switch ending {
        case .archived:
            bench.connect()
            bench.ask(.archive, 200, ["success": true])
        case .noHistory:
            bench.ask(.openConsultation(id: CoreBench.consultation), 404, CoreBench.refusal("NOT_FOUND"))
        case .noSocket:
            bench.open()
            bench.shake(404, body: CoreBench.refusal("NOT_FOUND"))
        }
        _ = bench.take()
        bench.perform(.chatAboutGoal(id: CoreBench.goal))
        #expect(bench.take() == ["0 GET /api/v1/goals"])
    }

    @Test("Archiving a consultation unlinks it from its goal even while other requests are in progress")
    func archives() {
        var bench = CoreBench.asked(.loadGoals)
        bench.answer(200, Self.goals)
        bench.connect()
        bench.leave()
        bench.perform(.archive, .loadGoals)
        bench.events = []
        bench.answer(200, ["success": true])
        #expect(bench.state.goals.map(\.conversation) == [nil] && bench.events == [.changed])
    }

    @Test("A goal that the coach suggested before the chat opened is not linked")
    func oldSuggestion() {
        var bench = CoreBench()
        let metadata: JSONValue = ["template_created": ["type": "goal", "id": "t1", "name": "Run"]]
        bench.connect(history: [["id": "1", "role": "assistant", "content": "Yes", "metadata": metadata]])
        bench.perform(.createGoal(title: "Run", description: "", targetDate: CoreBench.start))
        bench.answer(201, ["id": .string(CoreBench.goal), "title": "Run"])
        #expect(bench.state.goals.map(\.id) == [CoreBench.goal] && bench.requests.isEmpty)
    }
}
