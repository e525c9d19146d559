import FitIQAPI
import Traffic

struct WaitsForConnected: ObligationJudge {
    static let obligation = Obligation(
        id: "ws/waits-for-connected", level: .should, origin: .guides([.mealLogWebSocket, .webSocketArchitecture]),
        place: "step 2 (meal-log-websocket); testing plan, option 2 (websocket-architecture)",
        clause: "No chat message is sent on a socket before `connected` has come.",
        tolerance: "If a fault lost or broke the frame, the client need not wait for it; a client whose `connected` "
            + "came with the handshake, within 50 ms, had nothing to wait for.",
        advice: "A task that was resumed is not connected: set isConnected when the frame of type `connected` has been "
            + "decoded, and queue what the user sends before. consultation-websocket's listing sets it right after "
            + "resume().")

    /// The sockets whose first chat message was judged.
    private var judged = Recent<UInt64, Bool>()

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        guard case .frame(let frame) = fact.kind, frame.isChatMessage, let socket = scene.sockets[fact.connection],
            judged[fact.connection] == nil
        else { return }
        judged[fact.connection] = true
        guard let connectedAt = socket.connectedAt else {
            guard !socket.lostConnected, !socket.isSilenced else { return }
            findings.exercised()
            return findings.found(SocketMessages.tooEarly(openedAt: socket.openedAt), [socket.opening, fact.entry])
        }
        if connectedAt.lag(behind: socket.openedAt) > Tolerance.interval { findings.exercised() }
    }
}
