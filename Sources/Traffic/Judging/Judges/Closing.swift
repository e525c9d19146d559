import FitIQAPI
import JSON
import Traffic

struct KeepAlive: ObligationJudge {
    static let obligation = Obligation(
        id: "ws/keepalive", level: .should,
        origin: .guides([.consultationWebSocket, .enhancedConsultations, .mealLogWebSocket]),
        place: "message types, ping (consultation-websocket); performance, WebSocket (enhanced-consultations); step 2, "
            + "keep-alive (meal-log-websocket)",
        clause: "While a socket is idle, the client sends a ping at least every 30 s, as a control frame or as JSON.",
        tolerance:
            "A socket is idle while neither side sends a frame. A ping may be up to 2 s late. The client need not ping "
            + "a socket that the fake has silenced or stopped reading, or that the server is closing.",
        advice: "Send a ping every 25 s while the socket is open. meal-log-websocket's listing uses a 30 s timer, "
            + "which leaves no margin for delays.",
        swiftAdvice: "Call task.sendPing(pongReceiveHandler:).",
        scenarios: ["silent-coach", "missed-pongs"])
    static let needs: Evidence = [.controlFrames, .socketEnds]

    private struct Watch: Sendable {
        /// The last frame from either side, or the opening.
        var last: JournalEntry
        /// The time of the last frame that was neither ping nor pong.
        var idleSince: Timestamp
        /// Whether this idle period has already been counted as one that requires a ping.
        var isCounted = false

        mutating func judge(at time: Timestamp, _ next: JournalEntry?, _ findings: inout Findings) {
            let gap = time.nanoseconds(since: last.time)
            if time.nanoseconds(since: idleSince) >= SocketTimes.keepAlive, !isCounted {
                isCounted = true
                findings.exercised()
            }
            guard gap > SocketTimes.keepAlive + SocketTimes.keepAliveTolerance else { return }
            let message = Messages.noPing(for: gap, since: findings.date(of: last.time))
            findings.found(message, [last] + (next.map { [$0] } ?? []))
        }
    }

    private var watches = Recent<UInt64, Watch>(capacity: 2 * Scene.socketLimit)

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        switch fact.kind {
        case .opened: watches[fact.connection] = Watch(last: fact.entry, idleSince: fact.time)
        case .closed: end(fact, &findings)
        case .fault(let fault) where fault.effect != .withholdPong: end(fact, &findings)
        case .frame(let frame) where frame.isFromClient || frame.isDelivered:
            guard scene.sockets[fact.connection]?.isEnding == false else { return end(fact, &findings) }
            let isKeepAlive = frame.isPing || frame.frame.opcode == .pong || frame.type == "pong"
            watches.change(fact.connection) { watch in
                watch.judge(at: fact.time, fact.entry, &findings)
                watch.last = fact.entry
                if !isKeepAlive { (watch.idleSince, watch.isCounted) = (fact.time, false) }
            }
        case .frame, .fault, .request, .other: break
        }
    }

    func conclude(at end: Timestamp, in scene: Scene, _ findings: inout Findings) {
        for var watch in watches.values.sorted(by: { $0.last.number < $1.last.number }) {
            watch.judge(at: end, nil, &findings)
        }
    }

    private mutating func end(_ fact: Fact, _ findings: inout Findings) {
        watches.change(fact.connection) { $0.judge(at: fact.time, fact.entry, &findings) }
        watches[fact.connection] = nil
    }
}

