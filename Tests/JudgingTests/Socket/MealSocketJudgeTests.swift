import Testing

@testable import Judging

@Suite("Judges for the meal socket")
struct MealSocketJudgeTests {
    private static let second =
        "The client opened a second meal socket for the same user at 10:30:04, although it was still using the meal "
        + "socket opened at 10:30:00, which the server then closed."

    static let singleCases: [SocketCase] = [
        SocketCase("one is opened, once", .notExercised) { $0.connectMeals(1, at: 0) },
        SocketCase("one is opened again after the first has ended", .kept()) {
            $0.connectMeals(1, at: 0).leave(1, at: 3).connectMeals(2, at: 7)
        },
        SocketCase("a second is opened while the first is served", .broken(second, [1, 3])) {
            $0.connectMeals(1, at: 0).connectMeals(2, at: 4).close(1, by: .server, server: 1008, client: 1008, at: 4.01)
        },
        SocketCase("the client was leaving the first", .kept()) {
            $0.connectMeals(1, at: 0).connectMeals(2, at: 4).close(1, by: .server, server: 1008, client: 1000, at: 4.01)
        },
        SocketCase("the client had lost the first, and does not answer its close frame", .kept()) {
            $0.connectMeals(1, at: 0).connectMeals(2, at: 4).close(1, by: .server, .timeOut, server: 1008, at: 6)
        },
        SocketCase("the first is silenced", .kept()) {
            $0.connectMeals(1, at: 0).fault(1, .silence, at: 1).connectMeals(2, at: 4)
            $0.close(1, by: .server, server: 1008, client: 1008, at: 5)
        },
        SocketCase("another user opens one, and the same user a chat", .notExercised) {
            $0.connectMeals(1, at: 0).connectMeals(2, at: 1, user: "ben").connect(3, at: 2)
            $0.close(1, by: .server, server: 1001, client: 1001, at: 3)
        },
    ]

    @Test("The ws/meal-socket-single judge reaches the expected verdict", arguments: singleCases)
    func single(_ row: SocketCase) { row.check(MealSocketSingle.self) }

    @Test("A chat socket next to a meal socket does not count as a second connection")
    func besideAChat() {
        SocketCase("", .notExercised, until: 9) {
            $0.connect(1, at: 0).connectMeals(2, at: 1).connectMeals(3, at: 2)
        }.check(SingleConnection.self)
    }

    static let rows: [(any ObligationJudge.Type, SocketCase)] = [
        (
            ReconnectBackoff.self,
            SocketCase("too soon", .broken(ReconnectJudgeTests.soon("0.5", since: "10:30:05"), [3, 4])) {
                $0.connectMeals(1, at: 0).drop(1, at: 5).connectMeals(2, at: 5.5)
            }
        ),
        // The server rejects the handshake before it knows the user, so only the token identifies the user.
        (
            ReconnectBackoff.self,
            SocketCase(
                "refused in between, then too soon",
                .broken(ReconnectJudgeTests.soonAgain("0.5", since: "10:30:07"), [4, 5])
            ) {
                $0.connectMeals(1, at: 0, user: "t1").drop(1, at: 5).refuseMeals(503, at: 7)
                $0.connectMeals(2, at: 7.5, user: "t1")
            }
        ),
        (
            ReconnectBackoff.self,
            SocketCase("other users, and chats, are other series", .notExercised) {
                $0.connectMeals(1, at: 0).drop(1, at: 5).connectMeals(2, at: 5.1, user: "ben").connect(3, at: 5.2)
            }
        ),
        (
            ReconnectLimit.self,
            SocketCase("six tries", .broken(ReconnectJudgeTests.sixth(after: "10:30:05"), [3, 8, 9])) {
                $0.connectMeals(1, at: 0, user: "t1").drop(1, at: 5)
                for time in 0..<6 { $0.refuseMeals(503, at: 10 + 10 * Double(time)) }
            }
        ),
        (
            MessageShape.self,
            SocketCase(
                "a chat message on it",
                .broken(
                    "The backend cannot process this frame. This socket accepts only \"ping\" frames. Chat over a "
                        + "consultation's socket, /api/v1/consultations/{id}/ws.", [4])
            ) { $0.connectMeals(1, at: 0).say(1, #"{"type":"ping"}"#, at: 1).ask(1, at: 2) }
        ),
        (LowercaseIDs.self, SocketCase("its path has no id", .notExercised) { $0.connectMeals(1, at: 0, user: "ANN") }),
        (
            HistoryBeforeConnect.self,
            SocketCase("it needs no history", .notExercised) { $0.connectMeals(1, at: 0).ask(1, at: 1) }
        ),
        (
            RefusedHandshake.self,
            SocketCase("after a chat's 404 it says nothing of another id", .notExercised) {
                $0.refuse(404, at: 0).connectMeals(1, at: 1)
            }
        ),
        (
            RefusedHandshake.self,
            SocketCase("401, and the same token", .broken(HandshakeJudgeTests.sameToken, [1, 2])) {
                $0.refuseMeals(401, at: 0).connectMeals(1, at: 2)
            }
        ),
        (SocketEndpoint.self, SocketCase("it is an endpoint", .kept()) { $0.connectMeals(1, at: 0) }),
        (WebSocketCredentials.self, SocketCase("its credentials count", .kept()) { $0.connectMeals(1, at: 0) }),
        (
            KeepAlive.self,
            SocketCase("idle without pings", .broken(FrameJudgeTests.idle("40"), [2, 3])) {
                $0.connectMeals(1, at: 0).leave(1, at: 40)
            }
        ),
    ]

    @Test("Other judges treat the meal socket like a chat socket", arguments: rows.indices)
    func judges(_ index: Int) {
        let (judge, row) = Self.rows[index]
        row.check(judge)
    }
}

extension SocketStory {
    /// Adds a rejected handshake for the meal socket.
    @discardableResult fileprivate func refuseMeals(_ status: Int, at seconds: Double) -> SocketStory {
        request("GET /ws/meal-logs", status, at: seconds, endpoint: .mealSocket, user: nil)
    }
}
