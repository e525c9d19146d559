import FitIQAPI
import HTTPTypes
import JSON

/// The requests that are under way or wait: for their turn, for a token, for the time to try again.
struct RequestBook: Sendable {
    /// What came of an errand.
    enum Outcome: Sendable {
        /// An answer that repeating would not better.
        case answered(Answer)
        /// No usable answer, although it was repeated as often as allowed.
        case unavailable(String)
        /// No usable answer; it must be looked up whether it was done before it is sent again.
        case uncertain(String)
        /// The token was refused, and no other came.
        case unauthorized
    }

    /// Where an entry stands.
    enum Phase: Sendable {
        case waiting(until: Timestamp)
        case sent(number: Int, token: String, deadline: Timestamp)
        /// It is being looked up whether it was done.
        case uncertain
    }

    /// An errand on its way.
    struct Entry: Sendable {
        let errand: Errand
        let method: HTTPRequest.Method
        let target: String
        let body: [UInt8]?
        var phase: Phase
        var attempts = 0
        var throttles = 0
        /// When the last attempt failed, and how long the one before it had been waited for.
        var failedAt: Timestamp?
        var lastWait = Duration.zero
    }

    let schedule: RetrySchedule
    let patience: ClientPatience
    var tokens: TokenKeeper
    var entries: [Entry] = []
    /// No request before that time: the backend asked for a pause.
    var throttledUntil: Timestamp?

    /// How often an errand is throttled before it is given up.
    static let mostThrottles = 3
    /// For how long after a pause requests go one by one.
    static let serialTime = Duration.seconds(60)

    init(_ configuration: ClientConfiguration) {
        schedule = configuration.retries
        patience = configuration.patience
        tokens = TokenKeeper(token: configuration.credentials.token, spare: configuration.freshToken)
    }

    /// Whether an errand is on its way.
    func contains(_ errand: Errand) -> Bool { entries.contains { $0.errand == errand } }

    /// Takes an errand on, unless it is on its way already.
    mutating func submit(
        _ errand: Errand, _ method: HTTPRequest.Method, _ target: String, body: [UInt8]? = nil, at time: Timestamp
    ) {
        guard !contains(errand) else { return }
        entries.append(
            Entry(errand: errand, method: method, target: target, body: body, phase: .waiting(until: time)))
    }

    /// Sends again what was uncertain and turned out not to be done.
    ///
    /// - Returns: whether there is an attempt left; where there is none the errand is over.
    mutating func sendAgain(_ errand: Errand, at now: Timestamp) -> Bool {
        guard let index = entries.firstIndex(where: { $0.errand == errand }) else { return false }
        let entry = entries[index]
        guard let delay = schedule.delay(afterAttempts: entry.attempts, last: entry.lastWait) else {
            entries.remove(at: index)
            return false
        }
        entries[index].phase = .waiting(until: max(now, (entry.failedAt ?? now).advanced(by: delay)))
        return true
    }

    /// Forgets an errand.
    ///
    /// - Returns: the number of the request to cancel, where one is out.
    mutating func drop(_ errand: Errand) -> Int? {
        guard let index = entries.firstIndex(where: { $0.errand == errand }) else { return nil }
        let entry = entries.remove(at: index)
        if case .sent(let number, _, _) = entry.phase { return number }
        return nil
    }

    /// Sends what may go out now.
    mutating func pump(at now: Timestamp, credentials: Credentials, number: inout Int) -> [ClientAction] {
        if let throttledUntil, throttledUntil.advanced(by: Self.serialTime) <= now { self.throttledUntil = nil }
        guard tokens.isUsable else { return [] }
        var actions: [ClientAction] = []
        while let index = nextIndex(at: now) {
            number += 1
            var fields = Credentials(token: tokens.token, apiKey: credentials.apiKey).fields
            if entries[index].body != nil { fields[.contentType] = "application/json" }
            if let failedAt = entries[index].failedAt {
                entries[index].lastWait = max(entries[index].lastWait, now.duration(since: failedAt))
            }
            entries[index].phase = .sent(
                number: number, token: tokens.token, deadline: now.advanced(by: patience.response))
            let entry = entries[index]
            actions.append(
                .send(
                    ClientRequest(
                        number: number, method: entry.method, target: entry.target, fields: fields, body: entry.body)))
        }
        return actions
    }

    /// The entry that may go out now.
    private func nextIndex(at now: Timestamp) -> Int? {
        if let throttledUntil {
            guard throttledUntil <= now, !isSending else { return nil }
            if let urgent = entries.firstIndex(where: { $0.errand.isUrgent && $0.isDue(at: now) }) { return urgent }
        }
        return entries.firstIndex { $0.isDue(at: now) }
    }

    private var isSending: Bool {
        entries.contains { if case .sent = $0.phase { true } else { false } }
    }

