import Testing

@testable import Judging

@Suite("The judge of what follows an own close")
struct OwnCloseJudgeTests {
    private static func back(_ seconds: String) -> String {
        """
        The client opened the consultation again \(seconds) s after it had closed the socket itself; 3 s must pass \
        before it does.
        """
    }

    static let ownCloseCases: [SocketCase] = [
        SocketCase("stays away", .kept(), until: 7) { $0.left() },
        SocketCase("the journal ends sooner", .notExercised, until: 6.9) { $0.left() },
        SocketCase("comes back after 3 s", .kept()) {
            $0.left()
            $0.connect(2, at: 7)
        },
        SocketCase("comes back after 2.95 s", .kept()) {
            $0.left()
            $0.connect(2, at: 6.95)
        },
        SocketCase("comes back after 2.949 s", .broken(back("2.949"), [3, 4])) {
            $0.left()
            $0.connect(2, at: 6.949)
        },
        SocketCase("comes back at once", .broken(back("0"), [3, 4])) {
            $0.left()
            $0.connect(2, at: 4)
        },
        SocketCase("comes back in vain", .broken(back("1"), [3, 4])) {
            $0.left()
            $0.refuse(503, at: 5)
        },
        SocketCase("another consultation", .kept(), until: 9) {
            $0.left()
            $0.connect(2, at: 4, on: "c2")
        },
        SocketCase("the server closed", .notExercised, until: 9) {
            $0.connect(1, at: 0)
            $0.close(1, by: .server, server: 1001, client: 1001, at: 4)
            $0.connect(2, at: 5)
        },
        SocketCase("the server's close frame was first, whoever ended the transport", .notExercised, until: 9) {
            $0.connect(1, at: 0)
            $0.close(1, by: .client, .finish, server: 1001, at: 4)
            $0.connect(2, at: 5)
        },
        SocketCase("no close frame", .notExercised, until: 9) {
            $0.connect(1, at: 0)
            $0.close(1, by: .client, .finish, at: 4)
            $0.connect(2, at: 5)
        },
        SocketCase("gave up a coach that did not answer for 10 s", .notExercised, until: 19) {
            $0.connect(1, at: 0)
            $0.ask(1, at: 1)
            $0.leave(1, at: 11.1)
            $0.connect(2, at: 12)
        },
        SocketCase("left a coach that had 10 s", .broken(back("1"), [4, 5])) {
            $0.connect(1, at: 0)
            $0.ask(1, at: 1)
            $0.leave(1, at: 11)
            $0.connect(2, at: 12)
        },
        SocketCase("gave up a silent one", .notExercised, until: 9) {
            $0.connect(1, at: 0)
            $0.fault(1, .silence, at: 3)
            $0.leave(1, at: 4)
            $0.connect(2, at: 5)
        },
        SocketCase("gave up one whose frames were broken", .notExercised, until: 9) {
            $0.connect(1, at: 0)
            $0.hear(1, "stream_chunk", at: 3, faults: ["mask"])
            $0.close(1, by: .client, server: 1002, client: 1002, at: 4)
            $0.connect(2, at: 5)
        },
        SocketCase("another socket of the consultation is open", .notExercised, until: 9) {
            $0.connect(1, at: 0)
            $0.connect(2, at: 3)
            $0.leave(1, at: 4)
            $0.connect(3, at: 5)
        },
        SocketCase("under way when it closed", .notExercised, until: 5) {
            $0.left()
            $0.open(2, at: 5, took: 2)
        },
    ]

    @Test("ws/no-reconnect-after-own-close", arguments: ownCloseCases)
    func ownClose(_ row: SocketCase) { row.check(NoReconnectAfterOwnClose.self) }
}
