import FitIQAPI

extension ContractCase {
    /// Every case of the suite, by topic.
    public static let all =
        consultationCases + limitCases + authCases + chatCases + templateCases + deliveryCases + interruptionCases
        + socketCases
        + goalCases + goalAnswerCases + mealCases + guideCases
}

/// Shorthands that keep the cases readable.
extension Step {
    package static func start(_ persona: Persona) -> Step { .perform(.startConsultation(persona: persona)) }
    package static func open(_ id: String) -> Step { .perform(.openConsultation(id: id)) }
    package static func send(_ text: String) -> Step { .perform(.send(text: text)) }
    package static func createGoal(_ title: String) -> Step {
        .perform(.createGoal(title: title, description: "Without walking, before summer."))
    }
    package static func logMeal(_ text: String, _ type: MealType = .breakfast) -> Step {
        .perform(.logMeal(text: text, type: type))
    }
    package static let archive = Step.perform(.archive)
    package static let disconnect = Step.perform(.disconnect)
    package static let loadGoals = Step.perform(.loadGoals)
    package static let loadQuickActions = Step.perform(.loadQuickActions)
    package static let listenToMeals = Step.perform(.listenToMeals)
    /// Waits for the chat to be open and idle.
    package static let untilReady = Step.until(.ready, within: .seconds(30))
    /// Waits until all expectations are met at the same time.
    package static func untilAll(_ parts: ClientExpectation..., within limit: Duration) -> Step {
        .until(.all(parts), within: limit)
    }
    /// Waits until the transcript has this many answers and the client is idle.
    package static func untilAnswered(_ count: Int, within limit: Duration = .seconds(60)) -> Step {
        .until(.answered(count), within: limit)
    }
}

extension Setting {
    /// A scenario with these faults, each written as it would be in a scenario file.
    package static func faults(_ name: String, _ faults: String...) -> Setting {
        .written("name: \(name)\nfaults:\n" + faults.map { "  - \($0)\n" }.joined())
    }
}

/// The IDs that scenarios in this module assign.
package enum KnownID {
    package static let consultation = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
    package static let goal = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
    package static let meal = "5d1f7a90-3c4e-4b5d-8f6a-1b2c3d4e5f60"
    /// An ID that no world contains.
    package static let nothing = "00000000-0000-4000-8000-00000000dead"
}

extension Duration {
    package static func minutes(_ count: Int) -> Duration { .seconds(60 * count) }
    package static func hours(_ count: Int) -> Duration { .seconds(3600 * count) }
}

extension ContractCase {
    private static let refresh = Clause(
        .consultationWebSocket, "HTTP errors, 401", "After an unauthorized request, the token is refreshed.")

    /// An account whose tokens expire after three seconds.
    static let shortTokens = """
        token_lifetime: 3s
        accounts: {access_token: 3s, password_cost: 1}
        users:
          - {id: default, email: ada@example.com, password: correct horse}
        """

