import FitIQAPI
import JSON
import Testing
import Traffic

@testable import Judging

@Suite("meal/polling-cadence")
struct CadenceTests {
    static func tooSoon(
        _ after: String, path: String = "GET /api/v1/meal-logs/\(Story.meal)", _ numbers: [Int]
    ) -> Told.Breach {
        .init(
            message: "\(path) polled \(after) after the previous poll; polls must be at least 5 s apart.",
            evidence: numbers)
    }

    static func tooOften(_ numbers: [Int]) -> Told.Breach {
        .init(
            message: "The meal log \(Story.meal), accepted at 10:30:00, was polled more than 12 times.",
            evidence: numbers)
    }

    static func rest(
        _ numbers: [Int], of path: String = "GET /api/v1/meal-logs/\(Story.meal)", at end: String = "10:30:05",
        times: Int = 3, level: Obligation.Level = .must
    ) -> Told.Breach {
        .init(
            message: "\(path) was sent \(times) times after the final status at \(end); one load is enough.",
            evidence: numbers, level: level)
    }

    /// A log accepted at 0 s, and loaded at these times.
    static func loads(_ times: Double...) -> (Story) -> Void {
        { story in
            story.logsMeal(at: 0)
            for time in times { story.loads(at: time) }
        }
    }

    static let chapters: [Chapter] = [
        Chapter("never polled", .notExercised, tell: loads()),
        Chapter("one load right after creating is no poll", .notExercised, tell: loads(0.1)),
        Chapter("4.95 s are not right after", .kept(), tell: loads(4.95)),
        Chapter("every 5 s", .kept(3), tell: loads(0.1, 5, 10, 15)),
        Chapter("twice at once", .broken(2, tooSoon("0 s", [2, 3])), tell: loads(5, 5)),
        Chapter("every second", .broken(3, tooSoon("1 s", [3, 4]), tooSoon("1 s", [4, 5])), tell: loads(0, 1, 2, 3)),
        Chapter("a screen that shows the list is opened twice", .kept(3)) {
            $0.logsMeal(at: 0)
            for time in [6, 8, 20.0] { $0.lists(at: time) }
        },
        Chapter("the list is loaded every 2 s", .broken(3, tooSoon("2 s", path: "GET /api/v1/meal-logs", [3, 4]))) {
            $0.logsMeal(at: 0)
            for time in [6, 8, 10.0] { $0.lists(at: time) }
        },
        Chapter("just too soon", .broken(2, tooSoon("4.949 s", [2, 3])), tell: loads(5, 9.949)),
        Chapter("50 ms too soon are let pass", .kept(2), tell: loads(5, 9.95)),
        Chapter("twelve polls", .kept(12)) {
            $0.logsMeal(at: 0).loads(at: 0)
            for poll in 1...12 { $0.loads(at: Double(poll) * 5) }
        },
        Chapter("thirteen", .broken(13, tooOften([1, 15]))) {
            $0.logsMeal(at: 0).loads(at: 0)
            for poll in 1...13 { $0.loads(at: Double(poll) * 5) }
        },
        Chapter("a minute after the last poll it is the user", .kept(13)) {
            $0.logsMeal(at: 0)
            for poll in 1...12 { $0.loads(at: Double(poll) * 5) }
            $0.loads(at: 120.1)
        },
        Chapter("until then it is the client", .broken(13, tooOften([1, 14]))) {
            $0.logsMeal(at: 0)
            for poll in 1...12 { $0.loads(at: Double(poll) * 5) }
            $0.loads(at: 120)
        },
        Chapter("polls of the list count for each log in turn, the oldest first", .broken(25, tooOften([1, 27]))) {
            $0.logsMeal(at: 0).logsMeal(uuid(31), at: 0)
            for poll in 1...25 { $0.lists(at: Double(poll) * 5) }
        },
        Chapter("loads of another log are none", .notExercised) {
            $0.logsMeal(at: 0)
            for second in 5...7 { $0.loads("processing", uuid(31), at: Double(second)) }
        },
        Chapter("a change that was sent as the status came is settled with it", .kept()) {
            $0.logsMeal(at: 0).loads("completed", at: 5)
            $0.request(.updateMealLog, Story.meal, body: [:], answer: Story.log(), at: 5)
            for second in 10...12 { $0.loads(at: Double(second)) }
        },
        Chapter("one load after the final status, and a poll that was due", .kept()) {
            $0.logsMeal(at: 0).loads("completed", at: 5).loads("completed", at: 5).loads("completed", at: 10)
        },
        Chapter("thirty loads in 3 s", .broken(2, rest([2, 5]))) {
            $0.logsMeal(at: 0).loads("completed", at: 5)
            for load in 1...30 { $0.loads("completed", at: 5 + Double(load) / 10) }
        },
        Chapter("the list, which was polled", .broken(2, rest([2, 7], of: "GET /api/v1/meal-logs", times: 5))) {
            $0.logsMeal(at: 0).lists("completed", at: 5)
            for load in 1...30 { $0.lists("completed", at: 5 + Double(load) / 10) }
        },
        Chapter("polls that keep their pace, as a should", .broken(2, rest([2, 5], level: .should))) {
            $0.logsMeal(at: 0)
            for load in 1...12 { $0.loads("completed", at: 5 * Double(load)) }
        },
        Chapter("11 s later it is the user, however often", .kept()) {
            $0.logsMeal(at: 0).loads("completed", at: 5)
            for load in 0..<9 { $0.loads("completed", at: 16 + Double(load)) }
        },
        Chapter("so it is who pauses for 11 s", .kept()) {
            $0.logsMeal(at: 0)
            for load in 0..<9 { $0.loads("completed", at: 5 + 11 * Double(load)) }
        },
        Chapter("a list that was not polled is looked at", .kept()) {
            $0.logsMeal(at: 0).loads("completed", at: 5)
            for load in 1...9 { $0.lists("completed", at: 5 + Double(load)) }
        },
        Chapter("the list of another day was not", .kept()) {
            $0.logsMeal(at: 0).lists("completed", at: 5)
            for load in 1...9 { $0.lists("processing", [], query: "start_date=2025-01-28", at: 5 + Double(load)) }
        },
        Chapter("each log has its own task, as the guide's code has", .kept()) {
            $0.logsMeal(at: 0).logsMeal(uuid(31), at: 2).lists("processing", [Story.meal, uuid(31)], at: 5)
            for time in [7, 7, 10, 10.0] { $0.lists("completed", [Story.meal, uuid(31)], at: time) }
        },
        Chapter("another meal begins anew", .kept()) {
            $0.logsMeal(at: 0)
            for time in [5, 5.1] { $0.loads("completed", at: time) }
            $0.logsMeal(uuid(31), at: 6)
            for time in [6, 6.1] { $0.loads("completed", at: time) }
        },
        Chapter("so does a change of it, or its deletion", .kept()) {
            $0.logsMeal(at: 0)
            for time in [5, 5.1] { $0.loads("completed", at: time) }
            $0.request(.deleteMealLog, Story.meal, status: 204, at: 6)
            for time in [6, 6.1] { $0.loads("completed", at: time) }
        },
        Chapter("and a socket", .kept()) {
            $0.logsMeal(at: 0)
            for time in [5, 5.1] { $0.loads("completed", at: time) }
            $0.connected(uuid(1), at: 6)
            for time in [6, 6.1] { $0.loads("completed", at: time) }
        },
        Chapter("what failed is repeated", .kept()) {
            $0.logsMeal(at: 0).loads("completed", at: 5)
            for _ in 0..<3 { $0.loads(httpStatus: 503, at: 6) }
            $0.loads("completed", at: 7)
        },
        Chapter("an event is a final status", .broken(1, rest([4, 7], at: "10:30:03"))) {
            $0.connected(uuid(1), at: 0).logsMeal(at: 0).settles("failed", at: 3)
            for second in 3...6 { $0.loads("failed", at: Double(second)) }
        },
        Chapter("what follows a completed event is another's", .notExercised) {
            $0.connected(uuid(1), at: 0).logsMeal(at: 0).settles(at: 3)
            for second in 3...6 { $0.loads("completed", at: Double(second)) }
        },
        Chapter("where that judges", .broken(1, rest([4, 7], at: "10:30:03")), in: .webSocketArchitecture) {
            $0.connected(uuid(1), at: 0).logsMeal(at: 0).settles(at: 3)
            for second in 3...6 { $0.loads("completed", at: Double(second)) }
        },
        Chapter("even where it overtook the 201", .notExercised) {
            $0.connected(uuid(1), at: 0).settles(at: 3).logsMeal(at: 4)
            for second in 9...12 { $0.lists("processing", [], at: Double(second)) }
        },
        Chapter("a repeat after a failed poll is another's", .kept()) {
            $0.logsMeal(at: 0).loads(httpStatus: 503, at: 5).loads(httpStatus: nil, at: 6).loads(at: 8)
        },
        Chapter("a timer goes on from the poll that failed, not from its repeat", .kept(3)) {
            $0.logsMeal(at: 0).loads(at: 5).loads(httpStatus: 503, at: 10).loads(at: 11).loads(at: 15)
        },
        Chapter("which comes too soon where that was just now", .broken(3, tooSoon("3 s", [4, 5]))) {
            $0.logsMeal(at: 0).loads(at: 5).loads(httpStatus: 503, at: 10).loads(at: 11).loads(at: 14)
        },
        Chapter("a poll 5 s after one that failed repeats nothing", .broken(3, tooSoon("2 s", [4, 5]))) {
            $0.logsMeal(at: 0).loads(at: 5).loads(httpStatus: 503, at: 10).loads(at: 15).loads(at: 17)
        },
        Chapter("of another day is another", .kept(2)) {
            $0.logsMeal(at: 0).lists(at: 5).lists(query: "start_date=2025-01-28", at: 7)
        },
        Chapter("a list that nobody waits for", .notExercised) { for second in 0...3 { $0.lists(at: Double(second)) } },
        Chapter("two logs have a task each, as the guide's code has", .kept(6)) {
            $0.logsMeal(at: 0).lists(at: 0).logsMeal(uuid(31), at: 2).lists(at: 2)
            for poll in 1...3 { $0.lists(at: Double(poll) * 5).lists(at: Double(poll) * 5 + 2) }
        },
        Chapter("and no more than that", .broken(4, tooSoon("2 s", path: "GET /api/v1/meal-logs", [4, 6]))) {
            $0.logsMeal(at: 0).logsMeal(uuid(31), at: 0)
            for time in [5, 7, 8, 9.0] { $0.lists(at: time) }
        },
        Chapter(
            "once one of them is settled, only for 5 s",
            .broken(4, tooSoon("1 s", path: "GET /api/v1/meal-logs", [9, 10]))
        ) {
            $0.connected(uuid(1), at: 0).logsMeal(at: 0).logsMeal(uuid(31), at: 0).lists(at: 5).settles(at: 6)
            for time in [8, 9, 11, 12.0] { $0.lists(at: time) }
        },
        Chapter("the load after one log's final status is no poll for the other, which has its own task", .kept(4)) {
            $0.logsMeal(at: 0).logsMeal(uuid(31), at: 1).lists(at: 1).lists(at: 5).lists(at: 6).lists(
                "completed", at: 10)
            for time in [10, 11.0] { $0.lists("completed", at: time) }
        },
        Chapter("a list that the journal has cut may have told the client", .kept()) {
            $0.logsMeal(at: 0).logsMeal(uuid(31), at: 0)
            let answer: JSONValue = ["data": ["meal_logs": [], "x": .string(String(repeating: "x", count: 70_000))]]
            for time in [6, 6.1, 6.2, 6.3] { $0.request(.listMealLogs, answer: answer, at: time) }
        },
        Chapter(
            "sixteen logs have sixteen tasks",
            .broken(18, tooSoon("1.6 s", path: "GET /api/v1/meal-logs", [18, 34]))
        ) {
            for number in 30..<46 { $0.logsMeal(uuid(number), at: 0) }
            for poll in 0..<18 { $0.lists(at: 5 + Double(poll) / 10) }
        },
        Chapter("a log whose 201 was lost is not waited for", .notExercised) {
            $0.request(.createMealLog, body: [:], status: 201, answer: Story.log(), at: 0, delivery: Delivery.none)
            for second in 0...3 { $0.lists(at: Double(second)) }
        },
        Chapter("another user's polls", .notExercised) {
            $0.logsMeal(at: 0).becomes("tom")
            for second in 0...3 { $0.lists(at: Double(second)) }
        },
    ]

    @Test("The judge reaches the expected verdict on the polling cadence", arguments: chapters)
    func judges(_ chapter: Chapter) { chapter.check("meal/polling-cadence") }
}
