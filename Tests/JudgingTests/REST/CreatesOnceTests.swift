import FitIQAPI
import JSON
import Testing

@testable import Judging

@Suite("retry/creates-once")
struct CreatesOnceTests {
    private static let eggs: JSONValue = ["raw_input": "2 eggs", "meal_type": "lunch"]

    private static func twice(
        _ request: String = "POST /api/v1/meal-logs/natural", failure: String = "was answered with 502",
        numbers: [Int] = [1, 2]
    ) -> Told {
        .broken(
            1,
            .init(
                message: "\(request) \(failure) at 10:30:00, but had created \(Story.id(30)); it was sent again 2 s "
                    + "later and created \(Story.id(31)), so what the user asked for once is there twice.",
                evidence: numbers, level: .should))
    }

    /// Logs a meal that is created, of which the client does not learn.
    private static func loses(
        _ story: inout Story, _ body: JSONValue = eggs, _ id: Int = 30, status: Int? = 502, at seconds: Double = 0
    ) {
        story.request(
            .createMealLog, body: body, status: status, at: seconds, faults: ["lost"], created: Story.id(id))
    }

    private static func logs(_ story: inout Story, _ body: JSONValue = eggs, _ id: Int = 31, at seconds: Double = 2) {
        story.request(
            .createMealLog, body: body, status: 201, answer: Story.log("processing", Story.id(id)), at: seconds)
    }

    static let chapters: [Chapter] = [
        Chapter("sent again after an error", twice()) {
            loses(&$0)
            logs(&$0)
        },
        Chapter("sent again after no answer", twice(failure: "went unanswered")) {
            loses(&$0, status: nil)
            logs(&$0)
        },
        Chapter("the second answer is lost, too", .broken(2, twice().breaches[0])) {
            loses(&$0)
            loses(&$0, eggs, 31, at: 2)
        },
        Chapter("each attempt has its time", twice()) {
            loses(&$0, ["raw_input": "2 eggs", "meal_type": "lunch", "logged_at": "2025-01-29T10:30:00Z"])
            logs(&$0, ["raw_input": "2 eggs", "meal_type": "lunch", "logged_at": "2025-01-29T10:30:02Z"])
        },
        Chapter("a goal", twice("POST /api/v1/goals")) {
            $0.request(.createGoal, body: ["title": "Run"], status: 502, at: 0, created: Story.id(30))
            $0.request(
                .createGoal, body: ["title": "Run"], status: 201, answer: ["id": .string(Story.id(31))], at: 2)
        },
        Chapter("what the apps sync", twice("POST /api/v1/sleep")) {
            $0.request(.createSleep, body: ["hours": 8], status: 502, at: 0, created: Story.id(30))
            $0.request(
                .createSleep, body: ["hours": 8], status: 201, answer: ["data": ["id": .string(Story.id(31))]], at: 2)
        },
        Chapter("a look at another log is none", twice(numbers: [1, 3])) {
            loses(&$0)
            $0.loads("processing", Story.id(40), at: 1)
            logs(&$0)
        },
        Chapter("a look at another list is none", twice(numbers: [1, 3])) {
            loses(&$0)
            $0.request(.listGoals, at: 1)
            logs(&$0)
        },
        // Faithful clients.
        Chapter("a look at the list comes first, whatever it shows", .kept()) {
            loses(&$0)
            $0.lists([], at: 1)
            logs(&$0)
        },
        Chapter("a look at the log, of which an event told", .kept()) {
            loses(&$0)
            $0.loads("processing", Story.id(30), at: 1)
            logs(&$0)
        },
        Chapter("a look that failed, or came before, is none", twice(numbers: [2, 4])) {
            $0.lists([], at: -1)
            loses(&$0)
            $0.request(.listMealLogs, status: 503, at: 1)
            logs(&$0)
        },
        Chapter("nothing was done the first time", .notExercised) {
            $0.request(.createMealLog, body: eggs, status: 503, at: 0, faults: ["flaky"])
            logs(&$0)
        },
        Chapter("not repeated", .kept()) { loses(&$0) },
        Chapter("another meal", .kept()) {
            loses(&$0)
            logs(&$0, ["raw_input": "1 apple", "meal_type": "lunch"])
        },
        Chapter("the same at another meal", .kept()) {
            loses(&$0)
            logs(&$0, ["raw_input": "2 eggs", "meal_type": "dinner"])
        },
        Chapter("a minute later it is the user", .kept()) {
            loses(&$0)
            logs(&$0, at: 60.1)
        },
        Chapter("both were under way", .kept()) {
            $0.request(.createMealLog, body: eggs, status: 502, at: 0, took: 3, faults: ["lost"], created: Story.id(30))
            logs(&$0)
        },
        Chapter("the backend recognises it", .kept()) {
            $0.request(
                .createConsultation, body: ["persona": "nutritionist"], status: 502, at: 0, created: Story.id(30))
            $0.request(.createConsultation, body: ["persona": "nutritionist"], status: 409, at: 2)
        },
        Chapter("or has one for a day", .kept()) {
            loses(&$0)
            logs(&$0, eggs, 30)
        },
        Chapter("another user", .kept()) {
            loses(&$0)
            $0.becomes("tom")
            logs(&$0)
        },
    ]

    @Test("A creation that exists twice is reported", arguments: chapters)
    func judges(_ chapter: Chapter) { chapter.check("retry/creates-once") }

    @Test("Not judged where a guide shows the repeat", arguments: GuideMode.allCases.filter { $0 != .union })
    func modes(_ mode: GuideMode) { #expect(Story().verdict("retry/creates-once", in: mode) == nil) }
}
