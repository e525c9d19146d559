import FitIQAPI
import Testing
import WebSocket

@testable import Judging

@Suite("Judges for reconnects")
struct ReconnectJudgeTests {
    static func soon(_ seconds: String, since clock: String = "10:30:04") -> String {
        "The client tried again \(seconds) s after the socket ended at \(clock); it must wait at least 1 s."
    }

    static func soonAgain(_ seconds: String, since clock: String) -> String {
        "The client made attempt 2 \(seconds) s after attempt 1 had failed at \(clock); it must wait at least 1 s."
    }

    private static func shrunk(_ seconds: String, from before: String) -> String {
        "The client waited \(seconds) s before attempt 2, less than the \(before) s before an earlier attempt."
    }

    static let backoffCases: [SocketCase] = [
        SocketCase("never dropped", .notExercised) { $0.connect(1, at: 0).leave(1, at: 4).connect(2, at: 4.1) },
        SocketCase("dropped and stayed away", .notExercised, until: 99) { $0.dropped() },
        SocketCase("950 ms", .kept()) { $0.dropped().connect(2, at: 4.95) },
        SocketCase("949 ms", .broken(soon("0.949"), [3, 4])) { $0.dropped().connect(2, at: 4.949) },
        SocketCase("at once", .broken(soon("0"), [3, 4])) { $0.dropped().connect(2, at: 4) },
        SocketCase("the request counts, not its answer", .broken(soon("0.2"), [3, 4])) {
            $0.dropped().open(2, at: 9, took: 4.8)
        },
        SocketCase("a refused try at once", .broken(soon("0.5"), [3, 4])) { $0.dropped().refuse(503, at: 4.5) },
        SocketCase("another consultation", .notExercised) { $0.dropped().connect(2, at: 4.1, on: "c2") },
        SocketCase("another user's handshake", .notExercised) {
            $0.dropped().refuse(400, at: 4.1, user: "bob").refuse(404, at: 4.2, token: "t9")
        },
        SocketCase("growing waits", .kept(3)) { $0.dropped().refuse(503, at: 5).refuse(503, at: 7).connect(2, at: 10) },
        SocketCase("equal waits, 50 ms less", .kept(2)) { $0.dropped().refuse(503, at: 9).refuse(503, at: 13.95) },
        SocketCase("shrinking waits", .broken(shrunk("4.949", from: "5"), [4, 5])) {
            $0.dropped().refuse(503, at: 9).refuse(503, at: 13.949)
        },
        SocketCase("nobody knows how long the client waited for an answer that never came", .kept(3)) {
            $0.dropped().refuse(nil, at: 5).refuse(503, at: 37).refuse(503, at: 40)
        },
        SocketCase("shrinking waits between sockets", .broken(shrunk("1", from: "2"), [4, 5, 6])) {
            $0.dropped().open(2, at: 6).drop(2, at: 8).open(3, at: 9)
        },
        SocketCase("a second try at once", .broken(soonAgain("0.3", since: "10:30:36"), [4, 5])) {
            $0.dropped().refuse(nil, at: 36, took: 30).connect(2, at: 36.3)
        },
        SocketCase("success begins a new series", .kept(3)) {
            $0.dropped().refuse(503, at: 7).connect(2, at: 12).drop(2, at: 20).connect(3, at: 21)
        },
        SocketCase("a fresh token after a 401", .kept()) {
            $0.dropped().refuse(401, at: 5).connect(2, at: 5, token: "t2")
        },
        SocketCase("the same token after a 401", .broken(soonAgain("0", since: "10:30:05"), [4, 5])) {
            $0.dropped().refuse(401, at: 5).refuse(401, at: 5)
        },
        SocketCase("the server's 1000 is unexpected too", .broken(soon("0.1"), [3, 4])) {
            $0.connect(1, at: 0).close(1, by: .server, server: 1000, client: 1000, at: 4).connect(2, at: 4.1)
        },
        SocketCase("archived", .notExercised) { $0.connect(1, at: 0).archive(1, at: 4).refuse(400, at: 4.1) },
        SocketCase("a time-out of the server's", .broken(soon("0.1"), [3, 4])) {
            $0.connect(1, at: 0).close(1, by: .server, .timeOut, at: 4).connect(2, at: 4.1)
        },
        SocketCase("the client broke the protocol", .broken(soon("0.1"), [3, 4])) {
            $0.connect(1, at: 0).close(1, by: .client, .violation, server: 1002, at: 4).connect(2, at: 4.1)
        },
        SocketCase("never answered the close frame: nobody knows when it knew", .notExercised) {
            $0.connect(1, at: 0).close(1, by: .client, .finish, server: 1001, at: 4).connect(2, at: 4.1)
        },
        SocketCase("the client vanished", .notExercised) {
            $0.connect(1, at: 0).close(1, by: .client, .reset, at: 4).connect(2, at: 4.1)
        },
        SocketCase(
            "gave up a silent one: only the second wait is known",
            .broken(soonAgain("0.5", since: "10:30:09"), [5, 6])
        ) {
            $0.connect(1, at: 0).fault(1, .silence, at: 4).close(1, by: .client, .finish, at: 9).refuse(503, at: 9)
            $0.refuse(503, at: 9.5)
        },
        SocketCase(
            "gave up one whose frames were broken: here, too",
            .broken(soonAgain("0.5", since: "10:30:05"), [5, 6])
        ) {
            $0.connect(1, at: 0).hear(1, "stream_chunk", at: 3, faults: ["mask"])
            $0.close(1, by: .client, server: 1002, client: 1002, at: 4).refuse(503, at: 5).refuse(503, at: 5.5)
        },
        SocketCase("left before `connected`", .notExercised) {
            $0.open(1, at: 0).leave(1, at: 1).refuse(503, at: 2).refuse(503, at: 2.1)
        },
        SocketCase("the server read no more: nobody knows when the client gave up", .notExercised) {
            $0.connect(1, at: 0).fault(1, .stallReading, at: 1).drop(1, at: 4).connect(2, at: 4.1)
        },
        SocketCase("gave up one without pongs", .notExercised) {
            $0.connect(1, at: 0).fault(1, .withholdPong, at: 4).close(1, by: .client, server: 1001, client: 1001, at: 9)
            $0.connect(2, at: 9)
        },
        SocketCase("a silent one that ends after the client has come back", .notExercised) {
            $0.connect(1, at: 0).fault(1, .silence, at: 4).connect(2, at: 9).drop(1, at: 10).leave(2, at: 11)
        },
        SocketCase("under way when the socket ended", .notExercised) { $0.dropped().open(2, at: 5, took: 2) },
        SocketCase("an upper-case id is the same consultation", .broken(soon("0.1"), [3, 4])) {
            $0.dropped().refuse(404, at: 4.1, on: "C1")
        },
    ]

