extension ContractCase {
    private static let streaming = Clause(
        .enhancedConsultations, "Message Flow",
        "The answer streams back word by word, and the full message is stored in the history.")

    private static let scriptedAnswer = "About 1.6 g per kg of body weight, spread over the day."

    private static func newFrame(_ type: String) -> String {
        #"{"type":"\#(type)","consultation_id":"\#(KnownID.consultation)","content":"of tomorrow","#
            + #""timestamp":"2025-01-29T10:30:00Z"}"#
    }

    private static let newConsultation =
        #"{"id":"\#(KnownID.consultation)","user_id":"u1","persona":"sleep_coach","status":"paused","#
        + #""started_at":"2025-01-27T10:30:00Z","message_count":0,"tags":["new"],"#
        + #""created_at":"2025-01-27T10:30:00Z","updated_at":"2025-01-27T10:30:00Z"}"#

    private static let templates = Setting.written(
        """
        name: coach-templates
        answers:
          - when: {content: dinner}
            text: Salmon with lentils.
            template_created: {type: meal, id: template-1, name: High-protein dinner}
          - when: {content: legs}
            text: Squats and lunges.
            template_created: {type: workout, id: template-2, name: Leg day}
          - when: {content: calm}
            text: Breathe slowly.
            template_created: {type: wellness, id: template-3, name: Evening calm}
        """)
    private static let templateClause = Clause(
        .enhancedConsultations, "TemplateCreatedBanner", "A template's type is meal, workout or wellness.")

    /// Templates that coaches create, and suggested questions on the coaches' screen.
    static let templateCases: [ContractCase] = [
        ContractCase(
            "template/created/is-no-goal",
            "The coach creates a meal template, and then the user creates an unrelated goal",
            templateClause, setting: templates,
            steps: [
                .start(.nutritionist), .untilReady, .send("What can I have for dinner?"), .untilAnswered(1),
                .createGoal("Run 5 km"), .untilAll(.goal("Run 5 km"), .idle, within: .seconds(30)),
                .pass(.seconds(10)), .expect(.checking(.template, .goalUnlinked("Run 5 km"))), .disconnect,
            ]),
        ContractCase(
            "template/created/is-shown", "The coach creates three templates, one of each type",
            templateClause, setting: .builtIn("templates"), guide: .enhancedConsultations,
            steps: [
                .start(.nutritionist), .untilReady, .send("How do I become calm?"), .untilAnswered(1),
                .expect(.template(type: "wellness", name: "Calm Evenings")), .send("What can I have for dinner?"),
                .untilAnswered(2), .send("What can I do for my legs?"), .untilAnswered(3),
                .expect(
                    .checking(
                        .template,
                        .all([
                            .template(type: "wellness", name: "Calm Evenings"),
                            .template(type: "meal", name: "Seven Simple Dinners"),
                            .template(type: "workout", name: "Three Workouts a Week"),
                        ]))), .disconnect,
            ]),
        ContractCase(
            "quick-actions/load/are-shown", "The client loads the questions that the coach's screen suggests",
            Clause(.enhancedConsultations, "Quick Actions", "Prompts make it easy to start a conversation."),
            guide: .enhancedConsultations, faces: ["auth/credentials-on-every-request"],
            steps: .loadQuickActions, .untilAll(.quickActions, .idle, within: .seconds(30)), .expect(.noProblem)),
        ContractCase(
            "quick-actions/load/failure-surfaces", "Quick actions fail to load, and the user sees the error",
            .ours("The user sees that the request failed."),
            setting: .faults("no-quick-actions", "{on: GET /api/v1/consultations/quick-actions, status: 500}"),
            faces: ["retry/backoff-on-5xx"], steps: .loadQuickActions,
            .until(.checking(.refusal, .all([.problem(.unavailable), .idle])), within: .minutes(5))),
    ]

