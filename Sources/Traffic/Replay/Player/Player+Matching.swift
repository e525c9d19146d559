/// The recorded request that matches a client's request.
struct Match: Sendable {
    var entry: Int
    /// The client's values, and the recorded ones in their places.
    var shape: Shape
    var numbers: [Int]
    /// Whether the shape is that of the whole request, so that times and secrets are in the same order.
    var isWhole: Bool
    /// Whether the entry keeps its turn: HEAD for an entry recorded with GET.
    var isPeek = false
}

/// Why a request has no response.
struct NoMatch: Error {
    var reason: ReplayMiss.Reason
}

extension Player {
    /// Finds the recorded request for a client's request and consumes its turn, unless it is only peeked at.
    mutating func match(_ shapes: RequestShapes) -> Result<Match, NoMatch> {
        if settings.match == .route { return routeMatch(shapes) }
        var reason: ReplayMiss.Reason?
        for form in RequestForm.allCases {
            guard let shape = shape(of: shapes, in: form) else { continue }
            let result = settings.match == .strict ? strictMatch(shape) : orderedMatch(shape, shapes)
            switch result {
            case .success(let match): return .success(match)
            case .failure(let failure): reason = reason ?? failure.reason
            case nil: break
            }
        }
        if settings.match == .strict {
            return .failure(NoMatch(reason: firstUnserved < isServed.count ? .notItsTurn : .over))
        }
        return .failure(NoMatch(reason: reason ?? .unknown))
    }

    /// The ways to look up a request, in this order.
    private enum RequestForm: CaseIterable {
        case asItIs
        /// Words to which a secret is bound count as values.
        case withBoundWords
        /// Any body matches, because the recorded body is unknown.
        case ofAnyBody
    }

    private func shape(of shapes: RequestShapes, in form: RequestForm) -> Shape? {
        switch form {
        case .asItIs: shapes.full()
        case .withBoundWords: following.bindings.isEmpty ? nil : shapes.full(known: following.bindings)
        case .ofAnyBody: plan.hasUnknownBodies ? shapes.full(ignoringBody: true) : nil
        }
    }

    // MARK: Ordered

    private mutating func orderedMatch(_ shape: Shape, _ shapes: RequestShapes) -> Result<Match, NoMatch>? {
        guard let bucket = plan.full.bucket(of: shape) else {
            guard shapes.method == "HEAD" else { return nil }
            return peek(shapes)
        }
        if let numbers = following.numbers(of: shape.values, in: plan.vocabulary),
            let variant = plan.full.variant(in: bucket, values: numbers)
        {
            let found = state.next(of: variant, in: plan.full)
            if found.isAgain, !Self.mayRepeat(shapes.method) {
                return .failure(NoMatch(reason: .runOut(plan.full.variants[variant].entries.count)))
            }
            state.give(found)
            return .success(Match(entry: found.entry, shape: shape, numbers: numbers, isWhole: true))
        }
        let (following, vocabulary) = (following, plan.vocabulary)
        let variant = state.firstLive(in: bucket, of: plan.full) {
            following.fits(shape.values, $0.values, in: vocabulary)
        }
        guard let variant else { return nil }
        let found = state.next(of: variant, in: plan.full)
        state.give(found)
        let numbers = plan.full.variants[variant].values
        return .success(Match(entry: found.entry, shape: shape, numbers: numbers, isWhole: true))
    }

    /// Methods that change nothing, whose last response may be repeated.
    private static func mayRepeat(_ method: String) -> Bool {
        method == "GET" || method == "HEAD" || method == RequestShapes.handshake
    }

    /// The response that a GET would get, for HEAD.
    private mutating func peek(_ shapes: RequestShapes) -> Result<Match, NoMatch>? {
        let shape = shapes.full(as: "GET")
        guard let bucket = plan.full.bucket(of: shape),
            let numbers = following.numbers(of: shape.values, in: plan.vocabulary),
            let variant = plan.full.variant(in: bucket, values: numbers)
        else { return nil }
        let entry = state.next(of: variant, in: plan.full).entry
        return .success(Match(entry: entry, shape: shape, numbers: numbers, isWhole: true, isPeek: true))
    }

    // MARK: Strict

    /// The entry whose turn it is, or one that was concurrent with it.
    private mutating func strictMatch(_ shape: Shape) -> Result<Match, NoMatch>? {
        guard let bucket = plan.full.bucket(of: shape) else { return nil }
        for entry in turn where plan.entries[entry].full.bucket == bucket {
            let numbers = plan.full.variants[plan.entries[entry].full.variant].values
            guard following.fits(shape.values, numbers, in: plan.vocabulary) else { continue }
            return .success(Match(entry: entry, shape: shape, numbers: numbers, isWhole: true))
        }
        return nil
    }

    /// The entries that may come next in `strict`: those that began before any other missing entry had ended.
    var turn: [Int] {
        var turn: [Int] = []
        var earliestEnd = Int64.max
        var index = firstUnserved
        while index < plan.entries.count, turn.count < ReplayLimits.concurrentRequests,
            index - firstUnserved < 4 * ReplayLimits.concurrentRequests
        {
            defer { index += 1 }
            if isServed[index] { continue }
            if !turn.isEmpty, plan.entries[index].started >= earliestEnd { break }
            turn.append(index)
            earliestEnd = min(earliestEnd, plan.entries[index].ended)
        }
        return turn
    }

    // MARK: Route

    private mutating func routeMatch(_ shapes: RequestShapes) -> Result<Match, NoMatch> {
        var shape = shapes.route()
        var isPeek = false
        if plan.routes.bucket(of: shape) == nil, shapes.method == "HEAD" {
            shape = shapes.route(as: "GET")
            isPeek = true
        }
        guard let bucket = plan.routes.bucket(of: shape) else { return .failure(NoMatch(reason: .unknown)) }
        let (following, vocabulary) = (following, plan.vocabulary)
        // The IDs that the client received keep their meaning; for other IDs, any remaining entry will do.
        var variant = following.numbers(of: shape.values, in: vocabulary).flatMap {
            plan.routes.variant(in: bucket, values: $0)
        }
        variant =
            variant
            ?? state.firstLive(in: bucket, of: plan.routes) {
                following.fits(shape.values, $0.values, in: vocabulary)
            }
        variant = variant ?? state.firstLive(in: bucket, of: plan.routes) { _ in true }
        // A bucket has a variant from its first entry on.
        let chosen = variant ?? plan.routes.buckets[bucket].variants[plan.routes.buckets[bucket].variants.count - 1]
        let found = state.next(of: chosen, in: plan.routes)
        if !isPeek { state.give(found) }
        let numbers = plan.routes.variants[chosen].values
        return .success(Match(entry: found.entry, shape: shape, numbers: numbers, isWhole: false, isPeek: isPeek))
    }
}
