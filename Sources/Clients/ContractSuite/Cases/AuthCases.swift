import FitIQAPI

extension ContractCase {
    /// Every case of the suite, by topic.
    public static let all =
        consultationCases + limitCases + authCases + chatCases + deliveryCases + interruptionCases + socketCases
        + goalCases + mealCases + guideCases
}

/// Short forms that keep the cases readable.
extension Step {
    static func start(_ persona: Persona) -> Step { .perform(.startConsultation(persona: persona)) }
    static func open(_ id: String) -> Step { .perform(.openConsultation(id: id)) }
    static func send(_ text: String) -> Step { .perform(.send(text: text)) }
    static func createGoal(_ title: String) -> Step {
        .perform(.createGoal(title: title, description: "Without walking, before summer."))
    }
    static func logMeal(_ text: String, _ type: MealType = .breakfast) -> Step {
        .perform(.logMeal(text: text, type: type))
    }
    static let archive = Step.perform(.archive)
    static let disconnect = Step.perform(.disconnect)
    static let loadGoals = Step.perform(.loadGoals)
    /// Waits for the chat to be open and idle.
    static let untilReady = Step.until(.ready, within: .seconds(30))
    /// Waits for all of these at once.
    static func untilAll(_ parts: ClientExpectation..., within limit: Duration) -> Step {
        .until(.all(parts), within: limit)
    }
    /// Waits for a total number of answers, with nothing in progress.
    static func untilAnswered(_ count: Int, within limit: Duration = .seconds(60)) -> Step {
        .until(.answered(count), within: limit)
    }
}

/// Ids that the scenarios written here assign.
enum KnownID {
    static let consultation = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
    static let goal = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
    /// An id that no world has.
    static let nothing = "00000000-0000-4000-8000-00000000dead"
}

extension Duration {
    static func minutes(_ count: Int) -> Duration { .seconds(60 * count) }
    static func hours(_ count: Int) -> Duration { .seconds(3600 * count) }
}

extension ContractCase {
    private static let refresh = Clause(
        .consultationWebSocket, "HTTP errors, 401", "An unauthorized request has the token refreshed.")

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
                .loadGoals, .untilAll(.problem(.unauthorized), .idle, within: .minutes(1)), .pass(.minutes(5)),
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
                .start(.nutritionist), .untilAll(.problem(.notFound), .offline, .idle, within: .minutes(5)),
                .pass(.minutes(10)), .expect(.offline), .start(.fitnessCoach), .untilReady, .disconnect,
            ]),
    ]
}
