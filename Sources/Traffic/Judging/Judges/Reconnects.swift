import FitIQAPI
import JSON
import Traffic

/// Tracks how clients reconnect to consultations after a socket end that they did not cause.
///
/// A series starts when such a socket ends, and lasts until `connected` arrives or the client closes the socket. Each
/// handshake for the consultation is an attempt. The consultation identifies the client, because it belongs to one
/// user, and a handshake may be refused before the credentials are checked. A user's meal socket also counts as a
/// consultation.
struct Reconnects: Sendable {
    struct Series: Sendable {
        let user: ExactString
        let token: ExactString?
        let end: JournalEntry
        /// The last failure: the end of the socket, or a failed attempt.
        fileprivate(set) var failure: JournalEntry
        /// The earliest time at which the client may have noticed the failure.
        ///
        /// The time is nil if it is unknown, and while an attempt is in progress.
        fileprivate(set) var knownAt: Timestamp?
        /// Whether the last attempt got no answer, in which case the client's wait is unknown.
        fileprivate var isUnanswered = false
        fileprivate(set) var tryCount = 0
        /// The last known wait, and the attempt after it.
        fileprivate(set) var lastWait: (nanoseconds: Int64, tried: JournalEntry)?
        /// The first known wait, and how many waits are known.
        fileprivate(set) var firstWait: Int64?
        fileprivate(set) var waitCount = 0
        /// The token of the last attempt, if the server refused it.
        fileprivate var refusedToken: ExactString?
    }

    struct Try: Sendable {
        let entry: JournalEntry
        /// The time between noticing the failure and making the attempt, or nil if it is unknown.
        let wait: Int64?
        /// The series as it was before this attempt, except that ``Series/tryCount`` includes the attempt.
        let series: Series
    }

    enum Event: Sendable {
        case tried(Try)
        /// An attempt failed, or its socket ended.
        case failed(Series)
    }

    private var byConsultation = Recent<ExactString, Series>(capacity: 4000)

    /// The unfinished series, oldest first.
    var open: [Series] { byConsultation.values.sorted { $0.end.number < $1.end.number } }

