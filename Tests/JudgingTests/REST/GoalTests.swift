import FitIQAPI
import JSON
import Testing
import Traffic

@testable import Judging

@Suite("goal/reuses-conversation")
struct ReuseTests {
    static let goalID = Story.id(10)
    static let conversation = Story.id(20)
    static let chat: JSONValue = ["goalId": .string(goalID)]
    static let linked: JSONValue = ["id": .string(goalID), "conversationId": .string(conversation)]
    static let link: JSONValue = ["conversationId": .string(conversation), "goalId": .string(goalID)]
    static func second(_ count: Int = 1, at time: String = "10:30:00", _ numbers: Int...) -> Told {
        .broken(
            count,
            .init(
                message:
                    "chat-about-goal was sent for the goal \(goalID), although an answer at \(time) had contained its "
                    + "conversation \(conversation).", evidence: numbers))
    }

    static let chapters: [Chapter] = [
        Chapter("a goal without a conversation", .notExercised) {
            $0.request(.listGoals, answer: ["goals": [["id": .string(goalID), "conversationId": nil]]], at: 0)
            $0.request(.chatAboutGoal, body: chat, status: 201, answer: link, at: 1)
            $0.opened(conversation, at: 2)
        },
        Chapter("the conversation of a goal that was shown is opened", .kept()) {
            $0.request(.listGoals, answer: ["goals": [linked]], at: 0)
            $0.request(.listMessages, conversation, at: 1)
            $0.opened(conversation, at: 1)
        },
        Chapter("a second chat", second(1, 1, 2)) {
            $0.request(.chatAboutGoal, body: chat, status: 201, answer: link, at: 0)
            $0.request(.chatAboutGoal, body: chat, status: 201, answer: link, at: 1)
        },
        Chapter("a second chat at once", second(1, 1, 2)) {
            for _ in 0..<2 { $0.request(.chatAboutGoal, body: chat, status: 201, answer: link, at: 0) }
        },
        Chapter("a conversation that was not refused is good, whatever else went wrong", second(1, 1, 5)) {
            $0.request(.chatAboutGoal, body: chat, status: 201, answer: link, at: 0)
            $0.request(.showConsultation, conversation, status: 400, at: 1)
            $0.request(.webSocket, conversation, status: 401, at: 2)
            $0.request(.listMessages, conversation, status: nil, at: 3)
            $0.request(.chatAboutGoal, body: chat, status: 201, answer: link, at: 4)
        },
        Chapter("a chat for a goal that a list has shown", second(1, 1, 2)) {
            $0.request(.listGoals, answer: ["goals": [linked]], at: 0)
            $0.request(.chatAboutGoal, body: chat, status: 503, at: 1)
        },
        Chapter("or an update, or the goal itself", second(1, at: "10:30:01", 2, 3)) {
            $0.request(.showGoal, goalID, answer: ["id": .string(goalID), "conversationId": nil], at: 0)
            $0.request(.updateGoal, goalID, body: [:], answer: linked, at: 1)
            $0.request(.chatAboutGoal, body: chat, status: 201, answer: link, at: 2)
        },
        Chapter("a repeat whose first answer was lost", .notExercised) {
            $0.request(.chatAboutGoal, body: chat, status: 201, answer: link, at: 0, delivery: .partial)
            $0.request(.chatAboutGoal, body: chat, status: 201, answer: link, at: 1)
        },
        Chapter("what was under way does not count", .notExercised) {
            $0.request(.chatAboutGoal, body: chat, status: 201, answer: link, at: 0, took: 1)
            $0.request(.chatAboutGoal, body: chat, status: 201, answer: link, at: 0.5, took: 1)
        },
        Chapter("an archived conversation is replaced", .notExercised) {
            $0.request(.chatAboutGoal, body: chat, status: 201, answer: link, at: 0)
            $0.request(.archiveConsultation, conversation, at: 1)
            $0.request(.chatAboutGoal, body: chat, status: 201, answer: link, at: 2)
        },
        Chapter("one that is gone, too", .kept()) {
            $0.request(.listGoals, answer: ["goals": [linked]], at: 0)
            $0.request(.showConsultation, conversation, at: 1)
            $0.request(.listMessages, conversation, status: 404, at: 2)
            $0.request(.chatAboutGoal, body: chat, status: 201, at: 3)
        },
        Chapter("even if goals still name it", .kept()) {
            $0.request(.listGoals, answer: ["goals": [linked]], at: 0)
            $0.request(.showConsultation, conversation, at: 1)
            $0.request(.listMessages, conversation, status: 404, at: 2)
            $0.request(.listGoals, answer: ["goals": [linked]], at: 3)
            $0.request(.chatAboutGoal, body: chat, status: 201, at: 4)
        },
        Chapter("and one whose socket is refused, or says that it is over", .notExercised) {
            $0.request(.chatAboutGoal, body: chat, status: 201, answer: link, at: 0)
            $0.request(.webSocket, conversation, status: 400, at: 1)
            $0.request(.chatAboutGoal, body: chat, status: 201, answer: link, at: 2)
            $0.connected(conversation, at: 3)
            $0.received(["type": "error", "error": "Consultation is not active"], at: 4)
            $0.request(.chatAboutGoal, body: chat, status: 201, answer: link, at: 5)
        },
        Chapter("or is shown as archived, or the goal without it", .notExercised) {
            $0.request(.chatAboutGoal, body: chat, status: 201, answer: link, at: 0)
            $0.request(
                .listConsultations,
                answer: ["data": ["consultations": [["id": .string(conversation), "status": "archived"]]]], at: 1)
            $0.request(.chatAboutGoal, body: chat, status: 201, answer: link, at: 2)
            $0.request(.showGoal, goalID, answer: ["id": .string(goalID), "conversationId": nil], at: 3)
            $0.request(.chatAboutGoal, body: chat, status: 201, answer: link, at: 4)
        },
        Chapter("other goals and users have conversations of their own", .notExercised) {
            $0.request(.chatAboutGoal, body: chat, status: 201, answer: link, at: 0)
            $0.request(.chatAboutGoal, body: ["goalId": .string(Story.id(11))], status: 201, at: 1)
            $0.becomes("tom")
            $0.request(.chatAboutGoal, body: chat, status: 404, at: 2)
        },
    ]