    /// When something is due by itself.
    var nextDeadline: Timestamp? {
        var next = tokens.deadline
        let isHeld = throttledUntil != nil && isSending
        for entry in entries {
            switch entry.phase {
            case .sent(_, _, let deadline): next = earlier(next, deadline)
            case .waiting(let until) where tokens.isUsable && !isHeld:
                next = earlier(next, max(until, throttledUntil ?? until))
            case .waiting, .uncertain: break
            }
        }
        return next
    }
}

extension RequestBook.Entry {
    func isDue(at now: Timestamp) -> Bool {
        if case .waiting(let until) = phase { until <= now } else { false }
    }
}

/// The earlier of two points in time, of which the first may be missing.
func earlier(_ first: Timestamp?, _ second: Timestamp?) -> Timestamp? {
    guard let first, let second else { return first ?? second }
    return min(first, second)
}

/// What the network tells of requests.
extension RequestBook {
    typealias Result = (errand: Errand, outcome: Outcome)

    /// Takes a response.
    ///
    /// - Returns: what came of the errand, where that is decided; and whether the user has to bring another token.
    mutating func receive(_ response: ClientResponse, at now: Timestamp) -> (result: Result?, asksForToken: Bool) {
        guard let index = index(of: response.number), case .sent(_, let token, _) = entries[index].phase else {
            return (nil, false)
        }
        let answer = Answer(response)
        if answer.status == 401 {
            entries[index].phase = .waiting(until: now)
            return (nil, tokens.refuse(token, until: now.advanced(by: patience.token)))
        }
        if answer.isThrottled { return (throttle(index, answer, at: now), false) }
        guard answer.isFailure else {
            return ((entries.remove(at: index).errand, .answered(answer)), false)
        }
        return (fail(index, answer.message, asked: answer.retryAfter, at: now), false)
    }

    /// Notes that a request has no answer.
    mutating func fail(number: Int, at now: Timestamp) -> Result? {
        index(of: number).flatMap { fail($0, ClientMessages.noAnswer, asked: nil, at: now) }
    }

    /// Ends what has waited too long.
    ///
    /// - Returns: the requests to cancel, and what came of errands.
    mutating func expire(at now: Timestamp) -> (cancelled: [Int], results: [Result]) {
        var cancelled: [Int] = []
        var results: [Result] = []
        for entry in entries {
            guard case .sent(let number, _, let deadline) = entry.phase, deadline <= now, let index = index(of: number)
            else { continue }
            cancelled.append(number)
            if let result = fail(index, ClientMessages.noAnswer, asked: nil, at: now) { results.append(result) }
        }
        return (cancelled, results)
    }

    /// Gives up what waits for a token.
    mutating func giveUpTokens() -> [Result] {
        tokens.giveUp()
        let waiting = entries.filter { if case .waiting = $0.phase { true } else { false } }
        entries.removeAll { if case .waiting = $0.phase { true } else { false } }
        return waiting.map { ($0.errand, .unauthorized) }
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
            entries.remove(at: index)
            return (entry.errand, .unavailable(message))
        }
        entries[index].phase = .waiting(until: now.advanced(by: delay))
        return nil
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

/// The token that requests bring along, and what happens when it is refused.
///
/// A token that was refused is never sent again (consultation-websocket, HTTP errors).
struct TokenKeeper: Sendable {
    private(set) var token: String
    private var spare: String?
    /// Whether the token was refused and no other has come.
    private(set) var isRefused = false
    /// Until when another is waited for; nil while none is.
    private(set) var deadline: Timestamp?

    init(token: String, spare: String?) {
        self.token = token
        self.spare = spare.isExactly(token) ? nil : spare
    }

    /// Whether requests may go out.
    var isUsable: Bool { !isRefused }

    /// Notes a 401.
    ///
    /// - Returns: whether the user has to bring another token.
    mutating func refuse(_ refused: String, until limit: Timestamp) -> Bool {
        // A late refusal of an older token; what it leaves waiting needs one all the same.
        guard refused.isExactly(token) else { return ask(until: limit) }
        if let spare {
            (token, self.spare) = (spare, nil)
            return false
        }
        isRefused = true
        return ask(until: limit)
    }

    /// Begins to wait for another token.
    ///
    /// - Returns: whether that is news.
    mutating func ask(until limit: Timestamp) -> Bool {
        guard isRefused, deadline == nil else { return false }
        deadline = limit
        return true
    }

    /// Takes another token.
    ///
    /// - Returns: whether it is one: the refused one is none.
    mutating func use(_ new: String) -> Bool {
        guard !isRefused || !new.isExactly(token) else { return false }
        (token, isRefused, deadline) = (new, false, nil)
        return true
    }

    /// Ends the wait.
    mutating func giveUp() { deadline = nil }
}
