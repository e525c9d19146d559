import Testing

@testable import Judging

@Suite("The judge for reconnects after a client's own close")
struct OwnCloseJudgeTests {
    private static func back(_ seconds: String) -> String {
        """
        The client opened the consultation again \(seconds) s after it had closed the socket itself; the client must wait 3 s.
        """
    }

    static let ownCloseCases: [SocketCase] = [
        SocketCase("stays away", .kept(), until: 7) { $0.left() },
        SocketCase("the journal ends sooner", .notExercised, until: 6.9) { $0.left() },
        SocketCase("comes back after 3 s", .kept()) { $0.left().connect(2, at: 7) },
        SocketCase("comes back after 2.95 s", .kept()) { $0.left().connect(2, at: 6.95) },
        SocketCase("comes back after 2.949 s", .broken(back("2.949"), [3, 4])) { $0.left().connect(2, at: 6.949) },
        SocketCase("comes back at once", .broken(back("0"), [3, 4])) { $0.left().connect(2, at: 4) },
        SocketCase("comes back in vain", .broken(back("1"), [3, 4])) { $0.left().refuse(503, at: 5) },
        SocketCase("another consultation", .kept(), until: 9) { $0.left().connect(2, at: 4, on: "c2") },
        SocketCase("the server closed", .notExercised, until: 9) {
            $0.connect(1, at: 0).close(1, by: .server, server: 1001, client: 1001, at: 4).connect(2, at: 5)
        },
        SocketCase("the server's close frame was first, whoever ended the transport", .notExercised, until: 9) {
            $0.connect(1, at: 0).close(1, by: .client, .finish, server: 1001, at: 4).connect(2, at: 5)
        },
        SocketCase("no close frame", .notExercised, until: 9) {
            $0.connect(1, at: 0).close(1, by: .client, .finish, at: 4).connect(2, at: 5)
        },
        SocketCase("gave up a coach that did not answer for 10 s", .notExercised, until: 19) {
            $0.connect(1, at: 0).ask(1, at: 1).leave(1, at: 11.1).connect(2, at: 12)
        },
        SocketCase("left a coach that had 10 s", .broken(back("1"), [4, 5])) {
            $0.connect(1, at: 0).ask(1, at: 1).leave(1, at: 11).connect(2, at: 12)
        },
        SocketCase("gave up a silent one", .notExercised, until: 9) {
            $0.connect(1, at: 0).fault(1, .silence, at: 3).leave(1, at: 4).connect(2, at: 5)
        },
        SocketCase("gave up one whose frames were broken", .notExercised, until: 9) {
            $0.connect(1, at: 0).hear(1, "stream_chunk", at: 3, faults: ["mask"])
            $0.close(1, by: .client, server: 1002, client: 1002, at: 4).connect(2, at: 5)
        },
        SocketCase("another socket of the consultation is open", .notExercised, until: 9) {
            $0.connect(1, at: 0).connect(2, at: 3).leave(1, at: 4).connect(3, at: 5)
        },
        SocketCase("under way when it closed", .notExercised, until: 5) { $0.left().open(2, at: 5, took: 2) },
    ]

    @Test("The ws/no-reconnect-after-own-close judge reaches the expected verdict", arguments: ownCloseCases)
    func ownClose(_ row: SocketCase) { row.check(NoReconnectAfterOwnClose.self) }
}

/// Breakpoints lead to client behaviour that would otherwise count as a mistake.
@Suite("Judges and breakpoints")
struct HoldJudgeTests {
    private static let question = #"{"type":"message","content":"Hello"}"#

    @Test("The judge excuses pings waiting behind the client's held frame")
    func keepAlive() {
        for (faults, isBroken) in [(["b"], false), ([], true)] {
            SocketCase("keep-alive", isBroken ? .broken(Self.noPing, [3, 4]) : .notExercised) {
                $0.connect(1, at: 0).say(1, Self.question, at: 10, faults: faults).ping(1, at: 100)
            }.check(KeepAlive.self)
        }
    }

    private static let noPing = Messages.noPing(for: 90 * Tolerance.second, since: SocketStory.time(10))

    @Test("Messages behind a held message do not count as sent during an answer")
    func streaming() {
        for (faults, isBroken) in [(["b"], false), ([], true)] {
            let message = Messages.sentWhileStreaming(since: SocketStory.time(11))
            SocketCase("streaming", isBroken ? .broken(message, [4, 6]) : .notExercised) {
                $0.connect(1, at: 0).say(1, Self.question, at: 10, faults: faults).hear(1, "stream_chunk", at: 11)
                $0.hear(1, "stream_chunk", at: 12).say(1, Self.question, at: 12)
            }.check(NoSendWhileStreaming.self)
        }
    }

    @Test("A client may abandon a socket while a frame is held in either direction")
    func givingUp() {
        for (said, heard) in [(["b"], []), ([], ["b"])] {
            SocketCase("gives up", .notExercised) {
                $0.connect(1, at: 0).say(1, #"{"type":"ping"}"#, at: 1, faults: said)
                $0.hear(1, "pong", at: 31, faults: heard).close(1, by: .client, .reset, at: 31)
            }.check(CloseHandshake.self)
            SocketCase("comes back at once", .notExercised) {
                $0.connect(1, at: 0).say(1, #"{"type":"ping"}"#, at: 1, faults: said)
                $0.hear(1, "pong", at: 31, faults: heard).close(1, by: .client, .reset, at: 31).connect(2, at: 31.1)
            }.check(ReconnectBackoff.self)
        }
    }

    @Test("A lost or changed end of a stream excuses the client's next message")
    func lostEnd() {
        SocketCase("lost end", .notExercised) {
            $0.connect(1, at: 0).ask(1, at: 1).hear(1, "stream_chunk", at: 2)
            $0.hear(1, "stream_complete", at: 3, .none, faults: ["b"]).ask(1, at: 4)
        }.check(NoSendWhileStreaming.self)
        SocketCase("another end", .notExercised) {
            $0.connect(1, at: 0).ask(1, at: 1).hear(1, "stream_chunk", at: 2)
            $0.hear(1, text: "changed", at: 3, faults: ["b"]).ask(1, at: 4)
        }.check(NoSendWhileStreaming.self)
    }

    @Test("A handshake held for long excuses a client that closes without a close frame")
    func handshakes() {
        SocketCase("held handshake", .notExercised) {
            $0.open(1, at: 40, took: 40, faults: ["b"]).hear(1, "connected", at: 40)
            $0.close(1, by: .client, .finish, at: 41)
        }.check(CloseHandshake.self)
    }

    @Test("Holding or releasing a frame does not exercise an obligation")
    func entries() {
        let story = Story()
        story.journal(
            .held(.init(breakpoint: "b", place: .frame, sender: .client, until: Story.time(30), subject: "x")))
        story.journal(.released(.init(held: 1, breakpoint: "b", action: .dropped, due: Story.time(0))))
        #expect(story.journal.judge().verdicts(at: Story.time(60)).allSatisfy { $0.outcome == .notExercised })
        #expect(story.journal.exposures(end: 60).isEmpty)
    }
}
