/// A documented way in which things go wrong, and how often a client met it.
public struct Exposure: Sendable, Hashable {
    /// What went wrong.
    public let path: Path
    /// How often.
    public let count: Int

    /// The documented ways.
    public enum Path: String, Sendable, Hashable, CaseIterable {
        /// A request was refused with 401.
        case unauthorized = "401"
        /// A request was refused with 404.
        case notFound = "404"
        /// A create was answered with 409.
        case conflict = "409"
        /// A create was answered with 429.
        case tooMany = "429"
        /// A request was answered with 500 to 599.
        case serverError = "5xx"
        /// A request was answered late, in part or not at all.
        case timeOut = "time_out"
        /// A handshake was refused.
        case refusedHandshake = "refused_handshake"
        /// A socket ended while an answer streamed.
        case dropMidStream = "drop_mid_stream"
        /// A socket ended for another reason that was not the client's.
        case drop = "drop"
        /// A socket fell silent.
        case silence = "silence"
        /// An `error` frame came.
        case errorFrame = "error_frame"
        /// A frame came that is not what the contract says: it was broken, lost, repeated or out of order.
        case brokenFrame = "broken_frame"
        /// A meal log failed.
        case failedMeal = "failed_meal"
        /// A meal log was not settled 5 seconds after it was accepted.
        case lateMeal = "late_meal"
    }

    /// Describes an exposure.
    public init(path: Path, count: Int) {
        self.path = path
        self.count = count
    }
}

/// Counts what a client was exposed to.
struct ExposureCounter: Sendable {
    private var counts: [Exposure.Path: Int] = [:]

    /// Every path, also those that the client never met.
    var exposures: [Exposure] { Exposure.Path.allCases.map { Exposure(path: $0, count: counts[$0] ?? 0) } }

    mutating func observe(_ fact: Fact, in scene: Scene) {
        guard case .request(let request) = fact.kind, let path = Self.path(request) else { return }
        counts[path, default: 0] += 1
    }

    private static func path(_ request: RequestFact) -> Exposure.Path? {
        if request.isHandshake { return .refusedHandshake }
        guard request.delivery == .complete, let status = request.status else { return .timeOut }
        return switch status {
        case 401: .unauthorized
        case 404: .notFound
        case 409: .conflict
        case 429: .tooMany
        case 500...: .serverError
        default: nil
        }
    }
}
