import FitIQAPI
import JSON
import Testing
import Traffic

@testable import Judging

@Suite("ids/lowercase")
struct LowercaseTests {
    static let upper = "00000000-0000-4000-8000-00000000000A"
    static let upperCase: Told = {
        let message = "The path has \(upper); the backend's id is \(uuid(10))."
        return .broken(2, .init(message: message, evidence: [1]), .init(message: message, evidence: [2]))
    }()

    static let chapters: [Chapter] = [
        Chapter("as the backend wrote it", .kept(2)) { $0.request(.showGoal, uuid(10), at: 0).opened(uuid(10), at: 1) },
        Chapter("ids without letters say nothing", .notExercised) { $0.request(.showGoal, uuid(1), at: 0) },
        Chapter("paths without an id say nothing", .notExercised) { $0.request(.listGoals, at: 0) },
        Chapter("upper case, in any path", upperCase) {
            $0.request(.listMessages, upper, status: 404, at: 0).request(.webSocket, upper, status: 404, at: 1)
        },
        Chapter("upper case that a world with ids: any-case finds", upperCase) {
            $0.request(.listMessages, upper, at: 0).opened(upper, at: 1)
        },
    ]

    @Test("The judge reaches the expected verdict on upper-case ids", arguments: chapters)
    func judges(_ chapter: Chapter) { chapter.check("ids/lowercase") }
}

extension Story {
    /// The backend does not have the goal that the client asks for.
    @discardableResult fileprivate func missing(
        answer: JSONValue? = nil, at seconds: Double, took: Double = 0, delivery: Delivery? = nil,
        faults: [String] = [], unmatched: RecordedExchange.Unmatched? = nil
    ) -> Story {
        request(
            .showGoal, uuid(10), status: 404, answer: answer, at: seconds, took: took, delivery: delivery,
            faults: faults, unmatched: unmatched)
    }
}

@Suite("ids/backend-goal-id")
struct BackendGoalIDTests {
    static let missing: JSONValue = ["success": false, "error": ["code": "GOAL_NOT_FOUND", "message": ""]]
    static func goal(_ id: String) -> JSONValue { ["id": .string(id), "conversationId": nil] }
    static func unknown(_ place: String, id: String = uuid(10), _ numbers: Int...) -> Told.Breach {
        .init(
            message:
                "\(place) has the goal id \(id), which the backend never issued to this user; it answered with 404.",
            evidence: numbers)
    }

