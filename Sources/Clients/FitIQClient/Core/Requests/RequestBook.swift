import FitIQAPI
import HTTPTypes

/// The requests in flight, and requests that are waiting for their turn, a token or their next attempt.
struct RequestBook: Sendable {
    enum Outcome: Sendable {
        /// There is a response, and repeating the request would not improve it.
        case answered(Answer)
        /// There is no usable response after all allowed attempts.
        case unavailable(String)
        /// There is no usable response; the client must find out whether the request succeeded before repeating it.
        case uncertain(String)
        case unauthorized

        var answer: Answer? { if case .answered(let answer) = self { answer } else { nil } }
    }

    enum Phase: Sendable {
        case waiting(until: Timestamp)
        case sent(number: Int, token: String, deadline: Timestamp)
        /// The client is finding out whether the request succeeded.
        case uncertain
        /// An identical request has just used up its attempts, so this request is not sent.
        case hopeless(since: Timestamp)
    }

    struct Entry: Sendable {
        let errand: Errand
        let method: HTTPRequest.Method
        let target: String
        let body: [UInt8]?
        var phase: Phase
        var attempts = 0
        var throttles = 0
        /// Whether the backend refused a token from a refresh, in which case a second refresh would not help.
        var isRefusedAgain = false
        /// When the last attempt failed, and the delay before that attempt.
        var failedAt: Timestamp?
        var lastWait = Duration.zero
    }

    /// A request that failed on every allowed attempt.
    private struct Failure: Sendable {
        let entry: Entry
        let at: Timestamp
    }

    let schedule: RetrySchedule
    let patience: ClientPatience
    var tokens: TokenKeeper
    var entries: [Entry] = []
    /// When the next request may be sent after a pause that the backend requested.
    var throttledUntil: Timestamp?
    /// Recent final failures, oldest first; the backend would see another such request as one more repetition.
    private var failures: [Failure] = []
    /// How long a request counts as a repetition of a failed request (retry/backoff-on-5xx).
    static let failureTime = Duration.seconds(61)
    /// The maximum number of stored failures.
    static let mostFailures = 64
    /// How often the backend may throttle an errand before the client gives up.
    static let mostThrottles = 3
    /// How long requests are sent one at a time after a pause.
    static let serialTime = Duration.seconds(60)

    init(_ configuration: ClientConfiguration) {
        schedule = configuration.retries
        patience = configuration.patience
        tokens = TokenKeeper(configuration)
    }

    func contains(_ errand: Errand) -> Bool { entries.contains { $0.errand == errand } }

    /// Adds an errand unless the book already contains it.
    mutating func submit(
        _ errand: Errand, _ method: HTTPRequest.Method, _ target: String, body: [UInt8]? = nil, at time: Timestamp
    ) {
        guard !contains(errand) else { return }
        var entry = Entry(errand: errand, method: method, target: target, body: body, phase: .waiting(until: time))
        failures.removeAll { $0.at.advanced(by: Self.failureTime) <= time }
        if failures.contains(where: { $0.entry.isTwin(of: entry) }) { entry.phase = .hopeless(since: time) }
        if let twin = entries.first(where: { $0.isTwin(of: entry) && $0.failedAt != nil }) { entry.follow(twin) }
        entries.append(entry)
    }

    /// Removes all failures because the user makes or repeats a request.
    mutating func forgetFailures() { failures = [] }

    /// Repeats a request after the client has found out that it did not succeed.
    ///
    /// - Returns: Whether an attempt is left; if not, the errand is over
    mutating func sendAgain(_ errand: Errand, at now: Timestamp) -> Bool {
        guard let index = entries.firstIndex(where: { $0.errand == errand }) else { return false }
        let entry = entries[index]
        guard let delay = schedule.delay(afterAttempts: entry.attempts, last: entry.lastWait) else {
            giveUp(index, at: now)
            return false
        }
        entries[index].phase = .waiting(until: max(now, (entry.failedAt ?? now).advanced(by: delay)))
        return true
    }

    /// Removes an errand; returns the number of the request to cancel if one is in flight.
    mutating func drop(_ errand: Errand) -> Int? {
        guard let index = entries.firstIndex(where: { $0.errand == errand }) else { return nil }
        guard case .sent(let number, _, _) = entries.remove(at: index).phase else { return nil }
        return number
    }

    mutating func pump(at now: Timestamp, credentials: Credentials, number: inout Int) -> [ClientAction] {
        if let throttledUntil, throttledUntil.advanced(by: Self.serialTime) <= now { self.throttledUntil = nil }
        if let token = tokens.takeRefreshToken() {
            let body = Body.object([("refresh_token", token)])
            submit(.refreshTokens, .post, "/api/v1/auth/refresh", body: body, at: now)
        }
        var actions: [ClientAction] = []
        while let index = nextIndex(at: now) {
            number += 1
            var fields = Credentials(token: tokens.token, apiKey: credentials.apiKey).fields
            if !entries[index].errand.needsToken { fields[.authorization] = nil }
            if entries[index].body != nil { fields[.contentType] = "application/json" }
            if let failedAt = entries[index].failedAt {
                entries[index].lastWait = max(entries[index].lastWait, now.duration(since: failedAt))
            }
            entries[index].phase = .sent(
                number: number, token: tokens.token, deadline: now.advanced(by: patience.response))
            let entry = entries[index]
            let request = ClientRequest(
                number: number, method: entry.method, target: entry.target, fields: fields, body: entry.body)
            actions.append(.send(request))
        }
        return actions
    }

