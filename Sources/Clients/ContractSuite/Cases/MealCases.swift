extension ContractCase {
    private static let chatFlow = Clause(
        .goalLinking, "Flow 1", "POST chat-about-goal with the backend's goal id, then open the conversation.")

    static let goalCases: [ContractCase] = [
        ContractCase(
            "goal/chat/opens-a-conversation", "The client creates a goal and chats about it",
            chatFlow, faces: ["ids/backend-goal-id", "request/shape"],
            steps: .createGoal("Run 5 km"), .untilAll(.goal("Run 5 km"), .idle, within: .seconds(30)),
            .chatAboutGoal(titled: "Run 5 km"),
            .untilAll(.connection(.connected), .goalLinked("Run 5 km"), .idle, within: .seconds(30)),
            .send("How do I begin?"), .untilAnswered(1), .expect(.noProblem), .disconnect),
        ContractCase(
            "goal/chat/reuses-the-conversation", "The chat about a goal continues in the goal's conversation",
            Clause(
                .goalLinking, "Key Takeaways",
                "If a goal has a conversationId, its chat continues in that conversation."),
            setting: .builtIn("established-account"), faces: ["goal/reuses-conversation"],
            steps: [
                .loadGoals, .untilAll(.goal("Run 5 km"), .goal("Sleep eight hours"), .idle, within: .seconds(30)),
                .chatAboutGoal(titled: "Run 5 km"),
                .untilAll(
                    .connection(.connected), .line(.assistant, containing: "Walk briskly for twenty minutes"),
                    .transcriptAsStored, .goalLinked("Run 5 km"), .idle, within: .seconds(30)), .disconnect,
            ]),
        ContractCase(
            "goal/chat/twice", "A second chat about the same goal uses the same conversation",
            Clause(
                .goalLinking, "Key Takeaways",
                "If a goal has a conversationId, its chat continues in that conversation."),
            faces: ["ids/backend-goal-id"],
            steps: .createGoal("Run 5 km"), .untilAll(.goal("Run 5 km"), .idle, within: .seconds(30)),
            .chatAboutGoal(titled: "Run 5 km"), .untilReady, .send("How do I begin?"), .untilAnswered(1), .disconnect,
            .untilAll(.offline, .idle, within: .seconds(10)), .pass(.seconds(10)), .loadGoals,
            .until(.idle, within: .seconds(30)), .chatAboutGoal(titled: "Run 5 km"), .untilAnswered(1), .disconnect),
        ContractCase(
            "goal/chat/404-is-not-asked-again",
            "The goal no longer exists: the user sees an error, and the client does not request the goal again",
            Clause(
                .goalLinking, "Common Errors, 2",
                "A goal that is not found is removed, or the user sees that it no longer exists."),
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
                .goalLinking, "Flow 2",
                "To link a goal created from a suggestion, PATCH the goal with the conversationId."),
            setting: .builtIn("scripted-coach"), faces: ["goal/links-created-goal"],
            steps: .start(.wellnessSpecialist), .untilReady, .send("I want to set myself a goal"), .untilAnswered(2),
            .createGoal("Run 5 km"), .untilAll(.goalLinked("Run 5 km"), .idle, within: .seconds(60)),
            // If the client has not linked the goal, the judge reports this once the link is overdue.
            .pass(.seconds(40)), .disconnect),
        ContractCase(
            "goal/create/without-a-suggestion-stays-unlinked", "A goal that no coach suggested has no conversation",
            Clause(.goalLinking, "Conversation Linking", "A goal's conversationId is null until it is linked."),
            steps: .createGoal("Run 5 km"), .untilAll(.goalUnlinked("Run 5 km"), .idle, within: .seconds(30)),
            .loadGoals, .pass(.seconds(30)), .expect(.all([.goalCount("Run 5 km", 1), .noProblem]))),
        ContractCase(
            "goal/create/400-surfaces", "The server refuses the goal with 400, and the user sees the error",
            .ours("If the backend refuses a new goal, the client informs the user."),
            setting: .faults(
                "refused-goal",
                "{on: POST /api/v1/goals, status: 400, code: BAD_REQUEST, message: The title is taken.}"),
            steps: .createGoal("Run 5 km"),
            .until(.checking(.refusal, .all([.someProblem, .idle])), within: .minutes(1))),
        ContractCase(
            "goal/create/500-twice", "The backend fails twice without side effects, and then works",
            Clause(.goalLinking, "Error Recovery Strategy", "Retry with exponential backoff: 1 s, 2 s, 4 s."),
            setting: .builtIn("flaky-500"), faces: ["retry/backoff-on-5xx"],
            steps: .createGoal("Run 5 km"), .untilAll(.goal("Run 5 km"), .idle, within: .minutes(2)), .loadGoals,
            .until(.idle, within: .minutes(2)), .expect(.all([.goalCount("Run 5 km", 1), .noProblem])),
            .chatAboutGoal(titled: "Run 5 km"), .until(.ready, within: .minutes(2)), .disconnect),
        ContractCase(
            "goal/create/answer-lost",
            "The create request succeeds but returns 502, and the client finds the goal in the list",
            .ours("Before repeating an unanswered POST, the client must check whether the POST succeeded."),
            setting: .builtIn("answer-lost"), faces: ["retry/creates-once"],
            steps: .createGoal("Run 5 km"), .untilAll(.goal("Run 5 km"), .idle, within: .minutes(5)),
            .expect(.noProblem)),
    ]

    private static let polling = Clause(
        .webSocketArchitecture, "Option 1", "Without a socket, poll the log every 5 seconds, at most 12 times.")
    private static let notified = Clause(
        .mealLogWebSocket, "Key Features", "The notification has the complete data: no second request is needed.")

    private static let gone = Clause(
        .goalLinking, "Common Errors, 3", "Clear conversationId from the goal, and show the error.")

    /// A list of goals that the client read before their conversation was deleted.
    private static func goals(conversation: String, status: String = "in_progress", _ more: String = "") -> String {
        let camel =
            #"{"id":"\#(KnownID.goal)","userId":"u1","title":"Run 5 km","description":"By summer.","#
            + #""status":"\#(status)","progress":0.4,"category":"fitness","targetDate":"2025-06-01T00:00:00Z","#
            + #""conversationId":\#(conversation),"createdAt":"2025-01-20T10:30:00Z","#
            + #""updatedAt":"2025-01-20T10:30:00Z"\#(more)}"#
        let snake = camel.replacing("Id\"", with: "_id\"").replacing("Date\"", with: "_date\"")
            .replacing("At\"", with: "_at\"")
        return #"{"goals":[\#(camel)],"totalCount":1,"success":true,"data":{"goals":[\#(snake)],"total_count":1}}"#
    }

    private static func knownGoal(_ name: String, listed body: String, requests: String) -> Setting {
        .written(
            """
            name: \(name)
            users:
              - id: default
                goals:
                  - {id: \(KnownID.goal), title: Run 5 km, status: in_progress, created_at: 5d ago}
            faults:
              - {on: GET /api/v1/goals, requests: \(requests), status: 200, body: '\(body)'}
            """)
    }

    /// Goals with a missing conversation, and answers that contain unknown words.
    static let goalAnswerCases: [ContractCase] = [
        ContractCase(
            "goal/chat/404-clears-the-conversation",
            "The goal's conversation was deleted, and the goal no longer links to it", gone,
            setting: knownGoal(
                "conversation-gone", listed: goals(conversation: "\"\(KnownID.nothing)\""), requests: "1"),
            faces: ["ids/gone-not-reused"],
            steps: [
                .loadGoals, .untilAll(.goal("Run 5 km"), .idle, within: .seconds(30)),
                .perform(.chatAboutGoal(id: KnownID.goal)),
                .until(
                    .checking(
                        .goneConversation,
                        .all([
                            .oneOf([.problem(.notFound), .connection(.connected)]),
                            .goalParted("Run 5 km", from: KnownID.nothing), .idle,
                        ])), within: .minutes(1)),
                .pass(.seconds(10)), .expect(.goalParted("Run 5 km", from: KnownID.nothing)), .disconnect,
            ]),
        ContractCase(
            "goal/chat/deleted-while-open",
            "The goal's open conversation is deleted: when the client reconnects, the socket is not found", gone,
            setting: .written(
                """
                name: deleted-while-open
                users:
                  - id: default
                    goals:
                      - {id: \(KnownID.goal), title: Run 5 km, status: in_progress, created_at: 5d ago}
                faults:
                  - {on: socket, connections: 1, at: {type: stream_complete}, finish: true}
                  - {on: socket, connections: 1, at: {type: assistant_message_end}, finish: true}
                  - {on: handshake, connections: 2, status: 404, code: NOT_FOUND}
                """), faces: ["ws/reconnect-backoff"],
            steps: [
                .loadGoals, .untilAll(.goal("Run 5 km"), .idle, within: .seconds(30)),
                .perform(.chatAboutGoal(id: KnownID.goal)),
                .untilAll(.connection(.connected), .goalLinked("Run 5 km"), .idle, within: .seconds(30)),
                .send("How do I begin?"),
                .until(
                    .checking(
                        .goneConversation,
                        .all([.problem(.notFound), .offline, .goalUnlinked("Run 5 km"), .idle])), within: .minutes(5)),
            ]),
        ContractCase(
            "goal/list/unknown-status", "A goal has an unknown status, category and member",
            Clause(.goalLinking, "GoalRepository", "An unknown status must be treated as not_started."),
            setting: knownGoal(
                "goal-on-hold", listed: goals(conversation: "null", status: "on_hold", #","priority":{"rank":1}"#),
                requests: "1.."), guide: .goalLinking,
            steps: .loadGoals, .until(.checking(.unknown, .all([.goal("Run 5 km"), .idle])), within: .minutes(1)),
            .expect(.checking(.unknown, .noProblem))),
        ContractCase(
            "goal/chat/unknown-persona", "The coach in a chat about a goal has an unknown persona",
            Clause(.goalLinking, "Models", "A persona is an object with an id, a name and an avatar."),
            setting: .written(
                """
                name: newer-coach
                users:
                  - id: default
                    goals:
                      - {id: \(KnownID.goal), title: Run 5 km, status: in_progress, created_at: 5d ago}
                    consultations:
                      - {id: \(KnownID.consultation), persona: nutritionist, created_at: 2d ago}
                faults:
                  - on: POST /api/v1/consultations/chat-about-goal
                    status: 201
                    body: '{"conversationId":"\(KnownID.consultation)","goalId":"\(KnownID.goal)","createdAt":"2025-01-29T10:30:00Z","persona":{"id":"sleep_coach","name":"Sleep Coach","avatar":"https://example.com/sleep.png"},"model":"2"}'
                """), guide: .goalLinking,
            steps: .loadGoals, .untilAll(.goal("Run 5 km"), .idle, within: .seconds(30)),
            .chatAboutGoal(titled: "Run 5 km"), .until(.checking(.unknown, .ready), within: .minutes(1)),
            .expect(.checking(.unknown, .noProblem)), .disconnect),
        ContractCase(
            "goal/chat/time-out-is-retried",
            "The first chat-about-goal request is never answered, and the client retries it",
            Clause(.goalLinking, "Common Errors, 4", "A network time-out is retried with exponential backoff."),
            setting: .faults(
                "chat-times-out", "{on: POST /api/v1/consultations/chat-about-goal, requests: 1, hang: true}"),
            faces: ["retry/backoff-on-5xx"],
            steps: .createGoal("Run 5 km"), .untilAll(.goal("Run 5 km"), .idle, within: .seconds(30)),
            .chatAboutGoal(titled: "Run 5 km"),
            .untilAll(.connection(.connected), .goalLinked("Run 5 km"), .idle, within: .minutes(5)), .disconnect),
    ]

    /// Meals that complete, fail or never finish, with and without a socket.
    static let mealCases: [ContractCase] = [
        ContractCase(
            "meal/connected/takes-the-event", "A meal is processed while a chat is open",
            notified, setting: .builtIn("meal-completes"),
            faces: ["meal/no-fetch-after-completed", "meal/no-poll-while-connected", "request/shape"],
            steps: .start(.nutritionist), .untilReady, .logMeal("2 eggs and toast"),
            .until(.meal("2 eggs and toast", .processing), within: .seconds(2)),
            .untilAll(.meal("2 eggs and toast", .completed, calories: 263), .idle, within: .seconds(30)),
            .pass(.minutes(2)), .expect(.noProblem), .disconnect),
        ContractCase(
            "meal/connected/real-food", "The built-in parser processes the guides' own example",
            notified, faces: ["meal/no-fetch-after-completed"],
            steps: .start(.nutritionist), .untilReady, .logMeal("120g chicken breast", .lunch),
            .untilAll(.meal("120g chicken breast", .completed, calories: 198), .idle, within: .seconds(30)),
            .disconnect),
        ContractCase(
            "meal/connected/failure-surfaces", "A meal fails while a chat is open",
            Clause(.mealLogWebSocket, "Step 4", "The user sees why a meal could not be processed."),
            setting: .builtIn("meal-fails"), faces: ["meal/no-poll-while-connected"],
            steps: [
                .start(.nutritionist), .untilReady, .logMeal("the usual"),
                // The event arrives after 2 s. A client that is still waiting after 4 s has ignored the event.
                .untilAll(
                    .mealError("the usual", containing: "Failed to parse meal input"), .problem(.meal), .idle,
                    within: .seconds(4)), .disconnect,
            ]),
        ContractCase(
            "meal/connected/events-in-another-order",
            "Four meals are logged, and their events arrive in a different order",
            Clause(.mealLogWebSocket, "Step 4", "Verify that the event is about the tracked meal log."),
            setting: outOfOrder, faces: ["meal/no-fetch-after-completed"],
            steps: [
                .start(.nutritionist), .untilReady, .logMeal("porridge"), .logMeal("the usual"), .logMeal("2 eggs"),
                .logMeal("1 apple"),
                // A client may follow only the latest meal, like the client in the guide.
                .until(
                    .checking(.ownMeal, .all([.meal("1 apple", .completed, calories: 95), .idle])),
                    within: .seconds(30)),
                .expect(.mealResult("2 eggs", .completed, calories: 140)),
                .expect(.mealResult("porridge", .completed, calories: 310)),
                .expect(.mealResult("the usual", .failed)), .disconnect,
            ]),
        ContractCase(
            "meal/connected/contents-are-shown", "The event has the foods and their protein: no fetch is needed",
            notified, setting: .builtIn("meal-completes"), guide: .mealLogWebSocket,
            faces: ["meal/no-fetch-after-completed"],
            steps: [
                .start(.nutritionist), .until(.connection(.connected), within: .seconds(30)),
                .logMeal("2 eggs and toast"),
                .until(.meal("2 eggs and toast", .completed, calories: 263), within: .seconds(30)),
                .expect(
                    .mealContents("2 eggs and toast", protein: 16.2, items: ["Scrambled Eggs", "Whole Wheat Toast"])),
                .disconnect,
            ]),
        ContractCase(
            "meal/create/nothing-entered", "The user enters nothing, and then a meal",
            Clause(.mealLogWebSocket, "Step 4", "The client does not send empty input: it asks the user for the meal."),
            faces: ["request/shape"],
            steps: [
                .start(.nutritionist), .untilReady, .logMeal(""), .pass(.seconds(5)), .expect(.problem(.refused)),
                .logMeal("2 eggs"),
                .untilAll(.meal("2 eggs", .completed, calories: 140), .idle, within: .seconds(30)), .disconnect,
            ]),
        ContractCase(
            "meal/polling/unknown-status",
            "The meal log's first status is pending, as in one guide, and the client tracks the meal",
            Clause(
                .webSocketArchitecture, "Testing Plan, option 1", "The meal appears immediately, with status pending."),
            setting: .written(
                """
                name: pending
                users:
                  - id: default
                    meal_logs:
                      - id: \(KnownID.meal)
                        text: 2 eggs
                        meal_type: breakfast
                        items: [{name: Boiled Egg, quantity: 2, unit: pieces, calories: 140, protein: 12}]
                faults:
                  - on: POST /api/v1/meal-logs/natural
                    status: 201
                    body: '{"success":true,"data":{"id":"\(KnownID.meal)","user_id":"u1","raw_input":"2 eggs","meal_type":"breakfast","status":"pending","queue":{"place":3},"logged_at":"2025-01-29T10:30:00Z","created_at":"2025-01-29T10:30:00Z","updated_at":"2025-01-29T10:30:00Z"}}'
                """), guide: .webSocketArchitecture,
            steps: [
                .logMeal("2 eggs"),
                .until(
                    .checking(.unknown, .all([.meal("2 eggs", .completed, calories: 140), .idle])),
                    within: .minutes(1)),
            ]),
        ContractCase(
            "meal/polling/completes", "A meal is processed while no chat is open",
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
            "meal/polling/never-finishes", "A meal is still processing after a minute, and polling ends",
            polling, setting: .builtIn("meal-never-finishes"), faces: ["meal/polling-cadence"],
            steps: .logMeal("2 eggs"), .until(.idle, within: .minutes(5)), .pass(.minutes(10)), .expect(.idle),
            .expect(.meal("2 eggs", .processing))),
        ContractCase(
            "meal/polling/finished-before-the-socket", "A meal is processed before a client can listen for the event",
            .ours("A socket that connects later does not receive earlier events: the client fetches what it missed."),
            setting: .builtIn("meal-finishes-before-socket"), steps: .logMeal("2 eggs"), .start(.nutritionist),
            .untilAll(.meal("2 eggs", .completed, calories: 140), .connection(.connected), .idle, within: .minutes(5)),
            .disconnect),
        ContractCase(
            "meal/create/500-twice", "The backend fails twice without side effects, and then works",
            Clause(.mealLogWebSocket, "Retry Logic Example", "Three attempts with exponential backoff."),
            setting: .builtIn("flaky-500"), faces: ["retry/backoff-on-5xx"], steps: .logMeal("2 eggs"),
            .untilAll(.meal("2 eggs", .completed, calories: 140), .idle, within: .minutes(5)), .expect(.noProblem)),
        ContractCase(
            "meal/create/400-surfaces", "The server refuses the meal with 400, and the user sees the error",
            Clause(.mealLogWebSocket, "Step 3", "The user sees why the backend refuses a meal."),
            setting: .faults(
                "refused-meal",
                "{on: POST /api/v1/meal-logs/natural, status: 400, code: BAD_REQUEST, message: The kitchen is closed.}"),
            steps: .logMeal("2 eggs"), .until(.checking(.refusal, .all([.someProblem, .idle])), within: .minutes(1))),
        ContractCase(
            "meal/create/answer-lost", "Logging succeeds but returns 502, and the client finds the meal in the list",
            .ours("Before repeating an unanswered POST, the client must check whether the POST succeeded."),
            setting: .builtIn("answer-lost"), faces: ["retry/creates-once"], steps: .logMeal("2 eggs"),
            .untilAll(.meal("2 eggs", .completed, calories: 140), .idle, within: .minutes(5)), .expect(.noProblem)),
        ContractCase(
            "meal/socket/takes-the-event", "A meal is processed while the meal socket is open, without a chat",
            mealSocket, faces: ["meal/no-poll-while-connected", "meal/no-fetch-after-completed", "ws/keepalive"],
            steps: .listenToMeals, .until(.idle, within: .seconds(30)), .logMeal("2 eggs"),
            .untilAll(.meal("2 eggs", .completed, calories: 140), .idle, within: .seconds(30)), .pass(.minutes(15)),
            .logMeal("120g chicken breast", .lunch),
            .untilAll(.meal("120g chicken breast", .completed, calories: 198), .idle, within: .seconds(30)),
            .expect(.noProblem), .disconnect, .until(.idle, within: .seconds(10))),
        ContractCase(
            "meal/socket/beside-a-chat", "The meal socket and a chat socket are open, and the meal appears once",
            mealSocket, faces: ["meal/no-poll-while-connected"],
            steps: .listenToMeals, .until(.idle, within: .seconds(30)), .start(.nutritionist), .untilReady,
            .logMeal("2 eggs"), .untilAll(.meal("2 eggs", .completed, calories: 140), .idle, within: .seconds(30)),
            .send("Hello?"), .untilAnswered(1), .expect(.noProblem), .disconnect),
        ContractCase(
            "meal/socket/reconnects-with-back-off", "The meal socket is lost, refused and reopened", mealSocket,
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
            "meal/socket/gives-up",
            "Every handshake for the meal socket is refused, and after five attempts the user sees an error",
            mealSocket,
            setting: .faults(
                "meal-socket-refused", "{on: handshake /ws/meal-logs, connections: 2.., status: 503}",
                "{on: socket /ws/meal-logs, at: {frame: 2}, close: {code: 1001}}"),
            faces: ["ws/reconnect-backoff", "ws/reconnect-limit"],
            steps: .listenToMeals, .until(.idle, within: .seconds(30)), .logMeal("2 eggs"), .pass(.seconds(10)),
            .untilAll(.problem(.unavailable), .meal("2 eggs", .completed, calories: 140), .idle, within: .minutes(10)),
            .pass(.minutes(5)), .expect(.idle)),
    ]

    /// The results always arrive in the order eggs, porridge, the usual, the apple.
    private static let outOfOrder = Setting.written(
        """
        name: out-of-order
        meals:
          - when: {text: porridge}
            after: 3s
            items: [{name: Porridge, quantity: 1, unit: bowl, calories: 310, protein: 11}]
          - {when: {text: usual}, after: 3500ms, fail: Failed to parse meal input}
          - when: {text: apple}
            after: 4s
            items: [{name: Apple, quantity: 1, unit: piece, calories: 95, protein: 0.5}]
          - after: 2500ms
            items: [{name: Boiled Egg, quantity: 2, unit: pieces, calories: 140, protein: 12}]
        """)

    private static let mealSocket = Clause.ours(
        "/ws/meal-logs delivers events for all meals; a client opens it once per user, and reconnects with "
            + "backoff.")
}
