import FitIQAPI
import JSON
import Traffic

struct SingleConnection: ObligationJudge {
    static let obligation = Obligation(
        id: "ws/single-connection", level: .should, origin: .guides([.mealLogWebSocket, .webSocketArchitecture]),
        place: "best practice 1, don'ts (meal-log-websocket)",
        clause: "A user has one open socket at a time; two on one consultation fail a run.",
        tolerance: "A socket that the fake has silenced or no longer reads, or that the server is closing, counts as "
            + "closed; a new one may open up to 50 ms before the old one ends. The apps' socket of all meals does not count.",
        advice: "Keep one socket for the whole app, and close it before you open another; chat and meal events come "
            + "over the same socket.",
        swiftAdvice: "Keep one URLSessionWebSocketTask, and call cancel(with: .goingAway, reason: nil) before you "
            + "resume another.")
    static let needs: Evidence = .socketEnds

    /// Two sockets that are open together; the new one may still turn out to replace the old one.
    private struct Overlap: Sendable {
        let old: Scene.Socket
        let new: Scene.Socket
        func involves(_ connection: UInt64) -> Bool { old.connection == connection || new.connection == connection }
        var isOneConsultation: Bool { old.consultation == new.consultation }
        /// How long the new socket may wait for the old one's end.
        var deadline: Timestamp { new.openedAt.advanced(byNanoseconds: Tolerance.interval) }
        /// When it is certain that the server was not closing the old socket, because the journal would show its end.
        var settledAt: Timestamp { deadline.advanced(byNanoseconds: SocketTimes.serverClosing) }
    }

    private var users = Recent<ExactString, Bool>()
    private var overlaps: [Overlap] = []
    /// More overlaps in such a short time are indistinguishable from a flood.
    private static let overlapLimit = 256

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        settle(at: fact.time, &findings)
        switch fact.kind {
        case .closed(let closing):
            // The journal records the server's close only once it is complete; the client knew before.
            let wasClosing = closing.isByServer && closing.summary.sent != nil
            end(fact.connection, at: fact.time, wasClosing: wasClosing, &findings)
        case .fault(let fault) where fault.effect != .withholdPong:
            end(fact.connection, at: fact.time, wasClosing: false, &findings)
        case .opened: open(fact, in: scene, &findings)
        case .request, .frame, .fault, .other: break
        }
    }

    func conclude(at end: Timestamp, in scene: Scene, _ findings: inout Findings) {
        for overlap in overlaps where overlap.deadline < end { Self.found(overlap, &findings) }
    }

    private mutating func open(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        guard let new = scene.sockets[fact.connection], !new.user.isEmpty, !new.isOfMeals else { return }
        if users[new.user] ?? false { findings.exercised() }
        users[new.user] = true
        let others = scene.openSockets(of: new.user).filter {
            $0.connection != new.connection && !$0.isEnding && !$0.isOfMeals
        }
        // Each opening counts as one breach, the worse one.
        guard let old = others.last(where: { $0.consultation == new.consultation }) ?? others.last else { return }
        if overlaps.count == Self.overlapLimit {
            guard overlaps[0].deadline < fact.time else { return }
            Self.found(overlaps.removeFirst(), &findings)
        }
        overlaps.append(Overlap(old: old, new: new))
    }

    private mutating func end(_ connection: UInt64, at time: Timestamp, wasClosing: Bool, _ findings: inout Findings) {
        for overlap in overlaps where overlap.deadline < time {
            let isExcused = wasClosing && overlap.old.connection == connection
            if overlap.involves(connection), !isExcused { Self.found(overlap, &findings) }
        }
        overlaps.removeAll { $0.involves(connection) }
    }

    private mutating func settle(at time: Timestamp, _ findings: inout Findings) {
        while let overlap = overlaps.first, overlap.settledAt < time {
            Self.found(overlap, &findings)
            overlaps.removeFirst()
        }
    }

    private static func found(_ overlap: Overlap, _ findings: inout Findings) {
        findings.found(
            SocketMessages.secondSocket(
                openedAt: findings.date(of: overlap.new.openedAt), oldAt: findings.date(of: overlap.old.openedAt),
                consultation: overlap.isOneConsultation ? overlap.new.consultation.text : nil),
            level: overlap.isOneConsultation ? .must : .should, [overlap.old.opening, overlap.new.opening])
    }
}

struct MealSocketSingle: ObligationJudge {
    static let obligation = Obligation(
        id: "ws/meal-socket-single", level: .should, origin: .ours,
        clause: "While a user's /ws/meal-logs is open, the client opens no second one.",
        tolerance: "Only a client that answers the close frame of the older one, with another code than 1000 and 1001, "
            + "still used it. Two devices of one user cannot be told from a client that opens two.",
        advice: "Keep one socket for the events of all meals in the whole app, and do not open another when a screen "
            + "appears: the server closes the older one with 1008, and a client that then reconnects closes its own "
            + "newer one.")
    static let needs: Evidence = .socketEnds

    private var users = Recent<ExactString, Bool>()
    /// The opening of a newer socket, and the older one, by the connection of that.
    private var newer = Recent<UInt64, (entry: JournalEntry, old: Scene.Socket)>(capacity: RecentLimits.fewest)

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        switch fact.kind {
        case .opened(let opening) where opening.isOfMeals && opening.opening.user != nil:
            if users[opening.user] ?? false { findings.exercised() }
            users[opening.user] = true
            let old = scene.openSockets(of: opening.user).last {
                $0.isOfMeals && $0.connection != fact.connection && !$0.isEnding
            }
            if let old { newer[old.connection] = (fact.entry, old) }
        case .closed(let closing):
            guard let (entry, old) = newer[fact.connection] else { return }
            newer[fact.connection] = nil
            guard let answer = closing.summary.received, !answer.isLeaving else { return }
            findings.found(
                SocketMessages.secondMealSocket(
                    openedAt: findings.date(of: entry.time), oldAt: findings.date(of: old.openedAt)),
                [old.opening, entry])
        case .opened, .request, .frame, .fault, .other: return
        }
    }
}
