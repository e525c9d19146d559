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
        /// A request to an endpoint that exists was refused with 404: the id is unknown.
        case notFound = "404"
        /// A create was answered with 409.
        case conflict = "409"
        /// A create was answered with 429.
        case tooMany = "429"
        /// A request was answered with 500 to 599.
        case serverError = "5xx"
        /// A request was answered a second late or more, in part or not at all; a handshake too.
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