    private static let constant =
        "The client waited 2 s before attempt 3, no longer than before the first attempt; with this guide, waits "
        + "should grow."

    /// Pauses, in seconds, before rejected attempts.
    private static func pauses(_ pauses: Double...) -> @Sendable (SocketStory) -> Void {
        { story in
            story.dropped()
            var time = 4.0
            for pause in pauses {
                time += pause
                story.refuse(503, at: time)
            }
        }
    }

    static let growthCases: [SocketCase] = [
        SocketCase(
            "a constant pause", .broken(constant, [3, 5, 6], level: .should), in: .consultationWebSocket,
            pauses(2, 2, 2, 2, 2)),
        SocketCase(
            "in the other guide", .broken(constant, [3, 5, 6], level: .should), in: .enhancedConsultations,
            pauses(2, 2, 2)),
        SocketCase("elsewhere it may be constant", .kept(5), pauses(2, 2, 2, 2, 2)),
        SocketCase("that of meal-log-websocket always is", .kept(5), in: .mealLogWebSocket, pauses(5, 5, 5, 5, 5)),
        SocketCase(
            "longer by the tolerance", .broken(constant.replacing("2 s", with: "2.05 s"), [3, 5, 6], level: .should),
            in: .consultationWebSocket, pauses(2, 2, 2.05)),
        SocketCase("one second more each time", .kept(5), in: .consultationWebSocket, pauses(1, 2, 3, 4, 5)),
        SocketCase("twice as many", .kept(6), in: .enhancedConsultations, pauses(1, 2, 4, 8, 16, 30)),
        SocketCase("half as many again", .kept(4), in: .enhancedConsultations, pauses(1, 1.5, 2.25, 3.375)),
        SocketCase("two of each", .kept(4), in: .consultationWebSocket, pauses(1, 1, 2, 2)),
        SocketCase("the longest are alike", .kept(5), in: .enhancedConsultations, pauses(1, 10, 10, 10, 10)),
        SocketCase("none grows beyond 30 s", .kept(3), in: .enhancedConsultations, pauses(30, 30, 30)),
        SocketCase("two tries tell nothing", .kept(2), in: .consultationWebSocket, pauses(2, 2)),
        SocketCase("each success begins anew", .kept(4), in: .consultationWebSocket) {
            for number in 0..<5 {
                $0.connect(UInt64(1 + number), at: Double(10 * number))
                $0.drop(UInt64(1 + number), at: Double(10 * number + 9))
            }
        },
        SocketCase("nobody knows the waits behind an answer that never came", .kept(5), in: .consultationWebSocket) {
            $0.dropped()
            for number in 1...5 { $0.refuse(nil, at: Double(4 + 2 * number)) }
        },
    ]

