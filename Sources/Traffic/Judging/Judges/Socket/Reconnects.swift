import FitIQAPI
import JSON
import Traffic

/// Follows how clients reconnect to consultations whose socket they did not end themselves.
///
/// A series begins with such an end and lasts until `connected` is delivered or the client closes the socket. Each
/// handshake for the consultation is an attempt. A consultation belongs to one user, so it identifies the client;
/// nothing else does if a handshake is refused before its credentials are checked. The socket of a user's meals counts
/// as a consultation.
struct Reconnects: Sendable {
    struct Series: Sendable {
        let user: ExactString
        let token: ExactString?
        /// The entry that ended the socket.
        let end: JournalEntry
        /// The last failure: the socket's end or an attempt.
        fileprivate(set) var failure: JournalEntry
        /// When the client knew of the failure at the earliest, or nil if that is unknown or while an attempt is open.
        fileprivate(set) var knownAt: Timestamp?
        /// Whether the last attempt was never answered: nobody knows how long the client waited for the answer.
        fileprivate var isUnanswered = false
        fileprivate(set) var tryCount = 0
        /// The last known wait and the attempt that followed it.
        fileprivate(set) var lastWait: (nanoseconds: Int64, tried: JournalEntry)?
        /// The token with which the last attempt was refused.
        fileprivate var refusedToken: ExactString?
    }

    struct Try: Sendable {
        let entry: JournalEntry
        /// How long the client had known of the failure, or nil if that is unknown.
        let wait: Int64?
        /// The series before this attempt, except ``Series/tryCount``, which includes it.
        let series: Series
    }

    enum Event: Sendable {
        case tried(Try)
        /// An attempt failed, or the socket that it opened.
        case failed(Series)
    }

    private var byConsultation = Recent<ExactString, Series>(capacity: 4000)

    /// The unfinished series, oldest first.
    var open: [Series] { byConsultation.values.sorted { $0.end.number < $1.end.number } }

    /// Observes a fact; one handshake can be an attempt and a failure at once.
    mutating func observe(_ fact: Fact, in scene: Scene) -> [Event] {
        switch fact.kind {
        case .opened, .request: Handshake(fact).map { observe($0) } ?? []
        case .closed(let closing): scene.endedSocket.map { observe(closing, of: $0, fact, in: scene) } ?? []
        case .fault(let fault) where fault.effect == .silence: observeSilence(fact, in: scene)
        case .frame(let frame) where frame.isConnected: succeed(fact, in: scene)
        case .frame, .fault, .other: []
        }
    }

    private mutating func observe(_ handshake: Handshake) -> [Event] {
        guard var series = byConsultation[handshake.consultation], !series.isForeign(handshake) else { return [] }
        var events: [Event] = []
        var isTry = true
        if let refused = series.refusedToken, handshake.credentials.token != refused {
            // The same attempt again, with the token that it lacked.
            isTry = false
        } else {
            let wait = series.knownAt.map { handshake.requestedAt.lag(behind: $0) }.flatMap { $0 < 0 ? nil : $0 }
            var tried = series
            tried.tryCount += 1
            series.tryCount += 1
            events.append(.tried(Try(entry: handshake.entry, wait: wait, series: tried)))
            if let wait, !series.isUnanswered { series.lastWait = (wait, handshake.entry) }
        }
        series.isUnanswered = handshake.status == nil
        if handshake.isAccepted {
            (series.knownAt, series.refusedToken) = (nil, nil)
        } else {
            (series.knownAt, series.failure) = (handshake.answeredAt, handshake.entry)
            series.refusedToken = handshake.status == 401 ? handshake.credentials.token : nil
            if isTry { events.append(.failed(series)) }
        }
        byConsultation[handshake.consultation] = series
        return events
    }

