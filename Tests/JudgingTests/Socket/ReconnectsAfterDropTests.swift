import FitIQAPI
import Testing
import WebSocket

@testable import Judging

@Suite("ws/reconnects")
struct ReconnectsAfterDropTests {
    private static let id = Story.id(1)

    private static func stayedAway(_ evidence: [Int], last: String = "10:30:35") -> Told {
        .broken(
            1,
            .init(
                message: "The socket ended at 10:30:04, and the client opened none again, although its user went on at "
                    + "10:30:05 and at \(last).", evidence: evidence, level: .should))
    }

    /// Entries 1 to 4: a chat with a question, dropped at 4 s.
    private static func dropped(_ story: inout Story) {
        story.connected(id, at: 0)
        story.sent(["type": "message", "content": "Hi"], at: 1)
        story.closed(by: .server, .fault, at: 4, faults: ["drop"])
    }

    /// Entries 1 to 4: a socket on which only a meal was waited for, dropped at 4 s.
    private static func droppedMeals(_ story: inout Story) {
        story.connected(id, at: 0)
        story.logsMeal(at: 1)
        story.closed(by: .server, .fault, at: 4, faults: ["drop"])
    }

    private static func looks(_ story: inout Story, at seconds: Double, _ other: String = id, status: Int = 200) {
        story.request(.listMessages, other, status: status, at: seconds)
    }

    private static func chapter(
        _ name: String, _ told: Told, in mode: GuideMode = .union, end: Double? = nil, tell: (inout Story) -> Void
    ) -> Chapter {
        Chapter(name, told, in: mode, end: end) { story in
            dropped(&story)
            tell(&story)
        }
    }

    static let chapters: [Chapter] = [
        chapter("the user reads on for 30 s, without a socket", stayedAway([4, 5, 6])) {
            for seconds in [5.0, 35] { looks(&$0, at: seconds) }
        },
        chapter("which is reported once", stayedAway([4, 5, 7], last: "10:30:40"), in: .consultationWebSocket) {
            for seconds in [5.0, 20, 40, 80, 120] { looks(&$0, at: seconds) }
        },
        chapter("the same where a guide counts", stayedAway([4, 5, 6]), in: .enhancedConsultations) {
            for seconds in [5.0, 35] { looks(&$0, at: seconds) }
        },
        Chapter("meals are logged, of which nothing is heard", stayedAway([4, 5, 6]), in: .mealLogWebSocket) {
            droppedMeals(&$0)
            $0.logsMeal(Story.id(31), at: 5)
            $0.logsMeal(Story.id(32), at: 35)
        },
        // Faithful clients.
        chapter("the user may have left", .notExercised, end: 999) { _ in },
        chapter("a goal's page shows the consultation, as a list of chats does", .notExercised) {
            for seconds in [5.0, 35, 70] { $0.request(.showConsultation, id, at: seconds) }
        },
        chapter("the user went on to other things", .notExercised) {
            for seconds in stride(from: 5.0, to: 300, by: 15) {
                $0.request(.listGoals, at: seconds)
                $0.request(.listConsultations, at: seconds)
                $0.logsMeal(Story.id(Int(seconds)), at: seconds)
                looks(&$0, at: seconds, Story.id(2))
            }
        },
        chapter("the answer was read afterwards, as a test does", .notExercised, end: 999) { looks(&$0, at: 5) },
        chapter("looked twice, 29 s apart", .notExercised, end: 999) {
            for seconds in [5.0, 34.9] { looks(&$0, at: seconds) }
        },
        chapter("it connects again after a second", .kept()) {
            $0.connected(id, on: 101, at: 5)
            for seconds in [6.0, 60] { looks(&$0, at: seconds) }
        },
        chapter("the user left, and came back twice", .kept()) {
            looks(&$0, at: 100)
            looks(&$0, at: 200)
            $0.connected(id, on: 101, at: 200)
        },
        chapter("a try that is refused", .kept(), in: .consultationWebSocket) {
            $0.request(.webSocket, id, status: 503, at: 5)
            for seconds in [6.0, 60] { looks(&$0, at: seconds) }
        },
        chapter("a try that was under way the whole time", .kept()) {
            looks(&$0, at: 6)
            looks(&$0, at: 60)
            $0.request(.webSocket, id, status: nil, at: 5, took: 60)
        },
        chapter("the socket of another consultation", .kept()) {
            $0.connected(Story.id(2), on: 101, at: 5)
            for seconds in [6.0, 60] { looks(&$0, at: seconds) }
        },
        chapter("another consultation is begun", .notExercised) {
            $0.request(.createConsultation, body: ["persona": "nutritionist"], status: 409, at: 5)
            for seconds in [6.0, 60] { $0.request(.listMessages, Story.id(2), at: seconds) }
        },
        chapter("archived afterwards", .notExercised) {
            looks(&$0, at: 5)
            $0.request(.archiveConsultation, id, at: 20)
            looks(&$0, at: 60)
        },
        chapter("gone", .notExercised) { for seconds in [5.0, 60] { looks(&$0, at: seconds, status: 404) } },
        chapter("the chat goes on without a socket, as an app's may", .notExercised) {
            looks(&$0, at: 5)
            $0.request(.sendMessage, id, body: ["content": "Hi"], at: 20)
            looks(&$0, at: 60)
        },
        chapter("another user's requests", .notExercised) {
            $0.becomes("tom")
            for seconds in [5.0, 60] { looks(&$0, at: seconds) }
        },
        Chapter("a chat's user who logs meals", .notExercised) {
            dropped(&$0)
            $0.logsMeal(at: 5)
            $0.logsMeal(Story.id(31), at: 60)
        },
        Chapter("an own close", .notExercised) {
            $0.connected(id, at: 0)
            $0.closed(by: .client, summary: CloseSummary(received: .init(code: .goingAway)), at: 4)
            for seconds in [5.0, 60] { looks(&$0, at: seconds) }
        },
        Chapter("silence, which the client may not know of", .notExercised) {
            $0.connected(id, at: 0)
            $0.fault(.silence, at: 3)
            $0.closed(by: .client, .reset, at: 4)
            for seconds in [5.0, 60] { looks(&$0, at: seconds) }
        },
        Chapter("archived by the server", .notExercised) {
            $0.connected(id, at: 0)
            $0.received(["type": "error", "error": "Consultation is not active"], at: 4)
            $0.closed(by: .server, summary: CloseSummary(sent: .init(code: .normalClosure)), at: 4)
            for seconds in [5.0, 60] { looks(&$0, at: seconds) }
        },
        Chapter("the client broke the protocol", .notExercised) {
            $0.connected(id, at: 0)
            $0.closed(by: .server, .violation, at: 4)
            for seconds in [5.0, 60] { looks(&$0, at: seconds) }
        },
        Chapter("never connected", .notExercised) {
            $0.opened(id, at: 0)
            $0.closed(by: .server, .fault, at: 4, faults: ["drop"])
            for seconds in [5.0, 60] { looks(&$0, at: seconds) }
        },
    ]

    @Test("A client whose user goes on without a socket is reported", arguments: chapters)
    func judges(_ chapter: Chapter) { chapter.check("ws/reconnects") }
}