    static let chapters: [Chapter] = [
        Chapter("no goal is named", .notExercised) { $0.request(.listGoals, at: 0) },
        Chapter("what the backend accepts is its own", .kept(2)) {
            $0.request(.showGoal, uuid(10), at: 0)
            $0.request(.chatAboutGoal, body: ["goalId": .string(uuid(10))], status: 429, at: 1)
        },
        Chapter("what it never issued, in a path", .broken(1, unknown("GET /api/v1/goals/\(uuid(10))", 1))) {
            $0.missing(answer: missing, at: 0)
        },
        Chapter("in a body", .broken(1, unknown("chat-about-goal", 1))) {
            $0.request(.chatAboutGoal, body: ["goalId": .string(uuid(10))], status: 404, answer: missing, at: 0)
        },
        Chapter("in a create", .broken(1, unknown("POST /api/v1/consultations", 1))) {
            $0.request(
                .createConsultation, body: ["persona": "nutritionist", "goal_id": .string(uuid(10))], status: 404,
                at: 0)
        },
        Chapter("in a create's context", .broken(1, unknown("POST /api/v1/consultations", 1))) {
            $0.request(
                .createConsultation,
                body: ["persona": "nutritionist", "context_type": "goal", "context_id": .string(uuid(10))],
                status: 404, at: 0)
        },
        Chapter("a mood's id is no goal's", .notExercised) {
            $0.request(
                .createConsultation,
                body: ["persona": "nutritionist", "context_type": "mood", "context_id": "1"], status: 404, at: 0)
        },
        Chapter("what was shown once and is gone was the backend's", .kept(6)) {
            $0.request(.createGoal, status: 201, answer: goal(uuid(10)), at: 0)
            $0.request(.listGoals, answer: ["goals": [goal(uuid(11))]], at: 0)
            $0.request(.showConsultation, uuid(1), answer: ["data": ["id": "a", "goal_id": .string(uuid(12))]], at: 0)
            $0.request(
                .listConsultations,
                answer: ["data": ["consultations": [["id": "a", "goal_id": .string(uuid(13))]]]], at: 0)
            $0.request(
                .chatAboutGoal, body: [:], status: 201,
                answer: ["conversationId": "c", "goalId": .string(uuid(14))], at: 0)
            $0.connected(uuid(1), at: 1)
            $0.received(
                ["type": "template_created", "metadata": ["template_created": ["type": "goal", "id": "g-1"]]], at: 2)
            for number in 10...14 { $0.request(.showGoal, uuid(number), status: 404, at: 3) }
            $0.request(.showGoal, "g-1", status: 404, at: 3)
        },
        Chapter(
            "what another user was shown is not this one's", .broken(1, unknown("GET /api/v1/goals/\(uuid(10))", 2))
        ) {
            $0.request(.createGoal, status: 201, answer: goal(uuid(10)), at: 0).becomes("tom")
            $0.missing(answer: missing, at: 1)
        },
        Chapter("an answer that did not arrive shows nothing", .broken(1, unknown("GET /api/v1/goals/\(uuid(10))", 2)))
        {
            $0.request(.createGoal, status: 201, answer: goal(uuid(10)), at: 0, delivery: .partial)
            $0.missing(answer: missing, at: 1)
        },
        Chapter(
            "no UUID is none of the backend's, whatever the answer",
            .broken(
                "chat-about-goal has the goal id local-1, which is not a backend id: backend ids are lower-case UUIDs.",
                [1])
        ) { $0.request(.chatAboutGoal, body: ["goalId": "local-1"], status: 400, at: 0) },
        Chapter("a fault's 404 says nothing", .notExercised) {
            $0.missing(at: 0, faults: ["gone"]).request(.showGoal, uuid(10), status: nil, at: 0, faults: ["hang"])
        },
        Chapter("nor does an answer that did not look at it", .notExercised) {
            $0.request(.showGoal, uuid(10), status: 401, at: 0).request(.showGoal, uuid(10), status: 503, at: 0)
        },
        Chapter("upper case in a path belongs to ids/lowercase", .notExercised) {
            $0.request(.showGoal, LowercaseTests.upper, status: 404, at: 0)
        },
        Chapter(
            "but not in a body",
            .broken(
                2, unknown("chat-about-goal", id: LowercaseTests.upper, 1),
                unknown("POST /api/v1/consultations", id: LowercaseTests.upper, 2))
        ) {
            let upper = JSONValue.string(LowercaseTests.upper)
            $0.request(.chatAboutGoal, body: ["goalId": upper], status: 404, at: 0)
            $0.request(.createConsultation, body: ["persona": "nutritionist", "goal_id": upper], status: 404, at: 1)
        },
        Chapter("a PATCH whose conversation is missing says nothing of the goal", .notExercised) {
            $0.request(
                .updateGoal, uuid(10), body: ["conversationId": "c"], status: 404,
                answer: ["error": ["code": "NOT_FOUND"]], at: 0)
        },
    ]

    @Test("The judge reaches the expected verdict on goal ids", arguments: chapters)
    func judges(_ chapter: Chapter) { chapter.check("ids/backend-goal-id") }
}

@Suite("ids/gone-not-reused")
struct GoneTests {
    static func again(_ kind: String, by request: String, after: String = "1 s", _ numbers: [Int]) -> Told {
        .broken(
            "The backend returned 404 for the \(kind) \(uuid(10)) at 10:30:00, and \(request) requested it again "
                + "\(after) later.", numbers, level: .should)
    }

