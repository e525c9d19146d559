import FitIQAPI
import JSON
import Testing
import Traffic

@testable import Judging

@Suite("retry/backoff-on-5xx")
struct RetryTests {
    static let title = "GET /api/v1/goals"
    static func tooSoon(
        _ after: String, _ failure: String = "was answered with 503", _ numbers: [Int] = [1, 2],
        of title: String = title
    ) -> Told.Breach {
        .init(
            message:
                "\(title) was repeated \(after) after it \(failure) at 10:30:00; the client must wait at least 1 s.",
            evidence: numbers)
    }
    static func shrunk(_ after: String, _ before: String, _ numbers: [Int]) -> Told.Breach {
        .init(
            message: "\(title) was repeated after \(after), but the wait before that was \(before); waits must not "
                + "shrink.", evidence: numbers)
    }
    static func alike(_ after: String, _ numbers: [Int] = [2, 3]) -> Told.Breach {
        .init(
            message: "\(title) was repeated after \(after), but the second wait should be longer than the first, such "
                + "as 2 s after 1 s.", evidence: numbers, level: .should)
    }
    static let tooOften = Told.Breach(
        message: "\(title) was sent 4 times although it kept failing; the client should give up after 3 attempts.",
        evidence: [3, 4], level: .should)

    /// Sends requests for goals, each with its time and status.
    static func tries(firstTook: Double = 0, _ tries: (Double, Int?)...) -> (Story) -> Void {
        { story in
            for (number, (time, status)) in tries.enumerated() {
                story.request(.listGoals, status: status, at: time, took: number == 0 ? firstTook : 0)
            }
        }
    }

