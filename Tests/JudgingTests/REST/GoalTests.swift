import FitIQAPI
import JSON
import Testing
import Traffic

@testable import Judging

extension Story {
    /// A client asks for a chat about the goal, and is answered with the conversation.
    @discardableResult func chats(at seconds: Double, took: Double = 0, delivery: Delivery? = nil) -> Story {
        request(
            .chatAboutGoal, body: ReuseTests.chat, status: 201, answer: ReuseTests.link, at: seconds, took: took,
            delivery: delivery)
    }

    /// The list of goals shows the goal with its conversation.
    @discardableResult fileprivate func listsGoal(at seconds: Double) -> Story {
        request(.listGoals, answer: ["goals": [ReuseTests.linked]], at: seconds)
    }
}

@Suite("goal/reuses-conversation")
struct ReuseTests {
    static let goalID = uuid(10)
    static let conversation = uuid(20)
    static let chat: JSONValue = ["goalId": .string(goalID)]
    static let linked: JSONValue = ["id": .string(goalID), "conversationId": .string(conversation)]
    static let link: JSONValue = ["conversationId": .string(conversation), "goalId": .string(goalID)]
    static func second(at time: String = "10:30:00", _ numbers: Int...) -> Told {
        .broken(
            "chat-about-goal was sent for the goal \(goalID), although an answer at \(time) had contained its conversation "
                + "\(conversation).", numbers)
    }

    static let chapters: [Chapter] = [
        Chapter("a goal without a conversation", .notExercised) {
            $0.request(.listGoals, answer: ["goals": [["id": .string(goalID), "conversationId": nil]]], at: 0)
            $0.chats(at: 1).opened(conversation, at: 2)
        },
        Chapter("the conversation of a goal that was shown is opened", .kept()) {
            $0.listsGoal(at: 0).request(.listMessages, conversation, at: 1).opened(conversation, at: 1)
        },
        Chapter("a second chat", second(1, 2)) { $0.chats(at: 0).chats(at: 1) },
        Chapter("a second chat at once", second(1, 2)) { for _ in 0..<2 { $0.chats(at: 0) } },
        Chapter("a conversation that was not refused is good, whatever else went wrong", second(1, 5)) {
            $0.chats(at: 0).request(.showConsultation, conversation, status: 400, at: 1)
            $0.request(.webSocket, conversation, status: 401, at: 2)
            $0.request(.listMessages, conversation, status: nil, at: 3).chats(at: 4)
        },
        Chapter("a chat for a goal that a list has shown", second(1, 2)) {
            $0.listsGoal(at: 0).request(.chatAboutGoal, body: chat, status: 503, at: 1)
        },
        Chapter("or an update, or the goal itself", second(at: "10:30:01", 2, 3)) {
            $0.request(.showGoal, goalID, answer: ["id": .string(goalID), "conversationId": nil], at: 0)
            $0.request(.updateGoal, goalID, body: [:], answer: linked, at: 1).chats(at: 2)
        },
        Chapter("a repeat whose first answer was lost", .notExercised) {
            $0.chats(at: 0, delivery: .partial).chats(at: 1)
        },
        Chapter("what was under way does not count", .notExercised) {
            $0.chats(at: 0, took: 1).chats(at: 0.5, took: 1)
        },
        Chapter("an archived conversation is replaced", .notExercised) {
            $0.chats(at: 0).request(.archiveConsultation, conversation, at: 1).chats(at: 2)
        },
        Chapter("one that is gone, too", .kept()) {
            $0.listsGoal(at: 0).request(.showConsultation, conversation, at: 1)
            $0.request(.listMessages, conversation, status: 404, at: 2)
            $0.request(.chatAboutGoal, body: chat, status: 201, at: 3)
        },
        Chapter("even if goals still name it", .kept()) {
            $0.listsGoal(at: 0).request(.showConsultation, conversation, at: 1)
            $0.request(.listMessages, conversation, status: 404, at: 2).listsGoal(at: 3)
            $0.request(.chatAboutGoal, body: chat, status: 201, at: 4)
        },
        Chapter("and one whose socket is refused, or says that it is over", .notExercised) {
            $0.chats(at: 0).request(.webSocket, conversation, status: 400, at: 1).chats(at: 2)
            $0.connected(conversation, at: 3).received(["type": "error", "error": "Consultation is not active"], at: 4)
            $0.chats(at: 5)
        },
        Chapter("or is shown as archived, or the goal without it", .notExercised) {
            $0.chats(at: 0)
            $0.request(
                .listConsultations,
                answer: ["data": ["consultations": [["id": .string(conversation), "status": "archived"]]]], at: 1)
            $0.chats(at: 2).request(.showGoal, goalID, answer: ["id": .string(goalID), "conversationId": nil], at: 3)
            $0.chats(at: 4)
        },
        Chapter("other goals and users have conversations of their own", .notExercised) {
            $0.chats(at: 0).request(.chatAboutGoal, body: ["goalId": .string(uuid(11))], status: 201, at: 1)
            $0.becomes("tom").request(.chatAboutGoal, body: chat, status: 404, at: 2)
        },
    ]