    /// Questions and answers over a stable connection.
    static let chatCases: [ContractCase] = [
        ContractCase(
            "chat/answer/is-the-sum-of-its-chunks", "Two questions, two answers, word by word",
            streaming, faces: ["ws/message-shape", "ws/endpoint"],
            steps: .start(.nutritionist), .untilReady, .send("How much protein do I need each day?"),
            .until(.streaming, within: .seconds(10)), .untilAnswered(1), .send("And for breakfast? 🥚🥚"),
            .untilAnswered(2), .expect(.noProblem), .disconnect),
        ContractCase(
            "chat/answer/as-scripted", "The same answer twice, word for word, even while it streams",
            streaming, setting: .builtIn("scripted-coach"),
            steps: .start(.nutritionist), .untilReady, .watch(.answersBegin(scriptedAnswer)),
            .send("How much protein do I need?"), .untilAnswered(1),
            .expect(.line(.assistant, containing: scriptedAnswer)), .send("How much protein do I need?"),
            .untilAnswered(2), .disconnect),
        ContractCase(
            "chat/answer/slow-coach-is-waited-for",
            "The first word arrives after eight seconds, then one word arrives per second",
            Clause(.consultationWebSocket, "best practice 4", "The input is disabled while the AI is responding."),
            setting: .builtIn("slow-coach"), faces: ["ws/no-send-while-streaming"],
            steps: .start(.nutritionist), .untilReady, .send("How much protein?"),
            .until(.streaming, within: .seconds(30)), .send("And for breakfast?"),
            .untilAnswered(2, within: .minutes(15)), .expect(.noProblem), .disconnect),
        ContractCase(
            "chat/answer/question-before-connected-waits", "The server sends connected late",
            Clause(
                .webSocketArchitecture, "Testing Plan, option 2",
                "Verify that `connected` is received, then continue."),
            setting: .faults(
                "late-connected", "{on: socket, at: {frame: 1}, delay: 4s}"), faces: ["ws/waits-for-connected"],
            steps: .start(.nutritionist), .pass(.seconds(2)), .send("Hello?"), .untilAnswered(1), .expect(.noProblem),
            .disconnect),
        ContractCase(
            "chat/answer/never-ends", "Only three words arrive, and the client's own time-out ends the answer",
            Clause(.mealLogWebSocket, "Common Errors", "If the AI takes too long, time out and offer to retry."),
            setting: .builtIn("silent-coach"), faces: ["ws/message-shape"],
            steps: .start(.nutritionist), .untilReady, .watch(.completeAnswersAreStored), .send("Hello?"),
            .until(.streaming, within: .seconds(10)), .until(.idle, within: .minutes(15)), .send("Still there?"),
            .untilAll(.answers(1), .idle, within: .minutes(15)), .disconnect),
        ContractCase(
            "chat/error/surfaces", "The coach fails immediately, then in the middle of an answer, then recovers",
            Clause(.consultationWebSocket, "best practice 4", "Failures are shown to the user as alerts."),
            setting: .builtIn("coach-error"), faces: ["ws/no-send-while-streaming"],
            steps: .start(.nutritionist), .untilReady, .watch(.completeAnswersAreStored), .send("One?"),
            .untilAll(.problem(.chat, containing: "The coach is overloaded."), .idle, within: .seconds(30)),
            .send("Two?"),
            .untilAll(.problem(.chat, containing: "The answer was interrupted."), .idle, within: .seconds(60)),
            .expect(.problemCount(.chat, 2)), .send("Three?"), .untilAnswered(1), .disconnect),
        ContractCase(
            "chat/message/from-1-to-2000-characters", "The client does not send a message that is too long",
            Clause(
                .enhancedConsultations, "best practice 4", "Validate before sending: trimmed, not empty, at most 2000."),
            faces: ["ws/message-shape"],
            steps: .start(.nutritionist), .untilReady, .send("   "), .send(String(repeating: "a", count: 2001)),
            .pass(.seconds(5)), .expect(.problem(.refused)),
            .expect(.noLine(containing: String(repeating: "a", count: 2001))),
            .send("  " + String(repeating: "é", count: 2000) + "\n"), .untilAnswered(1),
            .expect(.line(.user, containing: String(repeating: "é", count: 2000))), .disconnect),
        ContractCase(
            "chat/frames/unknown-are-ignored", "Frames with new types arrive before, during and after an answer",
            Clause(
                .enhancedConsultations, "handleIncomingMessage",
                "Clients must ignore unknown types, as the other chat guides also say."),
            setting: .written(
                """
                name: newer-frames
                users:
                  - id: default
                    consultations:
                      - {id: \(KnownID.consultation), persona: nutritionist, created_at: 2d ago}
                answers:
                  - {chunks: ["About ", "1.6 g ", "per kg."], timing: {first_chunk: 400ms, chunks_per_second: 5}}
                faults:
                  - on: socket
                    at: {type: connected}
                    replace: '{"type":"connected","consultation_id":"\(KnownID.consultation)","timestamp":"2025-01-29T10:30:00Z","server":{"version":9}}'
                  - {on: socket, at: {frame: 2}, insert: '\(newFrame("coach_mood"))'}
                  - {on: socket, at: {chunk: 2}, insert: '\(newFrame("assistant_thinking"))'}
                  - {on: socket, at: {chunk: 3}, insert: '\(newFrame("stream_paused"))'}
                  - {on: socket, at: {type: stream_complete}, insert: '\(newFrame("usage"))'}
                  - {on: socket, at: {type: assistant_message_end}, insert: '\(newFrame("usage"))'}
                """), faces: ["ws/message-shape"],
            steps: [
                .start(.nutritionist), .until(.checking(.unknown, .ready), within: .seconds(30)),
                .watch(.checking(.unknown, .answersBegin("About 1.6 g per kg."))),
                .send("How much protein do I need?"),
                .until(.checking(.unknown, .answered(1)), within: .seconds(60)), .send("And on days without training?"),
                .until(.checking(.unknown, .answered(2)), within: .seconds(60)),
                .expect(.checking(.unknown, .noProblem)), .disconnect,
            ]),
        ContractCase(
            "chat/frames/undecodable-are-survived", "Invalid messages arrive during an answer",
            Clause(.consultationWebSocket, "handleIncomingMessage", "The client skips frames that it cannot decode."),
            setting: .faults(
                "no-messages", "{on: socket, at: {chunk: 1}, insert: Bad Gateway}",
                "{on: socket, at: {chunk: 2}, insert: '[7]'}", "{on: socket, at: {chunk: 3}, insert: '{\"type\":7}'}"),
            steps: .start(.nutritionist), .untilReady, .send("How much protein do I need each day?"),
            .untilAnswered(1), .send("And for breakfast?"), .untilAnswered(2), .disconnect),
        ContractCase(
            "chat/persona/unknown-is-shown", "The consultation has an unknown persona, status and member",
            Clause(.consultationWebSocket, "Data Models", "A consultation's persona and status are strings."),
            setting: .written(
                """
                name: newer-words
                users:
                  - id: default
                    consultations:
                      - {id: \(KnownID.consultation), persona: nutritionist, created_at: 2d ago}
                faults:
                  - on: POST /api/v1/consultations
                    requests: 1
                    status: 201
                    body: '{"success":true,"data":{"consultation":\(newConsultation)}}'
                  - on: POST /api/v1/consultations
                    requests: 2..
                    status: 409
                    body: '{"success":false,"error":{"code":"CONSULTATION_EXISTS","message":"It exists.","details":{"existing_consultation_id":"\(KnownID.consultation)","persona":"sleep_coach","status":"paused","can_continue":true}}}'
                  - {on: "GET /api/v1/consultations/{id}", status: 200, body: '{"success":true,"data":\(newConsultation)}'}
                """), guide: .consultationWebSocket,
            steps: [
                .start(.nutritionist), .until(.checking(.unknown, .ready), within: .seconds(30)), .send("Hello?"),
                .until(.checking(.unknown, .answered(1)), within: .seconds(60)), .disconnect, .pass(.seconds(10)),
                .start(.nutritionist), .until(.checking(.unknown, .answered(1)), within: .seconds(30)),
                .expect(.checking(.unknown, .noProblem)), .disconnect,
            ]),
        ContractCase(
            "chat/personas/one-after-another", "Two consecutive chats use one connection at a time",
            Clause(.mealLogWebSocket, "best practice 1", "Do not create multiple WebSocket connections."),
            faces: ["ws/single-connection", "ws/close-handshake"],
            steps: [
                .start(.nutritionist), .untilReady, .send("Hello?"), .untilAnswered(1), .start(.fitnessCoach),
                .untilAll(.connection(.connected), .transcriptAsStored, .idle, within: .seconds(30)),
                .send("How do I begin to run?"), .untilAnswered(1), .expect(.noLine(containing: "Hello?")),
                .start(.nutritionist),
                .untilAll(
                    .connection(.connected), .line(.user, containing: "Hello?"), .transcriptAsStored, .idle,
                    within: .seconds(30)), .disconnect,
            ]),
    ]

