import FitIQAPI
import JSON
import Text
import Traffic

extension Player {
    /// Describes and records a request without a response.
    mutating func miss(
        _ reason: ReplayMiss.Reason, _ request: ReplayRequest, _ shapes: RequestShapes, at now: Timestamp
    ) -> ReplayMiss {
        var miss = ReplayMiss(
            time: now, method: request.method.cut(toBytes: 60), target: Excerpts.target(request.target),
            reason: reason, differences: [])
        if let (entry, differences) = nearest(to: shapes, reason) {
            let recorded = plan.session.entries[entry].request
            miss.nearest = .init(
                entry: plan.numbers[entry], method: recorded.method,
                target: Excerpts.target(URLParts(recorded.url).target))
            miss.differences = differences.list
        }
        tally.unexpected += 1
        if tally.misses.count < ReplayLimits.misses { tally.misses.append(miss) }
        return miss
    }

    /// How many recorded requests of one route are compared in full.
    private static let comparedEntries = 16
    /// How many routes are compared.
    private static let comparedRoutes = 1_000

    private func nearest(
        to shapes: RequestShapes, _ reason: ReplayMiss.Reason
    ) -> (entry: Int, differences: Differences)? {
        var candidates: [Int]
        switch reason {
        case .notItsTurn: candidates = Array(turn.prefix(Self.comparedEntries))
        case .unknown, .runOut, .over:
            candidates = sameRoute(shapes)
            if candidates.isEmpty { candidates = nearestRoute(shapes).map { [$0] } ?? [] }
        }
        var best: (entry: Int, differences: Differences)?
        for entry in candidates {
            let differences = differences(shapes, from: entry)
            if best.map({ differences.list.count < $0.differences.list.count }) ?? true {
                best = (entry, differences)
            }
        }
        return best
    }

    private func differences(_ shapes: RequestShapes, from entry: Int) -> Differences {
        var differences = Differences(following: following, vocabulary: plan.vocabulary)
        let planned = plan.entries[entry]
        if !planned.method.isExactly(shapes.method) {
            differences.note("method", Sentences.method(planned.method), Sentences.method(shapes.method))
        }
        differences.compare(planned.url, shapes.url)
        let body = plan.session.entries[entry].request.body
        if body?.isCut != true { differences.compare(body: body?.bytes ?? [], shapes.body, named: "body") }
        return differences
    }

    /// The recorded requests of the same route, unserved ones first.
    private func sameRoute(_ shapes: RequestShapes) -> [Int] {
        guard let bucket = plan.routes.bucket(of: shapes.route()) else { return [] }
        var (unserved, served): ([Int], [Int]) = ([], [])
        for variant in plan.routes.buckets[bucket].variants.prefix(ReplayLimits.candidates) {
            for entry in plan.routes.variants[variant].entries.prefix(ReplayLimits.candidates) {
                if isServed[entry] { served.append(entry) } else { unserved.append(entry) }
                if unserved.count == Self.comparedEntries { return unserved }
            }
        }
        return Array((unserved + served).prefix(Self.comparedEntries))
    }

    /// The first entry of the route with the most similar path, or nil if no word is equal.
    private func nearestRoute(_ shapes: RequestShapes) -> Int? {
        guard shapes.url.segments.count <= 50 else { return nil }
        let common: Set = ["api", "v1", "v2", ""]
        var best: (entry: Int, cost: Int)?
        for bucket in plan.routes.buckets.prefix(Self.comparedRoutes) {
            let entry = plan.routes.variants[bucket.variants[0]].entries[0]
            let planned = plan.entries[entry]
            var cost = planned.method.isExactly(shapes.method) ? 0 : 1
            var hasCommonWord = false
            let segments = planned.url.segments
            for (left, right) in zip(segments, shapes.url.segments) {
                if left.isExactly(right) {
                    hasCommonWord = hasCommonWord || !common.contains(left)
                } else if NearestWord.find(left, among: [right]) != nil {
                    hasCommonWord = true
                    cost += 1
                } else {
                    cost += ValueScanner.isValue(left) && ValueScanner.isValue(right) ? 1 : 3
                }
            }
            cost += 2 * abs(segments.count - shapes.url.segments.count)
            if hasCommonWord, best.map({ cost < $0.cost }) ?? true { best = (entry, cost) }
        }
        return best?.entry
    }

    // MARK: Frames

    /// Records a client's frame that is not the recorded one.
    mutating func note(frame bytes: [UInt8], isText: Bool, on socket: ReplaySocket, isTooMany: Bool, at now: Timestamp)
    {
        tally.frameMisses += 1
        guard tally.frames.count < ReplayLimits.misses, let play = sockets[socket] else { return }
        let script = plan.scripts[play.script]
        var miss = ReplayFrameMiss(
            time: now, socket: socket,
            target: Excerpts.target(URLParts(plan.session.entries[play.entry].request.url).target),
            excerpt: Excerpts.of(bytes) ?? "\"\"", reason: isTooMany ? .tooMany : .noneLeft, differences: [])
        if !isTooMany, play.nextMessage < script.messages.count {
            miss.reason = .different
            let due = script.messages[play.nextMessage]
            var differences = Differences(following: following, vocabulary: plan.vocabulary)
            if due.isText != isText {
                differences.note("type", due.isText ? "text" : "binary", isText ? "text" : "binary")
            } else {
                differences.compare(body: due.payload, bytes, named: isText ? "text" : "binary")
            }
            miss.differences = differences.list
        } else if !isTooMany, settings.frames == .triggered {
            miss.reason = .different
        }
        tally.frames.append(miss)
    }
}