struct CloseHandshake: ObligationJudge {
    static let obligation = Obligation(
        id: "ws/close-handshake", level: .should, origin: .guides([.consultationWebSocket, .mealLogWebSocket]),
        place: "disconnect()",
        clause:
            "The client sends a close frame with code 1000 or 1001 when it disconnects, and answers the server's "
            + "close frame.",
        tolerance:
            "The judge ignores sockets that a fault ended, and sockets that the client ended after a fault had "
            + "affected them. A socket that is still open at the end of the journal is not a breach. The client need "
            + "not answer a close frame from a server that is stopping.",
        advice: "Send a close frame with 1001 before you release the connection and before the process ends, and keep "
            + "reading after the server's close frame, so that the client answers it.",
        swiftAdvice:
            "Call task.cancel(with: .goingAway, reason: nil), not cancel(), and receive until receiving fails.")
    static let needs: Evidence = [.controlFrames, .socketEnds]

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        guard case .closed(let closing) = fact.kind, let socket = scene.endedSocket else { return }
        switch closing.cause {
        case .fault, .violation, .limit, .shutdown: return
        case .closeFrame, .finish, .reset, .timeOut: break
        }
        let evidence = [socket.opening, fact.entry]
        let isExcused = socket.trouble != nil || !closing.faults.isEmpty
        if closing.isByServer {
            guard let sent = closing.summary.sent else { return }
            let isAnswered = closing.summary.received != nil
            guard isAnswered || !isExcused else { return }
            findings.exercised()
            if !isAnswered { findings.found(Messages.closeNotAnswered(sent.code?.rawValue), evidence) }
        } else if let received = closing.summary.received {
            let isRight = received.isLeaving
            guard isRight || !isExcused else { return }
            findings.exercised()
            if !isRight { findings.found(Messages.wrongCloseCode(received.code?.rawValue), evidence) }
        } else if !isExcused {
            findings.breached(Messages.noCloseFrame, evidence)
        }
    }
}

struct NoReconnectAfterOwnClose: ObligationJudge {
    static let obligation = Obligation(
        id: "ws/no-reconnect-after-own-close", level: .should,
        origin: .guides([.consultationWebSocket, .enhancedConsultations, .mealLogWebSocket]),
        place: "best practice 2 (consultation-websocket); performance, WebSocket (enhanced-consultations); step 2, "
            + "disconnect() (meal-log-websocket)",
        clause: "After closing a socket, the client does not open another socket for the same consultation within 3 s.",
        tolerance:
            "The judge considers only sockets that the client closed first, with a close frame, and that no fault had "
            + "affected. The client may immediately open another consultation, or the same consultation if no part of "
            + "an answer had arrived for 10 s. The judge cannot tell a client that reconnects from a user who returns "
            + "within 3 s.",
        advice: "Set a flag before you close the socket, and do not reconnect when reading fails afterwards. "
            + "consultation-websocket's disconnect() sets no flag, so the client reconnects.",
        swiftAdvice: "cancel(with:reason:) makes the pending receive fail: set shouldReconnect = false first.")
    static let needs: Evidence = .socketEnds

    /// The sockets closed by the client, keyed by consultation.
    private var closed = Recent<ExactString, JournalEntry>(capacity: 4000)

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        if let handshake = Handshake(fact) { return judge(handshake, &findings) }
        guard case .closed(let closing) = fact.kind, let socket = scene.endedSocket,
            SocketEnding(closing, of: socket, at: fact.time) == .closedByClient, !socket.answerIsOverdue(at: fact.time),
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
        let gap = handshake.requestedAt.nanoseconds(since: entry.time)
        // The handshake was in flight when the client closed.
        guard gap >= 0 else { return }
        closed[handshake.consultation] = nil
        findings.exercised()
        guard gap < SocketTimes.stayAway - Tolerance.interval else { return }
        findings.found(
            "The client opened the consultation again \(Messages.seconds(gap)) after it had closed the socket "
                + "itself; the client must wait 3 s.", [entry, handshake.entry])
    }

    /// Counts the obligation as exercised if the client had 3 s to reconnect.
    private static func count(_ entry: JournalEntry, until time: Timestamp, _ findings: inout Findings) {
        if time.nanoseconds(since: entry.time) >= SocketTimes.stayAway { findings.exercised() }
    }
}