    static let authCases: [ContractCase] = [
        ContractCase(
            "auth/request/401-refreshes-the-token",
            "A create request is refused with 401 and repeated with a fresh token", refresh,
            setting: .faults(
                "refused-once", "{on: POST /api/v1/consultations, requests: 1, status: 401, code: UNAUTHORIZED}"),
            faces: ["auth/refresh-after-401"],
            steps: .start(.nutritionist), .untilReady, .expect(.noProblem), .disconnect),
        ContractCase(
            "auth/request/401-for-good",
            "The fresh token is also refused: the user sees an error, and the client does not retry",
            refresh,
            setting: .faults(
                "refused", "{on: any, status: 401, code: UNAUTHORIZED}"), faces: ["auth/refresh-after-401"],
            steps: .loadGoals, .untilAll(.problem(.unauthorized), .idle, within: .minutes(1)), .pass(.minutes(5)),
            .expect(.idle)),
        ContractCase(
            "auth/request/expires-mid-session", "The token expires while an answer streams",
            refresh, setting: .builtIn("token-expires-mid-session"), faces: ["auth/refresh-after-401"],
            steps: .start(.nutritionist), .untilReady, .pass(.seconds(40)), .send("How much protein?"),
            .until(.streaming, within: .seconds(30)), .untilAnswered(1, within: .minutes(30)), .pass(.seconds(61)),
            .loadGoals, .until(.idle, within: .seconds(30)), .expect(.noProblem), .disconnect, .pass(.seconds(10)),
            .start(.nutritionist), .untilReady, .disconnect),
        ContractCase(
            "auth/sign-in/brings-tokens", "The token has expired and the user signs in: the client uses the new token",
            .ours("A client signs in without a token, and then uses the tokens from the response."),
            setting: .written("name: signs-in\n\(shortTokens)"), faces: ["auth/no-expired-bearer"],
            steps: .pass(.seconds(4)), .perform(.signIn(email: "ada@example.com", password: "correct horse")),
            .until(.idle, within: .seconds(10)), .loadGoals, .until(.idle, within: .seconds(10)), .expect(.noProblem)),
        ContractCase(
            "auth/refresh/token-works-once",
            "The token expires twice, and each refresh uses the refresh token from the previous one",
            .ours("After a 401, the client uses the refresh token once, and replaces it with the new one."),
            setting: .written("name: short-tokens\n\(shortTokens)"),
            faces: ["auth/refresh-token-once", "auth/no-expired-bearer", "auth/refresh-after-401"],
            steps: .pass(.seconds(4)), .loadGoals, .until(.idle, within: .seconds(10)), .pass(.seconds(4)),
            .loadGoals, .until(.idle, within: .seconds(10)), .expect(.noProblem)),
        ContractCase(
            "auth/refresh/revoked-is-not-repeated",
            "The refresh token is refused: the client asks for credentials, and does not send the token again",
            .ours("A refresh token that was refused with 401 is never sent again."),
            setting: .written(
                """
                name: revoked
                \(shortTokens)
                faults:
                  - {on: POST /api/v1/auth/refresh, status: 401, code: UNAUTHORIZED}
                  - {on: GET /api/v1/goals, requests: 4.., status: 401, code: UNAUTHORIZED}
                """), faces: ["auth/refresh-token-once"],
            steps: .pass(.seconds(4)), .loadGoals, .until(.idle, within: .seconds(10)), .expect(.noProblem),
            .loadGoals, .until(.idle, within: .seconds(10)), .loadGoals, .until(.idle, within: .minutes(1))),
        ContractCase(
            "auth/handshake/401-brings-another-token",
            "A handshake is refused with 401 and repeated with a fresh token",
            Clause(.mealLogWebSocket, "Common Errors", "WebSocket 401: refresh the token and reconnect."),
            setting: .faults(
                "handshake-refused-once", "{on: handshake, connections: 1, status: 401, code: UNAUTHORIZED}"),
            faces: ["ws/refused-handshake", "auth/websocket-credentials"],
            steps: .start(.nutritionist), .until(.ready, within: .minutes(1)), .send("Hello?"), .untilAnswered(1),
            .disconnect),
        ContractCase(
            "auth/handshake/404-is-not-repeated",
            "The consultation's socket is not found, and the client stops connecting to it",
            Clause(.mealLogWebSocket, "Common Errors", "WebSocket 404: create a consultation before connecting."),
            setting: .faults(
                "handshake-not-found", "{on: handshake, connections: 1, status: 404, code: NOT_FOUND}"),
            faces: ["ws/refused-handshake"],
            steps: .start(.nutritionist), .untilAll(.problem(.notFound), .offline, .idle, within: .minutes(5)),
            .pass(.minutes(10)), .expect(.offline), .start(.fitnessCoach), .untilReady, .disconnect),
    ]

    /// Limits on consultations and requests.
    static let limitCases: [ContractCase] = [
        ContractCase(
            "limit/consultations/429-tells-too-many",
            "Ten consultations are active: the user sees the limit, and the client does not repeat the request",
            Clause(
                .consultationWebSocket, "HTTP errors, 429",
                "Too many active consultations: show an alert, suggest completing old ones."),
            setting: .builtIn("limit-reached"), faces: ["consultation/limit-stops-creating"],
            steps: .start(.nutritionist), .untilAll(.problem(.tooMany), .idle, within: .seconds(30)), .expect(.offline),
            .pass(.seconds(20)), .start(.wellnessSpecialist), .pass(.seconds(20)),
            .expect(.all([.problem(.tooMany), .offline])), .pass(.seconds(61)), .start(.nutritionist),
            .until(.idle, within: .seconds(30)), .expect(.offline)),
        ContractCase(
            "limit/consultations/room-after-archiving",
            "The user archives a consultation, and can immediately create another",
            Clause(.consultationWebSocket, "Issue: 429", "Complete some consultations before starting new ones."),
            setting: .written(
                """
                name: ten
                users:
                  - id: default
                    consultations:
                      - id: \(KnownID.consultation)
                        persona: nutritionist
                        created_at: 2d ago
                    fill_active_consultations: 10
                """), faces: ["consultation/limit-stops-creating"],
            steps: .start(.wellnessSpecialist), .untilAll(.problem(.tooMany), .idle, within: .seconds(30)),
            .open(KnownID.consultation), .untilReady, .archive, .untilAll(.offline, .idle, within: .seconds(30)),
            .pass(.seconds(5)), .start(.wellnessSpecialist), .untilReady, .send("How do I sleep better?"),
            .untilAnswered(1), .disconnect),
        ContractCase(
            "limit/requests/429-waits",
            "The server accepts five requests in ten seconds: the client waits, and reports no consultation limit",
            .ours("A 429's error code distinguishes too many requests from too many consultations."),
            setting: .builtIn("rate-limited"),
            steps: .loadGoals, .until(.idle, within: .seconds(5)), .loadGoals, .until(.idle, within: .seconds(5)),
            .loadGoals, .until(.idle, within: .seconds(5)), .loadGoals, .until(.idle, within: .seconds(5)), .loadGoals,
            .until(.idle, within: .seconds(5)), .loadGoals, .until(.idle, within: .minutes(2)),
            .expect(.problemCount(.tooMany, 0)), .pass(.seconds(15)), .start(.nutritionist), .untilReady, .disconnect),
    ]

