import Testing

@testable import Judging

@Suite("Judges for a socket's end")
struct EndingJudgeTests {
    private static let late = """
        An answer was interrupted at 10:30:04, and the client did not fetch the messages within 10 s of `connected` \
        at 10:30:06.
        """
    private static func chatted(at clock: String) -> String {
        """
        An answer was interrupted at 10:30:04, and the client continued the chat at \(clock) without \
        fetching the messages.
        """
    }

    static let recoveryCases: [SocketCase] = [
        SocketCase("fetches after `connected`", .kept()) { $0.cutAndBack().fetch(at: 7) },
        SocketCase("fetches before `connected`", .kept(), until: 99) {
            $0.streaming().drop(1, at: 4).fetch(at: 5).connect(2, at: 6)
        },
        SocketCase("fetches just in time", .kept()) { $0.cutAndBack().fetch(at: 20, took: 4) },
        SocketCase("fetches too late", .broken(late, [6, 8])) { $0.cutAndBack().fetch(at: 16.001) },
        SocketCase("never fetches", .broken(late, [6, 8]), until: 16.001) { $0.cutAndBack() },
        SocketCase("the journal ends sooner", .kept(), until: 16) { $0.cutAndBack() },
        SocketCase("never comes back", .notExercised, until: 99) { $0.streaming().drop(1, at: 4) },
        SocketCase("nothing streamed", .notExercised, until: 99) { $0.answered().drop(1, at: 4).connect(2, at: 6) },
        SocketCase("fetched before the cut", .broken(late, [7, 9]), until: 17) {
            $0.streaming().fetch(at: 3).drop(1, at: 4).connect(2, at: 6)
        },
        SocketCase("fetches those of another", .broken(late, [6, 8]), until: 17) { $0.cutAndBack().fetch("c2", at: 7) },
        SocketCase("chats first", .broken(chatted(at: "10:30:07"), [6, 8, 9])) {
            $0.cutAndBack().ask(2, at: 7).fetch(at: 9)
        },
        SocketCase("chats and never fetches", .broken(chatted(at: "10:30:07"), [6, 8, 9]), until: 8) {
            $0.cutAndBack().ask(2, at: 7)
        },
        SocketCase("chats, and the journal ends", .kept(), until: 7.9) { $0.cutAndBack().ask(2, at: 7) },
        SocketCase("chats while the fetch is under way", .kept(), until: 99) {
            $0.cutAndBack().ask(2, at: 7).fetch(at: 9, took: 2.5)
        },
        SocketCase("dropped again before it was due", .kept(2), until: 99) {
            $0.cutAndBack().drop(2, at: 8).connect(3, at: 30).fetch(at: 31)
        },
        SocketCase("dropped again after it was due", .broken(late, [6, 8]), until: 17) {
            $0.cutAndBack().drop(2, at: 16.5)
        },
        SocketCase("leaves before it is due", .kept(), until: 99) { $0.cutAndBack().leave(2, at: 9) },
        SocketCase("left while it streamed", .notExercised, until: 99) {
            $0.streaming().leave(1, at: 4).connect(2, at: 6)
        },
        SocketCase("archived while it streamed", .notExercised, until: 99) { $0.streaming().archive(1, at: 4) },
        SocketCase("silenced while it streamed", .broken(late, [6, 9]), until: 99) {
            $0.streaming().fault(1, .silence, at: 4).close(1, by: .client, .finish, at: 5).connect(2, at: 6)
        },
        SocketCase("left in order what a fault had touched", .notExercised, until: 99) {
            $0.streaming().hear(1, "stream_chunk", at: 3, faults: ["late"]).leave(1, at: 4).connect(2, at: 6)
        },
        SocketCase("gave up what a fault had broken", .broken(late, [7, 9]), until: 99) {
            $0.streaming().hear(1, "stream_chunk", at: 3, faults: ["mask"])
            $0.close(1, by: .client, server: 1002, client: 1002, at: 4).connect(2, at: 6)
        },
        SocketCase("gave it up without a close frame", .broken(late, [7, 9]), until: 99) {
            $0.streaming().hear(1, "stream_chunk", at: 3, faults: ["mask"]).close(1, by: .client, .reset, at: 4)
            $0.connect(2, at: 6)
        },
        SocketCase("fetches at once", .kept(), until: 99) {
            $0.streaming().drop(1, at: 4).fetch(at: 4).connect(2, at: 6)
        },
        SocketCase("chats and leaves", .broken(chatted(at: "10:30:07"), [6, 8, 9])) {
            $0.cutAndBack().ask(2, at: 7).leave(2, at: 8)
        },
        SocketCase("leaves just in time", .kept(), until: 99) { $0.cutAndBack().leave(2, at: 16) },
        SocketCase("leaves before it is due, and owes nothing when it returns", .kept(), until: 99) {
            $0.cutAndBack().leave(2, at: 9).connect(3, at: 20)
        },
        SocketCase("its end was lost", .broken(late, [7, 9]), until: 99) {
            $0.streaming().hear(1, "stream_complete", at: 3, .none, faults: ["lose"]).drop(1, at: 4).connect(2, at: 6)
        },
    ]