    private func nextIndex(at now: Timestamp) -> Int? {
        if let throttledUntil {
            guard throttledUntil <= now, !isSending else { return nil }
            if let urgent = entries.firstIndex(where: { $0.errand.isUrgent && mayGo($0) && $0.isDue(at: now) }) {
                return urgent
            }
        }
        return entries.firstIndex { mayGo($0) && $0.isDue(at: now) }
    }

    /// Whether the entry has the token that it requires, and no identical request is in flight.
    private func mayGo(_ entry: Entry) -> Bool {
        guard tokens.isUsable || !entry.errand.needsToken else { return false }
        // The backend would treat two identical concurrent requests as a repetition.
        return !entries.contains { $0.isSent && $0.isTwin(of: entry) }
    }

    private var isSending: Bool { entries.contains(where: \.isSent) }

    var nextDeadline: Timestamp? {
        var next = tokens.deadline
        let isHeld = throttledUntil != nil && isSending
        for entry in entries {
            switch entry.phase {
            case .sent(_, _, let deadline): next = .earliest(next, deadline)
            case .hopeless(let time): next = .earliest(next, time)
            case .waiting(let until) where mayGo(entry) && !isHeld:
                next = .earliest(next, max(until, throttledUntil ?? until))
            case .waiting, .uncertain: break
            }
        }
        return next
    }
}

extension RequestBook.Entry {
    var isSent: Bool { if case .sent = phase { true } else { false } }

    /// Whether the backend cannot distinguish the two requests.
    func isTwin(of other: Self) -> Bool {
        errand.isRetried && method == other.method && target == other.target && body == other.body
    }

    /// Continues after a twin's failed attempt, but not before the twin's next attempt is due.
    mutating func follow(_ twin: Self) {
        guard case .waiting(let own) = phase, case .waiting(let other) = twin.phase else { return }
        (attempts, failedAt, lastWait) = (twin.attempts, twin.failedAt, twin.lastWait)
        phase = .waiting(until: max(own, other))
    }

    func isDue(at now: Timestamp) -> Bool { if case .waiting(let until) = phase { until <= now } else { false } }
}

extension RequestBook {
    typealias Result = (errand: Errand, outcome: Outcome)

    /// Handles a response.
    ///
    /// - Returns: The errand's result, if it is decided, and whether the user must provide another token.
    mutating func receive(_ response: ClientResponse, at now: Timestamp) -> (result: Result?, asksForToken: Bool) {
        guard let index = index(of: response.number), case .sent(_, let token, _) = entries[index].phase else {
            return (nil, false)
        }
        let answer = Answer(response)
        let isFresh = tokens.isFromRefresh && token.isExactly(tokens.token)
        if answer.status == 401, entries[index].errand.needsToken, !(isFresh && entries[index].isRefusedAgain) {
            if isFresh { entries[index].isRefusedAgain = true }
            entries[index].phase = .waiting(until: now)
            return (nil, tokens.refuse(token, until: now.advanced(by: patience.token)))
        }
        if answer.isThrottled { return (throttle(index, answer, at: now), false) }
        guard answer.isFailure else { return ((entries.remove(at: index).errand, .answered(answer)), false) }
        return (fail(index, answer.message, asked: answer.retryAfter, at: now), false)
    }

    mutating func fail(number: Int, at now: Timestamp) -> Result? {
        index(of: number).flatMap { fail($0, ClientMessages.noAnswer, asked: nil, at: now) }
    }

    /// Times out entries; returns the requests to cancel and the errands' results.
    mutating func expire(at now: Timestamp) -> (cancelled: [Int], results: [Result]) {
        var cancelled: [Int] = []
        var results: [Result] = []
        for entry in entries {
            if case .hopeless(let time) = entry.phase, time <= now {
                entries.removeAll { $0.errand == entry.errand }
                results.append((entry.errand, .unavailable(ClientMessages.noAnswer)))
            }
            guard case .sent(let number, _, let deadline) = entry.phase, deadline <= now, let index = index(of: number)
            else { continue }
            cancelled.append(number)
            if let result = fail(index, ClientMessages.noAnswer, asked: nil, at: now) { results.append(result) }
        }
        return (cancelled, results)
    }

    mutating func giveUpTokens() -> [Result] {
        tokens.giveUp()
        func waits(_ entry: Entry) -> Bool {
            if case .waiting = entry.phase { entry.errand.needsToken } else { false }
        }
        defer { entries.removeAll(where: waits) }
        return entries.filter(waits).map { ($0.errand, .unauthorized) }
    }

