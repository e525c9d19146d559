import FitIQAPI
import HTTP1
import HTTPTypes

/// A refusal that has nothing to do with the API: the bytes, their number or their pace.
///
/// The connection closes after it.
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

    func body(in mode: GuideMode) -> [UInt8] { APIError.body(code: code, message: message, in: mode) }

    private static func code(for status: HTTPResponse.Status) -> String {
        // "Content Too Large" → "CONTENT_TOO_LARGE"
        String(status.reasonPhrase.uppercased().map { $0.isLetter ? $0 : "_" })
    }
}