    @Test("The ws/reconnect-backoff judge reaches the expected verdict on increasing delays", arguments: growthCases)
    func growth(_ row: SocketCase) { row.check(ReconnectBackoff.self) }

    @Test("The ws/reconnect-backoff judge reaches the expected verdict", arguments: backoffCases)
    func backoff(_ row: SocketCase) { row.check(ReconnectBackoff.self) }

    static func sixth(after clock: String) -> String {
        "The client tried to reconnect for the 6th time in a row after the socket ended at \(clock); at most 5 attempts "
            + "are allowed."
    }

    static let limitCases: [SocketCase] = [
        SocketCase("success at the fourth", .notExercised, until: 999) { $0.dropped().tries(3).connect(9, at: 99) },
        SocketCase("five in vain", .kept()) { $0.dropped().tries(5) },
        SocketCase("six in vain, told once", .broken(sixth(after: "10:30:04"), [3, 8, 9])) { $0.dropped().tries(8) },
        SocketCase("sockets without `connected` are no success", .broken(sixth(after: "10:30:04"), [3, 13, 14])) {
            $0.dropped()
            for number in 0..<6 {
                $0.open(UInt64(10 + number), at: Double(10 + 3 * number))
                $0.drop(UInt64(10 + number), at: Double(11 + 3 * number))
            }
        },
        SocketCase(
            "six sockets at once, none of which has failed: the end is told once",
            .broken(sixth(after: "10:30:04"), [3, 9])
        ) {
            $0.dropped()
            for number in 0..<6 { $0.open(UInt64(10 + number), at: Double(10 + number)) }
        },
        SocketCase("gave up after three", .kept(), until: 140) { $0.dropped().tries(3) },
        SocketCase("gave up after three, a minute ago", .kept(), until: 94) { $0.dropped().tries(3) },
        SocketCase("may yet go on after three", .notExercised, until: 60) { $0.dropped().tries(3) },
        SocketCase("a fresh token is no try of its own", .kept()) {
            $0.dropped().tries(4).refuse(401, at: 70).refuse(503, at: 70, token: "t2")
        },
        SocketCase("never reconnected", .notExercised, until: 999) { $0.dropped() },
        SocketCase("an own close ends the series", .notExercised) {
            $0.dropped().tries(4).connect(7, at: 80).leave(7, at: 81).refuse(503, at: 90).refuse(503, at: 95)
        },
    ]

    @Test("The ws/reconnect-limit judge reaches the expected verdict", arguments: limitCases)
    func limit(_ row: SocketCase) { row.check(ReconnectLimit.self) }
}

extension SocketStory {
    /// Entries 1 to 3: a socket that the fake drops at 4 s.
    @discardableResult func dropped() -> SocketStory { connect(1, at: 0).drop(1, at: 4) }

    /// Entries 1 to 3: a socket that the client closes at 4 s.
    @discardableResult func left() -> SocketStory { connect(1, at: 0).leave(1, at: 4) }

    /// Rejected attempts, every 10 s from 14 s on.
    @discardableResult func tries(_ count: Int) -> SocketStory {
        for number in 1...count { refuse(503, at: Double(4 + 10 * number)) }
        return self
    }
}

extension Story {
    /// Entries 1 to 4: a chat with a question, dropped at 4 s.
    @discardableResult fileprivate func dropped() -> Story {
        connected(ReconnectsAfterDropTests.id, at: 0).sent(["type": "message", "content": "Hi"], at: 1)
            .closed(by: .server, .fault, at: 4, faults: ["drop"])
    }

    /// Entries 1 to 4: a socket that only waited for a meal, dropped at 4 s.
    @discardableResult fileprivate func droppedMeals() -> Story {
        connected(ReconnectsAfterDropTests.id, at: 0).logsMeal(at: 1)
            .closed(by: .server, .fault, at: 4, faults: ["drop"])
    }

    @discardableResult
    fileprivate func looks(_ other: String = ReconnectsAfterDropTests.id, status: Int = 200, at seconds: Double)
        -> Story
    { request(.listMessages, other, status: status, at: seconds) }

    @discardableResult fileprivate func looks(at times: [Double]) -> Story {
        for time in times { looks(at: time) }
        return self
    }
}

@Suite("ws/reconnects")
struct ReconnectsAfterDropTests {
    fileprivate static let id = uuid(1)

    private static func stayedAway(_ evidence: [Int], last: String = "10:30:35") -> Told {
        .broken(
            "The socket ended at 10:30:04, and the client did not open a new socket, although its user continued at "
                + "10:30:05 and at \(last).", evidence, level: .should)
    }

    private static func chapter(
        _ name: String, _ told: Told, in mode: GuideMode = .union, end: Double? = nil, tell: (Story) -> Void
    ) -> Chapter { Chapter(name, told, in: mode, end: end) { tell($0.dropped()) } }

