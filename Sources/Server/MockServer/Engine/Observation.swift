import HTTPTypes
import Logging

/// An event for the operator of the server; the descriptions are its log lines.
public enum Observation: Sendable, CustomStringConvertible {
    case answered(method: String, target: String, status: HTTPResponse.Status)
    /// A client broke HTTP, or exceeded a time limit.
    case refused(status: HTTPResponse.Status, message: String)
    case refusedConnection(limit: Int)
    /// TLS could not begin or continue.
    case tlsFailed(message: String)
    case webSocketOpened(path: String)
    /// A client broke the WebSocket protocol.
    case webSocketFailed(code: UInt16, message: String)
    /// A client left too much unread.
    case slowReader(limit: Int)
    /// All connections together held too much memory, and this one the most.
    case memory(limit: Int)

    public var description: String {
        switch self {
        case .answered(let method, let target, let status):
            "\(method) \(target.replacing(#/token=[^&]*/#, with: "token=…")) \(status.code)"
        case .refused(let status, let message): "refused with \(status.code): \(message)"
        case .refusedConnection(let limit): "refused a connection: \(limit) are open, which is the limit"
        case .tlsFailed(let message): "TLS: \(message)"
        case .webSocketOpened(let path): "WebSocket \(path) opened"
        case .webSocketFailed(let code, let message): "WebSocket closed with \(code): \(message)"
        case .memory(let limit):
            "reset a connection: together they hold more than \(limit) bytes, which is the limit, and it held the most"
        case .slowReader(let limit):
            "reset a WebSocket whose client left more than \(limit) bytes unread; read faster or close it"
        }
    }

    /// `warning` for what points to a mistake somewhere; `notice` for a client that mostly does not trust the server yet.
    public var level: Logger.Level {
        switch self {
        case .answered, .webSocketOpened: .info
        case .tlsFailed: .notice
        case .refused, .refusedConnection, .webSocketFailed, .slowReader, .memory: .warning
        }
    }
}

extension Engine {
    /// Logs the engine's events; above the level `warning` nothing is observed, and so nothing is spent on it.
    public func log(to logger: Logger) {
        guard logger.logLevel <= .warning else { return }
        observesRequests = logger.logLevel <= .info
        observe = { logger.log(level: $0.level, "\($0)") }
    }
}