    @Test("The judge reaches the expected verdict on chats about goals", arguments: chapters)
    func judges(_ chapter: Chapter) { chapter.check("goal/reuses-conversation") }
}

extension Story {
    /// The chat is entries 1 and 2, and a suggestion at 1 s is entry 3.
    @discardableResult fileprivate func suggested(delivery: Delivery = .complete, faults: [String] = []) -> Story {
        connected(LinkTests.chat, at: 0)
            .received(
                ["type": "template_created", "metadata": LinkTests.made], at: 1, delivery: delivery, faults: faults)
    }

    @discardableResult func createsGoal(at seconds: Double, took: Double = 0, delivery: Delivery? = nil) -> Story {
        request(.createGoal, status: 201, answer: LinkTests.goal, at: seconds, took: took, delivery: delivery)
    }

    @discardableResult fileprivate func links(
        _ goal: String = uuid(10), to chat: String = LinkTests.chat, status: Int? = 200, at seconds: Double
    ) -> Story { request(.updateGoal, goal, body: ["conversationId": .string(chat)], status: status, at: seconds) }
}

@Suite("goal/links-created-goal")
struct LinkTests {
    static let chat = uuid(20)
    static let made: JSONValue = ["template_created": ["type": "goal", "id": "g", "name": "Run"]]
    static let goal: JSONValue = ["id": .string(uuid(10)), "conversationId": nil]
    static func unlinked(_ numbers: Int..., time: String = "10:30:02") -> Told {
        .broken(
            "The goal \(uuid(10)), created at \(time) after the coach suggested a goal, was not linked to the "
                + "consultation \(chat) within 30 s.", numbers)
    }

