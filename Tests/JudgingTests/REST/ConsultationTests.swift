import FitIQAPI
import JSON
import Testing
import Traffic

@testable import Judging

extension Story {
    /// A client asks for a consultation with the nutritionist.
    @discardableResult func creates(_ status: Int = 201, at seconds: Double, took: Double = 0) -> Story {
        request(.createConsultation, body: ConflictTests.create, status: status, at: seconds, took: took)
    }

    /// The answer to the same request names the existing consultation.
    @discardableResult func conflicts(at seconds: Double, took: Double = 0, delivery: Delivery? = nil) -> Story {
        request(
            .createConsultation, body: ConflictTests.create, status: 409, answer: ConflictTests.conflict, at: seconds,
            took: took, delivery: delivery)
    }
}

@Suite("consultation/conflict-continues-existing")
struct ConflictTests {
    static let create: JSONValue = ["persona": "nutritionist"]
    static let conflict: JSONValue = [
        "success": false, "error": ["details": ["existing_consultation_id": .string(uuid(10))]],
    ]
    static func again(after: String = "1 s", _ numbers: Int...) -> Told {
        .broken(
            "The create request that got 409 at 10:30:00 was sent again \(after) later, although the client had not used "
                + "the existing consultation \(uuid(10)).", numbers)
    }

    static let chapters: [Chapter] = [
        Chapter("no conflict", .notExercised) { for _ in 0..<3 { $0.creates(at: 0) } },
        Chapter("the existing one is opened", .kept()) { $0.conflicts(at: 0).opened(uuid(10), at: 1).creates(at: 2) },
        Chapter("or fetched, even in the wrong case", .kept()) {
            $0.conflicts(at: 0).request(.showConsultation, uuid(10).uppercased(), status: 404, at: 1).creates(at: 2)
        },
        Chapter("or linked", .kept()) {
            $0.conflicts(at: 0).request(.updateGoal, uuid(1), body: ["conversationId": .string(uuid(10))], at: 1)
            $0.creates(at: 2)
        },
        Chapter("or its socket is open", .kept(2)) {
            $0.connected(uuid(10), at: 0).conflicts(at: 1).closed(at: 1).conflicts(at: 5)
        },
        Chapter("or it was answered with 404", .kept(2)) {
            $0.request(.listMessages, uuid(10), status: 404, at: 0).conflicts(at: 1).conflicts(at: 5)
        },
        Chapter("nothing more is asked of who goes away", .kept()) { $0.conflicts(at: 0) },
        Chapter("the same create again", again(1, 2)) {
            $0.conflicts(at: 0)
            $0.request(
                .createConsultation, body: ["persona": "nutritionist", "context_type": "general"], status: 201, at: 1)
        },
        Chapter("even at once", again(after: "0 s", 1, 2)) { $0.conflicts(at: 0).creates(at: 0) },
        Chapter("another consultation is not the existing one", again(after: "2.5 s", 1, 3)) {
            $0.conflicts(at: 0).opened(uuid(11), at: 1).creates(503, at: 2.5)
        },
        Chapter("another create is another", .kept()) {
            $0.conflicts(at: 0).request(.createConsultation, body: ["persona": "fitness_coach"], status: 201, at: 1)
            $0.request(
                .createConsultation, body: ["persona": "nutritionist", "goal_id": .string(uuid(1))], status: 201, at: 2)
            $0.becomes("tom").creates(at: 3)
        },
        Chapter("a 409 that did not arrive, or names nothing, asks nothing", .notExercised) {
            $0.conflicts(at: 0, delivery: .partial)
            $0.request(.createConsultation, body: create, status: 409, answer: ["error": [:]], at: 1, faults: ["409"])
            $0.creates(at: 2)
        },
        Chapter("what was under way when the 409 arrived does not count", .kept()) {
            $0.conflicts(at: 0, took: 1).creates(at: 0.5, took: 1)
        },
    ]

    @Test("The judge reaches the expected verdict on requests after a 409", arguments: chapters)
    func judges(_ chapter: Chapter) { chapter.check("consultation/conflict-continues-existing") }
}

extension Story {
    /// A create request gets 429.
    @discardableResult fileprivate func limited(at seconds: Double, took: Double = 0) -> Story {
        request(.createConsultation, status: 429, at: seconds, took: took)
    }
}

@Suite("consultation/limit-stops-creating")
struct LimitTests {
    static func again(after: String, _ numbers: Int...) -> Told {
        .broken(
            "A create request got another 429 \(after) after the 429 at 10:30:00, with no consultation archived in "
                + "between; the client must wait at least 60 s.", numbers, faced: 2)
    }

