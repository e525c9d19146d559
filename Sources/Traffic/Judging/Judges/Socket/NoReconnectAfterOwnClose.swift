import FitIQAPI
import JSON
import Traffic

struct NoReconnectAfterOwnClose: ObligationJudge {
    static let obligation = Obligation(
        id: "ws/no-reconnect-after-own-close", level: .should, origin: .guides([.mealLogWebSocket]),
        place: "step 2, disconnect()",
        clause: "Within 3 s after closing a socket, the client opens none for the same consultation.",
        tolerance: "Only a close frame that the client sent first counts, on a socket that no fault had touched; "
            + "another consultation may be opened at once. A user who comes back within 3 s cannot be told from the "
            + "client.",
        advice: "Note that you want to disconnect before you close the socket, and do not reconnect when reading fails "
            + "after that. consultation-websocket's disconnect() lacks that and reconnects.",
        swiftAdvice: "cancel(with:reason:) fails the pending receive: set shouldReconnect = false before it.")
    static let needs: Evidence = .socketEnds

    /// The sockets closed by the client, by consultation.
    private var closed = Recent<ExactString, JournalEntry>(capacity: 4000)

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        if let handshake = Handshake(fact) { return judge(handshake, &findings) }
        guard case .closed(let closing) = fact.kind, let socket = scene.endedSocket,
            SocketEnding(closing, of: socket, at: fact.time) == .closedByClient,
            scene.openSockets(onConsultation: socket.consultation).isEmpty
        else { return }
        let id = socket.consultation.asciiLowercased()
        if let before = closed[id] { Self.count(before, until: fact.time, &findings) }
        closed[id] = fact.entry
    }

    func conclude(at end: Timestamp, in scene: Scene, _ findings: inout Findings) {
        for entry in closed.values { Self.count(entry, until: end, &findings) }
    }

    private mutating func judge(_ handshake: Handshake, _ findings: inout Findings) {
        guard let entry = closed[handshake.consultation] else { return }
        let gap = handshake.requestedAt.lag(behind: entry.time)
        // The handshake was in flight when the client closed.
        guard gap >= 0 else { return }
        closed[handshake.consultation] = nil
        findings.exercised()
        guard gap < SocketTimes.stayAway - Tolerance.interval else { return }
        findings.found(SocketMessages.cameBack(after: gap), [entry, handshake.entry])
    }

    /// Counts the obligation as faced if the client had 3 s to reconnect.
    private static func count(_ entry: JournalEntry, until time: Timestamp, _ findings: inout Findings) {
        if time.lag(behind: entry.time) >= SocketTimes.stayAway { findings.exercised() }
    }
}
