import FitIQAPI
import HTTP1
import HTTPTypes

/// A refusal unrelated to the API, because of the bytes, their number or their pace, that closes the connection.
struct TransportRefusal {
    var status: HTTPResponse.Status
    var code: String
    var message: String

    /// The client broke HTTP.
    static func violation(_ error: RemoteError) -> TransportRefusal {
        TransportRefusal(
            status: error.status, code: code(for: error.status), message: "\(error.message) (\(error.source))")
    }

    static func headTimeout(_ time: Duration) -> TransportRefusal {
        TransportRefusal(
            status: .requestTimeout, code: "REQUEST_TIMEOUT",
            message: "The request's head did not arrive within \(time.components.seconds) s; send it at once.")
    }

    static func bodyTimeout(_ time: Duration) -> TransportRefusal {
        TransportRefusal(
            status: .requestTimeout, code: "REQUEST_TIMEOUT",
            message: "The request's body did not arrive within \(time.components.seconds) s; "
                + "check that as many bytes are sent as Content-Length says.")
    }

    static func tooMuchHeld(limit: Int) -> TransportRefusal {
        TransportRefusal(
            status: .serviceUnavailable, code: "SERVER_BUSY",
            message: "The server holds \(limit) bytes for its connections, which is the limit; "
                + "read what it has sent, or send less at a time.")
    }

    static func tooManyConnections(limit: Int) -> TransportRefusal {
        TransportRefusal(
            status: .serviceUnavailable, code: "TOO_MANY_CONNECTIONS",
            message: "\(limit) connections are open, which is the limit; close some and try again.")
    }

    /// TLS began on a port without it.
    ///
    /// - Parameters:
    ///   - origin: The server's origin without TLS.
    ///   - secureOrigin: Its origin over TLS, if there is one.
    static func tlsOnPlainPort(origin: String, secureOrigin: String?) -> TransportRefusal {
        let remedy = secureOrigin.map { "\($0) for TLS" } ?? "start the server with TLS to have https as well"
        return TransportRefusal(
            status: .badRequest, code: "BAD_REQUEST",
            message:
                "The client began TLS (https or wss) on a port that speaks plain HTTP; use \(origin), or \(remedy).")
    }

    /// Plain HTTP arrived on a TLS port.
    ///
    /// - Parameters:
    ///   - origin: The server's origin without TLS.
    ///   - secureOrigin: Its origin over TLS.
    static func plainOnTLSPort(origin: String, secureOrigin: String) -> TransportRefusal {
        TransportRefusal(
            status: .badRequest, code: "BAD_REQUEST",
            message:
                "The client spoke plain HTTP to a port that speaks TLS; use \(secureOrigin), or \(origin) without TLS.")
    }

    func body(in mode: GuideMode) -> [UInt8] { APIError.body(code: code, message: message, in: mode) }

    private static func code(for status: HTTPResponse.Status) -> String {
        // "Content Too Large" → "CONTENT_TOO_LARGE"
        String(status.reasonPhrase.uppercased().map { $0.isLetter ? $0 : "_" })
    }
}