    /// Observes a fact; one handshake can be both an attempt and a failure.
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
            // The client repeats the attempt with a new token.
            isTry = false
        } else {
            let wait = series.knownAt.map { handshake.requestedAt.nanoseconds(since: $0) }.flatMap { $0 < 0 ? nil : $0 }
            var tried = series
            tried.tryCount += 1
            series.tryCount += 1
            events.append(.tried(Try(entry: handshake.entry, wait: wait, series: tried)))
            if let wait, !series.isUnanswered {
                series.lastWait = (wait, handshake.entry)
                series.firstWait = series.firstWait ?? wait
                series.waitCount += 1
            }
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
        // A silenced socket has counted as ended since the silence started. If another socket is open, the client has
        // reconnected.
        guard !socket.isSilenced, scene.openSockets(onConsultation: socket.consultation).isEmpty else { return [] }
        let id = socket.consultation.asciiLowercased()
        switch SocketEnding(closing, of: socket, at: fact.time) {
        case .archived: byConsultation[id] = nil
        case .closedByClient, .leftByClient:
            // Before `connected`, the client may have abandoned the attempt; after `connected`, it has finished.
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
    /// Whether the handshake is from another user, who may not be allowed to see the consultation.
    fileprivate func isForeign(_ handshake: Handshake) -> Bool {
        if let user = handshake.user { return user != self.user }
        return handshake.status == 404 && handshake.credentials.token != token
    }
}

/// An attempt to open a WebSocket: accepted, refused, or never answered.
struct Handshake: Sendable {
    /// The consultation in the path, in lower case, because an ID in the wrong case refers to the same consultation.
    let consultation: ExactString
    /// Whether the ID was sent in the wrong case.
    let isUpperCase: Bool
    let credentials: PresentedCredentials
    let user: ExactString?
    let requestedAt: Timestamp
    let isOfMeals: Bool
    let answeredAt: Timestamp
    /// The status that the client received: 101 if accepted, nil if no complete response was delivered.
    let status: Int?
    let entry: JournalEntry

    /// Parses a fact, or returns nil if it is not a handshake.
    init?(_ fact: Fact) {
        let request: RequestFact
        switch fact.kind {
        case .opened(let opening):
            (request, consultation, status) = (opening, opening.consultation.asciiLowercased(), 101)
        case .request(let refused) where refused.isHandshake:
            request = refused
            consultation = (refused.pathID ?? RequestFact.meals(of: refused.client)).asciiLowercased()
            status = refused.isAnswered ? refused.status : nil
        case .request, .frame, .closed, .fault, .other: return nil
        }
        (credentials, user, requestedAt) = (request.credentials, request.user, request.requestedAt)
        (isOfMeals, isUpperCase) = (request.isOfMeals, request.sentID?.hasUpperCase ?? false)
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
        clause:
            "After losing a socket, the client waits at least 1 s before it sends another handshake for the "
            + "consultation, and at least 1 s after each failed attempt. The waits never shrink until `connected` "
            + "arrives. With consultation-websocket or enhanced-consultations as the only guide, the waits should "
            + "grow.",
        tolerance:
            "Waits have a tolerance of 50 ms for the network and scheduling. Waits count as growing if the third is "
            + "more than 50 ms longer than the first, or if the first is at least 30 s. A socket counts as lost if the "
            + "client did not initiate the close, unless the server closed it with 1000 after \"Consultation is not "
            + "active\". The client need not wait before an attempt with a different token after a 401. If the client "
            + "abandoned a socket after a fault on it, the judge ignores the first wait, because its start is unknown. "
            + "The judge cannot tell whether the client or its user starts an attempt. The apps' meal socket is treated "
            + "as a consultation.",
        advice: "Wait before each attempt: 1 s, 2 s, 3 s, or doubling up to 30 s. Reset the count only when "
            + "`connected` arrives. consultation-websocket's listing resets reconnectAttempts right after resume(), "
            + "so its waits stay at 1 s.",
        scenarios: ["drop-mid-stream", "server-restarts"])
    static let needs: Evidence = .socketEnds

    private var reconnects = Reconnects()

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        for event in reconnects.observe(fact, in: scene) {
            guard case .tried(let attempt) = event, let wait = attempt.wait else { continue }
            judge(attempt, wait, in: scene.mode, &findings)
        }
    }

    /// The guides that require exponentially increasing pauses; meal-log-websocket's pause is constant.
    private static let growing: Set<GuideMode> = [.consultationWebSocket, .enhancedConsultations]

    private func judge(_ attempt: Reconnects.Try, _ wait: Int64, in mode: GuideMode, _ findings: inout Findings) {
        let series = attempt.series
        findings.exercised()
        if wait < SocketTimes.shortestWait - Tolerance.interval {
            let failedAt = findings.date(of: series.knownAt ?? series.failure.time)
            findings.found(
                Messages.tooSoon(wait: wait, failedAt: failedAt, number: series.tryCount),
                [series.failure, attempt.entry])
        } else if let last = series.lastWait, wait < last.nanoseconds - Tolerance.interval {
            let message = Messages.shrunk(wait: wait, previous: last.nanoseconds, number: series.tryCount)
            findings.found(message, [last.tried, series.failure, attempt.entry])
        } else if Self.growing.contains(mode), series.waitCount == 2, let first = series.firstWait,
            first < SocketTimes.longestWait, wait <= first + Tolerance.interval, let last = series.lastWait
        {
            let message = Messages.constant(wait: wait, number: series.tryCount)
            findings.found(message, level: .should, [series.end, last.tried, attempt.entry])
        }
    }
}

struct ReconnectLimit: ObligationJudge {
    static let obligation = Obligation(
        id: "ws/reconnect-limit", level: .should, origin: .guides([.consultationWebSocket]), place: "best practice 2",
        clause: "After losing a socket, the client tries to reconnect at most 5 times in a row.",
        tolerance:
            "Until `connected` arrives, each handshake for the consultation counts as an attempt, even if the server "
            + "accepts it. A handshake with a different token after a 401 belongs to the previous attempt. The judge "
            + "cannot tell whether the client or its user starts an attempt. The apps' meal socket is treated as a "
            + "consultation.",
        advice: "Count the attempts since the last `connected`, show an error after the fifth, and let the user start "
            + "the next one. consultation-websocket's listing resets reconnectAttempts right after resume(), so it "
            + "never reaches its limit.",
        scenarios: ["drop-mid-stream", "server-restarts"])
    static let needs: Evidence = .socketEnds

    private var reconnects = Reconnects()

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        for event in reconnects.observe(fact, in: scene) {
            switch event {
            case .failed(let series):
                // The client has only now reached the limit.
                if series.tryCount == SocketTimes.tryLimit { findings.exercised() }
            case .tried(let attempt):
                // Each series counts as only one breach, regardless of its length.
                guard attempt.series.tryCount == SocketTimes.tryLimit + 1 else { continue }
                findings.breached(
                    Messages.tooManyTries(endedAt: findings.date(of: attempt.series.end.time)),
                    [attempt.series.end, attempt.series.failure, attempt.entry])
            }
        }
    }

    func conclude(at end: Timestamp, in scene: Scene, _ findings: inout Findings) {
        for series in reconnects.open where (1..<SocketTimes.tryLimit).contains(series.tryCount) {
            // The client gave up before the limit.
            guard let knownAt = series.knownAt, end.nanoseconds(since: knownAt) >= SocketTimes.gaveUp else { continue }
            findings.exercised()
        }
    }
}

