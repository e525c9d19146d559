import Traffic

/// The recorded request that matches a client's request.
struct Match: Sendable {
    var entry: Int
    /// The client's values, and the recorded ones in their places.
    var shape: Shape
    var numbers: [Int]
    /// Whether the shape is that of the whole request, so that times and secrets are in the same order.
    var isWhole = true
    /// Whether the entry keeps its turn: HEAD for an entry recorded with GET.
    var isPeek = false
}

enum MatchResult {
    case match(Match)
    case miss(ReplayMiss.Reason)
}

extension Player {
    /// Finds the recorded request for a client's request and consumes its turn, unless it is only peeked at.
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

    /// The ways to read what a client sent, in this order.
    enum Reading: CaseIterable { case asItIs, ofOurOrigin, withBoundWords, ofAnyBody }

    /// The shape to begin with, or nil if that reading adds nothing.
    func empty(for reading: Reading, _ origins: Origins) -> Shape? {
        switch reading {
        case .asItIs: Shape(origins: plan.origins)
        // The client names our origin where the recorded one named its server's.
        case .ofOurOrigin: origins.count == plan.origins.count ? nil : Shape(origins: origins)
        // Words to which a secret is bound count as values.
        case .withBoundWords: following.bindings.isEmpty ? nil : Shape(origins: origins, known: following.bindings)
        // Any body matches, because the recorded body is unknown.
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
        // Only what changes nothing may be repeated.
        guard !isAgain || ["GET", "HEAD", RequestShapes.handshake].contains(shapes.method) else {
            return .miss(.runOut(index.variants[variant].entries.count))
        }
        state.give(variant)
        return .match(Match(entry: entry, shape: shape, numbers: index.variants[variant].values))
    }

    /// The response that a GET would get, for HEAD.
    private func peek(_ shapes: RequestShapes) -> MatchResult? {
        let shape = shapes.full(as: "GET")
        guard let bucket = plan.full.bucket(of: shape), let numbers = following.numbers(of: shape.values),
            let variant = plan.full.variant(in: bucket, values: numbers)
        else { return nil }
        let entry = state.next(of: variant, in: plan.full).entry
        return .match(Match(entry: entry, shape: shape, numbers: numbers, isPeek: true))
    }

    // MARK: Strict

    /// The entry whose turn it is, or one that was concurrent with it.
    private func strictMatch(_ shape: Shape) -> MatchResult? {
        guard let bucket = plan.full.bucket(of: shape) else { return nil }
        for entry in turn where plan.entries[entry].place.bucket == bucket {
            let numbers = plan.full.variants[plan.entries[entry].place.variant].values
            guard following.fits(shape.values, numbers) else { continue }
            return .match(Match(entry: entry, shape: shape, numbers: numbers))
        }
        return nil
    }

    /// The entries that may come next in `strict`: those that began before any other missing entry had ended.
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
        // The IDs that the client received keep their meaning; for other IDs, any remaining entry will do.
        let known = following.numbers(of: shape.values).flatMap { index.variant(in: bucket, values: $0) }
        let live =
            known ?? state.firstLive(in: bucket, of: index) { following.fits(shape.values, $0.values) }
            ?? state.firstLive(in: bucket, of: index) { _ in true }
        // A bucket has a variant from its first entry on.
        let variant = live ?? index.buckets[bucket][index.buckets[bucket].count - 1]
        let entry = state.next(of: variant, in: index).entry
        if !isPeek { state.give(variant) }
        let numbers = index.variants[variant].values
        return .match(Match(entry: entry, shape: shape, numbers: numbers, isWhole: false, isPeek: isPeek))
    }
}
