extension ContractCase {
    private static let chatFlow = Clause(
        .goalLinking, "Flow 1", "POST chat-about-goal with the backend's goal id, then open the conversation.")

    static let goalCases: [ContractCase] = [
        ContractCase(
            "goal/chat/opens-a-conversation", "A goal is created and talked about",
            chatFlow, faces: ["ids/backend-goal-id", "request/shape"],
            steps: .createGoal("Run 5 km"), .untilAll(.goal("Run 5 km"), .idle, within: .seconds(30)),
            .chatAboutGoal(titled: "Run 5 km"),
            .untilAll(.connection(.connected), .goalLinked("Run 5 km"), .idle, within: .seconds(30)),
            .send("How do I begin?"), .untilAnswered(1), .expect(.noProblem), .disconnect),
        ContractCase(
            "goal/chat/reuses-the-conversation", "A goal that has a conversation is talked about there",
            Clause(.goalLinking, "Key Takeaways", "A goal that has a conversationId goes on in that conversation."),
            setting: .builtIn("established-account"), faces: ["goal/reuses-conversation"],
            steps: [
                .loadGoals, .untilAll(.goal("Run 5 km"), .goal("Sleep eight hours"), .idle, within: .seconds(30)),
                .chatAboutGoal(titled: "Run 5 km"),
                .untilAll(
                    .connection(.connected), .line(.assistant, containing: "Walk briskly for twenty minutes"),
                    .transcriptAsStored, .goalLinked("Run 5 km"), .idle, within: .seconds(30)),
                .disconnect,
            ]),
        ContractCase(
            "goal/chat/twice", "The same goal is talked about again: in the same conversation",
            Clause(.goalLinking, "Key Takeaways", "A goal that has a conversationId goes on in that conversation."),
            faces: ["ids/backend-goal-id"],
            steps: .createGoal("Run 5 km"), .untilAll(.goal("Run 5 km"), .idle, within: .seconds(30)),
            .chatAboutGoal(titled: "Run 5 km"), .untilReady, .send("How do I begin?"), .untilAnswered(1), .disconnect,
            .untilAll(.offline, .idle, within: .seconds(10)), .pass(.seconds(10)), .loadGoals,
            .until(.idle, within: .seconds(30)), .chatAboutGoal(titled: "Run 5 km"), .untilAnswered(1), .disconnect),
        ContractCase(
            "goal/chat/404-is-not-asked-again", "The goal is gone: the user is told, and it is not asked for again",
            Clause(
                .goalLinking, "Common Errors, 2",
                "A goal that is not found is removed, or the user is told that it no longer exists."),
            setting: .written(
                """
                name: goal-gone
                users:
                  - id: default
                    goals:
                      - {id: \(KnownID.goal), title: Run 5 km, created_at: 5d ago}
                faults:
                  - {on: POST /api/v1/consultations/chat-about-goal, status: 404, code: NOT_FOUND}
                """), faces: ["ids/gone-not-reused"],
            steps: .loadGoals, .untilAll(.goal("Run 5 km"), .idle, within: .seconds(30)),
            .perform(.chatAboutGoal(id: KnownID.goal)),
            .untilAll(.problem(.notFound), .offline, .idle, within: .minutes(1)), .pass(.minutes(1)),
            .perform(.chatAboutGoal(id: KnownID.goal)), .pass(.minutes(1)), .expect(.offline)),
        ContractCase(
            "goal/create/links-what-the-coach-suggested", "The coach suggests a goal, and the user creates it",
            Clause(
                .goalLinking, "Flow 2", "A goal created from a suggestion is linked: PATCH with the conversationId."),
            setting: .builtIn("scripted-coach"), faces: ["goal/links-created-goal"],
            steps: .start(.wellnessSpecialist), .untilReady, .send("I want to set myself a goal"), .untilAnswered(2),
            .createGoal("Run 5 km"), .untilAll(.goalLinked("Run 5 km"), .idle, within: .seconds(60)), .disconnect),
        ContractCase(
            "goal/create/without-a-suggestion-stays-unlinked",
            "A goal that no coach suggested belongs to no conversation",
            Clause(.goalLinking, "Conversation Linking", "A goal's conversationId is null until it is linked."),
            steps: .createGoal("Run 5 km"), .untilAll(.goalUnlinked("Run 5 km"), .idle, within: .seconds(30)),
            .loadGoals, .pass(.seconds(30)), .expect(.all([.goalCount("Run 5 km", 1), .noProblem]))),
        ContractCase(
            "goal/create/500-twice", "The backend fails twice, with nothing done, and then works",
            Clause(.goalLinking, "Error Recovery Strategy", "Retry with exponential backoff: 1 s, 2 s, 4 s."),
            setting: .builtIn("flaky-500"), faces: ["retry/backoff-on-5xx"],
            steps: .createGoal("Run 5 km"), .untilAll(.goal("Run 5 km"), .idle, within: .minutes(2)), .loadGoals,
            .until(.idle, within: .minutes(2)), .expect(.all([.goalCount("Run 5 km", 1), .noProblem])),
            .chatAboutGoal(titled: "Run 5 km"), .until(.ready, within: .minutes(2)), .disconnect),
    ]