    static let chapters: [Chapter] = [
        Chapter("never at the limit", .notExercised) { $0.creates(at: 0) },
        Chapter("one 429", .kept()) { $0.limited(at: 0) },
        Chapter("a second after 0.2 s", again(after: "0.2 s", 1, 2)) {
            $0.limited(at: 0).request(.createConsultation, body: ["persona": "x"], status: 429, at: 0.2)
        },
        Chapter("a second at once", again(after: "0 s", 1, 2)) { for _ in 0..<2 { $0.limited(at: 0) } },
        Chapter("just too soon", again(after: "59.949 s", 1, 2)) { $0.limited(at: 0).limited(at: 59.949) },
        Chapter("50 ms too soon are let pass", .kept(2)) { $0.limited(at: 0).limited(at: 59.95) },
        Chapter("archiving makes room", .kept(2)) {
            $0.limited(at: 0).request(.archiveConsultation, uuid(1), at: 1).limited(at: 2)
        },
        Chapter("an archiving that was refused does not", again(after: "2 s", 1, 3)) {
            $0.limited(at: 0).request(.archiveConsultation, uuid(1), status: 404, at: 1).limited(at: 2)
        },
        Chapter("one whose answer was lost may have", .kept(2)) {
            $0.limited(at: 0).request(.archiveConsultation, uuid(1), status: nil, at: 1).limited(at: 2)
        },
        Chapter("a create that succeeds, or ends otherwise, is none that earns a 429", .kept()) {
            $0.limited(at: 0).creates(at: 1).creates(409, at: 2)
        },
        Chapter("creates that were under way do not count", .kept(2)) {
            $0.limited(at: 0, took: 1).limited(at: 0.5, took: 1)
        },
        Chapter("a quota's 429 is another", .kept(1)) {
            let quota: JSONValue = ["error": ["code": "RATE_LIMITED"]]
            $0.request(.createConsultation, status: 429, answer: quota, at: 0, faults: ["quota"])
            $0.request(
                .createConsultation, status: 429, answer: ["error": ["code": "TOO_MANY_ACTIVE_CONSULTATIONS"]], at: 1)
            $0.request(.createConsultation, status: 429, answer: quota, at: 2, faults: ["quota"])
            $0.request(.createConsultation, status: 429, at: 3, faults: ["without a code"])
        },
        Chapter("every user has a limit of its own", .kept(2)) { $0.limited(at: 0).becomes("tom").limited(at: 1) },
    ]

    @Test("The judge reaches the expected verdict on requests after a 429", arguments: chapters)
    func judges(_ chapter: Chapter) { chapter.check("consultation/limit-stops-creating") }
}

@Suite("consultation/history-before-connect")
struct HistoryTests {
    static let message: JSONValue = ["type": "message", "content": "Hi"]
    static func hasty(_ numbers: Int...) -> Told {
        .broken(
            "The client opened the socket for consultation \(uuid(10)) at 10:30:01 before it fetched the messages.",
            numbers, level: .should)
    }

    static let chapters: [Chapter] = [
        Chapter("fetched, then opened", .kept()) {
            $0.request(.listMessages, uuid(10), at: 0).opened(uuid(10), at: 1).sent(message, at: 2)
        },
        Chapter("never fetched", hasty(1, 2)) { $0.opened(uuid(10), at: 1).sent(message, at: 2) },
        Chapter("fetched too late", hasty(1, 3)) {
            $0.opened(uuid(10), at: 1).request(.listMessages, uuid(10), at: 1).sent(message, at: 2)
        },
        Chapter("fetched at once with opening", hasty(2, 3)) {
            $0.request(.listMessages, uuid(10), at: 0.5, took: 0.4).opened(uuid(10), at: 0.8, took: 0.2)
            $0.sent(["type": "user_message", "content": "Hi"], at: 2)
        },
        Chapter("fetched just before opening", .kept()) {
            $0.request(.listMessages, uuid(10), at: 0.5, took: 0.5).opened(uuid(10), at: 1).sent(message, at: 2)
        },
        Chapter("asked for in upper case, which is another's, and opened right", .kept()) {
            $0.request(.listMessages, uuid(10).uppercased(), status: 404, at: 0)
            $0.opened(uuid(10), at: 1).sent(message, at: 2)
        },
        Chapter("the history of another", hasty(2, 3)) {
            $0.request(.listMessages, uuid(11), at: 0).opened(uuid(10), at: 1).sent(message, at: 2)
        },
        Chapter("a fetch that failed is enough", .kept()) {
            $0.request(.listMessages, uuid(10), status: nil, at: 0, took: 1, faults: ["hang"])
            $0.opened(uuid(10), at: 1).sent(message, at: 2)
        },
        Chapter("a socket for meals alone", .notExercised) {
            $0.connected(uuid(10), at: 1).sent(["type": "ping"], at: 2).closed(at: 3)
        },
        Chapter("the second socket is a reconnect", .kept()) {
            $0.request(.listMessages, uuid(10), at: 0).opened(uuid(10), at: 1).closed(by: .server, .fault, at: 2)
            $0.opened(uuid(10), on: 101, at: 4).sent(message, on: 101, at: 5)
        },
        Chapter("a refused handshake is no socket", .kept()) {
            $0.request(.webSocket, uuid(10), status: 401, at: 0).request(.listMessages, uuid(10), at: 1)
            $0.opened(uuid(10), at: 2)
        },
    ]

    @Test("The judge reaches the expected verdict on requests before a socket opens", arguments: chapters)
    func judges(_ chapter: Chapter) { chapter.check("consultation/history-before-connect") }

    @Test(
        "In a truncated journal, a socket counts as hasty only if the consultation appears before it",
        arguments: [false, true])
    func lateBeginning(isShown: Bool) throws {
        let answer: JSONValue = ["data": ["id": .string(uuid(10))]]
        let story = Story {
            $0.request(.listMessages, uuid(10), at: 0)
            if isShown { $0.request(.showConsultation, uuid(10), answer: answer, at: 0.5) }
            $0.opened(uuid(10), at: 1).sent(Self.message, at: 2)
        }
        var judge = Judge(mode: .union)
        for entry in story.journal.entries().dropFirst() { judge.observe(entry) }
        let verdict = try #require(judge.verdict("consultation/history-before-connect"))
        #expect(Told(verdict) == (isShown ? Self.hasty(3, 4) : .notExercised))
    }
}