struct ReconnectsAfterDrop: ObligationJudge {
    static let obligation = Obligation(
        id: "ws/reconnects", level: .should,
        origin: .guides([.consultationWebSocket, .enhancedConsultations, .mealLogWebSocket]),
        place: "overview (consultation-websocket); best practice 1 (enhanced-consultations, meal-log-websocket)",
        clause:
            "After losing a socket, the client opens another socket if its user continues with the lost socket's chat "
            + "or meals.",
        tolerance:
            "The user counts as continuing if the client loads the consultation's messages or logs meals twice, at "
            + "least 30 s apart. A handshake for any socket satisfies the obligation, even a refused one. The client "
            + "need not reconnect after the consultation is archived, deleted or refused, or after another "
            + "consultation is created. The client also need not reconnect if a fault silenced the socket, if the "
            + "client abandoned the socket, or if the client broke the protocol on it. The judge ignores the apps' "
            + "meal socket.",
        advice:
            "Handle the socket's end where you receive frames: wait, reconnect, and fetch the messages. Stop when the "
            + "user leaves, or after five attempts, with an error that the user sees.",
        swiftAdvice:
            "If task.receive throws although you did not cancel the task, the connection is lost: create a new "
            + "task.",
        scenarios: ["drop-mid-stream", "server-restarts"])
    static let needs: Evidence = .socketEnds

    /// A lost socket that the client has not reopened.
    private struct Debt: Sendable {
        let consultation: ExactString
        let isForMeals: Bool
        let end: JournalEntry
        /// The user's next action; the client must reconnect if the user is still active after 30 s.
        var first: JournalEntry?
        var last: JournalEntry?
    }

    private var debts = Recent<ExactString, Debt>(capacity: RecentLimits.fewest)
    /// The consultations' owners, for handshakes that the server refuses before it checks the credentials.
    private var users = Recent<ExactString, ExactString>(capacity: RecentLimits.fewest)
    /// The sockets that were open when the client logged a meal, and on which no question had been asked.
    private var mealSockets = Recent<UInt64, Bool>(capacity: RecentLimits.fewest)

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        if let handshake = Handshake(fact) {
            guard let user = handshake.user ?? users[handshake.consultation], debts[user] != nil else { return }
            debts[user] = nil
            return findings.exercised()
        }
        switch fact.kind {
        case .closed(let closing): observe(closing, fact, in: scene)
        case .request(let request):
            guard let client = request.client else { return }
            if request.restEndpoint == .createMealLog {
                for socket in scene.openSockets(of: client) where !socket.hasAsked && !socket.isOfMeals {
                    mealSockets[socket.connection] = true
                }
            }
            guard let debt = debts[client], request.requestedAt >= debt.end.time else { return }
            debts[client] = Self.debt(debt, after: request)
        case .opened, .frame, .fault, .other: return
        }
    }

    private mutating func observe(_ closing: RecordedClosing, _ fact: Fact, in scene: Scene) {
        guard let socket = scene.endedSocket, !socket.isSilenced, !socket.isOfMeals, !socket.user.isEmpty,
            socket.connectedAt != nil, closing.cause != .violation, closing.cause != .limit,
            case .unexpected = SocketEnding(closing, of: socket, at: fact.time),
            scene.openSockets(of: socket.user).isEmpty
        else { return }
        let id = socket.consultation.asciiLowercased()
        let isForMeals = !socket.hasAsked && mealSockets[fact.connection] != nil
        debts[socket.user] = Debt(consultation: id, isForMeals: isForMeals, end: fact.entry)
        users[id] = socket.user
    }

    /// The pending obligation after a request, or nil if the user no longer wants the socket.
    private static func debt(_ debt: Debt, after request: RequestFact) -> Debt? {
        let isOfChat =
            request.endpoint?.namesConsultation == true && request.pathID?.asciiLowercased() == debt.consultation
        switch request.restEndpoint {
        case .createConsultation, .chatAboutGoal, .logOut, .deleteUser: return nil
        case .createMealLog where debt.isForMeals: break
        case .listMessages where isOfChat && request.status != 404: break
        // A chat list or a goal's page also shows the consultation.
        case .showConsultation where request.status != 404: return debt
        default: return isOfChat ? nil : debt
        }
        var debt = debt
        guard let first = debt.first else {
            debt.first = request.entry
            return debt
        }
        let span = request.requestedAt.nanoseconds(since: first.time)
        if debt.last == nil, span >= SocketTimes.longestWait { debt.last = request.entry }
        return debt
    }

    func conclude(at end: Timestamp, in scene: Scene, _ findings: inout Findings) {
        for debt in debts.values.sorted(by: { $0.end.number < $1.end.number }) {
            guard let first = debt.first, let last = debt.last else { continue }
            findings.breached(
                Messages.neverCameBack(
                    endedAt: findings.date(of: debt.end.time), firstAt: findings.date(of: first.time),
                    lastAt: findings.date(of: last.time)), [debt.end, first, last])
        }
    }
}