    @Test("The judge reaches the expected verdict on chats about goals", arguments: chapters)
    func judges(_ chapter: Chapter) { chapter.check("goal/reuses-conversation") }
}

@Suite("goal/links-created-goal")
struct LinkTests {
    static let chat = Story.id(20)
    static let made: JSONValue = ["template_created": ["type": "goal", "id": "g", "name": "Run"]]
    static let goal: JSONValue = ["id": .string(Story.id(10)), "conversationId": nil]
    static func unlinked(_ numbers: Int..., time: String = "10:30:02") -> Told {
        .broken(
            1,
            .init(
                message:
                    "The goal \(Story.id(10)), created at \(time) after the coach suggested a goal, was not linked "
                    + "to the consultation \(chat) within 30 s.", evidence: numbers))
    }

    /// The chat, with a suggestion at 1 s as entry 3, and a goal created at 2 s as entry 4.
    static func suggested(_ next: @escaping (inout Story) -> Void = { _ in }) -> (inout Story) -> Void {
        { story in
            story.connected(chat, at: 0)
            story.received(["type": "template_created", "metadata": made], at: 1)
            story.request(.createGoal, status: 201, answer: goal, at: 2)
            next(&story)
        }
    }

    static let chapters: [Chapter] = [
        Chapter("nothing was suggested", .notExercised, end: 100) {
            $0.connected(chat, at: 0)
            $0.request(.createGoal, status: 201, answer: goal, at: 2)
        },
        Chapter("nothing was created", .notExercised, end: 100) {
            $0.connected(chat, at: 0)
            $0.received(["type": "template_created", "metadata": made], at: 1)
        },
        Chapter("never linked", unlinked(3, 4), end: 32, tell: suggested()),
        Chapter("not due yet", .kept(), end: 31.9, tell: suggested()),
        Chapter(
            "linked", .kept(), end: 100,
            tell: suggested {
                $0.request(.updateGoal, Story.id(10), body: ["conversationId": .string(chat)], at: 3)
            }),
        Chapter(
            "late, and before the end", .kept(), end: 100,
            tell: suggested {
                $0.request(.updateGoal, Story.id(10), body: ["conversationId": .string(chat)], at: 90)
            }),
        Chapter(
            "an attempt that a fault spoiled is enough", .kept(), end: 100,
            tell: suggested {
                $0.request(.updateGoal, Story.id(10), body: ["conversationId": .string(chat)], status: nil, at: 3)
            }),
        Chapter(
            "so is one with the id in upper case", .kept(), end: 100,
            tell: suggested {
                $0.request(
                    .updateGoal, Story.id(10).uppercased(), body: ["conversationId": .string(chat)], status: 404, at: 3)
            }),
        Chapter(
            "with another conversation", unlinked(3, 4), end: 100,
            tell: suggested {
                $0.request(.updateGoal, Story.id(10), body: ["conversationId": .string(Story.id(21))], at: 3)
            }),
        Chapter(
            "another goal", unlinked(3, 4), end: 100,
            tell: suggested {
                $0.request(.updateGoal, Story.id(11), body: ["conversationId": .string(chat)], at: 3)
            }),
        Chapter(
            "without a conversation", unlinked(3, 4), end: 100,
            tell: suggested {
                $0.request(.updateGoal, Story.id(10), body: ["title": "Run"], at: 3)
            }),
        Chapter(
            "chat-about-goal links as well", .kept(), end: 100,
            tell: suggested {
                $0.request(.chatAboutGoal, body: ["goalId": .string(Story.id(10))], status: 201, at: 3)
            }),
        Chapter("a goal whose answer was lost cannot be linked", .notExercised, end: 100) {
            $0.connected(chat, at: 0)
            $0.received(["type": "template_created", "metadata": made], at: 1)
            $0.request(.createGoal, status: 201, answer: goal, at: 2, delivery: Delivery.none)
        },
        Chapter("a suggestion that did not arrive asks nothing", .notExercised, end: 100) {
            $0.connected(chat, at: 0)
            $0.received(["type": "template_created", "metadata": made], at: 1, delivery: .none, faults: ["lost"])
            $0.request(.createGoal, status: 201, answer: goal, at: 2)
        },
        Chapter("nor does one that arrived damaged", .notExercised, end: 100) {
            $0.connected(chat, at: 0)
            $0.received(["type": "template_created", "metadata": made], at: 1, faults: ["corrupt"])
            $0.request(.createGoal, status: 201, answer: goal, at: 2)
        },
        Chapter("a creation that was answered after the link", .kept(), end: 100) {
            $0.connected(chat, at: 0)
            $0.received(["type": "template_created", "metadata": made], at: 1)
            $0.request(.updateGoal, Story.id(10), body: ["conversationId": .string(chat)], at: 4)
            $0.request(.createGoal, status: 201, answer: goal, at: 3, took: 2)
        },
        Chapter("one that was sent together with the link", .kept(), end: 100) {
            $0.connected(chat, at: 0)
            $0.received(["type": "template_created", "metadata": made], at: 1)
            $0.request(.updateGoal, Story.id(10), body: ["conversationId": .string(chat)], at: 4)
            $0.request(.createGoal, status: 201, answer: goal, at: 4, took: 1)
        },
        Chapter("a link that is older than the creation is another's", unlinked(3, 5, time: "10:30:03"), end: 100) {
            $0.connected(chat, at: 0)
            $0.received(["type": "template_created", "metadata": made], at: 1)
            $0.request(.updateGoal, Story.id(10), body: ["conversationId": .string(chat)], at: 2)
            $0.request(.createGoal, status: 201, answer: goal, at: 3)
        },
        Chapter(
            "a consultation that is gone cannot be linked", .kept(), end: 100,
            tell: suggested { $0.request(.listMessages, chat, status: 404, at: 3) }),
        Chapter(
            "one that another request misses may", unlinked(3, 4), end: 100,
            tell: suggested { $0.request(.listMessages, Story.id(21), status: 404, at: 3) }),
        Chapter(
            "one that is there may, too", unlinked(3, 4), end: 100,
            tell: suggested { $0.request(.listMessages, chat, at: 3) }),
        Chapter("a goal that is created at once", unlinked(3, 4, time: "10:30:01"), end: 100) {
            $0.connected(chat, at: 0)
            $0.received(["type": "template_created", "metadata": made], at: 1)
            $0.request(.createGoal, status: 201, answer: goal, at: 1)
        },
        Chapter("or after just ten minutes", unlinked(3, 4, time: "10:40:01"), end: 700) {
            $0.connected(chat, at: 0)
            $0.received(["type": "template_created", "metadata": made], at: 1)
            $0.request(.createGoal, status: 201, answer: goal, at: 601)
        },
        Chapter(
            "the same suggestion ten minutes later is another", .kept(2), end: 700,
            tell: suggested {
                $0.request(.updateGoal, Story.id(10), body: ["conversationId": .string(chat)], at: 3)
                $0.received(["type": "template_created", "metadata": made], at: 601)
                $0.request(.createGoal, status: 201, answer: ["id": .string(Story.id(11))], at: 602)
                $0.request(.updateGoal, Story.id(11), body: ["conversationId": .string(chat)], at: 603)
            }),
        Chapter("a suggestion at the end of the answer", unlinked(3, 4), end: 100) {
            $0.connected(chat, at: 0)
            $0.received(["type": "assistant_message_end", "message_id": "m", "metadata": made], at: 1)
            $0.request(.createGoal, status: 201, answer: goal, at: 2)
        },
        Chapter(
            "both frames are one suggestion", .kept(), end: 100,
            tell: suggested {
                $0.request(.updateGoal, Story.id(10), body: ["conversationId": .string(chat)], at: 3)
                $0.received(["type": "assistant_message_end", "message_id": "m", "metadata": made], at: 4)
                $0.request(.createGoal, status: 201, answer: ["id": .string(Story.id(11))], at: 5)
            }),
        Chapter("a workout is no goal", .notExercised, end: 100) {
            $0.connected(chat, at: 0)
            $0.received(
                ["type": "template_created", "metadata": ["template_created": ["type": "workout", "id": "w"]]], at: 1)
            $0.request(.createGoal, status: 201, answer: goal, at: 2)
        },
        Chapter("ten minutes later it is another goal", .notExercised, end: 700) {
            $0.connected(chat, at: 0)
            $0.received(["type": "template_created", "metadata": made], at: 1)
            $0.request(.createGoal, status: 201, answer: goal, at: 601.1)
        },
        Chapter("another user's goal", .notExercised, end: 100) {
            $0.connected(chat, at: 0)
            $0.received(["type": "template_created", "metadata": made], at: 1)
            $0.becomes("tom")
            $0.request(.createGoal, status: 201, answer: goal, at: 2)
        },
    ]

    @Test("The judge reaches the expected verdict on goals created in a chat", arguments: chapters)
    func judges(_ chapter: Chapter) { chapter.check("goal/links-created-goal") }
}