    private func index(of number: Int) -> Int? {
        entries.firstIndex { if case .sent(number, _, _) = $0.phase { true } else { false } }
    }

    private mutating func fail(_ index: Int, _ message: String, asked: Duration?, at now: Timestamp) -> Result? {
        entries[index].attempts += 1
        entries[index].failedAt = now
        let entry = entries[index]
        if !entry.errand.isRepeatable {
            entries[index].phase = .uncertain
            return (entry.errand, .uncertain(message))
        }
        let delay = schedule.delay(afterAttempts: entry.attempts, asked: asked, last: entry.lastWait)
        guard entry.errand.isRetried, let delay else {
            giveUp(index, at: now)
            return (entry.errand, .unavailable(message))
        }
        entries[index].phase = .waiting(until: now.advanced(by: delay))
        let failed = entries[index]
        for other in entries.indices where other != index && entries[other].isTwin(of: failed) {
            entries[other].follow(failed)
        }
        return nil
    }

    /// Removes an entry that has no attempts left, and abandons identical entries.
    private mutating func giveUp(_ index: Int, at now: Timestamp) {
        let entry = entries.remove(at: index)
        guard entry.errand.isRetried else { return }
        failures.append(Failure(entry: entry, at: now))
        if failures.count > Self.mostFailures { failures.removeFirst() }
        for other in entries.indices where entries[other].isTwin(of: entry) {
            if case .waiting = entries[other].phase { entries[other].phase = .hopeless(since: now) }
        }
    }

    private mutating func throttle(_ index: Int, _ answer: Answer, at now: Timestamp) -> Result? {
        entries[index].throttles += 1
        let pause = max(answer.retryAfter ?? .zero, schedule.firstDelay)
        let until = now.advanced(by: min(pause, schedule.longestRetryAfter))
        throttledUntil = max(throttledUntil ?? until, until)
        guard entries[index].throttles < Self.mostThrottles, pause <= schedule.longestRetryAfter else {
            return (entries.remove(at: index).errand, .unavailable(answer.message))
        }
        entries[index].phase = .waiting(until: until)
        return nil
    }
}

/// Stores the token for requests and handles its refusal.
///
/// A refused access token (consultation-websocket, HTTP errors) or refresh token is never reused.
struct TokenKeeper: Sendable {
    private(set) var token: String
    private var refreshToken: String?
    private var spare: String?
    private(set) var isRefused: Bool
    private var isRefreshing = false
    private(set) var isFromRefresh = false
    /// How long to wait for a new token, or nil if not waiting.
    private(set) var deadline: Timestamp?

    init(_ configuration: ClientConfiguration) {
        token = configuration.credentials.token
        spare = configuration.freshToken.isExactly(token) ? nil : configuration.freshToken
        // Before sign-in there is no token to send.
        isRefused = token.isEmpty
        if configuration.guide.serves(.refreshTokens) { refreshToken = configuration.credentials.refreshToken }
    }

    var isUsable: Bool { !isRefused }

    /// Records a 401; returns whether the user must provide another token.
    mutating func refuse(_ refused: String, until limit: Timestamp) -> Bool {
        // The backend refused an older token, and the response was late; the requests still need a token.
        guard refused.isExactly(token) else { return ask(until: limit) }
        isRefused = true
        return replace(until: limit)
    }

    /// Looks for a token other than the refused one; returns whether the user must provide a token.
    private mutating func replace(until limit: Timestamp) -> Bool {
        if refreshToken == nil, !isRefreshing, let spare {
            (token, self.spare, isRefused, isFromRefresh) = (spare, nil, false, false)
        }
        return ask(until: limit)
    }

    /// Takes the refresh token, which works only once; returns nil if there is no refresh token or the access token is
    /// valid.
    mutating func takeRefreshToken() -> String? {
        guard isRefused, !isRefreshing, let refreshToken else { return nil }
        (self.refreshToken, isRefreshing) = (nil, true)
        return refreshToken
    }

    /// Records that the refresh failed; returns whether the user must provide a token.
    mutating func failToRefresh(until limit: Timestamp) -> Bool {
        isRefreshing = false
        return isRefused && replace(until: limit)
    }

    /// Starts waiting for a new token; returns false if the client is already waiting.
    mutating func ask(until limit: Timestamp) -> Bool {
        guard isRefused, refreshToken == nil, !isRefreshing, deadline == nil else { return false }
        deadline = limit
        return true
    }

    /// Replaces the token; returns whether it differs from the refused one.
    mutating func use(_ new: String) -> Bool {
        guard !isRefused || !new.isExactly(token) else { return false }
        (token, isRefused, isFromRefresh, deadline) = (new, false, false, nil)
        return true
    }

    mutating func use(_ tokens: (access: String, refresh: String), fromRefresh isFromRefresh: Bool) {
        (token, refreshToken) = (tokens.access, tokens.refresh)
        (isRefused, isRefreshing, self.isFromRefresh, deadline) = (false, false, isFromRefresh, nil)
    }

    mutating func giveUp() { deadline = nil }
}
