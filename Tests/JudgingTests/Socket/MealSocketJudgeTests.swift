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
            $0.connectMeals(1, at: 0)
            $0.leave(1, at: 3)
            $0.connectMeals(2, at: 7)
        },
        SocketCase("a second is opened while the first is served", .broken(second, [1, 3])) {
            $0.connectMeals(1, at: 0)
            $0.connectMeals(2, at: 4)
            $0.close(1, by: .server, server: 1008, client: 1008, at: 4.01)
        },
        SocketCase("the client was leaving the first", .kept()) {
            $0.connectMeals(1, at: 0)
            $0.connectMeals(2, at: 4)
            $0.close(1, by: .server, server: 1008, client: 1000, at: 4.01)
        },
        SocketCase("the client had lost the first, and does not answer its close frame", .kept()) {
            $0.connectMeals(1, at: 0)
            $0.connectMeals(2, at: 4)
            $0.close(1, by: .server, .timeOut, server: 1008, at: 6)
        },
        SocketCase("the first is silenced", .kept()) {
            $0.connectMeals(1, at: 0)
            $0.fault(1, .silence, at: 1)
            $0.connectMeals(2, at: 4)
            $0.close(1, by: .server, server: 1008, client: 1008, at: 5)
        },
        SocketCase("another user opens one, and the same user a chat", .notExercised) {
            $0.connectMeals(1, at: 0)
            $0.connectMeals(2, at: 1, user: "ben")
            $0.connect(3, at: 2)
            $0.close(1, by: .server, server: 1001, client: 1001, at: 3)
        },
    ]

    @Test("The ws/meal-socket-single judge reaches the expected verdict", arguments: singleCases)
    func single(_ row: SocketCase) { row.check(MealSocketSingle.self) }

    @Test("A chat socket next to a meal socket does not count as a second connection")
    func besideAChat() {
        SocketCase("", .notExercised, until: 9) {
            $0.connect(1, at: 0)
            $0.connectMeals(2, at: 1)
            $0.connectMeals(3, at: 2)
        }.check(SingleConnection.self)
    }

    static let reconnects: [(SocketCase, any ObligationJudge.Type)] = [
        (
            SocketCase(
                "too soon",
                .broken(
                    "The client tried again 0.5 s after the socket ended at 10:30:05; it must wait at least 1 "
                        + "s.", [3, 4])
            ) {
                $0.connectMeals(1, at: 0)
                $0.drop(1, at: 5)
                $0.connectMeals(2, at: 5.5)
            }, ReconnectBackoff.self
        ),
        (
            // The server rejects the handshake before it knows the user, so only the token identifies the user.
            SocketCase(
                "refused in between, then too soon",
                .broken(
                    "The client made attempt 2 0.5 s after attempt 1 had failed at 10:30:07; it must wait at least 1 "
                        + "s.", [4, 5])
            ) {
                $0.connectMeals(1, at: 0, user: "t1")
                $0.drop(1, at: 5)
                $0.request("GET /ws/meal-logs", 503, at: 7, endpoint: .mealSocket, user: nil)
                $0.connectMeals(2, at: 7.5, user: "t1")
            }, ReconnectBackoff.self
        ),
        (
            SocketCase("other users, and chats, are other series", .notExercised) {
                $0.connectMeals(1, at: 0)
                $0.drop(1, at: 5)
                $0.connectMeals(2, at: 5.1, user: "ben")
                $0.connect(3, at: 5.2)
            }, ReconnectBackoff.self
        ),
        (
            SocketCase(
                "six tries",
                .broken(
                    "The client tried to reconnect for the 6th time in a row after the socket ended at 10:30:05; at "
                        + "most 5 attempts are allowed.", [3, 8, 9])
            ) {
                $0.connectMeals(1, at: 0, user: "t1")
                $0.drop(1, at: 5)
                for time in 0..<6 {
                    $0.request(
                        "GET /ws/meal-logs", 503, at: 10 + 10 * Double(time), endpoint: .mealSocket, user: nil)
                }
            }, ReconnectLimit.self
        ),
        (
            SocketCase(
                "a chat message on it",
                .broken(
                    "The backend cannot process this frame. This socket accepts only \"ping\" frames. Chat over a "
                        + "consultation's socket, /api/v1/consultations/{id}/ws.", [4])
            ) {
                $0.connectMeals(1, at: 0)
                $0.say(1, #"{"type":"ping"}"#, at: 1)
                $0.ask(1, at: 2)
            }, MessageShape.self
        ),
        (
            SocketCase("its path has no id", .notExercised) { $0.connectMeals(1, at: 0, user: "ANN") },
            LowercaseIDs.self
        ),
        (
            SocketCase("it needs no history", .notExercised) {
                $0.connectMeals(1, at: 0)
                $0.ask(1, at: 1)
            }, HistoryBeforeConnect.self
        ),
        (
            SocketCase("after a chat's 404 it says nothing of another id", .notExercised) {
                $0.refuse(404, at: 0)
                $0.connectMeals(1, at: 1)
            }, RefusedHandshake.self
        ),
        (
            SocketCase(
                "401, and the same token",
                .broken("The client reconnected with the token that was refused with 401 at 10:30:00.", [1, 2])
            ) {
                $0.request("GET /ws/meal-logs", 401, at: 0, endpoint: .mealSocket, user: nil)
                $0.connectMeals(1, at: 2)
            }, RefusedHandshake.self
        ),
        (SocketCase("it is an endpoint", .kept()) { $0.connectMeals(1, at: 0) }, SocketEndpoint.self),
        (SocketCase("its credentials count", .kept()) { $0.connectMeals(1, at: 0) }, WebSocketCredentials.self),
        (
            SocketCase(
                "idle without pings",
                .broken("The socket was idle for 40 s from 10:30:00; a ping is expected every 30 s.", [2, 3])
            ) {
                $0.connectMeals(1, at: 0)
                $0.leave(1, at: 40)
            }, KeepAlive.self
        ),
    ]

    @Test("Reconnect judges treat the meal socket like a chat socket", arguments: reconnects.indices)
    func judges(_ index: Int) {
        let (row, judge) = Self.reconnects[index]
        row.check(judge)
    }
}
