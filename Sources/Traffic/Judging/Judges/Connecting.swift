import FitIQAPI
import JSON
import Traffic
import WebSocket

/// The time limits for sockets, in nanoseconds.
enum SocketTimes {
    private static let second = Tolerance.second
    static let shortestWait = second
    /// The longest pause that any guide requires before an attempt.
    static let longestWait = 30 * second
    /// How long a client may be silent on an open socket, which is also the maximum ping delay.
    static let keepAlive = 30 * second
    static let keepAliveTolerance = 2 * second
    static let stayAway = 3 * second
    /// The maximum time from the server's close frame to the socket's recorded end.
    static let serverClosing = 2 * second
    /// The maximum time for fetching missed messages.
    static let recovery = 10 * second
    /// The silence after which a reply counts as abandoned.
    static let silentAnswer = 10 * second
    /// How long a client must go without an attempt before it counts as having stopped trying.
    static let gaveUp = 60 * second
    static let tryLimit = 5
}

/// How a WebSocket ended, from the client's point of view.
enum SocketEnding: Sendable, Hashable {
    case closedByClient
    /// The client ended the transport without a close frame.
    case leftByClient
    /// The client ended the socket after a fault, possibly because of it.
    case givenUp
    /// The server closed the socket with 1000 after reporting that the consultation is not active.
    case archived
    /// The client did not initiate the close.
    ///
    /// The client noticed the end at this time; nil if the journal does not show the time.
    case unexpected(knownAt: Timestamp?)

    init(_ closing: RecordedClosing, of socket: Scene.Socket, at time: Timestamp) {
        let isByServer = closing.isByServer
        switch closing.cause {
        case .violation:
            // The client may not realise that it violated the protocol, because it only sees that the server closed the
            // socket.
            self = .unexpected(knownAt: time)
        case _ where isByServer && socket.isArchived && closing.summary.sent?.code == .normalClosure: self = .archived
        case _ where isByServer: self = .unexpected(knownAt: closing.knownAt(of: socket, at: time))
        case _ where socket.trouble != nil: self = .givenUp
        default: self = closing.summary.received != nil ? .closedByClient : .leftByClient
        }
    }

    var isOwn: Bool { self == .closedByClient || self == .leftByClient }
}

extension RecordedClosing {
    /// Whether the server initiated the close; ending the transport after a close frame does not count as initiating
    /// it.
    var isByServer: Bool { party == .server || cause != .violation && summary.sent != nil && summary.received == nil }

    /// When the client noticed the server's close, or nil if it may have noticed it before this entry.
    fileprivate func knownAt(of socket: Scene.Socket, at time: Timestamp) -> Timestamp? {
        if let closedAt = socket.serverClosedAt { return closedAt }
        // A client abandons a silenced socket long before the socket ends.
        if socket.isSilenced || socket.isStalled { return nil }
        // If the client never answers the server's close frame, the socket ends when either side times out.
        return summary.sent != nil && summary.received == nil && cause != .limit && cause != .fault ? nil : time
    }
}

extension CloseSummary.Frame {
    /// Whether the code reports a normal end rather than an error.
    var isLeaving: Bool { code == .normalClosure || code == .goingAway }
}

struct SocketEndpoint: ObligationJudge {
    static let obligation = Obligation(
        id: "ws/endpoint", level: .must, origin: .guides([.webSocketArchitecture]), place: "root cause",
        clause: "The client opens the WebSocket at /api/v1/consultations/{id}/ws, never at /ws.",
        advice:
            "The guides define no socket for meal logs alone, so create or fetch a consultation and open "
            + "/api/v1/consultations/{id}/ws, with the id in lower case. The guide's configuration with /ws is the "
            + "very mistake that the guide describes.")

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        if Handshake(fact) != nil { return findings.exercised() }
        guard case .request(let request) = fact.kind, request.endpoint == nil,
            request.exchange.unmatched == .unknownPath,
            request.exchange.head.wantsUpgrade || request.segments.last == "ws"
        else { return }
        findings.breached(Messages.wrongEndpoint(request.path), [fact.entry])
    }
}

