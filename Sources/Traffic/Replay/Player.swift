import FitIQAPI
import JSON
import Traffic

/// Replays a session to one world's clients: tracks the served entries, the bindings and the open sockets.
///
/// The player uses no clock, randomness or I/O, so identical calls have identical results.
public struct Player: Sendable {
    public let plan: ReplayPlan
    public let settings: ReplaySettings
    /// The prefix of URLs in responses unless a request specifies a different prefix, such as
    /// `http://localhost:8080/w/abc`.
    public var origin: String

    var following: Following
    var state = MatchState()
    /// Whether each entry has been served; in `strict` mode, ``turn`` starts at the first unserved entry.
    var isServed: [Bool]
    var firstUnserved = 0
    /// The counts and misses so far.
    ///
    /// ``report`` adds the results for the unserved entries.
    var tally = ReplayReport()
    var sockets: [ReplaySocket: SocketPlay] = [:]
    var lastSocket: UInt64 = 0
    var deadlines = DeadlineQueue<ReplaySocket>()

    /// Starts replaying a session from the beginning.
    public init(_ plan: ReplayPlan, settings: ReplaySettings = ReplaySettings(), origin: String) {
        if case .factor(let factor) = settings.speed {
            precondition(factor.isFinite && factor > 0, "a speed must be a finite number above 0, not \(factor)")
        }
        (self.plan, self.settings, self.origin) = (plan, settings, origin)
        following = Following(vocabulary: plan.vocabulary)
        isServed = Array(repeating: false, count: plan.entries.count)
    }

    func rewriter(origin: String? = nil, own: [Int: ExactString] = [:]) -> Rewriter {
        Rewriter(plan: plan, bindings: following.bindings, own: own, origin: origin ?? self.origin)
    }

    /// The recorded origins, and the origin that the client uses for this server.
    func origins(_ origin: String?) -> Origins { plan.origins.adding([RequestURL(origin ?? self.origin)]) }

    // MARK: Requests