    private static let polling = Clause(
        .webSocketArchitecture, "Option 1", "Without a socket the log is asked for every 5 seconds, at most 12 times.")
    private static let notified = Clause(
        .mealLogWebSocket, "Key Features", "The notification has the complete data: no second request is needed.")

    /// Meals: completed, failed, never finished; with and without a socket.
    static let mealCases: [ContractCase] = [
        ContractCase(
            "meal/connected/takes-the-event", "A meal is worked out while a chat is open",
            notified, setting: .builtIn("meal-completes"),
            faces: ["meal/no-fetch-after-completed", "meal/no-poll-while-connected", "request/shape"],
            steps: .start(.nutritionist), .untilReady, .logMeal("2 eggs and toast"),
            .until(.meal("2 eggs and toast", .processing), within: .seconds(2)),
            .untilAll(.meal("2 eggs and toast", .completed, calories: 263), .idle, within: .seconds(30)),
            .pass(.minutes(2)), .expect(.noProblem), .disconnect),
        ContractCase(
            "meal/connected/real-food", "The built-in parser works out the guides' own example",
            notified, faces: ["meal/no-fetch-after-completed"],
            steps: .start(.nutritionist), .untilReady, .logMeal("120g chicken breast", .lunch),
            .untilAll(.meal("120g chicken breast", .completed, calories: 198), .idle, within: .seconds(30)),
            .disconnect),
        ContractCase(
            "meal/connected/failure-surfaces", "A meal fails while a chat is open",
            Clause(.mealLogWebSocket, "Step 4", "Why a meal could not be processed is shown to the user."),
            setting: .builtIn("meal-fails"), faces: ["meal/no-poll-while-connected"],
            steps: [
                .start(.nutritionist), .untilReady, .logMeal("the usual"),
                .untilAll(
                    .mealError("the usual", containing: "Failed to parse meal input"), .problem(.meal), .idle,
                    within: .seconds(30)), .disconnect,
            ]),
        ContractCase(
            "meal/polling/completes", "A meal is worked out while no chat is open",
            polling, setting: .builtIn("meal-completes"), faces: ["meal/polling-cadence"],
            steps: .logMeal("2 eggs and toast"),
            .untilAll(.meal("2 eggs and toast", .completed, calories: 263), .idle, within: .minutes(1)),
            .pass(.minutes(2)), .expect(.noProblem)),
        ContractCase(
            "meal/polling/failure-surfaces", "A meal fails while no chat is open",
            polling, setting: .builtIn("meal-fails"), faces: ["meal/polling-cadence"],
            steps: [
                .logMeal("the usual"),
                .untilAll(
                    .mealError("the usual", containing: "Failed to parse meal input"), .problem(.meal), .idle,
                    within: .minutes(1)),
            ]),
        ContractCase(
            "meal/polling/never-finishes", "A meal stays in processing: polling ends after a minute",
            polling, setting: .builtIn("meal-never-finishes"), faces: ["meal/polling-cadence"],
            steps: .logMeal("2 eggs"), .until(.idle, within: .minutes(5)), .pass(.minutes(10)), .expect(.idle),
            .expect(.meal("2 eggs", .processing))),
        ContractCase(
            "meal/polling/finished-before-the-socket", "A meal is worked out before a client can listen for the event",
            .ours("A socket that connects later gets no old events: what was missed is asked for."),
            setting: .builtIn("meal-finishes-before-socket"),
            steps: .logMeal("2 eggs"), .start(.nutritionist),
            .untilAll(.meal("2 eggs", .completed, calories: 140), .connection(.connected), .idle, within: .minutes(5)),
            .disconnect),
        ContractCase(
            "meal/create/500-twice", "The backend fails twice, with nothing done, and then works",
            Clause(.mealLogWebSocket, "Retry Logic Example", "Three attempts with exponential backoff."),
            setting: .builtIn("flaky-500"), faces: ["retry/backoff-on-5xx"],
            steps: .logMeal("2 eggs"),
            .untilAll(.meal("2 eggs", .completed, calories: 140), .idle, within: .minutes(5)), .expect(.noProblem)),
        ContractCase(
            "meal/create/answer-lost", "It is logged, but 502 comes back: the list says so, and it is not logged again",
            .ours("Whether a POST without an answer was done is found out before it is sent again."),
            setting: .builtIn("answer-lost"), faces: ["retry/creates-once"],
            steps: .logMeal("2 eggs"),
            .untilAll(.meal("2 eggs", .completed, calories: 140), .idle, within: .minutes(5)), .expect(.noProblem)),
        ContractCase(
            "meal/socket/takes-the-event", "A meal is worked out while the socket of all meals is open, without a chat",
            mealSocket, faces: ["meal/no-poll-while-connected", "meal/no-fetch-after-completed", "ws/keepalive"],
            steps: .listenToMeals, .until(.idle, within: .seconds(30)), .logMeal("2 eggs"),
            .untilAll(.meal("2 eggs", .completed, calories: 140), .idle, within: .seconds(30)), .pass(.minutes(15)),
            .logMeal("120g chicken breast", .lunch),
            .untilAll(.meal("120g chicken breast", .completed, calories: 198), .idle, within: .seconds(30)),
            .expect(.noProblem), .disconnect, .until(.idle, within: .seconds(10))),
        ContractCase(
            "meal/socket/beside-a-chat", "The socket of all meals is open beside a chat's: the meal is shown once",
            mealSocket, faces: ["meal/no-poll-while-connected"],
            steps: .listenToMeals, .until(.idle, within: .seconds(30)), .start(.nutritionist), .untilReady,
            .logMeal("2 eggs"), .untilAll(.meal("2 eggs", .completed, calories: 140), .idle, within: .seconds(30)),
            .send("Hello?"), .untilAnswered(1), .expect(.noProblem), .disconnect),
        ContractCase(
            "meal/socket/reconnects-with-back-off", "The socket of all meals is lost and refused, and opened again",
            mealSocket,
            setting: .faults(
                "meal-socket-drops",
                "{on: socket /ws/meal-logs, connections: 1, at: {type: meal_log.completed}, finish: true}",
                "{on: handshake /ws/meal-logs, connections: 2..4, status: 503}"),
            faces: ["ws/reconnect-backoff", "ws/meal-socket-single"],
            steps: .listenToMeals, .until(.idle, within: .seconds(30)), .logMeal("2 eggs"), .pass(.seconds(4)),
            .untilAll(.meal("2 eggs", .completed, calories: 140), .idle, within: .minutes(5)),
            .logMeal("2 eggs and toast"),
            .untilAll(.meal("2 eggs and toast", .completed, calories: 290), .idle, within: .minutes(1)),
            .expect(.noProblem), .disconnect),
        ContractCase(
            "meal/socket/gives-up", "The socket of all meals stays refused: after five tries the user is told",
            mealSocket,
            setting: .faults(
                "meal-socket-refused", "{on: handshake /ws/meal-logs, connections: 2.., status: 503}",
                "{on: socket /ws/meal-logs, at: {frame: 2}, close: {code: 1001}}"),
            faces: ["ws/reconnect-backoff", "ws/reconnect-limit"],
            steps: .listenToMeals, .until(.idle, within: .seconds(30)), .logMeal("2 eggs"), .pass(.seconds(10)),
            .untilAll(.problem(.unavailable), .meal("2 eggs", .completed, calories: 140), .idle, within: .minutes(10)),
            .pass(.minutes(5)), .expect(.idle)),
    ]

    private static let mealSocket = Clause.ours(
        "/ws/meal-logs brings the events of all meals; it is opened once per user, and reconnected with back-off.")
}