    /// Answers with frames that arrive split, joined or out of order.
    static let deliveryCases: [ContractCase] = [
        ContractCase(
            "delivery/fragments/are-put-together", "Chunks arrive in fragments that split characters",
            streaming, setting: .builtIn("fragmented-frames"),
            steps: .start(.nutritionist), .untilReady, .send("What did I have?"), .untilAnswered(1),
            .expect(.line(.assistant, containing: "Crème brûlée 🥚🥚 and naïve oats: all fine.")), .disconnect),
        ContractCase(
            "delivery/coalesced/are-taken-apart", "Several messages arrive in one frame, separated by newlines",
            streaming, setting: .builtIn("coalesced-frames"),
            steps: .start(.nutritionist), .untilReady, .send("How much protein?"), .untilAnswered(1),
            .expect(.noProblem), .disconnect),
        ContractCase(
            "delivery/unreliable/history-is-right",
            "In each answer, one chunk is lost, one is duplicated and two are swapped",
            Clause(
                .enhancedConsultations, "Issue 4",
                "Use message ids to remove duplicates; the history is authoritative."),
            setting: .builtIn("unreliable-chunks"),
            steps: .start(.nutritionist), .untilReady, .send("How much protein do I need each day?"),
            .untilAnswered(1, within: .minutes(3)), .disconnect),
        ContractCase(
            "delivery/hostile/is-the-sum-of-its-chunks",
            "Text that is hard to display arrives split at the worst places",
            streaming, setting: .builtIn("hostile-coach"),
            steps: [.start(.nutritionist), .untilReady]
                + (1...12).flatMap { count in [.send("Question \(count)?"), .untilAnswered(count)] }
                + [.expect(.noProblem), .disconnect]),
        ContractCase(
            "delivery/times/nine-digits", "Times have nine fractional digits",
            .ours("A client must read times with and without fractional seconds."),
            setting: .builtIn("nanosecond-timestamps"),
            steps: .createGoal("Run 5 km"), .start(.nutritionist), .untilReady, .send("Hello?"), .untilAnswered(1),
            .logMeal("2 eggs"), .untilAll(.meal("2 eggs", .completed, calories: 140), .idle, within: .minutes(2)),
            .loadGoals, .untilAll(.goal("Run 5 km"), .idle, within: .seconds(30)), .expect(.noProblem), .disconnect),
        ContractCase(
            "delivery/broken-frames/are-survived", "Four connections break the protocol, each in a different way",
            Clause(.enhancedConsultations, "Issue 3", "If connections drop, reconnect with backoff."),
            setting: .builtIn("broken-frames"),
            steps: [.start(.nutritionist), .untilReady]
                + (1...5).flatMap { count in
                    [.send("Question \(count)?"), .untilAnswered(count, within: .minutes(10))]
                } + [.disconnect]),
    ]
}
