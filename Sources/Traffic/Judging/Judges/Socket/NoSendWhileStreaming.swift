import FitIQAPI
import Traffic

struct NoSendWhileStreaming: ObligationJudge {
    static let obligation = Obligation(
        id: "ws/no-send-while-streaming", level: .should, origin: .guides([.consultationWebSocket]),
        place: "best practice 4", clause: "No chat message is sent while an answer streams.",
        tolerance: "An answer streams from its first piece that is delivered to its end, not from the receipt of the "
            + "question. A message may cross with the first piece for 50 ms; an answer no longer streams if a fault "
            + "may have swallowed its end, an error frame broke it off, or nothing of it has come for 10 s.",
        advice: "Disable the input while isAITyping, from send() to `stream_complete`, `assistant_message_end` or "
            + "`error`, and queue what the user sends meanwhile.",
        scenarios: ["slow-coach"])

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        guard case .frame(let frame) = fact.kind, frame.isChatMessage, let socket = scene.sockets[fact.connection]
        else { return }
        guard let stream = socket.stream else {
            // A client that never heard a reply could not interrupt one.
            if socket.hasStreamed { findings.exercised() }
            return
        }
        guard !stream.hasLostEnd, !socket.isSilenced, !socket.isStalled,
            fact.time.lag(behind: stream.first.time) > Tolerance.interval,
            fact.time.lag(behind: stream.lastPieceAt) <= SocketTimes.silentAnswer
        else { return }
        findings.exercised()
        findings.found(SocketMessages.sentWhileStreaming(since: stream.first.time), [stream.first, fact.entry])
    }
}
