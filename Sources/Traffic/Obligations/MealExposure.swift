import FitIQAPI
import JSON
import Recording

/// Which meal logs failed, and which were not settled in time.
struct MealExposure: Sendable {
    private struct Log: Sendable {
        let client: ExactString
        let acceptedAt: Timestamp
    }

    /// The logs whose end the client has not seen.
    private var pending = Recent<Owned, Log>()
    /// The logs whose end was seen: a fault may let the event overtake the 201.
    private var settled = Recent<Owned, Bool>()

    /// A log that is settled later than this after the 201 is late.
    static let dueAfter = 5 * Tolerance.second

    /// What the fact shows, for the first time of each log.
    mutating func observe(_ fact: Fact, in scene: Scene) -> [Exposure.Path] {
        switch fact.kind {
        case .request(let request):
            guard let client = request.client else { return [] }
            return request.shownMealLogs.flatMap { log -> [Exposure.Path] in
                let key = Owned(client: client, id: log.id)
                if request.endpoint == .createMealLog, !log.isFinal {
                    if settled[key] == nil { pending[key] = Log(client: client, acceptedAt: request.answeredAt) }
                    return []
                }
                return see(log, key, at: request.answeredAt)
            }
        case .frame(let frame):
            guard let log = frame.settledMealLog, let user = scene.sockets[fact.connection]?.user else { return [] }
            return see(log, Owned(client: user, id: log.id), at: fact.time, isNews: true)
        case .opened, .closed, .fault, .other: return []
        }
    }

    /// - Parameter isNews: whether it is told the moment it happens; what is read may be old.
    private mutating func see(
        _ log: ShownMealLog, _ key: Owned, at time: Timestamp, isNews: Bool = false
    ) -> [Exposure.Path] {
        var paths: [Exposure.Path] = []
        if log.status == "failed", settled[key] == nil { paths.append(.failedMeal) }
        if log.isFinal { settled[key] = true }
        guard let accepted = pending[key]?.acceptedAt else { return paths }
        let isOverdue = time.lag(behind: accepted) > Self.dueAfter
        if log.isFinal || isOverdue { pending[key] = nil }
        let settledAt = log.isFinal && !isNews ? log.updatedAt?.timestamp ?? time : time
        if isOverdue, settledAt.lag(behind: accepted) > Self.dueAfter { paths.append(.lateMeal) }
        return paths
    }

    /// The logs of which a client that was there to hear of it has heard nothing in time.
    func overdueCount(at end: Timestamp, in scene: Scene) -> Int {
        let waiting = pending.values.filter { end.lag(behind: $0.acceptedAt) > Self.dueAfter }
        return waiting.count { log in
            scene.sockets.values.contains { $0.user == log.client && $0.openedAt <= log.acceptedAt }
        }
    }
}