    private mutating func observe(
        _ closing: RecordedClosing, of socket: Scene.Socket, _ fact: Fact, in scene: Scene
    ) -> [Event] {
        // A silenced socket counted as ended then; if another is open, the client has long since reconnected.
        guard !socket.isSilenced, scene.openSockets(onConsultation: socket.consultation).isEmpty else { return [] }
        let id = socket.consultation.asciiLowercased()
        switch SocketEnding(closing, of: socket, at: fact.time) {
        case .archived: byConsultation[id] = nil
        case .closedByClient, .leftByClient:
            // Without `connected` the client may have abandoned an attempt; otherwise it is finished.
            if socket.connectedAt == nil { return fail(socket, fact, knownAt: nil, mayBegin: false) }
            byConsultation[id] = nil
        case .givenUp: return fail(socket, fact, knownAt: nil, mayBegin: true)
        case .unexpected(let knownAt): return fail(socket, fact, knownAt: knownAt, mayBegin: true)
        }
        return []
    }

    private mutating func observeSilence(_ fact: Fact, in scene: Scene) -> [Event] {
        guard let socket = scene.sockets[fact.connection],
            scene.openSockets(onConsultation: socket.consultation).isEmpty
        else { return [] }
        return fail(socket, fact, knownAt: nil, mayBegin: true)
    }

    private mutating func fail(_ socket: Scene.Socket, _ fact: Fact, knownAt: Timestamp?, mayBegin: Bool) -> [Event] {
        let id = socket.consultation.asciiLowercased()
        if var series = byConsultation[id] {
            (series.failure, series.knownAt, series.refusedToken) = (fact.entry, knownAt, nil)
            byConsultation[id] = series
            return series.tryCount > 0 ? [.failed(series)] : []
        }
        guard mayBegin else { return [] }
        byConsultation[id] = Series(
            user: socket.user, token: socket.credentials.token, end: fact.entry, failure: fact.entry, knownAt: knownAt)
        return []
    }

    private mutating func succeed(_ fact: Fact, in scene: Scene) -> [Event] {
        if let socket = scene.sockets[fact.connection] { byConsultation[socket.consultation.asciiLowercased()] = nil }
        return []
    }
}

extension Reconnects.Series {
    /// Whether the handshake belongs to another user, who may not even see the consultation.
    fileprivate func isForeign(_ handshake: Handshake) -> Bool {
        if let user = handshake.user { return user != self.user }
        return handshake.status == 404 && handshake.credentials.token != token
    }
}

/// An attempt to open a WebSocket: accepted, refused, or never answered.
struct Handshake: Sendable {
    /// The consultation in the path, in lower case; an ID in the wrong case names the same consultation.
    let consultation: ExactString
    let credentials: PresentedCredentials
    let user: ExactString?
    let requestedAt: Timestamp
    let isOfMeals: Bool
    /// When it was answered or abandoned.
    let answeredAt: Timestamp
    /// The status that the client received: 101 if accepted, nil if no complete response was delivered.
    let status: Int?
    let entry: JournalEntry

    /// Parses a fact, or returns nil if it is not a handshake.
    init?(_ fact: Fact) {
        switch fact.kind {
        case .opened(let opening):
            (consultation, isOfMeals) = (opening.consultation.asciiLowercased(), opening.isOfMeals)
            credentials = opening.credentials
            user = opening.opening.user
            requestedAt = opening.requestedAt
            status = 101
        case .request(let request):
            guard request.isHandshake else { return nil }
            consultation = (request.pathID ?? OpeningFact.meals(of: request.client)).asciiLowercased()
            isOfMeals = request.endpoint == .mealSocket
            credentials = request.credentials
            user = request.user
            requestedAt = request.requestedAt
            status = request.isAnswered ? request.status : nil
        case .frame, .closed, .fault, .other: return nil
        }
        answeredAt = fact.time
        entry = fact.entry
    }

    var isAccepted: Bool { status == 101 }
}