    /// Each guide's flow, with answers that follow only that guide.
    static let guideCases: [ContractCase] = [
        ContractCase(
            "guide/consultation-websocket/chat", "Create, chat, return to the same consultation",
            Clause(.consultationWebSocket, "What You'll Build", "Real-time chat with history and streaming."),
            guide: .consultationWebSocket, faces: ["consultation/conflict-continues-existing"],
            steps: chat + [.pass(.seconds(10)), .start(.nutritionist), .untilAnswered(1), .disconnect]),
        ContractCase(
            "guide/enhanced-consultations/chat", "Create, chat, archive",
            Clause(.enhancedConsultations, "What You'll Build", "Chat with AI personas, streaming in real time."),
            guide: .enhancedConsultations,
            steps: .start(.fitnessCoach), .untilReady, .send("How do I begin to run?"), .untilAnswered(1), .archive,
            .untilAll(.offline, .idle, within: .seconds(30))),
        ContractCase(
            "guide/goal-linking/chat-about-goal", "Create a goal, chat about it",
            Clause(.goalLinking, "Flow 1", "POST chat-about-goal, then open the conversation."),
            guide: .goalLinking, faces: ["ids/backend-goal-id"],
            steps: .createGoal("Run 5 km"), .untilAll(.goal("Run 5 km"), .idle, within: .seconds(30)),
            .chatAboutGoal(titled: "Run 5 km"),
            .untilAll(.connection(.connected), .goalLinked("Run 5 km"), .idle, within: .seconds(30)),
            .send("How do I begin?"), .untilAnswered(1), .disconnect),
        ContractCase(
            "guide/websocket-architecture/meal-event", "Create a consultation, connect, log a meal",
            Clause(
                .webSocketArchitecture, "Testing Plan, option 2",
                "The notification arrives, the meal is completed, and the client does not poll."),
            guide: .webSocketArchitecture, faces: ["meal/no-poll-while-connected"],
            steps: .start(.nutritionist), .untilReady, .send("Hello?"), .untilAnswered(1), .logMeal("2 eggs"),
            .untilAll(.meal("2 eggs", .completed, calories: 140), .idle, within: .seconds(30)), .disconnect),
        ContractCase(
            "guide/websocket-architecture/polling", "Log a meal without a socket",
            Clause(.webSocketArchitecture, "Testing Plan, option 1", "After 5 seconds the meal is completed."),
            guide: .webSocketArchitecture, faces: ["meal/polling-cadence"], steps: .logMeal("2 eggs"),
            .untilAll(.meal("2 eggs", .completed, calories: 140), .idle, within: .minutes(1))),
        ContractCase(
            "guide/meal-log-websocket/meal-event", "Connect, log a meal, use the complete data from the event",
            Clause(.mealLogWebSocket, "Key Features", "Complete data in WebSocket: no second API call needed."),
            guide: .mealLogWebSocket, faces: ["meal/no-fetch-after-completed"],
            steps: .start(.nutritionist), .until(.connection(.connected), within: .seconds(30)),
            .logMeal("2 eggs and toast"),
            .until(.meal("2 eggs and toast", .completed, calories: 290), within: .seconds(30)), .disconnect),
    ]

    private static let chat: [Step] = [
        .start(.nutritionist), .untilReady, .send("How much protein do I need?"), .untilAnswered(1), .disconnect,
        .untilAll(.offline, .idle, within: .seconds(10)),
    ]
}