struct RefusedHandshake: ObligationJudge {
    static let obligation = Obligation(
        id: "ws/refused-handshake", level: .should, origin: .guides([.mealLogWebSocket]),
        place: "common errors & solutions",
        clause: "After a 401, the next handshake uses a different token. After a 404, the next handshake uses a "
            + "different consultation id.",
        tolerance:
            "The judge ignores handshakes that the client began before it received the refusal. After a 401, the judge "
            + "also ignores handshakes for other sockets within the next 50 ms.",
        advice: "Check the status of the refused handshake. On 401, refresh the token before you reconnect; on 404, "
            + "create or fetch a consultation first, and use its id in lower case. consultation-websocket's Quick "
            + "Start opens the socket without any credentials, so each attempt ends in 401.",
        swiftAdvice: "When receive fails, read the status from (task.response as? HTTPURLResponse)?.statusCode.",
        scenarios: ["token-expires-mid-session"])
    static let needs: Evidence = .credentials

    /// The requested consultation, and the client that requested it.
    private struct Question: Sendable, Hashable {
        let consultation: ExactString
        let token: ExactString
    }

    /// The 401 refusals by token, and the last refused token for each consultation.
    private var unauthorized = Recent<ExactString, Handshake>(capacity: RecentLimits.fewest)
    private var tokenByConsultation = Recent<ExactString, ExactString>(capacity: RecentLimits.fewest)
    /// The 404 refusals by consultation and token, and the last refused consultation for each token.
    private var unknown = Recent<Question, Handshake>(capacity: RecentLimits.fewest)
    private var consultationByToken = Recent<ExactString, ExactString>(capacity: RecentLimits.fewest)

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        // `auth/websocket-credentials` judges handshakes without a token.
        guard let handshake = Handshake(fact), let token = handshake.credentials.token, !token.isEmpty else { return }
        let question = Question(consultation: handshake.consultation, token: token)
        judgeToken(of: handshake, question, &findings)
        if !handshake.isOfMeals { judgeID(of: handshake, question, &findings) }
        switch handshake.status {
        case 401:
            unauthorized[question.token] = handshake
            tokenByConsultation[question.consultation] = question.token
        // `ids/lowercase` judges IDs in upper case.
        case 404 where !handshake.isUpperCase:
            unknown[question] = handshake
            consultationByToken[question.token] = question.consultation
        default: break
        }
    }

    private mutating func judgeToken(of handshake: Handshake, _ question: Question, _ findings: inout Findings) {
        if let refusal = unauthorized[question.token] {
            // The client may have already sent the handshake for another socket.
            let isOther = refusal.consultation != question.consultation
            let knownAt = refusal.answeredAt.advanced(byNanoseconds: isOther ? Tolerance.interval : 0)
            guard knownAt <= handshake.requestedAt else { return }
            findings.exercised()
            let message = Messages.sameToken(refusedAt: findings.date(of: refusal.answeredAt))
            findings.found(message, [refusal.entry, handshake.entry])
            unauthorized[question.token] = nil
        } else if let token = tokenByConsultation[question.consultation], token != question.token {
            findings.exercised()
            // Only the next handshake must carry a different token.
            unauthorized[token] = nil
            tokenByConsultation[question.consultation] = nil
        }
    }

    private mutating func judgeID(of handshake: Handshake, _ question: Question, _ findings: inout Findings) {
        if let refusal = unknown[question] {
            guard refusal.answeredAt <= handshake.requestedAt else { return }
            unknown[question] = nil
            // The consultation was restored.
            guard !handshake.isAccepted else { return }
            findings.breached(
                "The client requested the consultation \(question.consultation.text) again after a 404 at "
                    + "\(Messages.clock(findings.date(of: refusal.answeredAt))).",
                [refusal.entry, handshake.entry])
        } else if let asked = consultationByToken[question.token], asked != question.consultation {
            findings.exercised()
            unknown[Question(consultation: asked, token: question.token)] = nil
            consultationByToken[question.token] = nil
        }
    }
}