    static let chapters: [Chapter] = [
        Chapter("nothing fails", .notExercised, tell: tries((0, 200), (0, 200))),
        Chapter("nothing is repeated", .notExercised, tell: tries((0, 503))),
        Chapter("1 s, then 2 s", .kept(2), tell: tries((0, 503), (1, 500), (3, 200))),
        Chapter("at once", .broken(1, tooSoon("0 s")), tell: tries((0, 503), (0, 200))),
        Chapter("after 0.2 s", .broken(1, tooSoon("0.2 s")), tell: tries((0, 503), (0.2, 200))),
        Chapter("just too soon", .broken(1, tooSoon("0.949 s")), tell: tries((0, 503), (0.949, 200))),
        Chapter("what the apps sync is no exception", .broken(1, tooSoon("0.5 s", of: "POST /api/v1/sleep"))) {
            for seconds in [0, 0.5] {
                $0.request(.createSleep, body: ["hours": 8], status: seconds == 0 ? 503 : 201, at: seconds)
            }
        },
        Chapter("nor is a list of it", .kept(2)) {
            for (seconds, status) in [(0, 503), (1, 500), (3, 200)] {
                $0.request(.listJournalEntries, status: status, at: Double(seconds))
            }
        },
        Chapter("50 ms too soon are let pass", .kept(), tell: tries((0, 503), (0.95, 200))),
        Chapter(
            "the wait begins when the answer arrived", .broken(1, tooSoon("0.5 s")),
            tell: tries(firstTook: 0.9, (-0.9, 503), (0.5, 200))),
        Chapter(
            "or when the client gave up", .broken(1, tooSoon("0.5 s", "went unanswered")),
            tell: tries(firstTook: 30, (-30, nil), (0.5, 200))),
        Chapter(
            "how long it waited after none came is unknown, since its patience is part of that", .kept(2),
            tell: tries((0, nil), (31, 503), (33, 200))),
        Chapter("after a time-out", .kept(), tell: tries(firstTook: 30, (-30, nil), (1, 200))),
        Chapter("a cut answer has failed", .broken(1, tooSoon("0.1 s", "was cut off"))) {
            $0.request(.listGoals, at: -1, took: 1, delivery: .partial, faults: ["cut"]).request(.listGoals, at: 0.1)
        },
        Chapter("an HTTP library may repeat a GET whose connection ended", .notExercised) {
            $0.request(.listGoals, at: -0.9, took: 0.9, delivery: .partial, faults: ["cut"]).request(.listGoals, at: 0)
        },
        Chapter(
            "once", .broken(1, tooSoon("0 s", "went unanswered", [2, 3])), tell: tries((0, nil), (0, nil), (0, 200))),
        Chapter("but no POST", .broken(1, tooSoon("0 s", "went unanswered", of: "POST /api/v1/goals"))) {
            for status in [nil, 201] { $0.request(.createGoal, body: ["title": "Run"], status: status, at: 0) }
        },
        Chapter(
            "waits that shrink", .broken(2, shrunk("1 s", "2 s", [2, 3])), tell: tries((0, 503), (2, 503), (3, 200))),
        Chapter(
            "50 ms less are let pass as a wait that does not grow", .broken(2, alike("1.95 s")),
            tell: tries((0, 503), (2, 503), (3.95, 200))),
        Chapter("1 s, and 1 s again", .broken(2, alike("1 s")), tell: tries((0, 503), (1, 500), (2, 200))),
        Chapter("50 ms more are none", .broken(2, alike("1.05 s")), tell: tries((0, 503), (1, 500), (2.05, 200))),
        Chapter("60 ms are", .kept(2), tell: tries((0, 503), (1, 500), (2.06, 200))),
        Chapter("10 s twice", .broken(2, alike("10 s")), tell: tries((0, 503), (10, 503), (20, 200))),
        Chapter("more may be the user's", .kept(2), tell: tries((0, 503), (11, 503), (22, 200))),
        Chapter("as long as the server asks for", .kept(2)) {
            for (time, status) in [(0, 503), (2, 503), (4, 200)] {
                $0.request(.listGoals, status: status, at: Double(time), responseFields: "retry-After: 2\r\n")
            }
        },
        Chapter("a wait that the server asked for is no measure", .kept(2)) {
            $0.request(.listGoals, status: 503, at: 0, responseFields: "Retry-After: 5\r\n")
            $0.request(.listGoals, status: 503, at: 5).request(.listGoals, at: 7)
        },
        Chapter(
            "what was let pass does not add up", .broken(3, alike("1.95 s"), shrunk("1.9 s", "2 s", [3, 4]), tooOften),
            tell: tries((0, 503), (2, 503), (3.95, 503), (5.85, 200))),
        Chapter(
            "a fourth attempt is too many", .broken(4, tooOften),
            tell: tries((0, 503), (1, 503), (3, 503), (7, 503), (15, 200))),
        Chapter("a success ends the series", .kept(2), tell: tries((0, 503), (2, 200), (2, 503), (3, 200), (3, 200))),
        Chapter("so does any other answer", .kept(), tell: tries((0, 503), (1, 404), (1, 200))),
        Chapter("a minute later it is not a repeat", .notExercised, tell: tries((0, 503), (60.1, 200))),
        Chapter("until then it is", .kept(), tell: tries((0, 503), (60, 200))),
        Chapter("what was under way is none", .notExercised) {
            $0.request(.listGoals, status: 503, at: 0, took: 1).request(.listGoals, at: 0.5, took: 1)
        },
        Chapter(
            "four bodies are told apart",
            .broken(1, tooSoon("0.4 s", "was answered with 503", [1, 5], of: "POST /api/v1/meal-logs/natural"))
        ) {
            for (place, text) in ["a", "b", "c", "d", "a"].enumerated() {
                $0.request(.createMealLog, body: ["raw_input": .string(text)], status: 503, at: Double(place) / 10)
            }
        },
        Chapter("other targets, bodies and users are other requests", .notExercised) {
            $0.request(.createMealLog, body: ["raw_input": "a"], status: 503, at: 0)
            $0.request(.createMealLog, body: ["raw_input": "b"], status: 503, at: 0)
            $0.request(.listMealLogs, status: 503, at: 0).request(.listMealLogs, query: "page=2", status: 503, at: 0)
            $0.becomes("tom").request(.listMealLogs, status: 503, at: 0)
        },
        Chapter("who was not let in yet is known by the token", .broken(1, tooSoon("0.1 s", "went unanswered"))) {
            $0.user = "sarah"
            $0.request(.listGoals, status: nil, at: -1, took: 1).request(.listGoals, status: 401, at: 0.1)
        },
        Chapter("polls of a meal log go on at their own pace, however many fail", .kept(4)) {
            for time in [0, 5, 12, 17, 22.0] { $0.request(.showMealLog, uuid(1), status: 503, at: time) }
        },
        Chapter("but they wait", .broken(1, tooSoon("0.1 s", of: "GET /api/v1/meal-logs"))) {
            for time in [0, 0.1] { $0.request(.listMealLogs, status: 503, at: time) }
        },
        Chapter("handshakes are another's", .notExercised) {
            for _ in 0..<2 { $0.request(.webSocket, uuid(1), status: 503, at: 0) }
        },
    ]

    @Test("The judge reaches the expected verdict on repeated requests", arguments: chapters)
    func judges(_ chapter: Chapter) { chapter.check("retry/backoff-on-5xx") }

    @Test("Too many attempts do not fail a run on their own")
    func warns() throws {
        let story = Story(Self.tries((0, 503), (1, 503), (3, 503), (7, 200)))
        let verdict = try #require(story.journal.judge().verdict("retry/backoff-on-5xx"))
        #expect((verdict.outcome, verdict.failsRun) == (.broken, false))
    }
}

extension Story {
    /// Logs a meal whose answer does not reach the client.
    @discardableResult fileprivate func loses(
        _ body: JSONValue = CreatesOnceTests.eggs, _ id: Int = 30, status: Int? = 502, at seconds: Double = 0
    ) -> Story { request(.createMealLog, body: body, status: status, at: seconds, faults: ["lost"], created: uuid(id)) }

