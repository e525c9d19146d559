import FitIQAPI

extension ContractCase {
    /// Too many consultations or requests.
    static let limitCases: [ContractCase] = [
        ContractCase(
            "limit/consultations/429-tells-too-many",
            "Ten are active: the user is told, and the create is not repeated",
            clause: Clause(
                .consultationWebSocket, "HTTP errors, 429",
                "Too many active consultations: show an alert, suggest completing old ones."),
            setting: .builtIn("limit-reached"), faces: ["consultation/limit-stops-creating"],
            steps: [
                .start(.nutritionist), .untilAll(.problem(.tooMany), .idle, within: .seconds(30)),
                .expect(.offline), .pass(.seconds(20)), .start(.wellnessSpecialist), .pass(.seconds(20)),
                .expect(.all([.problem(.tooMany), .offline])), .pass(.seconds(61)), .start(.nutritionist),
                .until(.idle, within: .seconds(30)), .expect(.offline),
            ]),
        ContractCase(
            "limit/consultations/room-after-archiving", "One is archived, and there is room at once",
            clause: Clause(
                .consultationWebSocket, "Issue: 429", "Complete some consultations before starting new ones."),
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
            steps: [
                .start(.wellnessSpecialist), .untilAll(.problem(.tooMany), .idle, within: .seconds(30)),
                .open(KnownID.consultation), .untilReady, .archive, .untilAll(.offline, .idle, within: .seconds(30)),
                .pass(.seconds(5)), .start(.wellnessSpecialist), .untilReady, .send("How do I sleep better?"),
                .untilAnswered(1), .disconnect,
            ]),
        ContractCase(
            "limit/requests/429-waits",
            "Five requests in ten seconds: more wait, and are no reason to speak of consultations",
            clause: .ours("A 429 that is about requests is told from one about consultations by its code."),
            setting: .builtIn("rate-limited"),
            steps: [
                .loadGoals, .until(.idle, within: .seconds(5)), .loadGoals, .until(.idle, within: .seconds(5)),
                .loadGoals, .until(.idle, within: .seconds(5)), .loadGoals, .until(.idle, within: .seconds(5)),
                .loadGoals, .until(.idle, within: .seconds(5)), .loadGoals, .until(.idle, within: .minutes(2)),
                .expect(.problemCount(.tooMany, 0)), .pass(.seconds(15)), .start(.nutritionist), .untilReady,
                .disconnect,
            ]),
    ]
}

extension ContractCase {
    /// The flow of each guide, answered as that guide alone specifies.
    static let guideCases: [ContractCase] = [
        ContractCase(
            "guide/consultation-websocket/chat", "Create, chat, come back to the same consultation",
            clause: Clause(.consultationWebSocket, "What You'll Build", "Real-time chat with history and streaming."),
            guide: .consultationWebSocket, faces: ["consultation/conflict-continues-existing"],
            steps: chat + [.pass(.seconds(10)), .start(.nutritionist), .untilAnswered(1), .disconnect]),
        ContractCase(
            "guide/enhanced-consultations/chat", "Create, chat, archive",
            clause: Clause(
                .enhancedConsultations, "What You'll Build", "Chat with AI personas, streaming in real time."),
            guide: .enhancedConsultations,
            steps: [
                .start(.fitnessCoach), .untilReady, .send("How do I begin to run?"), .untilAnswered(1), .archive,
                .untilAll(.offline, .idle, within: .seconds(30)),
            ]),
        ContractCase(
            "guide/goal-linking/chat-about-goal", "Create a goal, talk about it",
            clause: Clause(
                .goalLinking, "Flow 1", "POST chat-about-goal, then open the conversation."),
            guide: .goalLinking, faces: ["ids/backend-goal-id"],
            steps: [
                .createGoal("Run 5 km"), .untilAll(.goal("Run 5 km"), .idle, within: .seconds(30)),
                .chatAboutGoal(titled: "Run 5 km"),
                .untilAll(.connection(.connected), .goalLinked("Run 5 km"), .idle, within: .seconds(30)),
                .send("How do I begin?"), .untilAnswered(1), .disconnect,
            ]),
        ContractCase(
            "guide/websocket-architecture/meal-event", "Create a consultation, connect, log a meal",
            clause: Clause(
                .webSocketArchitecture, "Testing Plan, option 2",
                "The notification comes, the meal is completed, and no polling is seen."),
            guide: .webSocketArchitecture, faces: ["meal/no-poll-while-connected"],
            steps: [
                .start(.nutritionist), .untilReady, .send("Hello?"), .untilAnswered(1), .logMeal("2 eggs"),
                .untilAll(.meal("2 eggs", .completed, calories: 140), .idle, within: .seconds(30)), .disconnect,
            ]),
        ContractCase(
            "guide/websocket-architecture/polling", "Log a meal without a socket",
            clause: Clause(.webSocketArchitecture, "Testing Plan, option 1", "After 5 seconds the meal is completed."),
            guide: .webSocketArchitecture, faces: ["meal/polling-cadence"],
            steps: [
                .logMeal("2 eggs"), .untilAll(.meal("2 eggs", .completed, calories: 140), .idle, within: .minutes(1)),
            ]),
        ContractCase(
            "guide/meal-log-websocket/meal-event", "Connect, log a meal, take the complete data from the event",
            clause: Clause(.mealLogWebSocket, "Key Features", "Complete data in WebSocket: no second API call needed."),
            guide: .mealLogWebSocket, faces: ["meal/no-fetch-after-completed"],
            steps: [
                .start(.nutritionist), .until(.connection(.connected), within: .seconds(30)),
                .logMeal("2 eggs and toast"),
                .until(.meal("2 eggs and toast", .completed, calories: 290), within: .seconds(30)), .disconnect,
            ]),
    ]

    private static let chat: [Step] = [
        .start(.nutritionist), .untilReady, .send("How much protein do I need?"), .untilAnswered(1), .disconnect,
        .untilAll(.offline, .idle, within: .seconds(10)),
    ]
}