struct SingleConnection: ObligationJudge {
    static let obligation = Obligation(
        id: "ws/single-connection", level: .should, origin: .guides([.mealLogWebSocket, .webSocketArchitecture]),
        place: "best practice 1, don'ts (meal-log-websocket)",
        clause:
            "A user has at most one open socket at a time. Two open sockets on the same consultation violate a must.",
        tolerance:
            "A socket counts as closed if the fake has silenced it or stopped reading it, or if the server is closing "
            + "it. A new socket may open up to 50 ms before the old socket ends. The judge ignores the apps' meal "
            + "socket.",
        advice: "Keep one socket for the whole app, and close it before you open another; chat and meal events arrive "
            + "on the same socket.",
        swiftAdvice: "Keep one URLSessionWebSocketTask, and call cancel(with: .goingAway, reason: nil) before you "
            + "resume another.")
    static let needs: Evidence = .socketEnds

    /// Two sockets that are open at the same time; the new one may still replace the old one.
    private struct Overlap: Sendable {
        let old: Scene.Socket
        let new: Scene.Socket
        func involves(_ connection: UInt64) -> Bool { old.connection == connection || new.connection == connection }
        var isOneConsultation: Bool { old.consultation == new.consultation }
        /// The deadline for the old socket to end.
        var deadline: Timestamp { new.openedAt.advanced(byNanoseconds: Tolerance.interval) }
        /// The time by which the journal shows that the server has closed the old socket.
        var settledAt: Timestamp { deadline.advanced(byNanoseconds: SocketTimes.serverClosing) }
    }

    private var users = Recent<ExactString, Bool>()
    private var overlaps: [Overlap] = []
    /// The maximum number of simultaneous overlaps; any more are a flood.
    private static let overlapLimit = 256

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        settle(at: fact.time, &findings)
        switch fact.kind {
        case .closed(let closing):
            // The journal records the server's close only once it is complete, but the client learned of it earlier.
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
        // Each opening counts as only one breach: the more severe one.
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
            Messages.secondSocket(
                openedAt: findings.date(of: overlap.new.openedAt), oldAt: findings.date(of: overlap.old.openedAt),
                consultation: overlap.isOneConsultation ? overlap.new.consultation.text : nil),
            level: overlap.isOneConsultation ? .must : .should, [overlap.old.opening, overlap.new.opening])
    }
}

struct MealSocketSingle: ObligationJudge {
    static let obligation = Obligation(
        id: "ws/meal-socket-single", level: .should, origin: .ours,
        clause: "The client does not open a second /ws/meal-logs socket while the user's first socket is open.",
        tolerance:
            "The judge reports a second socket only if the client answers the older socket's close frame with a code "
            + "other than 1000 or 1001, which shows that the client was still using the older socket. The judge "
            + "cannot tell two devices of the same user from a client that opens two sockets.",
        advice: "Keep one meal socket for the whole app, and do not open another when a screen appears. The server "
            + "closes the older socket with 1008, and a client that then reconnects closes its own newer socket.")
    static let needs: Evidence = .socketEnds

    private var users = Recent<ExactString, Bool>()
    /// The newer socket's opening and the older socket, keyed by the older socket's connection.
    private var newer = Recent<UInt64, (entry: JournalEntry, old: Scene.Socket)>(capacity: RecentLimits.fewest)

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        switch fact.kind {
        case .opened(let opening):
            guard opening.isOfMeals, let user = opening.user else { return }
            if users[user] ?? false { findings.exercised() }
            users[user] = true
            let old = scene.openSockets(of: user).last {
                $0.isOfMeals && $0.connection != fact.connection && !$0.isEnding
            }
            if let old { newer[old.connection] = (fact.entry, old) }
        case .closed(let closing):
            guard let (entry, old) = newer[fact.connection] else { return }
            newer[fact.connection] = nil
            guard let answer = closing.summary.received, !answer.isLeaving else { return }
            findings.found(
                "The client opened a second meal socket for the same user at "
                    + "\(Messages.clock(findings.date(of: entry.time))), although it was still using the meal "
                    + "socket opened at \(Messages.clock(findings.date(of: old.openedAt))), which the server then "
                    + "closed.",
                [old.opening, entry])
        case .request, .frame, .fault, .other: return
        }
    }
}