    /// Answers a request at the given date in the world.
    ///
    /// The entry counts as served even if the response does not arrive.
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
            // A route matches any IDs, but the response must contain the requested IDs.
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
        // An encoded body may contain bytes that happen to look like a value.
        let body = response.isCoded ? response.body.bytes : rewriter.rewritten(response.body.bytes)
        let recordedLength = response.fields.value(of: "content-length").flatMap { Int($0) }
        var answer = ReplayResponse(
            status: response.status, fields: rewriter.rewritten(ReplayedFields.ofAnswer(response.fields)), body: body,
            after: settings.played(exchange.waited))
        if response.body.isCut || !response.isComplete {
            // The client gets a truncated body, because it has to notice that a part is missing.
            let length = max(recordedLength ?? 0, response.body.byteCount)
            answer.declaredLength = body.count + max(length - response.body.bytes.count, 1)
            answer.then = .finish
        } else if body.isEmpty, exchange.request.method.uppercased() == "HEAD" || response.status == 304 {
            answer.declaredLength = recordedLength.map { max($0, 0) }
        }
        return .response(answer)
    }

    /// Finds the recorded request for a client's request and marks it as served unless the match is only a peek.
    mutating func match(_ shapes: RequestShapes) -> MatchResult {
        if settings.match == .route { return routeMatch(shapes) }
        let isStrict = settings.match == .strict
        var reason: ReplayMiss.Reason?
        for reading in Reading.allCases {
            guard let empty = empty(for: reading, shapes.origins) else { continue }
            let shape = shapes.full(empty, ignoringBody: reading == .ofAnyBody)
            switch isStrict ? strictMatch(shape) : orderedMatch(shape, shapes) {
            case .match(let match): return .match(match)
            case .miss(let first): reason = reason ?? first
            case nil: break
            }
        }
        if isStrict { return .miss(firstUnserved < isServed.count ? .notItsTurn : .over) }
        return .miss(reason ?? .unknown)
    }

    /// The ways to read a client's request, in the order in which they are tried.
    enum Reading: CaseIterable { case asItIs, ofOurOrigin, withBoundWords, ofAnyBody }

    /// The shape to start from, or nil if this way of reading adds nothing.
    func empty(for reading: Reading, _ origins: Origins) -> Shape? {
        switch reading {
        case .asItIs: Shape(origins: plan.origins)
        // The client uses our origin in place of the recorded server's origin.
        case .ofOurOrigin: origins.count == plan.origins.count ? nil : Shape(origins: origins)
        // Words that are bound to a secret count as values here.
        case .withBoundWords: following.bindings.isEmpty ? nil : Shape(origins: origins, known: following.bindings)
        // The recorded body is unknown, so any body matches.
        case .ofAnyBody: plan.hasUnknownBodies ? Shape(origins: origins) : nil
        }
    }

    // MARK: Ordered

    private mutating func orderedMatch(_ shape: Shape, _ shapes: RequestShapes) -> MatchResult? {
        guard let bucket = plan.full.bucket(of: shape) else { return shapes.method == "HEAD" ? peek(shapes) : nil }
        let (index, following) = (plan.full, following)
        let known = following.numbers(of: shape.values).flatMap { index.variant(in: bucket, values: $0) }
        let variant = known ?? state.firstLive(in: bucket, of: index) { following.fits(shape.values, $0.values) }
        guard let variant else { return nil }
        let (entry, isAgain) = state.next(of: variant, in: index)
        // Only requests with safe methods may be repeated.
        guard !isAgain || ["GET", "HEAD", RequestShapes.handshake].contains(shapes.method) else {
            return .miss(.runOut(index.variants[variant].entries.count))
        }
        state.give(variant)
        return .match(Match(entry: entry, shape: shape, numbers: index.variants[variant].values))
    }

    /// Matches a HEAD request against a recorded GET.
    private func peek(_ shapes: RequestShapes) -> MatchResult? {
        let shape = shapes.full(as: "GET")
        guard let bucket = plan.full.bucket(of: shape), let numbers = following.numbers(of: shape.values),
            let variant = plan.full.variant(in: bucket, values: numbers)
        else { return nil }
        let entry = state.next(of: variant, in: plan.full).entry
        return .match(Match(entry: entry, shape: shape, numbers: numbers, isPeek: true))
    }

    // MARK: Strict

    /// The next entry, or one that was recorded at the same time.
    private func strictMatch(_ shape: Shape) -> MatchResult? {
        guard let bucket = plan.full.bucket(of: shape) else { return nil }
        for entry in turn where plan.entries[entry].place.bucket == bucket {
            let numbers = plan.full.variants[plan.entries[entry].place.variant].values
            guard following.fits(shape.values, numbers) else { continue }
            return .match(Match(entry: entry, shape: shape, numbers: numbers))
        }
        return nil
    }

    /// The entries that may come next in `strict` mode: those that started before any other unserved entry ended.
    var turn: [Int] {
        var turn: [Int] = []
        var earliestEnd = Int64.max
        let limit = ReplayLimits.concurrentRequests
        for index in plan.entries.indices[firstUnserved...].prefix(4 * limit) where !isServed[index] {
            if turn.count == limit || (!turn.isEmpty && plan.entries[index].started >= earliestEnd) { break }
            turn.append(index)
            earliestEnd = min(earliestEnd, plan.entries[index].ended)
        }
        return turn
    }

    // MARK: Route

    private mutating func routeMatch(_ shapes: RequestShapes) -> MatchResult {
        var shape = shapes.route()
        let isPeek = shapes.method == "HEAD" && plan.routes.bucket(of: shape) == nil
        if isPeek { shape = shapes.route(as: "GET") }
        let (index, following) = (plan.routes, following)
        guard let bucket = index.bucket(of: shape) else { return .miss(.unknown) }
        // IDs that the client received keep their meaning. For other IDs, any remaining entry matches.
        let known = following.numbers(of: shape.values).flatMap { index.variant(in: bucket, values: $0) }
        let live =
            known ?? state.firstLive(in: bucket, of: index) { following.fits(shape.values, $0.values) }
            ?? state.firstLive(in: bucket, of: index) { _ in true }
        // Each bucket has at least one variant.
        let variant = live ?? index.buckets[bucket][index.buckets[bucket].count - 1]
        let entry = state.next(of: variant, in: index).entry
        if !isPeek { state.give(variant) }
        let numbers = index.variants[variant].values
        return .match(Match(entry: entry, shape: shape, numbers: numbers, isWhole: false, isPeek: isPeek))
    }

    /// When the next effect is due, or nil if each socket has ended or is waiting for its client.
    public var nextDeadline: Timestamp? { deadlines.next }

    /// Starts a socket after sending its 101.
    ///
    /// Its times start here.
    ///
    /// Call ``advance(to:)`` after this and after ``receive(_:on:at:)`` to get the effects that are due immediately.
    public mutating func opened(_ socket: ReplaySocket, at now: Timestamp) {
        sockets[socket]?.open(at: now.nanosecondsSinceEpoch)
        schedule(socket)
    }

    /// Receives a client's message; if the message is unexpected, records how it differs.
    ///
    /// Messages that arrive after the socket has ended are ignored. `date` is the date of a miss; it differs from the
    /// time if the system's clock was set.
    public mutating func receive(
        _ message: ReplayMessage, on socket: ReplaySocket, at now: Timestamp, date: Timestamp? = nil
    ) {
        let (bytes, isText): ([UInt8], Bool)
        switch message {
        case .text(let text): (bytes, isText) = (text, true)
        case .binary(let binary): (bytes, isText) = (binary, false)
        }
        // Remove the play from the table while it changes, to avoid a copy.
        guard sockets[socket]?.isOver == false, var play = sockets.removeValue(forKey: socket) else { return }
        let miss = take(bytes, isText: isText, on: &play, at: now.nanosecondsSinceEpoch)
        sockets[socket] = play
        if let miss {
            note(frame: bytes, isText: isText, on: socket, miss, at: date ?? now)
        } else {
            tally.framesReceived += 1
            schedule(socket)
        }
    }

    /// Takes the matching recorded frame, or returns why none matches.
    private mutating func take(
        _ bytes: [UInt8], isText: Bool, on play: inout SocketPlay, at time: Int64
    ) -> ReplayFrameMiss.Reason? {
        if isText, !play.script.keepAlives.isEmpty, KeepAliveFrame(bytes) == .ping {
            // In `timed` mode, pongs are sent at their recorded times.
            return settings.frames == .timed || play.ping(at: time) ? nil : .tooMany
        }
        var (shape, index) = (Shape(), Int?.none)
        for reading in Reading.allCases where index == nil && reading != .ofAnyBody {
            guard let empty = empty(for: reading, origins(play.origin)) else { continue }
            shape = SocketScript.shape(of: bytes, isText: isText, empty)
            index = recognise(shape, in: &play)
        }
        if index == nil, settings.frames == .triggered {
            // The client repeated a message with a new ID, which the server's next messages contain.
            index = play.trigger(shape.key) { following.fitsAnew(shape.values, $0.values) }
        }
        guard let index else { return .different }
        let recorded = play.script.messages[index]
        if settings.frames == .triggered {
            var own: [Int: ExactString] = [:]
            for (value, number) in zip(shape.values, recorded.values) where Bindings.isSafe(value.text) {
                own[number] = value.text
            }
            guard play.beginRun(after: index, at: time, own: own) else { return .tooMany }
            following.learnAnew(shape.values, recorded.values)
        }
        play.come(index, at: time)
        following.learn(shape, recorded.values, free: recorded.shape.free)
        return nil
    }

    private func recognise(_ shape: Shape, in play: inout SocketPlay) -> Int? {
        let fits = { (message: SocketScript.Message) in
            message.shape.key == shape.key && self.following.fits(shape.values, message.values)
        }
        return settings.frames == .triggered ? play.trigger(shape.key, where: fits) : play.message(where: fits)
    }

    /// Removes a socket, whichever side ended it and even if it never opened.
    ///
    /// A removed socket has no further effects.
    public mutating func ended(_ socket: ReplaySocket, at now: Timestamp) {
        guard let play = sockets.removeValue(forKey: socket) else { return }
        tally.framesNeverSent += play.missingCount
        dropStaleDeadlines()
    }

    /// Returns, in order, the effects that are due by a given time.
    ///
    /// Each effect has its own time, even if the call is late.
    public mutating func advance(to now: Timestamp) -> [ReplayEffect] {
        var effects: [ReplayEffect] = []
        while let (socket, time) = deadlines.popDue(at: now) {
            guard var play = sockets.removeValue(forKey: socket) else {
                preconditionFailure("a due deadline must have a socket")
            }
            var (action, own) = play.take(at: time.nanosecondsSinceEpoch)
            play.scheduled = nil
            sockets[socket] = play
            tally.framesSent += 1
            if case .text(let bytes) = action {
                action = .text(rewriter(origin: play.origin, own: own).rewritten(bytes))
            }
            effects.append(ReplayEffect(socket: socket, action: action))
            schedule(socket)
        }
        return effects
    }

    private mutating func schedule(_ socket: ReplaySocket) {
        if var play = sockets.removeValue(forKey: socket) {
            let due = play.due()
            if due != play.scheduled, let due { deadlines.insert(socket, at: Timestamp(nanosecondsSinceEpoch: due)) }
            play.scheduled = due
            sockets[socket] = play
        }
        dropStaleDeadlines()
    }

    private mutating func dropStaleDeadlines() {
        while let (socket, time) = deadlines.first, sockets[socket]?.scheduled != time.nanosecondsSinceEpoch {
            deadlines.removeFirst()
        }
    }
}

struct Match: Sendable {
    var entry: Int
    /// The client's values in place of the recorded values.
    var shape: Shape
    var numbers: [Int]
    /// Whether the shape covers the whole request, in which case its times and secrets are in the recorded order.
    var isWhole = true
    /// Whether the entry stays unserved because a HEAD matched a recorded GET.
    var isPeek = false
}

enum MatchResult {
    case match(Match)
    case miss(ReplayMiss.Reason)
}
