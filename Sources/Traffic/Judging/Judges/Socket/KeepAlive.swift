import FitIQAPI
import Traffic

struct KeepAlive: ObligationJudge {
    static let obligation = Obligation(
        id: "ws/keepalive", level: .should, origin: .guides([.mealLogWebSocket]), place: "step 2, keep-alive",
        clause: "While a socket is idle the client sends a ping, as a control frame or as JSON, at least every 30 s.",
        tolerance: "A socket is idle while no frame goes either way; a ping may come 2 s late. Once the fake has "
            + "silenced a socket or no longer reads it, or the server is closing it, none is due.",
        advice: "Send a ping every 25 s while the socket is open. meal-log-websocket's listing repeats a timer every "
            + "30 s, which leaves no time for delays.",
        swiftAdvice: "Call task.sendPing(pongReceiveHandler:).",
        scenarios: ["silent-coach", "missed-pongs"])
    static let needs: Evidence = [.controlFrames, .socketEnds]

    private struct Watch: Sendable {
        /// The last frame of either side, or the opening.
        var last: JournalEntry
        /// The time of the last frame that was neither ping nor pong.
        var idleSince: Timestamp
        /// Whether this idle period was long enough to require a ping and is counted.
        var isCounted = false

        mutating func judge(at time: Timestamp, _ next: JournalEntry?, _ findings: inout Findings) {
            let gap = time.lag(behind: last.time)
            if time.lag(behind: idleSince) >= SocketTimes.keepAlive, !isCounted {
                isCounted = true
                findings.exercised()
            }
            guard gap > SocketTimes.keepAlive + SocketTimes.keepAliveTolerance else { return }
            findings.found(SocketMessages.noPing(for: gap, since: last.time), [last] + (next.map { [$0] } ?? []))
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
