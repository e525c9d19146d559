extension ContractCase {
    /// Creating, continuing, opening and archiving chats.
    static let consultationCases: [ContractCase] = [
        ContractCase(
            "consultation/create/201-opens-chat", "The client creates its first consultation and opens the chat",
            Clause(
                .consultationWebSocket, "Quick Start",
                "Create the consultation, connect to its socket with the same credentials, then chat."),
            faces: [
                "auth/credentials-on-every-request", "auth/websocket-credentials", "ids/lowercase", "request/shape",
                "ws/endpoint", "consultation/history-before-connect",
            ],
            steps: [.start(.nutritionist), .untilReady, .expect(.noProblem), .expect(.transcriptAsStored), .disconnect]
        ),
        ContractCase(
            "consultation/create/in-an-empty-account", "A new user's first consultation",
            Clause(.enhancedConsultations, "Message Flow", "The history begins with the user's first message."),
            setting: .builtIn("empty-account"), faces: ["request/shape"],
            steps: .loadGoals, .start(.generalWellness), .untilReady, .send("Hello, who are you?"), .untilAnswered(1),
            .expect(.noProblem), .disconnect),
        ContractCase(
            "consultation/create/on-the-first-run",
            "The world has no users yet: the list is empty, and a user starts a chat",
            Clause(.enhancedConsultations, "Message Flow", "The history begins with the user's first message."),
            setting: .builtIn("app-first-run"), faces: ["request/shape", "consultation/history-before-connect"],
            steps: .loadGoals, .start(.wellnessSpecialist), .untilReady, .send("Hello?"), .untilAnswered(1),
            .expect(.noProblem), .disconnect),
        ContractCase(
            "consultation/create/returning-user", "A returning user's messages are read before the socket opens",
            Clause(.consultationWebSocket, "Issue: 409", "Fetch the existing consultation and continue it."),
            setting: .builtIn("app-returning-user"),
            faces: ["consultation/history-before-connect", "consultation/conflict-continues-existing"],
            steps: .start(.nutritionist), .untilReady,
            .expect(.line(.assistant, containing: "A banana an hour before")), .expect(.transcriptAsStored),
            .disconnect),
        ContractCase(
            "consultation/create/409-continues-existing", "The consultation exists, and the client continues it",
            Clause(.consultationWebSocket, "HTTP errors, 409", "Use the existing consultation id from the error."),
            setting: .written(existingConsultation),
            faces: ["consultation/conflict-continues-existing", "consultation/history-before-connect"],
            steps: [
                .start(.nutritionist),
                .untilAll(
                    .continues(KnownID.consultation), .connection(.connected), .transcriptAsStored, .idle,
                    within: .seconds(30)), .send("And on days without training?"), .untilAnswered(2), .disconnect,
            ]),
        ContractCase(
            "consultation/create/409-shows-the-history", "The history is shown before the user asks anything",
            Clause(.consultationWebSocket, "Issue: 409", "Fetch the existing consultation and continue it."),
            setting: .builtIn("conflict"), faces: ["consultation/conflict-continues-existing"],
            steps: .start(.nutritionist), .untilReady, .expect(.line(.user, containing: "How much protein do I need?")),
            .expect(.line(.assistant, containing: "About 1.6 g per kg")), .expect(.transcriptAsStored), .disconnect),
        ContractCase(
            "consultation/create/409-is-for-one-persona", "A different persona gets its own consultation",
            Clause(.enhancedConsultations, "AI Personas", "Each persona has its own consultation with the user."),
            setting: .builtIn("conflict"),
            steps: .start(.fitnessCoach), .untilReady, .expect(.noLine(containing: "About 1.6 g per kg")),
            .send("How do I begin to run?"), .untilAnswered(1), .disconnect),
        ContractCase(
            "consultation/create/answer-lost",
            "The create request succeeds but returns 502, and the second attempt finds the consultation",
            Clause(.consultationWebSocket, "HTTP errors, 500", "A server error is retried with exponential backoff."),
            setting: .builtIn("answer-lost"),
            faces: ["retry/backoff-on-5xx", "consultation/conflict-continues-existing"],
            steps: .start(.nutritionist), .until(.ready, within: .minutes(2)), .send("Hello?"), .untilAnswered(1),
            .expect(.noProblem), .disconnect),
        ContractCase(
            "consultation/create/500-twice", "Each endpoint fails twice before it works",
            Clause(.consultationWebSocket, "HTTP errors, 500", "A server error is retried with exponential backoff."),
            setting: .builtIn("flaky-500"), faces: ["retry/backoff-on-5xx"],
            steps: .start(.nutritionist), .until(.ready, within: .minutes(2)), .expect(.noProblem), .send("Hello?"),
            .untilAnswered(1), .disconnect),
        ContractCase(
            "consultation/create/500-for-good", "The backend stays down, and the user sees an error",
            Clause(.goalLinking, "Error Recovery Strategy", "After three attempts the user is asked to try later."),
            setting: .faults("down", "{on: POST /api/v1/consultations, status: 503}"), faces: ["retry/backoff-on-5xx"],
            steps: .start(.nutritionist), .untilAll(.problem(.unavailable), .offline, .idle, within: .minutes(5)),
            .pass(.minutes(10)), .expect(.noConsultation)),
        ContractCase(
            "consultation/create/late-answers", "Answers hang, dribble and arrive late; the chat still opens",
            Clause(.goalLinking, "Common Errors, 4", "A network time-out is retried with exponential backoff."),
            setting: .builtIn("timeouts"), faces: ["retry/backoff-on-5xx"],
            steps: .start(.nutritionist), .until(.ready, within: .minutes(10)), .send("Hello?"),
            .untilAnswered(1, within: .minutes(2)), .disconnect),
        ContractCase(
            "consultation/create/400-surfaces",
            "The server refuses the consultation with 400, and the user sees the error",
            Clause(.consultationWebSocket, "best practice 4", "Show error alerts for failures."),
            setting: .faults(
                "refused-create",
                "{on: POST /api/v1/consultations, status: 400, code: BAD_REQUEST, message: The persona is on leave.}"),
            steps: .start(.nutritionist),
            .until(.checking(.refusal, .all([.problem(.refused), .offline, .idle])), within: .minutes(1)),
            .pass(.seconds(10)), .expect(.noConsultation)),
        ContractCase(
            "consultation/open/newest-100-messages", "The client keeps at most 100 of 5,000 messages",
            Clause(.consultationWebSocket, "best practice 5", "The message cache is limited to the last 100 messages."),
            setting: .builtIn("long-history"), guide: .consultationWebSocket,
            faces: ["consultation/conflict-continues-existing"], steps: .start(.nutritionist),
            .untilAll(.connection(.connected), .transcriptEndsAsStored(atLeast: 20), .idle, within: .seconds(60)),
            .expect(.lines(atMost: 100)), .send("And today?"),
            .untilAll(.line(.user, containing: "And today?"), .idle, within: .seconds(60)),
            .expect(.lines(atMost: 100)), .disconnect),
        ContractCase(
            "consultation/open/long-history", "The client shows the newest of 5,000 messages",
            Clause(.enhancedConsultations, "Message History", "Load messages in pages; scroll to load the rest."),
            setting: .builtIn("long-history"), faces: ["consultation/conflict-continues-existing"],
            steps: .start(.nutritionist),
            .untilAll(.connection(.connected), .transcriptEndsAsStored(atLeast: 20), .idle, within: .seconds(60)),
            .send("And today?"), .untilAll(.line(.user, containing: "And today?"), .idle, within: .seconds(60)),
            .expect(.transcriptEndsAsStored(atLeast: 20)), .disconnect),
        ContractCase(
            "consultation/open/known-id", "A known consultation is opened without creating anything",
            Clause(.mealLogWebSocket, "best practice 1", "On launch, the app connects to its existing consultation."),
            setting: .written(existingConsultation), faces: ["consultation/history-before-connect", "ids/lowercase"],
            steps: .open(KnownID.consultation),
            .untilAll(.connection(.connected), .transcriptAsStored, .idle, within: .seconds(30)), .expect(.noProblem),
            .disconnect),
        ContractCase(
            "consultation/open/404-is-not-asked-again", "The client does not request a missing conversation again",
            Clause(
                .goalLinking, "Common Errors, 3", "A conversation that is not found is cleared; the user sees an error."
            ),
            faces: ["ids/gone-not-reused"],
            steps: .open(KnownID.nothing), .untilAll(.problem(.notFound), .offline, .idle, within: .seconds(60)),
            .pass(.minutes(1)), .open(KnownID.nothing), .pass(.minutes(1)), .expect(.offline)),
        ContractCase(
            "consultation/open/not-active",
            "An archived consultation's socket is refused, and the client stops retrying",
            Clause(
                .enhancedConsultations, "Issue 1",
                "If the socket fails, verify that the token is valid and the consultation exists."),
            setting: .written(
                """
                name: archived
                users:
                  - id: default
                    consultations:
                      - id: \(KnownID.consultation)
                        persona: nutritionist
                        status: archived
                        created_at: 2d ago
                """),
            steps: .open(KnownID.consultation), .untilAll(.offline, .idle, within: .minutes(5)), .pass(.minutes(5)),
            .expect(.offline)),
        ContractCase(
            "consultation/open/damaged-answers", "The client does not treat truncated or broken answers as complete",
            .ours("After a damaged answer, the client must ask again or show its user an error."),
            setting: .builtIn("broken-responses"),
            steps: .createGoal("Run 5 km"), .untilAll(.goal("Run 5 km"), .idle, within: .seconds(60)), .loadGoals,
            .untilAll(.goal("Run 5 km"), .idle, within: .minutes(3)), .start(.nutritionist),
            .until(.ready, within: .minutes(3)), .send("Hello?"), .untilAnswered(1), .disconnect),
        ContractCase(
            "consultation/archive/frees-the-persona",
            "After archiving a consultation, the user starts a new one with the same persona",
            Clause(.enhancedConsultations, "REST API", "Archiving a consultation ends it and keeps its history."),
            faces: ["request/shape"],
            steps: .start(.nutritionist), .untilReady, .send("Hello?"), .untilAnswered(1), .archive,
            .untilAll(.offline, .idle, within: .seconds(30)), .pass(.seconds(10)), .start(.nutritionist),
            .untilAll(.connection(.connected), .transcriptAsStored, .idle, within: .seconds(30)),
            .expect(.noLine(containing: "Hello?")), .disconnect),
    ]

    /// A consultation with the nutritionist that has two messages.
    static let existingConsultation = """
        name: existing
        users:
          - id: default
            consultations:
              - id: \(KnownID.consultation)
                persona: nutritionist
                title: Protein for a beginner
                created_at: 2d ago
                messages:
                  - user: How much protein do I need?
                    created_at: 2d ago
                  - assistant: About 1.6 g per kg of body weight, spread over the day.
                    created_at: 2d ago
        """
}
