import FitIQAPI
import JSON
import Traffic

/// A session replayed to the clients of one world: the served entries, the bindings, the open sockets.
///
/// It is a value without clock, randomness or I/O: equal calls have equal results.
public struct Player: Sendable {
    public let plan: ReplayPlan
    public let settings: ReplaySettings
    /// The prefix of URLs in responses, unless a request specifies another: `http://localhost:8080/w/abc`.
    public var origin: String

    var following: Following
    var state = MatchState()
    /// The entries that were served, and in `strict` the first that was not.
    var isServed: [Bool]
    var firstUnserved = 0
    /// The counts and misses so far; ``report`` adds what follows from the rest.
    var tally = ReplayReport()
    var sockets: [ReplaySocket: SocketPlay] = [:]
    var lastSocket: UInt64 = 0
    var deadlines = DeadlineQueue<ReplaySocket>()

    /// Starts a session from its beginning.
    public init(_ plan: ReplayPlan, settings: ReplaySettings = ReplaySettings(), origin: String) {
        if case .factor(let factor) = settings.speed {
            precondition(factor.isFinite && factor > 0, "a speed is a finite number over 0, not \(factor)")
        }
        (self.plan, self.settings, self.origin) = (plan, settings, origin)
        following = Following(vocabulary: plan.vocabulary)
        isServed = Array(repeating: false, count: plan.entries.count)
    }

    func rewriter(origin: String? = nil, own: [Int: ExactString] = [:]) -> Rewriter {
        Rewriter(plan: plan, bindings: following.bindings, own: own, origin: origin ?? self.origin)
    }

    /// The recorded origins, and the one that a client knows us by.
    func origins(_ origin: String?) -> Origins { plan.origins.adding([RequestURL(origin ?? self.origin)]) }

    // MARK: Requests

    /// Answers a request at the world's date; the entry counts as served even if the response is not delivered.
    public mutating func answer(_ request: ReplayRequest, at date: Timestamp) -> ReplayAnswer {
        let target = plan.prefix?.removed(from: request.target) ?? request.target
        let shapes = RequestShapes(
            method: request.method, isHandshake: request.isHandshake, url: RequestURL(target),
            fields: request.fields, body: request.body, origins(request.origin))
        switch match(shapes) {
        case .miss(let reason): return .unexpected(miss(reason, request, shapes, at: date))
        case .match(let match):
            if !match.isPeek {
                learn(match, from: request, shapes)
                serve(match)
            }
            return answer(match, to: request)
        }
    }

    private mutating func learn(_ match: Match, from request: ReplayRequest, _ shapes: RequestShapes) {
        let planned = plan.entries[match.entry]
        if match.isWhole {
            following.learn(match.shape, match.numbers, free: planned.free)
        } else {
            // A route matches any IDs; the response is about the requested ones.
            following.learnAnew(match.shape.values, match.numbers)
            let shape = shapes.full()
            if plan.full.bucket(of: shape) == planned.place.bucket {
                following.learnAnew(shape.values, plan.full.variants[planned.place.variant].values)
                following.learn(shape.free, for: planned.free)
            }
        }
        following.learn(Credential.all(in: request.fields, shapes.url), for: planned.credentials)
    }

    private mutating func serve(_ match: Match) {
        if isServed[match.entry] {
            tally.repeats += 1
        } else {
            isServed[match.entry] = true
            tally.served += 1
        }
        while firstUnserved < isServed.count, isServed[firstUnserved] { firstUnserved += 1 }
    }

    private mutating func answer(_ match: Match, to request: ReplayRequest) -> ReplayAnswer {
        let entry = plan.session.entries[match.entry]
        guard let opened = entry.opened, let script = plan.entries[match.entry].script else {
            return response(entry, to: request)
        }
        lastSocket += 1
        let number = ReplaySocket(number: lastSocket)
        sockets[number] = SocketPlay(
            entry: match.entry, script: script, settings: settings, origin: request.origin ?? origin)
        let recorded = ReplayedFields.ofOpening(entry.response?.fields ?? [], to: request.fields)
        let fields = rewriter(origin: request.origin).rewritten(recorded)
        let (wait, overflow) = opened.nanosecondsSinceEpoch.subtractingReportingOverflow(
            entry.started.nanosecondsSinceEpoch)
        return .socket(ReplayOpening(socket: number, fields: fields, after: overflow ? 0 : settings.played(wait)))
    }

    private func response(_ exchange: SessionExchange, to request: ReplayRequest) -> ReplayAnswer {
        guard let response = exchange.response, (200...999).contains(response.status) else {
            return .noAnswer(after: settings.played(max(exchange.waited, exchange.lasted)))
        }
        let rewriter = rewriter(origin: request.origin)
        // Text in an encoded body that looks like a value is not one.
        let body = response.isCoded ? response.body.bytes : rewriter.rewritten(response.body.bytes)
        let recordedLength = response.fields.first { $0.name.lowercased() == "content-length" }
            .flatMap { Int($0.value) }
        var answer = ReplayResponse(
            status: response.status, fields: rewriter.rewritten(ReplayedFields.ofAnswer(response.fields)), body: body,
            after: settings.played(exchange.waited))
        if response.body.isCut || !response.isComplete {
            // A missing part must not look as if it had never existed: the client sees a truncated body.
            let length = max(recordedLength ?? 0, response.body.byteCount)
            answer.declaredLength = body.count + max(length - response.body.bytes.count, 1)
            answer.then = .finish
        } else if body.isEmpty, exchange.request.method.uppercased() == "HEAD" || response.status == 304 {
            answer.declaredLength = recordedLength.map { max($0, 0) }
        }
        return .response(answer)
    }
}
