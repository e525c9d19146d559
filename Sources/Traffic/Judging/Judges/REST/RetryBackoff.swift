import Traffic

struct RetryBackoff: ObligationJudge {
    static let obligation = Obligation(
        id: "retry/backoff-on-5xx", level: .must,
        origin: .guides([.consultationWebSocket, .goalLinking, .mealLogWebSocket]), place: "error handling",
        clause: "Repeats after 5xx or a time-out wait at least 1 s, and never less than the previous wait; at most 3 "
            + "attempts are made in all.",
        tolerance: "50 ms. A wait begins when the answer arrived or the client gave up; a repeat more than 60 s later "
            + "starts over. Polls of meal logs only have to wait. A user who presses \"send\" again cannot be told "
            + "from a retry, nor can an equal request that is under way at the same time.",
        advice: "Double the wait between attempts, give up after 3, and disable the button meanwhile.",
        swiftAdvice: "Wait with try await Task.sleep(for: .seconds(pow(2.0, Double(attempt)))).",
        scenarios: ["flaky-500", "timeouts"])

    static let shortestWait = Tolerance.second
    static let mostAttempts = 3
    /// A request this late is not a repeat.
    static let longestWait = 60 * Tolerance.second

    /// Distinguishes bodies without keeping them: their length and their hash.
    private struct BodyPrint: Hashable, Sendable {
        let count: Int
        let hash: UInt64

        init(_ bytes: [UInt8]) {
            count = bytes.count
            hash = bytes.fnv1a
        }
    }

    /// A failed request and its repeats.
    private struct Series: Sendable {
        let body: BodyPrint
        var last: JournalEntry
        var failure: String
        /// Whether the client saw it fail: without an answer, it is unknown when the client gave up.
        var isAnswered: Bool
        var attempts = 1
        var wait: Int64?
    }

    /// The series of a target, for as many bodies as are worth distinguishing.
    private var series = Recent<Target, [Series]>(capacity: RecentLimits.fewest)
    private static let mostBodies = 4

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        guard case .request(let request) = fact.kind, request.restEndpoint != nil, let client = request.client
        else { return }
        let target = Target(request, of: client)
        let failure = Self.failure(of: request)
        var all = series[target] ?? []
        guard failure != nil || !all.isEmpty else { return }
        let body = BodyPrint(request.exchange.body.bytes)
        if let index = all.firstIndex(where: { $0.body == body }) {
            var current = all.remove(at: index)
            let wait = request.requestedAt.lag(behind: current.last.time)
            if wait > Self.longestWait {
                current = Series(
                    body: body, last: fact.entry, failure: failure ?? "", isAnswered: request.isAnswered)
            } else if wait >= 0 {
                judge(request, &current, wait: wait, &findings)
            }
            if let failure {
                current.last = fact.entry
                current.failure = failure
                current.isAnswered = request.isAnswered
                all.append(current)
            }
        } else if let failure {
            all.append(
                Series(body: body, last: fact.entry, failure: failure, isAnswered: request.isAnswered))
            if all.count > Self.mostBodies { all.removeFirst() }
        }
        series[target] = all.isEmpty ? nil : all
    }

    private func judge(_ request: RequestFact, _ series: inout Series, wait: Int64, _ findings: inout Findings) {
        let evidence = [series.last, request.entry]
        findings.exercised()
        series.attempts += 1
        if wait < Self.shortestWait - Tolerance.interval {
            let failedAt = findings.date(of: series.last.time)
            findings.found(
                RESTMessages.retriedTooSoon(request.title, after: wait, failedAt: failedAt, series.failure), evidence)
        } else if let before = series.wait, wait < before - Tolerance.interval, !Self.isPoll(request) {
            findings.found(RESTMessages.retriedSooner(request.title, after: wait, than: before), evidence)
        }
        guard !Self.isPoll(request) else { return }
        if series.attempts == Self.mostAttempts + 1 {
            let message = RESTMessages.retriedTooOften(request.title, attempts: series.attempts)
            findings.found(message, level: .should, evidence)
        }
        if series.isAnswered { series.wait = max(wait, series.wait ?? 0) }
    }

    /// Whether the request may be repeated at intervals regardless of the last response; `meal/polling-cadence` judges
    /// how often.
    private static func isPoll(_ request: RequestFact) -> Bool {
        request.endpoint == .showMealLog || request.endpoint == .listMealLogs
    }

    private static func failure(of request: RequestFact) -> String? {
        if let status = request.status, status >= 500 { return RESTMessages.failure(status: status) }
        if request.isAnswered { return nil }
        return request.exchange.delivery == .partial ? RESTMessages.cut : RESTMessages.failure(status: nil)
    }
}
