extension ContractCase {
    private static let backoff = Clause(
        .consultationWebSocket, "best practice 2", "Reconnection backs off exponentially, with at most 5 attempts.")
    private static let history = Clause(
        .consultationWebSocket, "Issue: messages not appearing", "The client reads missed messages from the history.")

    /// A case that truncates the first answer, so that the client must read the answer from the history.
    private static func cut(
        _ name: String, _ title: String, _ setting: Setting, faces: [String], within limit: Duration = .minutes(5)
    ) -> ContractCase {
        ContractCase(
            "interruption/" + name, title, history, setting: setting, faces: faces,
            steps: [
                .start(.nutritionist), .untilReady, .watch(.completeAnswersAreStored),
                .send("How much protein do I need each day?"), .until(.streaming, within: .seconds(10)),
                .untilAnswered(1, within: limit), .send("And for breakfast?"), .untilAnswered(2, within: limit),
                .disconnect,
            ])
    }

    static let interruptionCases: [ContractCase] = [
        cut(
            "drop/mid-stream", "The connection ends without a close frame in the middle of an answer",
            .builtIn("drop-mid-stream"), faces: ["ws/reconnect-backoff", "ws/reconnects", "ws/recovers-history"]),
        cut(
            "reset/mid-frame", "The connection is reset in the middle of a frame",
            .builtIn("reset-mid-frame"), faces: ["ws/reconnect-backoff", "ws/recovers-history"]),
        cut(
            "restart/1001-then-503", "The server restarts: 1001, a handshake refused with 503, then normal service",
            .builtIn("server-restarts"), faces: ["ws/reconnect-backoff", "ws/recovers-history", "ws/close-handshake"]),
        cut(
            "silence/half-open", "The connection goes silent without closing, and no pong arrives",
            .builtIn("half-open"), faces: ["ws/recovers-history"], within: .minutes(10)),
        ContractCase(
            "interruption/drop/again-and-again", "Six connections, one after another, end in the middle of an answer",
            backoff,
            setting: .faults(
                "drops", "{on: socket, connections: {from: 1, to: 6}, at: {chunk: 2, answer: 1}, finish: true}"),
            faces: ["ws/reconnect-backoff", "ws/recovers-history"],
            steps: [.start(.nutritionist), .untilReady, .watch(.completeAnswersAreStored)]
                + (1...7).flatMap { count in
                    [.send("Question \(count)?"), .untilAnswered(count, within: .minutes(5))]
                } + [.disconnect]),
        ContractCase(
            "interruption/drop/answer-goes-on",
            "The connection is lost during a long answer, and the client does not ask again",
            Clause(.enhancedConsultations, "best practice 2", "No message appears twice."),
            setting: .written(
                """
                name: long-answer
                answers:
                  - text: Warm up first, then run slowly, then walk, and do it all again tomorrow.
                    timing: {first_chunk: 500ms, chunks_per_second: 1}
                faults:
                  - {on: socket, connections: 1, at: {chunk: 2, answer: 1}, finish: true}
                """), faces: ["ws/reconnect-backoff", "ws/recovers-history"],
            steps: [
                .start(.nutritionist), .untilReady, .send("How do I begin to run?"),
                .until(.streaming, within: .seconds(10)), .untilAnswered(1, within: .minutes(5)), .expect(.storedOnce),
                .disconnect,
            ]),
        ContractCase(
            "interruption/drop/handshakes-refused-for-good",
            "After a drop, every handshake is refused, and the client gives up", backoff,
            setting: .faults(
                "gone", "{on: socket, connections: 1, at: {chunk: 2, answer: 1}, finish: true}",
                "{on: handshake, connections: {from: 2}, status: 503}"),
            faces: ["ws/reconnect-limit", "ws/reconnect-backoff"],
            steps: .start(.nutritionist), .untilReady, .send("Hello?"),
            .untilAll(.connection(.failed), .problem(.unavailable), .idle, within: .minutes(30)), .pass(.hours(1)),
            .expect(.connection(.failed))),
        ContractCase(
            "interruption/drop/pauses-grow",
            "After a drop, handshakes are refused, and the client waits longer each time", backoff,
            setting: .faults(
                "refused", "{on: socket, connections: 1, at: {chunk: 2, answer: 1}, finish: true}",
                "{on: handshake, connections: {from: 2, to: 5}, status: 503}"),
            guide: .consultationWebSocket, faces: ["ws/reconnect-backoff", "ws/reconnects"],
            steps: .start(.nutritionist), .untilReady, .send("Hello?"), .untilAnswered(1, within: .minutes(5)),
            .disconnect),
        ContractCase(
            "interruption/drop/while-idle", "A connection with no chat ends without a close frame", backoff,
            setting: .faults(
                "idle-drop", "{on: socket, connections: 1, at: {type: pong, n: 1}, finish: true}",
                "{on: socket, connections: 2, at: {type: stream_complete}, delay: 1s}"),
            steps: .start(.nutritionist), .untilReady, .pass(.minutes(5)), .until(.ready, within: .minutes(1)),
            .send("Hello?"), .untilAnswered(1), .disconnect),
    ]

