import FitIQAPI
import JSON
import Traffic

struct RetryBackoff: ObligationJudge {
    static let obligation = Obligation(
        id: "retry/backoff-on-5xx", level: .must,
        origin: .guides([.consultationWebSocket, .goalLinking, .mealLogWebSocket]), place: "error handling",
        clause:
            "After a 5xx or a time-out, the client waits at least 1 s before it repeats the request. No wait is "
            + "shorter than the previous one, and the second wait should be longer than the first. The client makes at "
            + "most 3 attempts in all.",
        tolerance:
            "Waits have a tolerance of 50 ms. A wait begins when the answer arrives or the client gives up. A repeat "
            + "more than 60 s later counts as a new request. If a GET's connection ended within 1 s without a complete "
            + "answer, the client may repeat the GET once without waiting, as HTTP libraries do (RFC 9110 §9.2.2). "
            + "Before another poll for a meal log, the client need only wait 1 s; the other rules do not apply to "
            + "polls. A second wait that is over 10 s or follows an answer with Retry-After need not exceed the first. "
            + "The judge cannot tell a retry from a user who presses \"send\" again, or from an identical concurrent "
            + "request.",
        advice: "Double the wait between attempts, give up after 3, and disable the button meanwhile.",
        swiftAdvice: "Wait with try await Task.sleep(for: .seconds(pow(2.0, Double(attempt)))).",
        scenarios: ["flaky-500", "flaky-503", "timeouts"])

    static let shortestWait = Tolerance.second
    static let mostAttempts = 3
    /// Waits longer than this need not increase, because the user may have caused them.
    static let longestGrowing = 10 * Tolerance.second
    /// The wait after which a request no longer counts as a repeat.
    static let longestWait = 60 * Tolerance.second

    private struct Series: Sendable {
        let body: BodyPrint
        var last: JournalEntry
        var failure: String
        /// Whether the client saw the request fail; without a response, it is unknown when the client gave up.
        var isAnswered: Bool
        /// Whether the client's HTTP library may repeat the request once on its own.
        var isRepeatable: Bool
        var attempts = 1
        var wait: Int64?

        init(_ request: RequestFact, body: BodyPrint, failure: String) {
            (self.body, last, self.failure, isAnswered) = (body, request.entry, failure, request.isAnswered)
            isRepeatable =
                !isAnswered && request.method == .get
                && last.time.nanoseconds(since: request.requestedAt) < RetryBackoff.shortestWait
        }
    }

    /// The series for each target: one for each of the last few different bodies.
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
            let wait = request.requestedAt.nanoseconds(since: current.last.time)
            if wait > Self.longestWait {
                current = Series(request, body: body, failure: failure ?? "")
            } else if wait >= 0, !current.isRepeatable || wait >= Self.shortestWait {
                judge(request, &current, wait: wait, &findings)
            }
            if let failure {
                current.last = fact.entry
                current.failure = failure
                current.isAnswered = request.isAnswered
                current.isRepeatable = false
                all.append(current)
            }
        } else if let failure {
            all.append(Series(request, body: body, failure: failure))
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
                "\(request.title) was repeated \(Messages.seconds(wait)) after it \(series.failure) at "
                    + "\(Messages.clock(failedAt)); the client must wait at least 1 s.", evidence)
        }
        guard !Self.isPoll(request) else { return }
        // A wait that the server requested is not the client's backoff.
        let isOwn = !series.last.tellsWhenToRetry
        if isOwn, let before = series.wait, wait >= Self.shortestWait - Tolerance.interval {
            if wait < before - Tolerance.interval {
                findings.found(
                    "\(request.title) was repeated after \(Messages.seconds(wait)), but the wait before that "
                        + "was \(Messages.seconds(before)); waits must not shrink.", evidence)
            } else if series.attempts == Self.mostAttempts, series.isAnswered, wait <= Self.longestGrowing,
                wait <= before + Tolerance.interval
            {
                findings.found(
                    "\(request.title) was repeated after \(Messages.seconds(wait)), but the second wait should "
                        + "be longer than the first, such as 2 s after 1 s.", level: .should, evidence)
            }
        }
        if series.attempts == Self.mostAttempts + 1 {
            let message =
                "\(request.title) was sent \(series.attempts) times although it kept failing; the client should "
                + "give up after 3 attempts."
            findings.found(message, level: .should, evidence)
        }
        if isOwn, series.isAnswered { series.wait = max(wait, series.wait ?? 0) }
    }

    /// Whether clients may repeat the request regularly regardless of the response.
    ///
    /// `meal/polling-cadence` judges how often.
    private static func isPoll(_ request: RequestFact) -> Bool {
        request.endpoint == .showMealLog || request.endpoint == .listMealLogs
    }

    static func failure(of request: RequestFact) -> String? {
        if let status = request.status, status >= 500 { return Messages.failure(status: status) }
        if request.isAnswered { return nil }
        return request.exchange.delivery == .partial ? Messages.cut : Messages.failure(status: nil)
    }
}

