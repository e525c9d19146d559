/// A refusal on the meal socket: the `error` frame's `error` and `error_code`, or the announcement of a close.
public struct MealSocketError: Error, Equatable, Sendable {
    /// What the apps tell apart; `RATE_LIMIT`, which they know as well, is only sent by a scenario.
    public enum Code: String, Sendable {
        case authFailed = "AUTH_FAILED"
        case connectionLimit = "CONNECTION_LIMIT"
        case serverError = "SERVER_ERROR"
    }

    public var code: Code
    /// A sentence or two for the client's developer.
    public var message: String
    /// The reason of the close frame that follows, if one does: at most 123 bytes.
    public var reason = ""

    package var frame: ServerFrame { .scriptedError(message: message, code: code.rawValue) }

    /// A newer connection of the same user takes its place.
    public static let replaced = Self(
        code: .connectionLimit,
        message: "The same user has opened a newer meal socket. A user has one: keep it open, and do not open another.",
        reason: "Replaced by a newer connection")

    /// The user's account was deleted.
    public static let userIsGone = Self(
        code: .authFailed, message: "The account of this token was deleted.", reason: "Account deleted")

    public static func tooManyConnections(limit: Int) -> Self {
        Self(
            code: .connectionLimit,
            message: "This user has opened \(limit) meal sockets within a minute, which is the limit. Keep one open, "
                + "and wait longer after each failure before reconnecting.",
            reason: "Too many connections")
    }

    /// A frame of another socket; the connection stays open.
    public static let onlyPings = Self(
        code: .serverError,
        message: "This socket takes only frames of type \"ping\". Chat over a consultation's socket, "
            + "\(Endpoint.webSocket.template).")

    /// A frame that cannot be read; the connection stays open.
    public static func unusable(_ error: FrameError) -> Self {
        let isReadable = error.code != .invalidJSON && error.code != .unsupportedData
        return isReadable ? onlyPings : Self(code: .serverError, message: error.message)
    }
}
