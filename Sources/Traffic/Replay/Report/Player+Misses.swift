import FitIQAPI
import Text
import Traffic

extension Player {
    /// The result so far; frames that a client may still send count as never sent.
    public var report: ReplayReport {
        var report = tally
        report.recorded = isServed.count
        report.neverAskedCount = isServed.count - tally.served
        let neverAsked = isServed.indices.lazy.filter { !isServed[$0] }
        report.neverAsked = neverAsked.prefix(ReplayLimits.misses).map(plan.reference)
        report.framesNeverSent += sockets.values.reduce(0) { $0 + $1.missingCount }
        report.bindings = following.bindings.actual.count
        report.bindingsRefused = following.bindings.refusedCount
        return report
    }

    /// Describes and records a request without a response.
    mutating func miss(
        _ reason: ReplayMiss.Reason, _ request: ReplayRequest, _ shapes: RequestShapes, at date: Timestamp
    ) -> ReplayMiss {
        var miss = ReplayMiss(
            time: date, method: request.method.cut(toBytes: 60), target: Excerpts.target(request.target),
            reason: reason)
        if let (entry, differences) = nearest(to: shapes, reason) {
            miss.nearest = plan.reference(to: entry)
            miss.differences = differences
        }
        tally.unexpectedCount += 1
        if tally.unexpected.count < ReplayLimits.misses { tally.unexpected.append(miss) }
        return miss
    }

    /// How many recorded requests of one route are compared in full.
    private static let comparedEntries = 16
    /// How many routes are compared.
    private static let comparedRoutes = 1_000

    private func nearest(
        to shapes: RequestShapes, _ reason: ReplayMiss.Reason
    ) -> (entry: Int, differences: [ReplayDifference])? {
        var candidates = reason == .notItsTurn ? Array(turn.prefix(Self.comparedEntries)) : sameRoute(shapes)
        if candidates.isEmpty, reason != .notItsTurn { candidates = nearestRoute(shapes).map { [$0] } ?? [] }
        // The first of those with the fewest differences.
        return candidates.map { ($0, differences(shapes, from: $0)) }.min { $0.1.count < $1.1.count }
    }

    private func differences(_ shapes: RequestShapes, from entry: Int) -> [ReplayDifference] {
        var differences = Differences(following: following, origins: (plan.origins, shapes.origins))
        let planned = plan.entries[entry]
        if !planned.method.isExactly(shapes.method) {
            differences.note("method", Messages.method(planned.method), Messages.method(shapes.method))
        }
        differences.compare(planned.url, shapes.url)
        let request = plan.session.entries[entry].request
        if request.body?.isCut == true { return differences.list }
        let body = request.body?.bytes ?? []
        if let form = shapes.form, let recorded = FormBody(body, of: request.fields) {
            differences.compare(recorded, form, at: "body") { $0.compare(body: $1, $2, named: $3) }
        } else {
            differences.compare(body: body, shapes.body, named: "body")
        }
        return differences.list
    }

    /// The recorded requests of the same route, unserved ones first.
    private func sameRoute(_ shapes: RequestShapes) -> [Int] {
        guard let bucket = plan.routes.bucket(of: shapes.route()) else { return [] }
        var (unserved, served): ([Int], [Int]) = ([], [])
        for variant in plan.routes.buckets[bucket].prefix(ReplayLimits.candidates) {
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
            let entry = plan.routes.variants[bucket[0]].entries[0]
            let segments = plan.entries[entry].url.segments
            var cost = plan.entries[entry].method.isExactly(shapes.method) ? 0 : 1
            var hasCommonWord = false
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

    /// Records a client's frame that is not the recorded one.
    mutating func note(
        frame bytes: [UInt8], isText: Bool, on socket: ReplaySocket, _ reason: ReplayFrameMiss.Reason,
        at date: Timestamp
    ) {
        tally.frameMissCount += 1
        guard tally.frameMisses.count < ReplayLimits.misses, let play = sockets[socket] else { return }
        var miss = ReplayFrameMiss(
            time: date, socket: socket, target: plan.reference(to: play.entry).target,
            excerpt: Excerpts.of(bytes) ?? "\"\"", reason: reason)
        if reason == .different, play.nextMessage < play.script.messages.count {
            let due = play.script.messages[play.nextMessage]
            var differences = Differences(following: following, origins: (plan.origins, origins(play.origin)))
            if due.isText == isText {
                differences.compare(body: due.payload, bytes, named: isText ? "text" : "binary")
            } else {
                differences.note("type", due.isText ? "text" : "binary", isText ? "text" : "binary")
            }
            miss.differences = differences.list
        } else if reason == .different, settings.frames != .triggered {
            miss.reason = .noneLeft
        }
        tally.frameMisses.append(miss)
    }
}
