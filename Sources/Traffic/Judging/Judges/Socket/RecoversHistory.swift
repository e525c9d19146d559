import FitIQAPI
import JSON
import Traffic

struct RecoversHistory: ObligationJudge {
    static let obligation = Obligation(
        id: "ws/recovers-history", level: .should, origin: .ours,
        clause: "After a socket ended or fell silent while an answer streamed, the messages of its consultation are "
            + "fetched within 10 s of the next `connected`, and before the next chat message.",
        tolerance: "A fetch between the cut and `connected` counts too, and so does one that fails. A client that "
            + "closed the socket itself, or closes the next one before the 10 s are over, owes nothing.",
        advice: "The answer is completed and stored while the client is away: after a reconnect GET "
            + "/api/v1/consultations/{id}/messages and replace the cut answer with it; do not wait for the missing "
            + "chunks.",
        scenarios: ["drop-mid-stream"])
    static let needs: Evidence = .socketEnds

    /// A truncated reply.
    private struct Debt: Sendable {
        let cut: JournalEntry
        var isFetched = false
        /// The `connected` after it.
        var connected: JournalEntry?
        /// The chat message after that.
        var chat: JournalEntry?
        /// The deadline of the fetch.
        var dueAt: Timestamp? { connected?.time.advanced(byNanoseconds: SocketTimes.recovery) }

        /// Whether the chat continued without a fetch, or no fetch came in time.
        func isOverdue(at time: Timestamp) -> Bool { chat != nil || dueAt.map { $0 < time } ?? false }

        /// The same truncated reply, to be recovered after another `connected`.
        var renewed: Debt { Debt(cut: cut) }
    }

    private var debts = Recent<ExactString, Debt>(capacity: RecentLimits.fewest)

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        switch fact.kind {
        case .closed(let closing): observe(closing, fact, in: scene, &findings)
        case .fault(let fault):
            guard fault.effect == .silence, let socket = scene.sockets[fact.connection] else { return }
            end(socket, fact, isOwn: false, &findings)
        case .frame(let frame): observe(frame, fact, in: scene, &findings)
        case .request(let request): observe(request, &findings)
        case .opened, .other: break
        }
    }

    func conclude(at end: Timestamp, in scene: Scene, _ findings: inout Findings) {
        for debt in debts.values.sorted(by: { $0.cut.number < $1.cut.number }) {
            guard let dueAt = debt.dueAt else { continue }
            // A fetch in flight when the chat continued is recorded only once it is answered.
            let isForgotten = debt.chat.map { end.lag(behind: $0.time) >= Tolerance.second } ?? false
            if dueAt < end || isForgotten { Self.found(debt, &findings) }
        }
    }

    private mutating func observe(_ closing: RecordedClosing, _ fact: Fact, in scene: Scene, _ findings: inout Findings)
    {
        guard let socket = scene.endedSocket, !socket.isSilenced else { return }
        let ending = SocketEnding(closing, of: socket, at: fact.time)
        // A client that closes normally may not want the rest of the reply, even if a fault had touched the socket.
        let isLeaving = ending == .givenUp && closing.summary.received?.isLeaving ?? false
        end(socket, fact, isOwn: ending.isOwn || ending == .archived || isLeaving, &findings)
    }

    private mutating func end(_ socket: Scene.Socket, _ fact: Fact, isOwn: Bool, _ findings: inout Findings) {
        let id = socket.consultation
        if let debt = debts[id], debt.connected?.connection == fact.connection {
            let isOverdue = debt.isOverdue(at: fact.time)
            if isOverdue { Self.found(debt, &findings) }
            debts[id] = isOwn || isOverdue ? nil : debt.renewed
        }
        if socket.isStreaming, !isOwn { debts[id] = Debt(cut: fact.entry) }
    }

    private mutating func observe(_ frame: FrameFact, _ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        guard let id = scene.sockets[fact.connection]?.consultation, var debt = debts[id] else { return }
        if frame.isConnected, debt.connected == nil {
            findings.exercised()
            debt.connected = fact.entry
            debts[id] = debt.isFetched ? nil : debt
        } else if frame.isChatMessage, debt.connected != nil, debt.chat == nil {
            debt.chat = fact.entry
            debts[id] = debt
        }
    }

    private mutating func observe(_ request: RequestFact, _ findings: inout Findings) {
        guard request.endpoint == .listMessages, let id = request.pathID?.asciiLowercased(), var debt = debts[id],
            request.requestedAt >= debt.cut.time
        else { return }
        guard let dueAt = debt.dueAt else {
            debt.isFetched = true
            debts[id] = debt
            return
        }
        debts[id] = nil
        let isInTime = request.requestedAt <= dueAt && request.requestedAt <= debt.chat?.time ?? dueAt
        if !isInTime { Self.found(debt, &findings) }
    }

    private static func found(_ debt: Debt, _ findings: inout Findings) {
        guard let connected = debt.connected else { return }
        if let chat = debt.chat {
            findings.found(
                SocketMessages.chatBeforeHistory(cutAt: debt.cut.time, chatAt: chat.time), [debt.cut, connected, chat])
        } else {
            findings.found(
                SocketMessages.noHistory(cutAt: debt.cut.time, connectedAt: connected.time), [debt.cut, connected])
        }
    }
}
