import FitIQAPI
import HTTP1
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

/// A refusal unrelated to the API, because of the bytes, their number or their pace, that closes the connection.
struct TransportRefusal {
    let status: HTTPResponse.Status
    let code: String
    let message: String

    /// - Parameter code: nil for the status's name: "Content Too Large" → `CONTENT_TOO_LARGE`.
    private init(_ status: HTTPResponse.Status, code: String? = nil, _ message: String) {
        self.status = status
        self.code = code ?? String(status.reasonPhrase.uppercased().map { $0.isLetter ? $0 : "_" })
        self.message = message
    }

    /// The client broke HTTP.
    static func violation(_ error: RemoteError) -> TransportRefusal {
        TransportRefusal(error.status, "\(error.message) (\(error.source))")
    }

    static func headTimeout(_ time: Duration) -> TransportRefusal {
        TransportRefusal(
            .requestTimeout, "The request's head did not arrive within \(time.components.seconds) s; send it at once.")
    }

    static func bodyTimeout(_ time: Duration) -> TransportRefusal {
        TransportRefusal(
            .requestTimeout,
            "The request's body did not arrive within \(time.components.seconds) s; "
                + "check that as many bytes are sent as Content-Length says.")
    }

    static func tooMuchHeld(limit: Int) -> TransportRefusal {
        TransportRefusal(
            .serviceUnavailable, code: "SERVER_BUSY",
            "The server holds \(limit) bytes for its connections, which is the limit; "
                + "read what it has sent, or send less at a time.")
    }

    static func tooManyConnections(limit: Int) -> TransportRefusal {
        TransportRefusal(
            .serviceUnavailable, code: "TOO_MANY_CONNECTIONS",
            "\(limit) connections are open, which is the limit; close some and try again.")
    }

    /// TLS began on a port without it.
    static func tlsOnPlainPort(origin: String, secureOrigin: String?) -> TransportRefusal {
        let remedy = secureOrigin.map { "\($0) for TLS" } ?? "start the server with TLS to have https as well"
        return TransportRefusal(
            .badRequest,
            "The client began TLS (https or wss) on a port that speaks plain HTTP; use \(origin), or \(remedy).")
    }

    static func plainOnTLSPort(origin: String, secureOrigin: String) -> TransportRefusal {
        TransportRefusal(
            .badRequest,
            "The client spoke plain HTTP to a port that speaks TLS; use \(secureOrigin), or \(origin) without TLS.")
    }

    /// For the log, not a refusal: without TLS the client could not read one.
    static func handshakeTimeout(_ time: Duration) -> String {
        "The client did not finish the handshake within \(time.components.seconds) s."
    }

    func body(in mode: GuideMode) -> [UInt8] {
        APIError.body(code: code, message: message, in: mode, forApps: mode.servesApps)
    }
}