struct ReconnectBackoff: ObligationJudge {
    static let obligation = Obligation(
        id: "ws/reconnect-backoff", level: .must,
        origin: .guides([.consultationWebSocket, .enhancedConsultations, .mealLogWebSocket]),
        place: "best practice 2 (consultation-websocket); best practice 1 (enhanced-consultations); step 2, "
            + "reconnection (meal-log-websocket)",
        clause: "After a socket that the client did not end, no handshake for its consultation comes sooner than 1 s "
            + "after the end or after the previous try, and waits never shrink until `connected` comes.",
        tolerance: "50 ms for the network and scheduling. Any end that the client did not begin counts, except 1000 "
            + "after \"Consultation is not active\". A try with another token after a 401 need not wait. If the client "
            + "itself gave up a socket on which the fake had misbehaved, the first wait is unknown and not judged. A "
            + "user who asks to reconnect cannot be told from the client. The apps' socket of all meals counts as a "
            + "consultation.",
        advice: "Wait before each connect, 1 s, 2 s, 3 s or doubling up to 30 s, and reset the count only when "
            + "`connected` has come; consultation-websocket's listing resets reconnectAttempts right after resume(), "
            + "so its waits stay at 1 s.",
        scenarios: ["drop-mid-stream", "server-restarts"])
    static let needs: Evidence = .socketEnds

    private var reconnects = Reconnects()

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        for event in reconnects.observe(fact, in: scene) {
            guard case .tried(let attempt) = event, let wait = attempt.wait else { continue }
            judge(attempt, wait, &findings)
        }
    }

    private func judge(_ attempt: Reconnects.Try, _ wait: Int64, _ findings: inout Findings) {
        let series = attempt.series
        findings.exercised()
        if wait < SocketTimes.shortestWait - Tolerance.interval {
            let failedAt = findings.date(of: series.knownAt ?? series.failure.time)
            findings.found(
                SocketMessages.tooSoon(wait: wait, failedAt: failedAt, number: series.tryCount),
                [series.failure, attempt.entry])
        } else if let last = series.lastWait, wait < last.nanoseconds - Tolerance.interval {
            let message = SocketMessages.shrunk(wait: wait, previous: last.nanoseconds, number: series.tryCount)
            findings.found(message, [last.tried, series.failure, attempt.entry])
        }
    }
}

struct ReconnectLimit: ObligationJudge {
    static let obligation = Obligation(
        id: "ws/reconnect-limit", level: .should, origin: .guides([.consultationWebSocket]), place: "best practice 2",
        clause: "After a socket that the client did not end, it tries at most 5 times in a row to reconnect.",
        tolerance: "Each handshake for the consultation is a try, accepted or not, until `connected` is delivered; one "
            + "with another token after a 401 is part of the previous try. A user who asks to reconnect cannot be told "
            + "from the client. The apps' socket of all meals counts as a consultation.",
        advice: "Count the tries since the last `connected`, show an error after the fifth, and leave the next to the "
            + "user; consultation-websocket's listing resets reconnectAttempts right after resume(), so its limit "
            + "never bites.",
        scenarios: ["drop-mid-stream", "server-restarts"])
    static let needs: Evidence = .socketEnds

    private var reconnects = Reconnects()

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        for event in reconnects.observe(fact, in: scene) {
            switch event {
            case .failed(let series):
                // The client faces the limit only now.
                if series.tryCount == SocketTimes.tryLimit { findings.exercised() }
            case .tried(let attempt):
                // Each series counts as one breach, however long it continues.
                guard attempt.series.tryCount == SocketTimes.tryLimit + 1 else { continue }
                findings.exercised()
                findings.found(
                    SocketMessages.tooManyTries(endedAt: findings.date(of: attempt.series.end.time)),
                    [attempt.series.end, attempt.series.failure, attempt.entry])
            }
        }
    }

    func conclude(at end: Timestamp, in scene: Scene, _ findings: inout Findings) {
        for series in reconnects.open where (1..<SocketTimes.tryLimit).contains(series.tryCount) {
            // It gave up before the limit.
            guard let knownAt = series.knownAt, end.lag(behind: knownAt) >= SocketTimes.gaveUp else { continue }
            findings.exercised()
        }
    }
}
