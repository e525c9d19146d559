import FitIQAPI
import Traffic

/// `ws/keepalive`: an idle socket is kept alive.
struct KeepAlive: ObligationJudge {
    static let obligation = Obligation(
        id: "ws/keepalive", level: .should, origin: .guides([.mealLogWebSocket]), place: "step 2, keep-alive",
        clause: "While a socket is idle the client sends a ping, as a control frame or as JSON, at least every 30 s.",
        tolerance: """
            A socket is idle while no frame goes either way; a ping may come 2 s late. Once the fake has silenced a \
            socket or reads it no more, or the server is closing it, none is due.
            """,
        advice: """
            Call task.sendPing(pongReceiveHandler:) every 25 s while the socket is open. meal-log-websocket's listing \
            repeats a timer every 30 s, which leaves no time for delays.
            """)
    static let needs: Evidence = [.controlFrames, .socketEnds]

    /// An open socket.
    private struct Watch: Sendable {
        /// The last frame of either side, or the opening.
        var last: JournalEntry
        /// The time of the last frame that was neither ping nor pong.
        var idleSince: Timestamp
        /// Whether this idle period was long enough to require a ping and is counted.
        var isCounted = false
    }

    private var watches = Recent<UInt64, Watch>(capacity: 2 * Scene.socketLimit)

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        switch fact.kind {
        case .opened: watches[fact.connection] = Watch(last: fact.entry, idleSince: fact.time)
        case .closed: end(fact, &findings)
        case .fault(let fault):
            if fault.effect != .withholdPong { end(fact, &findings) }
        case .frame(let frame): observe(frame, fact, in: scene, &findings)
        case .request, .other: break
        }
    }

    func conclude(at end: Timestamp, in scene: Scene, _ findings: inout Findings) {
        for var watch in watches.values.sorted(by: { $0.last.number < $1.last.number }) {
            Self.judge(&watch, at: end, nil, &findings)
        }
    }

    private mutating func end(_ fact: Fact, _ findings: inout Findings) {
        guard var watch = watches[fact.connection] else { return }
        Self.judge(&watch, at: fact.time, fact.entry, &findings)
        watches[fact.connection] = nil
    }

    private mutating func observe(
        _ frame: FrameFact, _ fact: Fact, in scene: Scene, _ findings: inout Findings
    ) {
        guard var watch = watches[fact.connection], frame.isFromClient || frame.isDelivered else { return }
        Self.judge(&watch, at: fact.time, fact.entry, &findings)
        watch.last = fact.entry
        let isKeepAlive = frame.isPing || frame.frame.opcode == .pong || frame.type == "pong"
        if !isKeepAlive { (watch.idleSince, watch.isCounted) = (fact.time, false) }
        let isEnding = scene.sockets[fact.connection]?.isEnding ?? true
        watches[fact.connection] = isEnding ? nil : watch
    }

    private static func judge(
        _ watch: inout Watch, at time: Timestamp, _ next: JournalEntry?, _ findings: inout Findings
    ) {
        let gap = time.nanoseconds(since: watch.last.time)
        if time.nanoseconds(since: watch.idleSince) >= SocketTimes.keepAlive, !watch.isCounted {
            watch.isCounted = true
            findings.exercised()
        }
        guard gap > SocketTimes.keepAlive + SocketTimes.keepAliveTolerance else { return }
        findings.found(
            SocketSentences.noPing(for: gap, since: watch.last.time), [watch.last] + (next.map { [$0] } ?? []))
    }
}