    /// Idle connections and how they end.
    static let socketCases: [ContractCase] = [
        ContractCase(
            "socket/keepalive/for-hours", "A chat stays open for three hours and still works",
            Clause(.mealLogWebSocket, "Step 2", "A ping every 30 seconds keeps the connection alive."),
            faces: ["ws/keepalive"],
            steps: .start(.nutritionist), .untilReady, .pass(.hours(3)), .expect(.ready), .send("Still there?"),
            .untilAnswered(1), .expect(.noProblem), .disconnect),
        ContractCase(
            "socket/keepalive/without-pongs", "The server answers questions but not pings",
            Clause(.mealLogWebSocket, "Step 2", "A ping every 30 seconds keeps the connection alive."),
            setting: .builtIn("missed-pongs"), faces: ["ws/keepalive"],
            steps: .start(.nutritionist), .untilReady, .send("Hello?"), .untilAnswered(1, within: .minutes(5)),
            .pass(.minutes(5)), .send("Still there?"), .untilAnswered(2, within: .minutes(10)), .disconnect),
        ContractCase(
            "socket/leave/closes-and-stays-away",
            "The user leaves: the client sends a close frame and does not "
                + "reconnect",
            Clause(
                .consultationWebSocket, "best practice 2",
                "Disconnect when the view disappears; reconnect only when it appears."),
            faces: ["ws/close-handshake", "ws/no-reconnect-after-own-close"],
            steps: .start(.nutritionist), .untilReady, .send("Hello?"), .untilAnswered(1), .disconnect,
            .untilAll(.connection(.disconnected), .idle, within: .seconds(10)), .pass(.minutes(10)),
            .expect(.connection(.disconnected)), .expect(.noProblem)),
        ContractCase(
            "socket/leave/and-come-back", "The user leaves and opens the chat again after a while",
            Clause(
                .consultationWebSocket, "best practice 2",
                "Reconnect when the view appears, if the consultation exists."),
            faces: ["ws/no-reconnect-after-own-close", "consultation/conflict-continues-existing"],
            steps: .start(.nutritionist), .untilReady, .send("Hello?"), .untilAnswered(1), .disconnect,
            .until(.connection(.disconnected), within: .seconds(10)), .pass(.seconds(10)), .start(.nutritionist),
            .untilAnswered(1), .send("And now?"), .untilAnswered(2), .disconnect),
        ContractCase(
            "socket/leave/mid-stream", "The user leaves while an answer streams, and finds it in the history",
            history, faces: ["ws/close-handshake", "ws/no-reconnect-after-own-close"],
            steps: .start(.nutritionist), .untilReady, .watch(.completeAnswersAreStored), .send("How much protein?"),
            .until(.streaming, within: .seconds(10)), .disconnect,
            .until(.connection(.disconnected), within: .seconds(10)), .pass(.seconds(30)), .start(.nutritionist),
            .untilAnswered(1), .disconnect),
    ]
}