    static let chapters: [Chapter] = [
        Chapter("nothing is gone", .notExercised) { for _ in 0..<3 { $0.request(.showGoal, uuid(10), at: 0) } },
        Chapter("gone and forgotten", .kept()) { $0.missing(at: 0).request(.showGoal, uuid(11), at: 1) },
        Chapter("a goal asked for again", again("goal", by: "GET /api/v1/goals/\(uuid(10))", [1, 2])) {
            $0.missing(at: 0).missing(at: 1)
        },
        Chapter("upper case, which is another's", .notExercised) {
            for time in [0, 1.0] { $0.request(.showConsultation, uuid(10).uppercased(), status: 404, at: time) }
        },
        Chapter("even at once", again("goal", by: "GET /api/v1/goals/\(uuid(10))", after: "0 s", [1, 2])) {
            for _ in 0..<2 { $0.missing(at: 0) }
        },
        Chapter("even where a fault said so", again("goal", by: "POST /api/v1/consultations/chat-about-goal", [1, 2])) {
            $0.missing(at: 0, faults: ["gone"])
            $0.request(.chatAboutGoal, body: ["goalId": .string(uuid(10))], status: 201, at: 1)
        },
        Chapter("a conversation that is opened again", again("conversation", by: "a handshake", [1, 2])) {
            $0.request(.listMessages, uuid(10), status: 404, at: 0).opened(uuid(10), at: 1)
        },
        Chapter(
            "a conversation that a goal is linked with again",
            again("conversation", by: "PATCH /api/v1/goals/\(uuid(1))", [1, 2])
        ) {
            $0.request(
                .updateGoal, uuid(1), body: ["conversationId": .string(uuid(10))], status: 404,
                answer: ["error": ["code": "NOT_FOUND"]], at: 0)
            $0.request(.updateGoal, uuid(1), body: ["conversationId": .string(uuid(10))], status: 503, at: 1)
        },
        Chapter("of a PATCH only what is missing is gone", .kept()) {
            $0.request(
                .updateGoal, uuid(10), body: ["conversationId": .string(uuid(11))], status: 404,
                answer: ["error": ["code": "GOAL_NOT_FOUND"]], at: 0)
            $0.request(.showConsultation, uuid(11), at: 1)
        },
        Chapter("what was under way does not count", .kept()) { $0.missing(at: 0, took: 1).missing(at: 0.5, took: 1) },
        Chapter("what is shown again is there again", .kept()) {
            $0.missing(at: 0).request(.listGoals, answer: ["goals": [BackendGoalIDTests.goal(uuid(10))]], at: 1)
            $0.request(.showGoal, uuid(10), at: 2)
        },
        Chapter("a 404 that did not arrive asks nothing", .notExercised) {
            $0.missing(at: 0, delivery: .partial).missing(at: 1, delivery: .partial)
        },
        Chapter("handshakes after refused handshakes are another's", .notExercised) {
            $0.request(.webSocket, uuid(10), status: 404, at: 0).request(.webSocket, uuid(10), status: 404, at: 1)
        },
        Chapter("an endpoint that the guide lacks says nothing of the id", .notExercised) {
            for second in 0...1 { $0.missing(at: Double(second), unmatched: .notInGuide) }
        },
        Chapter("meal logs are not asked about", .notExercised) {
            for _ in 0..<2 { $0.request(.showMealLog, uuid(10), status: 404, at: 0) }
        },
    ]

    @Test("The judge reaches the expected verdict on requests for missing resources", arguments: chapters)
    func judges(_ chapter: Chapter) { chapter.check("ids/gone-not-reused") }
}

extension Story {
    @discardableResult fileprivate func deletesGoal(_ status: Int? = 204, at seconds: Double) -> Story {
        let answer = status == 404 ? BackendGoalIDTests.missing : nil
        return request(.deleteGoal, uuid(10), status: status, answer: answer, at: seconds)
    }

    @discardableResult fileprivate func deletesConsultation(_ id: String = uuid(20), at seconds: Double) -> Story {
        request(.deleteConsultation, id, status: 204, at: seconds)
    }

    @discardableResult
    fileprivate func deletesUser(at seconds: Double) -> Story { request(.deleteUser, status: 204, at: seconds) }

    /// The coach suggests the goal in the chat.
    @discardableResult fileprivate func suggestsGoal() -> Story {
        connected(uuid(20), at: 0)
            .received(
                [
                    "type": "template_created", "consultation_id": .string(uuid(20)),
                    "metadata": ["template_created": ["id": .string(uuid(10)), "type": "goal", "name": "Run"]],
                ], at: 1)
    }
}