    static let chapters: [Chapter] = [
        chapter("the user reads on for 30 s, without a socket", stayedAway([4, 5, 6])) { $0.looks(at: [5.0, 35]) },
        chapter("which is reported once", stayedAway([4, 5, 7], last: "10:30:40"), in: .consultationWebSocket) {
            $0.looks(at: [5.0, 20, 40, 80, 120])
        },
        chapter("the same where a guide counts", stayedAway([4, 5, 6]), in: .enhancedConsultations) {
            $0.looks(at: [5.0, 35])
        },
        Chapter("meals are logged, of which nothing is heard", stayedAway([4, 5, 6]), in: .mealLogWebSocket) {
            $0.droppedMeals().logsMeal(uuid(31), at: 5).logsMeal(uuid(32), at: 35)
        },
        // Clients that keep the obligation.
        chapter("the user may have left", .notExercised, end: 999) { _ in },
        chapter("a goal's page shows the consultation, as a list of chats does", .notExercised) {
            for seconds in [5.0, 35, 70] { $0.request(.showConsultation, id, at: seconds) }
        },
        chapter("the user went on to other things", .notExercised) {
            for seconds in stride(from: 5.0, to: 300, by: 15) {
                $0.request(.listGoals, at: seconds).request(.listConsultations, at: seconds)
                $0.logsMeal(uuid(Int(seconds)), at: seconds).looks(uuid(2), at: seconds)
            }
        },
        chapter("the answer was read afterwards, as a test does", .notExercised, end: 999) { $0.looks(at: 5) },
        chapter("looked twice, 29 s apart", .notExercised, end: 999) { $0.looks(at: [5.0, 34.9]) },
        chapter("it connects again after a second", .kept()) { $0.connected(id, on: 101, at: 5).looks(at: [6.0, 60]) },
        chapter("the user left, and came back twice", .kept()) {
            $0.looks(at: 100).looks(at: 200).connected(id, on: 101, at: 200)
        },
        chapter("a try that is refused", .kept(), in: .consultationWebSocket) {
            $0.request(.webSocket, id, status: 503, at: 5).looks(at: [6.0, 60])
        },
        chapter("a try that was under way the whole time", .kept()) {
            $0.looks(at: 6).looks(at: 60).request(.webSocket, id, status: nil, at: 5, took: 60)
        },
        chapter("the socket of another consultation", .kept()) {
            $0.connected(uuid(2), on: 101, at: 5).looks(at: [6.0, 60])
        },
        chapter("another consultation is begun", .notExercised) {
            $0.request(.createConsultation, body: ["persona": "nutritionist"], status: 409, at: 5)
            for seconds in [6.0, 60] { $0.request(.listMessages, uuid(2), at: seconds) }
        },
        chapter("archived afterwards", .notExercised) {
            $0.looks(at: 5).request(.archiveConsultation, id, at: 20).looks(at: 60)
        },
        chapter("gone", .notExercised) { for seconds in [5.0, 60] { $0.looks(status: 404, at: seconds) } },
        chapter("the chat goes on without a socket, as an app's may", .notExercised) {
            $0.looks(at: 5).request(.sendMessage, id, body: ["content": "Hi"], at: 20).looks(at: 60)
        },
        chapter("another user's requests", .notExercised) { $0.becomes("tom").looks(at: [5.0, 60]) },
        Chapter("a chat's user who logs meals", .notExercised) {
            $0.dropped().logsMeal(at: 5).logsMeal(uuid(31), at: 60)
        },
        Chapter("an own close", .notExercised) {
            $0.connected(id, at: 0).closed(by: .client, summary: CloseSummary(received: .init(code: .goingAway)), at: 4)
            $0.looks(at: [5.0, 60])
        },
        Chapter("silence, which the client may not know of", .notExercised) {
            $0.connected(id, at: 0).fault(.silence, at: 3).closed(by: .client, .reset, at: 4).looks(at: [5.0, 60])
        },
        Chapter("archived by the server", .notExercised) {
            $0.connected(id, at: 0).received(["type": "error", "error": "Consultation is not active"], at: 4)
            $0.closed(by: .server, summary: CloseSummary(sent: .init(code: .normalClosure)), at: 4).looks(at: [5.0, 60])
        },
        Chapter("the client broke the protocol", .notExercised) {
            $0.connected(id, at: 0).closed(by: .server, .violation, at: 4).looks(at: [5.0, 60])
        },
        Chapter("never connected", .notExercised) {
            $0.opened(id, at: 0).closed(by: .server, .fault, at: 4, faults: ["drop"]).looks(at: [5.0, 60])
        },
    ]

    @Test("The judge reports a client whose user continues without a socket", arguments: chapters)
    func judges(_ chapter: Chapter) { chapter.check("ws/reconnects") }
}
