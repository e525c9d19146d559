import FitIQAPI

extension ContractCase {
    private static let polling = Clause(
        .webSocketArchitecture, "Option 1", "Without a socket the log is asked for every 5 seconds, at most 12 times.")
    private static let notified = Clause(
        .mealLogWebSocket, "Key Features", "The notification has the complete data: no second request is needed.")

    /// Meals: completed, failed, never finished; with and without a socket.
    static let mealCases: [ContractCase] = [
        ContractCase(
            "meal/connected/takes-the-event", "A meal is worked out while a chat is open",
            clause: notified, setting: .builtIn("meal-completes"),
            faces: ["meal/no-fetch-after-completed", "meal/no-poll-while-connected", "request/shape"],
            steps: [
                .start(.nutritionist), .untilReady, .logMeal("2 eggs and toast"),
                .until(.meal("2 eggs and toast", .processing), within: .seconds(2)),
                .until(.all([.meal("2 eggs and toast", .completed, calories: 263), .idle]), within: .seconds(30)),
                .pass(.minutes(2)), .expect(.noProblem), .disconnect,
            ]),
        ContractCase(
            "meal/connected/real-food", "The built-in parser works the guides' own example out",
            clause: notified, faces: ["meal/no-fetch-after-completed"],
            steps: [
                .start(.nutritionist), .untilReady, .logMeal("120g chicken breast", .lunch),
                .until(.all([.meal("120g chicken breast", .completed, calories: 198), .idle]), within: .seconds(30)),
                .disconnect,
            ]),
        ContractCase(
            "meal/connected/failure-surfaces", "A meal fails while a chat is open",
            clause: Clause(.mealLogWebSocket, "Step 4", "Why a meal could not be processed is shown to the user."),
            setting: .builtIn("meal-fails"), faces: ["meal/no-poll-while-connected"],
            steps: [
                .start(.nutritionist), .untilReady, .logMeal("the usual"),
                .until(
                    .all([.mealError("the usual", containing: "Failed to parse meal input"), .problem(.meal), .idle]),
                    within: .seconds(30)), .disconnect,
            ]),
        ContractCase(
            "meal/polling/completes", "A meal is worked out while no chat is open",
            clause: polling, setting: .builtIn("meal-completes"), faces: ["meal/polling-cadence"],
            steps: [
                .logMeal("2 eggs and toast"),
                .until(.all([.meal("2 eggs and toast", .completed, calories: 263), .idle]), within: .minutes(1)),
                .pass(.minutes(2)), .expect(.noProblem),
            ]),
        ContractCase(
            "meal/polling/failure-surfaces", "A meal fails while no chat is open",
            clause: polling, setting: .builtIn("meal-fails"), faces: ["meal/polling-cadence"],
            steps: [
                .logMeal("the usual"),
                .until(
                    .all([.mealError("the usual", containing: "Failed to parse meal input"), .problem(.meal), .idle]),
                    within: .minutes(1)),
            ]),
        ContractCase(
            "meal/polling/never-finishes", "A meal stays in processing: polling ends after a minute",
            clause: polling, setting: .builtIn("meal-never-finishes"), faces: ["meal/polling-cadence"],
            steps: [
                .logMeal("2 eggs"), .until(.idle, within: .minutes(5)), .pass(.minutes(10)), .expect(.idle),
                .expect(.meal("2 eggs", .processing)),
            ]),
        ContractCase(
            "meal/polling/finished-before-the-socket", "A meal is worked out before anybody can listen for the event",
            clause: .ours("A socket that connects later gets no old events: what was missed is asked for."),
            setting: .builtIn("meal-finishes-before-socket"),
            steps: [
                .logMeal("2 eggs"), .start(.nutritionist),
                .until(
                    .all([.meal("2 eggs", .completed, calories: 140), .connection(.connected), .idle]),
                    within: .minutes(5)), .disconnect,
            ]),
        ContractCase(
            "meal/create/500-twice", "The backend fails twice, with nothing done, and then works",
            clause: Clause(.mealLogWebSocket, "Retry Logic Example", "Three attempts with exponential backoff."),
            setting: .builtIn("flaky-500"), faces: ["retry/backoff-on-5xx"],
            steps: [
                .logMeal("2 eggs"),
                .until(.all([.meal("2 eggs", .completed, calories: 140), .idle]), within: .minutes(5)),
                .expect(.noProblem),
            ]),
    ]
}
