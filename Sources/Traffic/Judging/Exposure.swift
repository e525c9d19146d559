import FitIQAPI
import JSON
import Traffic

/// A documented failure path and how often a client encountered it.
public struct Exposure: Sendable, Hashable {
    public let path: Path
    public let count: Int

    public enum Path: String, Sendable, Hashable, CaseIterable {
        case unauthorized = "401"
        /// The server refused a request to an existing endpoint with 404 because the ID is unknown.
        case notFound = "404"
        case conflict = "409"
        case tooMany = "429"
        case serverError = "5xx"
        /// A response took a second or longer, was incomplete or never came.
        case timeOut = "time_out"
        case refusedHandshake = "refused_handshake"
        case dropMidStream = "drop_mid_stream"
        /// A socket ended for a reason that the client did not cause and that no other path covers.
        case drop = "drop"
        case silence = "silence"
        case errorFrame = "error_frame"
        /// A frame violated the guides: broken, lost, repeated or out of order.
        case brokenFrame = "broken_frame"
        case failedMeal = "failed_meal"
        /// The server did not settle a meal log within 5 seconds after accepting the log.
        case lateMeal = "late_meal"
    }

    public init(path: Path, count: Int) { (self.path, self.count) = (path, count) }
}

/// Counts how often a client encountered each failure path, according to the journal.
struct ExposureCounter: Sendable {
    private var counts: [Exposure.Path: Int] = [:]
    /// Connections whose silence has already been counted.
    private var silent = Recent<UInt64, Bool>()
    private var meals = MealExposure()
    /// The paths exposed by the last fact, in order.
    private(set) var met: [Exposure.Path] = []

    /// The time after which a response counts as late; without a fault, the server responds immediately.
    static let lateAnswer = Tolerance.second

    /// Returns every path at the given time, including paths that the client never encountered.
    func exposures(at end: Timestamp, in scene: Scene) -> [Exposure] {
        Exposure.Path.allCases.map { path in
            let pending = path == .lateMeal ? meals.overdueCount(at: end, in: scene) : 0
            return Exposure(path: path, count: (counts[path] ?? 0) + pending)
        }
    }

    mutating func observe(_ fact: Fact, in scene: Scene) {
        if !met.isEmpty { met = [] }
        switch fact.kind {
        case .request(let request): observe(request)
        case .opened(let opening):
            if opening.answeredAt.nanoseconds(since: opening.requestedAt) >= Self.lateAnswer { count(.timeOut) }
        case .frame(let frame): observe(frame)
        case .fault:
            if silent[fact.connection] == nil { count(.silence) }
            silent[fact.connection] = true
        case .closed(let closing): observe(closing, of: scene.endedSocket)
        case .other: break
        }
        for path in meals.observe(fact, in: scene) { count(path) }
    }

    private mutating func count(_ path: Exposure.Path) {
        counts[path, default: 0] += 1
        met.append(path)
    }

    private mutating func observe(_ request: RequestFact) {
        let isLate = request.answeredAt.nanoseconds(since: request.requestedAt) >= Self.lateAnswer
        if isLate || !request.isAnswered { count(.timeOut) }
        // The client may have seen the status of a truncated response, but the journal does not show it.
        guard request.isAnswered, let status = request.status, status >= 400 else { return }
        if request.isHandshake { return count(.refusedHandshake) }
        switch status {
        case 401: count(.unauthorized)
        case 404 where request.exchange.unmatched == nil: count(.notFound)
        case 409: count(.conflict)
        case 429: count(.tooMany)
        case 500...: count(.serverError)
        default: break
        }
    }

    private mutating func observe(_ frame: FrameFact) {
        guard !frame.isFromClient else { return }
        if !frame.frame.faults.isEmpty || !frame.isDelivered { count(.brokenFrame) }
        if frame.isDelivered, frame.type == "error" { count(.errorFrame) }
    }

    private mutating func observe(_ closing: RecordedClosing, of socket: Scene.Socket?) {
        // A silenced socket already counts as silence, so the socket's end does not count again.
        guard let socket, !socket.isSilenced, closing.isUnprovoked else { return }
        count(socket.isStreaming ? .dropMidStream : .drop)
    }
}

extension RecordedClosing {
    /// Whether neither the client nor the end of its consultation caused the close.
    fileprivate var isUnprovoked: Bool {
        guard faults.isEmpty else { return true }
        switch cause {
        case .fault, .shutdown: return true
        case .violation, .limit: return false
        // The server closes with 1000 only after the client has archived the consultation.
        case .closeFrame: return party == .server && summary.sent?.code != .normalClosure
        case .finish, .reset, .timeOut: return party == .server
        }
    }
}

/// Tracks which meal logs failed, and which meal logs were not settled in time.
struct MealExposure: Sendable {
    private struct Log: Sendable {
        let client: ExactString
        let acceptedAt: Timestamp
    }

    private var pending = Recent<Owned, Log>()
    /// The settled logs; because of a fault, the event may arrive before the 201.
    private var settled = Recent<Owned, Bool>()

    /// The maximum time from the 201 to the settled log; later logs count as late.
    static let dueAfter = 5 * Tolerance.second

    /// Returns the paths that this fact is the first to expose for a log.
    mutating func observe(_ fact: Fact, in scene: Scene) -> [Exposure.Path] {
        switch fact.kind {
        case .request(let request):
            guard let client = request.client else { return [] }
            for log in request.acceptedMealLogs {
                let key = Owned(client: client, id: log.id)
                if settled[key] == nil { pending[key] = Log(client: client, acceptedAt: request.answeredAt) }
            }
            guard request.acceptedMealLogs.isEmpty else { return [] }
            return request.shownMealLogs.flatMap { see($0, Owned(client: client, id: $0.id), at: request.answeredAt) }
        case .frame(let frame):
            guard let log = frame.settledMealLog, let user = scene.sockets[fact.connection]?.user else { return [] }
            return see(log, Owned(client: user, id: log.id), at: fact.time, isNews: true)
        case .opened, .closed, .fault, .other: return []
        }
    }

    /// - Parameter isNews: Whether the server reports the status as soon as it changes; a fetched status may be old.
    private mutating func see(_ log: ShownMealLog, _ key: Owned, at time: Timestamp, isNews: Bool = false) -> [Exposure
        .Path]
    {
        var paths: [Exposure.Path] = []
        if log.status == "failed", settled[key] == nil { paths.append(.failedMeal) }
        if log.isFinal { settled[key] = true }
        guard let accepted = pending[key]?.acceptedAt else { return paths }
        let isOverdue = time.nanoseconds(since: accepted) > Self.dueAfter
        if log.isFinal || isOverdue { pending[key] = nil }
        let settledAt = log.isFinal && !isNews ? log.updatedAt?.timestamp ?? time : time
        if isOverdue, settledAt.nanoseconds(since: accepted) > Self.dueAfter { paths.append(.lateMeal) }
        return paths
    }

    /// The number of overdue logs whose client was connected but received no event.
    func overdueCount(at end: Timestamp, in scene: Scene) -> Int {
        let waiting = pending.values.filter { end.nanoseconds(since: $0.acceptedAt) > Self.dueAfter }
        return waiting.count { log in
            scene.sockets.values.contains { $0.user == log.client && $0.openedAt <= log.acceptedAt }
        }
    }
}