    /// Logs a meal.
    @discardableResult
    fileprivate func logs(_ body: JSONValue = CreatesOnceTests.eggs, _ id: Int = 31, at seconds: Double = 2) -> Story {
        request(.createMealLog, body: body, status: 201, answer: Story.log("processing", uuid(id)), at: seconds)
    }
}

@Suite("retry/creates-once")
struct CreatesOnceTests {
    fileprivate static let eggs: JSONValue = ["raw_input": "2 eggs", "meal_type": "lunch"]

    private static func twice(
        _ request: String = "POST /api/v1/meal-logs/natural", failure: String = "was answered with 502",
        numbers: [Int] = [1, 2]
    ) -> Told {
        .broken(
            "\(request) \(failure) at 10:30:00, but had created \(uuid(30)); it was sent again 2 s later and created "
                + "\(uuid(31)), so the user now has a duplicate.", numbers, level: .should)
    }

    static let chapters: [Chapter] = [
        Chapter("sent again after an error", twice()) { $0.loses().logs() },
        Chapter("sent again after no answer", twice(failure: "went unanswered")) { $0.loses(status: nil).logs() },
        Chapter("the second answer is lost, too", .broken(2, twice().breaches[0])) {
            $0.loses().loses(eggs, 31, at: 2)
        },
        Chapter("each attempt has its time", twice()) {
            $0.loses(["raw_input": "2 eggs", "meal_type": "lunch", "logged_at": "2025-01-29T10:30:00Z"])
            $0.logs(["raw_input": "2 eggs", "meal_type": "lunch", "logged_at": "2025-01-29T10:30:02Z"])
        },
        Chapter("a goal", twice("POST /api/v1/goals")) {
            $0.request(.createGoal, body: ["title": "Run"], status: 502, at: 0, created: uuid(30))
            $0.request(.createGoal, body: ["title": "Run"], status: 201, answer: ["id": .string(uuid(31))], at: 2)
        },
        Chapter("what the apps sync", twice("POST /api/v1/sleep")) {
            $0.request(.createSleep, body: ["hours": 8], status: 502, at: 0, created: uuid(30))
            $0.request(
                .createSleep, body: ["hours": 8], status: 201, answer: ["data": ["id": .string(uuid(31))]], at: 2)
        },
        Chapter("a look at another log is none", twice(numbers: [1, 3])) {
            $0.loses().loads("processing", uuid(40), at: 1).logs()
        },
        Chapter("a look at another list is none", twice(numbers: [1, 3])) {
            $0.loses().request(.listGoals, at: 1).logs()
        },
        // Clients that keep the obligation.
        Chapter("a look at the list comes first, whatever it shows", .kept()) { $0.loses().lists([], at: 1).logs() },
        Chapter("a look at the log, of which an event told", .kept()) {
            $0.loses().loads("processing", uuid(30), at: 1).logs()
        },
        Chapter("a look that failed, or came before, is none", twice(numbers: [2, 4])) {
            $0.lists([], at: -1).loses().request(.listMealLogs, status: 503, at: 1).logs()
        },
        Chapter("nothing was done the first time", .notExercised) {
            $0.request(.createMealLog, body: eggs, status: 503, at: 0, faults: ["flaky"]).logs()
        },
        Chapter("not repeated", .kept()) { $0.loses() },
        Chapter("another meal", .kept()) { $0.loses().logs(["raw_input": "1 apple", "meal_type": "lunch"]) },
        Chapter("the same at another meal", .kept()) {
            $0.loses().logs(["raw_input": "2 eggs", "meal_type": "dinner"])
        },
        Chapter("a minute later it is the user", .kept()) { $0.loses().logs(at: 60.1) },
        Chapter("both were under way", .kept()) {
            $0.request(.createMealLog, body: eggs, status: 502, at: 0, took: 3, faults: ["lost"], created: uuid(30))
            $0.logs()
        },
        Chapter("the backend recognizes it", .kept()) {
            $0.request(.createConsultation, body: ["persona": "nutritionist"], status: 502, at: 0, created: uuid(30))
            $0.request(.createConsultation, body: ["persona": "nutritionist"], status: 409, at: 2)
        },
        Chapter("or has one for a day", .kept()) { $0.loses().logs(eggs, 30) },
        Chapter("another user", .kept()) { $0.loses().becomes("tom").logs() },
    ]

    @Test("The judge reports a duplicate creation", arguments: chapters)
    func judges(_ chapter: Chapter) { chapter.check("retry/creates-once") }

    @Test(
        "If a guide shows a repeated creation, its mode does not judge duplicate creations",
        arguments: GuideMode.allCases.filter { $0 != .union })
    func modes(_ mode: GuideMode) { #expect(Journal().verdict("retry/creates-once", in: mode) == nil) }
}