    @Test("The ws/recovers-history judge reaches the expected verdict", arguments: recoveryCases)
    func recovery(_ row: SocketCase) { row.check(RecoversHistory.self) }

    static let closingCases: [SocketCase] = [
        SocketCase("1000", .kept()) { $0.connect(1, at: 0).close(1, by: .client, server: 1000, client: 1000, at: 4) },
        SocketCase("1001", .kept()) { $0.left() },
        SocketCase("no code", .broken("The client's close frame has no code; expected code 1000 or 1001.", [1, 3])) {
            $0.connect(1, at: 0).close(1, by: .client, server: 0, client: 0, at: 4)
        },
        SocketCase("another code", .broken("The client closed with code 4000; expected 1000 or 1001.", [1, 3])) {
            $0.connect(1, at: 0).close(1, by: .client, server: 4000, client: 4000, at: 4)
        },
        SocketCase("FIN", .broken(Messages.noCloseFrame, [1, 3])) {
            $0.connect(1, at: 0).close(1, by: .client, .finish, at: 4)
        },
        SocketCase("RST", .broken(Messages.noCloseFrame, [1, 3])) {
            $0.connect(1, at: 0).close(1, by: .client, .reset, at: 4)
        },
        SocketCase("open at the end", .notExercised, until: 999) { $0.connect(1, at: 0) },
        SocketCase("answers the server", .kept()) { $0.connect(1, at: 0).archive(1, at: 4) },
        SocketCase("answers the close frame of a fault", .kept()) {
            $0.connect(1, at: 0).close(1, by: .server, server: 1012, client: 1012, at: 4, faults: ["restart"])
        },
        SocketCase(
            "does not answer the server",
            .broken("The client did not answer the server's close frame (1000) with a close frame.", [1, 3])
        ) { $0.connect(1, at: 0).close(1, by: .client, .finish, server: 1000, at: 4) },
        SocketCase(
            "does not answer the server in time",
            .broken("The client did not answer the server's close frame with a close frame.", [1, 3])
        ) { $0.connect(1, at: 0).close(1, by: .server, .timeOut, server: 0, at: 4) },
        SocketCase("does not answer a server that stops", .notExercised) {
            $0.connect(1, at: 0).close(1, by: .server, .shutdown, server: 1001, at: 4)
        },
        SocketCase("a fault ended it", .notExercised) { $0.dropped() },
        SocketCase("idle for too long", .notExercised) { $0.connect(1, at: 0).close(1, by: .server, .timeOut, at: 4) },
        SocketCase("broke the protocol", .notExercised) {
            $0.connect(1, at: 0).close(1, by: .client, .violation, server: 1002, at: 4)
        },
        SocketCase("gave up a silent one", .notExercised) {
            $0.connect(1, at: 0).fault(1, .silence, at: 3).close(1, by: .client, .finish, at: 4)
        },
        SocketCase("gave up one whose frames were broken", .notExercised) {
            $0.connect(1, at: 0).hear(1, "stream_chunk", at: 3, faults: ["mask"])
            $0.close(1, by: .client, server: 1002, client: 1002, at: 4)
        },
        SocketCase("gave up one whose handshake was broken", .notExercised) {
            $0.open(1, at: 0, faults: ["wrong-accept"]).close(1, by: .client, .finish, at: 0)
        },
        SocketCase("left in order whatever was broken", .kept()) {
            $0.connect(1, at: 0).hear(1, "stream_chunk", at: 3, faults: ["late"]).leave(1, at: 4)
        },
    ]

    @Test("The ws/close-handshake judge reaches the expected verdict", arguments: closingCases)
    func closing(_ row: SocketCase) { row.check(CloseHandshake.self) }
}

extension SocketStory {
    /// Entries 1 to 8: an answer that is cut off at 4 s, and `connected` again at 6 s.
    @discardableResult func cutAndBack() -> SocketStory { streaming().drop(1, at: 4).connect(2, at: 6) }
}
