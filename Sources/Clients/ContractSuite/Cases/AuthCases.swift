import FitIQAPI

extension ContractCase {
    private static let refresh = Clause(
        .consultationWebSocket, "HTTP errors, 401", "An unauthorized request has the token refreshed.")

    /// Tokens that are refused.
    static let authCases: [ContractCase] = [
        ContractCase(
            "auth/request/401-refreshes-the-token", "A create is refused with 401, and repeated with a fresh token",
            clause: refresh,
            setting: .written(
                """
                name: refused-once
                faults:
                  - {on: POST /api/v1/consultations, requests: 1, status: 401, code: UNAUTHORIZED}
                """), faces: ["auth/refresh-after-401"],
            steps: [.start(.nutritionist), .untilReady, .expect(.noProblem), .disconnect]),
        ContractCase(
            "auth/request/401-for-good", "The fresh token is refused too: the user is told, and nothing repeats",
            clause: refresh,
            setting: .written(
                """
                name: refused
                faults:
                  - {on: any, status: 401, code: UNAUTHORIZED}
                """), faces: ["auth/refresh-after-401"],
            steps: [
                .loadGoals, .until(.all([.problem(.unauthorized), .idle]), within: .minutes(1)), .pass(.minutes(5)),
                .expect(.idle),
            ]),
        ContractCase(
            "auth/request/expires-mid-session", "The token expires while an answer streams",
            clause: refresh, setting: .builtIn("token-expires-mid-session"), faces: ["auth/refresh-after-401"],
            steps: [
                .start(.nutritionist), .untilReady, .pass(.seconds(40)), .send("How much protein?"),
                .until(.streaming, within: .seconds(30)), .untilAnswered(1, within: .minutes(30)),
                .pass(.seconds(61)), .loadGoals, .until(.idle, within: .seconds(30)), .expect(.noProblem),
                .disconnect, .pass(.seconds(10)), .start(.nutritionist), .untilReady, .disconnect,
            ]),
        ContractCase(
            "auth/handshake/401-brings-another-token",
            "A handshake is refused with 401, and repeated with a fresh token",
            clause: Clause(
                .mealLogWebSocket, "Common Errors", "WebSocket 401: refresh the token and reconnect."),
            setting: .written(
                """
                name: handshake-refused-once
                faults:
                  - {on: handshake, connections: 1, status: 401, code: UNAUTHORIZED}
                """), faces: ["ws/refused-handshake", "auth/websocket-credentials"],
            steps: [
                .start(.nutritionist), .until(.ready, within: .minutes(1)), .send("Hello?"), .untilAnswered(1),
                .disconnect,
            ]),
        ContractCase(
            "auth/handshake/404-is-not-repeated",
            "The consultation's socket is not found: no more handshakes with its id",
            clause: Clause(
                .mealLogWebSocket, "Common Errors", "WebSocket 404: create a consultation before connecting."),
            setting: .written(
                """
                name: handshake-not-found
                faults:
                  - {on: handshake, connections: 1, status: 404, code: NOT_FOUND}
                """), faces: ["ws/refused-handshake"],
            steps: [
                .start(.nutritionist), .until(.all([.problem(.notFound), .offline, .idle]), within: .minutes(5)),
                .pass(.minutes(10)), .expect(.offline), .start(.fitnessCoach), .untilReady, .disconnect,
            ]),
    ]
}
