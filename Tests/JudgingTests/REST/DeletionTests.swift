import FitIQAPI
import JSON
import Testing

@testable import Judging

/// What is deleted ends what was owed for it, and its 404 is nobody's mistake.
@Suite("Obligations after a deletion")
struct DeletionTests {
    static let chat: JSONValue = ["goalId": .string(Story.id(10))]
    static let link: JSONValue = ["conversationId": .string(Story.id(20)), "goalId": .string(Story.id(10))]
    static let create: JSONValue = ["persona": "nutritionist"]
    static let conflict: JSONValue = [
        "success": false, "error": ["details": ["existing_consultation_id": .string(Story.id(20))]],
    ]
    static let full: JSONValue = ["success": false, "error": ["code": "TOO_MANY_ACTIVE_CONSULTATIONS", "message": ""]]
    static let missing: JSONValue = ["success": false, "error": ["code": "GOAL_NOT_FOUND", "message": ""]]

    /// An obligation, and stories in which a client that deletes something keeps it.
    static let stories: [(String, Chapter)] = [
        (
            "goal/reuses-conversation",
            Chapter("the conversation is deleted, and another begins", .notExercised) {
                $0.request(.chatAboutGoal, body: chat, status: 201, answer: link, at: 0)
                $0.request(.deleteConsultation, Story.id(20), status: 204, at: 1)
                $0.request(.chatAboutGoal, body: chat, status: 201, answer: link, at: 2)
            }
        ),
        (
            "goal/reuses-conversation",
            Chapter("the goal is deleted", .notExercised) {
                $0.request(.chatAboutGoal, body: chat, status: 201, answer: link, at: 0)
                $0.request(.deleteGoal, Story.id(10), status: 204, at: 1)
                $0.request(.chatAboutGoal, body: chat, status: 404, answer: missing, at: 2)
            }
        ),
        (
            "consultation/conflict-continues-existing",
            Chapter("the existing one is deleted", .kept()) {
                $0.request(.createConsultation, body: create, status: 409, answer: conflict, at: 0)
                $0.request(.deleteConsultation, Story.id(20), status: 204, at: 1)
                $0.request(.createConsultation, body: create, status: 201, at: 2)
            }
        ),
        (
            "consultation/conflict-continues-existing",
            Chapter("the user is", .kept()) {
                $0.request(.createConsultation, body: create, status: 409, answer: conflict, at: 0)
                $0.request(.deleteUser, status: 204, at: 1)
                $0.request(.createConsultation, body: create, status: 201, at: 2)
            }
        ),
        (
            "consultation/limit-stops-creating",
            Chapter("a deletion makes room", .kept(2)) {
                $0.request(.createConsultation, body: create, status: 429, answer: full, at: 0)
                $0.request(.deleteConsultation, Story.id(20), status: 204, at: 1)
                $0.request(.createConsultation, body: create, status: 429, answer: full, at: 2)
            }
        ),
        (
            "goal/links-created-goal",
            Chapter("the created goal is deleted", .kept(), end: 100) {
                $0.connected(Story.id(20), at: 0)
                $0.suggestsGoal(at: 1)
                $0.request(.createGoal, status: 201, answer: ["id": .string(Story.id(10))], at: 2)
                $0.request(.deleteGoal, Story.id(10), status: 204, at: 3)
            }
        ),
        (
            "goal/links-created-goal",
            Chapter("the consultation is", .kept(), end: 100) {
                $0.connected(Story.id(20), at: 0)
                $0.suggestsGoal(at: 1)
                $0.request(.createGoal, status: 201, answer: ["id": .string(Story.id(10))], at: 2)
                $0.request(.deleteConsultation, Story.id(20), status: 204, at: 3)
            }
        ),
        (
            "goal/links-created-goal",
            Chapter("the user is, before there is a goal", .notExercised, end: 100) {
                $0.connected(Story.id(20), at: 0)
                $0.suggestsGoal(at: 1)
                $0.request(.deleteUser, status: 204, at: 2)
                $0.request(.createGoal, status: 201, answer: ["id": .string(Story.id(10))], at: 3)
            }
        ),
        (
            "ids/backend-goal-id",
            Chapter("a goal of an earlier session is deleted twice", .kept(2)) {
                $0.request(.deleteGoal, Story.id(10), status: 204, at: 0)
                $0.request(.deleteGoal, Story.id(10), status: 404, answer: missing, at: 1)
            }
        ),
        (
            "ids/backend-goal-id",
            Chapter("or the first answer is lost", .kept()) {
                $0.request(.deleteGoal, Story.id(10), status: nil, at: 0)
                $0.request(.deleteGoal, Story.id(10), status: 404, answer: missing, at: 1)
            }
        ),
        (
            "ids/gone-not-reused",
            Chapter("a 404 is a deletion's end, whether it is the client's own or not", .kept()) {
                $0.request(.deleteGoal, Story.id(10), status: 204, at: 0)
                $0.request(.deleteGoal, Story.id(10), status: 404, answer: missing, at: 1)
                $0.request(.showGoal, Story.id(10), status: 404, answer: missing, at: 2)
                $0.request(.deleteGoal, Story.id(10), status: 404, answer: missing, at: 3)
            }
        ),
        (
            "meal/polling-cadence",
            Chapter("a deleted log is not watched", .notExercised) {
                $0.logsMeal(at: 0)
                $0.request(.deleteMealLog, Story.meal, status: 204, at: 1)
                for second in 2..<6 { $0.lists([], at: Double(second)) }
            }
        ),
        (
            "meal/polling-cadence",
            Chapter("nor are those of a deleted user", .notExercised) {
                $0.logsMeal(at: 0)
                $0.request(.deleteUser, status: 204, at: 1)
                for second in 2..<6 { $0.lists([], at: Double(second)) }
            }
        ),
    ]

    @Test("are kept by a client that deletes", arguments: stories)
    func judges(_ id: String, _ chapter: Chapter) { chapter.check(id) }

    @Test("A goal id of the app's own is no better in a deletion")
    func ownID() {
        let told = Story { $0.request(.deleteGoal, "goal-1", status: 404, at: 0) }.verdict("ids/backend-goal-id")
        #expect(told?.outcome == .broken)
    }
}

extension Story {
    fileprivate mutating func suggestsGoal(at seconds: Double) {
        received(
            [
                "type": "template_created", "consultation_id": .string(Story.id(20)),
                "metadata": ["template_created": ["id": .string(Story.id(10)), "type": "goal", "name": "Run"]],
            ], at: seconds)
    }
}