extension JournalEntry {
    /// Whether a response says when to retry.
    fileprivate var tellsWhenToRetry: Bool {
        guard case .exchange(let exchange) = event else { return false }
        return exchange.responseFields.nameValuePairs.contains { $0.name.lowercased() == "retry-after" }
    }
}

/// Identifies a body by its length and hash, without storing the body.
struct BodyPrint: Hashable, Sendable {
    let count: Int
    let hash: UInt64

    init(_ bytes: [UInt8]) {
        count = bytes.count
        hash = bytes.fnv1a
    }
}

struct CreatesOnce: ObligationJudge {
    static let obligation = Obligation(
        id: "retry/creates-once", level: .should, origin: .ours,
        clause:
            "If a POST created something but its answer was lost or was an error, the client does not create the "
            + "same thing again.",
        tolerance:
            "The client may repeat the POST after it has fetched the collection's list or the created resource. A "
            + "repeat more than a minute later is attributed to the user. The backend recognizes some repeats, such "
            + "as another request to create a consultation, and does not create a duplicate. With a single "
            + "guide, this obligation is not judged, because three of the guides show such a repeat after a 5xx.",
        advice:
            "Before you repeat a POST that may have succeeded, GET the list and look for the item that the user "
            + "created. Send the POST again only if the item is missing.",
        scenarios: ["answer-lost", "timeouts"])

    static let needs: Evidence = .backend

    private struct Wish: Hashable, Sendable {
        let target: Target
        let subject: BodyPrint
    }

    private struct Creation: Sendable {
        let entry: JournalEntry
        let id: ExactString
        let failure: String
    }

    private var creations = Recent<Wish, Creation>(capacity: RecentLimits.fewest)
    /// When the client last fetched each list (by path) and each created entity (by ID).
    private var looks = Recent<Owned, Timestamp>(capacity: RecentLimits.fewest)

    mutating func observe(_ fact: Fact, in scene: Scene, _ findings: inout Findings) {
        guard case .request(let request) = fact.kind, request.restEndpoint != nil, let client = request.client
        else { return }
        if request.method == .get, request.isSuccess {
            let isList = request.pathID == nil || request.endpoint == .listMessages
            let look = isList ? Self.path(request.segments[...]) : request.pathID ?? ""
            looks[Owned(client: client, id: look)] = request.requestedAt
        }
        guard request.method == .post else { return }
        let wish = Wish(target: Target(request, of: client), subject: BodyPrint(Self.subject(of: request)))
        let hidden = request.exchange.created
        if let first = creations[wish], request.requestedAt >= first.entry.time,
            request.requestedAt.nanoseconds(since: first.entry.time) <= RetryBackoff.longestWait,
            let id = hidden ?? RecordedExchange.created(request.status, request.exchange.responseBody.bytes),
            id != first.id, !hasLooked(request, for: first, client)
        {
            let wait = request.requestedAt.nanoseconds(since: first.entry.time)
            findings.found(
                Messages.createdTwice(
                    request.title, [first.id.text, id.text], failedAt: findings.date(of: first.entry.time),
                    first.failure, after: wait), [first.entry, fact.entry])
        }
        guard let hidden else {
            // The entity now exists, so an identical request creates another entity.
            if request.isSuccess { creations[wish] = nil }
            return
        }
        findings.exercised()
        creations[wish] = Creation(entry: fact.entry, id: hidden, failure: RetryBackoff.failure(of: request) ?? "")
    }

    /// Whether the client has fetched the created entity, or a list at or above the POST's path.
    ///
    /// For example, `/meal-logs` is above `/meal-logs/natural`.
    private func hasLooked(_ request: RequestFact, for first: Creation, _ client: ExactString) -> Bool {
        let lists = request.segments.indices.map { Self.path(request.segments[...$0]) }
        return (lists + [first.id]).contains { look in
            looks[Owned(client: client, id: look)].map { $0 >= first.entry.time } ?? false
        }
    }

    private static func path(_ segments: ArraySlice<String>) -> ExactString {
        ExactString(segments.joined(separator: "/"))
    }

    /// The user's request, without the time that a client may write into each attempt's body.
    private static func subject(of request: RequestFact) -> [UInt8] {
        let body = request.body
        switch request.endpoint {
        case .createMealLog: return [body?["raw_input"], body?["meal_type"]].flatMap { $0?.encoded() ?? [] }
        case .createGoal: return body?["title"]?.encoded() ?? []
        default: return request.exchange.body.bytes
        }
    }
}
