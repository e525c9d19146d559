import FitIQAPI
import JSON
import Traffic

/// A session replayed to the clients of one world: the served entries, the bindings, the open sockets.
///
/// It is a value without clock, randomness or I/O: equal calls have equal results.
public struct Player: Sendable {
    public let plan: ReplayPlan
    public let settings: ReplaySettings
    /// The prefix of URLs in responses, unless a request specifies another.
    public let origin: String

    var following = Following()
    var state = MatchState()
    /// The entries that were served, and in `strict` the first that was not.
    var isServed: [Bool]
    var firstUnserved = 0
    var tally = Tally()
    var sockets: [ReplaySocket: SocketPlay] = [:]
    var lastSocket: UInt64 = 0
    var deadlines = DeadlineQueue<ReplaySocket>()

    /// Starts a session from its beginning.
    ///
    /// - Parameter settings: a speed as a factor is finite and over 0.
    /// - Parameter origin: scheme, host and port, and a world's prefix: `http://localhost:8080/w/abc`.
    public init(_ plan: ReplayPlan, settings: ReplaySettings = ReplaySettings(), origin: String) {
        if case .factor(let factor) = settings.speed {
            precondition(factor.isFinite && factor > 0, "a speed is a finite number over 0, not \(factor)")
        }
        self.plan = plan
        self.settings = settings
        self.origin = origin
        isServed = Array(repeating: false, count: plan.entries.count)
    }

    /// A recorded time span at the replay's speed, in nanoseconds.
    func played(_ nanoseconds: Int64) -> Int64 {
        guard nanoseconds > 0 else { return 0 }
        switch settings.speed {
        case .instant: return 0
        case .factor(1): return min(nanoseconds, ReplayLimits.longestWait)
        case .factor(let factor):
            let span = Double(nanoseconds) / factor
            return span < Double(ReplayLimits.longestWait) ? Int64(span) : ReplayLimits.longestWait
        }
    }

    func rewriter(origin: String? = nil, own: [Int: ExactString] = [:]) -> Rewriter {
        Rewriter(plan: plan, bindings: following.bindings, own: own, origin: origin ?? self.origin)
    }

    // MARK: Requests

    /// Answers a request; the entry counts as served even if the response is not delivered.
    ///
    /// - Parameter now: the world's time, for misses.
    public mutating func answer(_ request: ReplayRequest, at now: Timestamp) -> ReplayAnswer {
        let shapes = RequestShapes(
            method: request.method, isHandshake: request.isHandshake, url: RequestURL(request.target),
            body: request.body)
        let found: Match
        switch match(shapes) {
        case .success(let match): found = match
        case .failure(let reason): return .unexpected(miss(reason.reason, request, shapes, at: now))
        }
        if !found.isPeek {
            learn(found, from: request, shapes)
            serve(found)
        }
        return answer(found, to: request)
    }

    private mutating func learn(_ match: Match, from request: ReplayRequest, _ shapes: RequestShapes) {
        let planned = plan.entries[match.entry]
        if match.isWhole {
            following.learn(match.shape.values, match.numbers, in: plan.vocabulary)
            following.learn(match.shape.times, for: planned.times, in: plan.vocabulary)
            following.learn(match.shape.secrets, for: planned.secrets, in: plan.vocabulary)
        } else {
            // A route matches any IDs; the response is about the requested ones.
            following.learnAnew(match.shape.values, match.numbers, in: plan.vocabulary)
            let shape = shapes.full()
            if plan.full.bucket(of: shape) == planned.full.bucket {
                let numbers = plan.full.variants[planned.full.variant].values
                following.learnAnew(shape.values, numbers, in: plan.vocabulary)
                following.learn(shape.times, for: planned.times, in: plan.vocabulary)
                following.learn(shape.secrets, for: planned.secrets, in: plan.vocabulary)
            }
        }
        let credentials = SecretNames.credentials(in: request.fields, shapes.url)
        following.learn(credentials, for: planned.credentials, in: plan.vocabulary)
    }

    private mutating func serve(_ match: Match) {
        tally.answers += 1
        if isServed[match.entry] {
            tally.repeats += 1
        } else {
            isServed[match.entry] = true
            tally.served += 1
        }
        while firstUnserved < isServed.count, isServed[firstUnserved] { firstUnserved += 1 }
    }

    private mutating func answer(_ match: Match, to request: ReplayRequest) -> ReplayAnswer {
        switch plan.session.entries[match.entry] {
        case .exchange(let exchange): return response(exchange, to: request)
        case .socket(let socket):
            lastSocket += 1
            let number = ReplaySocket(number: lastSocket)
            let script = plan.entries[match.entry].script ?? 0
            sockets[number] = SocketPlay(entry: match.entry, script: script, origin: request.origin ?? origin)
            let rewriter = rewriter(origin: request.origin)
            let fields = ReplayedFields.ofOpening(socket.response.fields).map { field in
                SessionField(field.name, rewriter.rewritten(field.value))
            }
            let (wait, overflow) = socket.opened.nanosecondsSinceEpoch.subtractingReportingOverflow(
                socket.started.nanosecondsSinceEpoch)
            return .socket(ReplayOpening(socket: number, fields: fields, after: overflow ? 0 : played(wait)))
        }
    }

    private func response(_ exchange: SessionExchange, to request: ReplayRequest) -> ReplayAnswer {
        guard let response = exchange.response, (200...999).contains(response.status) else {
            return .noAnswer(after: played(max(exchange.waited, exchange.lasted)))
        }
        let rewriter = rewriter(origin: request.origin)
        // Text in an encoded body that looks like a value is not one.
        let body = response.isCoded ? response.body.bytes : rewriter.rewritten(response.body.bytes)
        let recordedLength = response.fields.first { $0.name.lowercased() == "content-length" }.flatMap {
            Int($0.value)
        }
        var answer = ReplayResponse(
            status: response.status,
            fields: ReplayedFields.ofAnswer(response.fields).map {
                SessionField($0.name, rewriter.rewritten($0.value))
            },
            body: body, after: played(exchange.waited))
        if response.body.isCut || !response.isComplete {
            // A missing part must not look as if it had never existed: the client sees a truncated body.
            let length = max(recordedLength ?? 0, response.body.byteCount)
            let missing = max(length - response.body.bytes.count, 1)
            answer.declaredLength = body.count + missing
            answer.then = .finish
        } else if body.isEmpty, exchange.request.method.uppercased() == "HEAD" || response.status == 304 {
            answer.declaredLength = recordedLength.map { max($0, 0) }
        }
        return .response(answer)
    }
}