    static let chapters: [Chapter] = [
        Chapter("nothing was suggested", .notExercised, end: 100) { $0.connected(chat, at: 0).createsGoal(at: 2) },
        Chapter("nothing was created", .notExercised, end: 100) { $0.suggested() },
        Chapter("never linked", unlinked(3, 4), end: 32) { $0.suggested().createsGoal(at: 2) },
        Chapter("not due yet", .kept(), end: 31.9) { $0.suggested().createsGoal(at: 2) },
        Chapter("linked", .kept(), end: 100) { $0.suggested().createsGoal(at: 2).links(at: 3) },
        Chapter("late, and before the end", .kept(), end: 100) { $0.suggested().createsGoal(at: 2).links(at: 90) },
        Chapter("an attempt that a fault spoiled is enough", .kept(), end: 100) {
            $0.suggested().createsGoal(at: 2).links(status: nil, at: 3)
        },
        Chapter("so is one with the id in upper case", .kept(), end: 100) {
            $0.suggested().createsGoal(at: 2).links(uuid(10).uppercased(), status: 404, at: 3)
        },
        Chapter("with another conversation", unlinked(3, 4), end: 100) {
            $0.suggested().createsGoal(at: 2).links(to: uuid(21), at: 3)
        },
        Chapter("another goal", unlinked(3, 4), end: 100) { $0.suggested().createsGoal(at: 2).links(uuid(11), at: 3) },
        Chapter("without a conversation", unlinked(3, 4), end: 100) {
            $0.suggested().createsGoal(at: 2).request(.updateGoal, uuid(10), body: ["title": "Run"], at: 3)
        },
        Chapter("chat-about-goal links as well", .kept(), end: 100) {
            $0.suggested().createsGoal(at: 2)
            $0.request(.chatAboutGoal, body: ["goalId": .string(uuid(10))], status: 201, at: 3)
        },
        Chapter("a goal whose answer was lost cannot be linked", .notExercised, end: 100) {
            $0.suggested().createsGoal(at: 2, delivery: Delivery.none)
        },
        Chapter("a suggestion that did not arrive asks nothing", .notExercised, end: 100) {
            $0.suggested(delivery: .none, faults: ["lost"]).createsGoal(at: 2)
        },
        Chapter("nor does one that arrived damaged", .notExercised, end: 100) {
            $0.suggested(faults: ["corrupt"]).createsGoal(at: 2)
        },
        Chapter("a creation that was answered after the link", .kept(), end: 100) {
            $0.suggested().links(at: 4).createsGoal(at: 3, took: 2)
        },
        Chapter("one that was sent together with the link", .kept(), end: 100) {
            $0.suggested().links(at: 4).createsGoal(at: 4, took: 1)
        },
        Chapter("a link that is older than the creation is another's", unlinked(3, 5, time: "10:30:03"), end: 100) {
            $0.suggested().links(at: 2).createsGoal(at: 3)
        },
        Chapter("a consultation that is gone cannot be linked", .kept(), end: 100) {
            $0.suggested().createsGoal(at: 2).request(.listMessages, chat, status: 404, at: 3)
        },
        Chapter("one that another request misses may", unlinked(3, 4), end: 100) {
            $0.suggested().createsGoal(at: 2).request(.listMessages, uuid(21), status: 404, at: 3)
        },
        Chapter("one that is there may, too", unlinked(3, 4), end: 100) {
            $0.suggested().createsGoal(at: 2).request(.listMessages, chat, at: 3)
        },
        Chapter("a goal that is created at once", unlinked(3, 4, time: "10:30:01"), end: 100) {
            $0.suggested().createsGoal(at: 1)
        },
        Chapter("or after just ten minutes", unlinked(3, 4, time: "10:40:01"), end: 700) {
            $0.suggested().createsGoal(at: 601)
        },
        Chapter("the same suggestion ten minutes later is another", .kept(2), end: 700) {
            $0.suggested().createsGoal(at: 2).links(at: 3)
            $0.received(["type": "template_created", "metadata": made], at: 601)
            $0.request(.createGoal, status: 201, answer: ["id": .string(uuid(11))], at: 602).links(uuid(11), at: 603)
        },
        Chapter("a suggestion at the end of the answer", unlinked(3, 4), end: 100) {
            $0.connected(chat, at: 0)
            $0.received(["type": "assistant_message_end", "message_id": "m", "metadata": made], at: 1)
            $0.createsGoal(at: 2)
        },
        Chapter("both frames are one suggestion", .kept(), end: 100) {
            $0.suggested().createsGoal(at: 2).links(at: 3)
            $0.received(["type": "assistant_message_end", "message_id": "m", "metadata": made], at: 4)
            $0.request(.createGoal, status: 201, answer: ["id": .string(uuid(11))], at: 5)
        },
        Chapter("a workout is no goal", .notExercised, end: 100) {
            $0.connected(chat, at: 0)
            $0.received(
                ["type": "template_created", "metadata": ["template_created": ["type": "workout", "id": "w"]]], at: 1)
            $0.createsGoal(at: 2)
        },
        Chapter("ten minutes later it is another goal", .notExercised, end: 700) {
            $0.suggested().createsGoal(at: 601.1)
        },
        Chapter("another user's goal", .notExercised, end: 100) { $0.suggested().becomes("tom").createsGoal(at: 2) },
    ]

    @Test("The judge reaches the expected verdict on goals created in a chat", arguments: chapters)
    func judges(_ chapter: Chapter) { chapter.check("goal/links-created-goal") }
}