/// A deletion ends the obligations for the deleted resource, and a 404 for the resource is not a mistake.
@Suite("Obligations after a deletion")
struct DeletionTests {
    static let full: JSONValue = ["success": false, "error": ["code": "TOO_MANY_ACTIVE_CONSULTATIONS", "message": ""]]

    /// Obligations, and stories in which they are kept by a client that deletes resources.
    static let chapters: KeyValuePairs<String, [Chapter]> = [
        "goal/reuses-conversation": [
            Chapter("the conversation is deleted, and another begins", .notExercised) {
                $0.chats(at: 0).deletesConsultation(at: 1).chats(at: 2)
            },
            Chapter("the goal is deleted", .notExercised) {
                $0.chats(at: 0).deletesGoal(at: 1)
                $0.request(
                    .chatAboutGoal, body: ReuseTests.chat, status: 404, answer: BackendGoalIDTests.missing, at: 2)
            },
        ],
        "consultation/conflict-continues-existing": [
            Chapter("the existing one is deleted", .kept()) {
                $0.conflicts(at: 0).deletesConsultation(uuid(10), at: 1).creates(at: 2)
            },
            Chapter("the user is", .kept()) { $0.conflicts(at: 0).deletesUser(at: 1).creates(at: 2) },
        ],
        "consultation/limit-stops-creating": [
            Chapter("a deletion makes room", .kept(2)) {
                $0.request(.createConsultation, body: ConflictTests.create, status: 429, answer: full, at: 0)
                $0.deletesConsultation(at: 1)
                $0.request(.createConsultation, body: ConflictTests.create, status: 429, answer: full, at: 2)
            }
        ],
        "goal/links-created-goal": [
            Chapter("the created goal is deleted", .kept(), end: 100) {
                $0.suggestsGoal().createsGoal(at: 2).deletesGoal(at: 3)
            },
            Chapter("the consultation is", .kept(), end: 100) {
                $0.suggestsGoal().createsGoal(at: 2).deletesConsultation(at: 3)
            },
            Chapter("the user is, before there is a goal", .notExercised, end: 100) {
                $0.suggestsGoal().deletesUser(at: 2).createsGoal(at: 3)
            },
        ],
        "ids/backend-goal-id": [
            Chapter("a goal of an earlier session is deleted twice", .kept(2)) {
                $0.deletesGoal(at: 0).deletesGoal(404, at: 1)
            },
            Chapter("or the first answer is lost", .kept()) { $0.deletesGoal(nil, at: 0).deletesGoal(404, at: 1) },
        ],
        "ids/gone-not-reused": [
            Chapter("a 404 is a deletion's end, whether it is the client's own or not", .kept()) {
                $0.deletesGoal(at: 0).deletesGoal(404, at: 1).missing(answer: BackendGoalIDTests.missing, at: 2)
                $0.deletesGoal(404, at: 3)
            }
        ],
        "meal/polling-cadence": [
            Chapter("a deleted log is not watched", .notExercised) {
                $0.logsMeal(at: 0).request(.deleteMealLog, Story.meal, status: 204, at: 1)
                for second in 2..<6 { $0.lists("processing", [], at: Double(second)) }
            },
            Chapter("nor are those of a deleted user", .notExercised) {
                $0.logsMeal(at: 0).deletesUser(at: 1)
                for second in 2..<6 { $0.lists("processing", [], at: Double(second)) }
            },
        ],
    ]

    @Test(
        "A correct deletion does not break an obligation",
        arguments: chapters.flatMap { id, chapters in chapters.map { (id, $0) } })
    func judges(_ id: String, _ chapter: Chapter) { chapter.check(id) }

    @Test("Deleting a goal by the app's local id breaks the obligation")
    func ownID() {
        let story = Story { $0.request(.deleteGoal, "goal-1", status: 404, at: 0) }
        #expect(story.journal.verdict("ids/backend-goal-id")?.outcome == .broken)
    }
}
