import FitIQAPI
import Recording

/// Counts what a client was exposed to, as far as the journal shows it.
struct ExposureCounter: Sendable {
    private var counts: [Exposure.Path: Int] = [:]
    /// Connections whose silence was counted.
    private var silent = Recent<UInt64, Bool>()
    private var meals = MealExposure()

    /// An answer that takes longer than this is late: without a fault none takes any time.
    static let lateAnswer = Tolerance.second

    /// Every path, also those that the client never met, as things stand at a time.
    func exposures(at end: Timestamp, in scene: Scene) -> [Exposure] {
        Exposure.Path.allCases.map { path in
            let pending = path == .lateMeal ? meals.overdueCount(at: end, in: scene) : 0
            return Exposure(path: path, count: (counts[path] ?? 0) + pending)
        }
    }

    mutating func observe(_ fact: Fact, in scene: Scene) {
        switch fact.kind {
        case .request(let request): observe(request)
        case .opened(let opening):
            if opening.openedAt.lag(behind: opening.requestedAt) >= Self.lateAnswer { count(.timeOut) }
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
    }

    private mutating func observe(_ request: RequestFact) {
        let isLate = request.answeredAt.lag(behind: request.requestedAt) >= Self.lateAnswer
        if isLate || !request.isAnswered { count(.timeOut) }
        // Also of an answer that was cut, the client may have seen the status; but it cannot be told.
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
        // Who was left in silence has met that, and not its end.
        guard let socket, !socket.isSilenced, closing.isUnprovoked else { return }
        count(socket.isStreaming ? .dropMidStream : .drop)
    }
}

extension RecordedClosing {
    /// Whether neither the client nor the end of its consultation brought it about.
    fileprivate var isUnprovoked: Bool {
        guard faults.isEmpty else { return true }
        switch cause {
        case .fault, .shutdown: return true
        case .violation, .limit: return false
        // A server that ends a socket in order has been asked to, by archiving the consultation.
        case .closeFrame: return party == .server && summary.sent?.code != .normalClosure
        case .finish, .reset, .timeOut: return party == .server
        }
    }
}
