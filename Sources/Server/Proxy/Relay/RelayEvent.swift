import HTTPTypes
import Logging

package enum RelayEvent: Equatable {
    /// The upstream's answer is complete.
    case answered(method: String, target: String, status: Int)
    case opened(target: String)
    /// The proxy itself answered with this status; the message says why and what to do.
    case refused(status: Int, message: String)
    /// An exchange ended before its answer was complete; the sentence says how.
    case brokenOff(String)

    /// The line for the log.
    package var message: String {
        switch self {
        case .answered(let method, let target, let status): "\(method) \(Messages.printable(target)) \(status)"
        case .opened(let target): "WebSocket \(Messages.printable(target)) opened"
        case .refused(let status, let message): "\(status): \(message)"
        case .brokenOff(let sentence): sentence
        }
    }

    package var level: Logger.Level {
        switch self {
        case .answered, .opened: .info
        case .refused: .warning
        case .brokenOff: .notice
        }
    }
}

/// How to end one side of a relay after sending its pending bytes.
package enum RelayEnding {
    case none
    /// Ends our stream (FIN, after a close_notify if the connection uses TLS); the other direction continues.
    case finish
    /// Sends FIN, and drops input until the peer also ends its stream.
    case close
    case reset
}

/// What a relay waits for, which determines its time-out.
///
/// `idle`: a request. `request`: the rest of a request. `answer`: an answer, or its rest. `tunnel`: nothing, because a
/// WebSocket may be silent forever. `ending`: the client, which has to read the last bytes and close.
enum RelayPhase { case idle, request, answer, tunnel, ending }

/// The limits and time-outs of a connection to an upstream.
public struct RelayLimits: Sendable, Equatable {
    /// Pending bytes for one side beyond which the proxy stops reading from the other side.
    public var unsentBytes = 1024 * 1024
    /// The maximum size of a head's fields and of its first line in bytes; the relay answers a larger request with 431
    /// or 414, and answers with 502 if the upstream's answer is larger.
    public var headBytes = 64 * 1024
    /// The maximum number of fields in a head; if a request has more, the relay answers with 431, and if the upstream's
    /// answer has more, with 502.
    public var fieldCount = 256
    /// Interim answers (1xx) to one request; if the upstream sends more, the proxy answers with 502.
    public var interimAnswers = 16
    /// Time to connect to the upstream server, for all addresses together and including TLS; then 504.
    ///
    /// The limit also applies to looking up the server's name when the proxy starts.
    public var connectTime = Duration.seconds(10)
    /// How long the proxy waits for the next byte between requests or within an incomplete request; then the proxy
    /// closes the connection.
    public var idleTime = Duration.seconds(120)
    /// How long the proxy waits for the next byte of an answer; then 504, or a reset if the answer has begun.
    public var answerTime = Duration.seconds(300)

    public init() {}
}

package enum UpstreamFailure: Equatable {
    /// None of the upstream's addresses accepted a connection; the reason is the system's message.
    case unreachable(String)
    /// The upstream did not accept the connection or finish the TLS handshake within this time.
    case connectTimeout(Duration)
    /// TLS failed: the reason explains the failure, and `isCertificate` is true if the proxy does not trust the
    /// certificate.
    case tls(String, isCertificate: Bool)
    /// The upstream accepted the connection but sent nothing within this time.
    case answerTimeout(Duration)
    /// The upstream's answer is not valid HTTP/1.1.
    case badAnswer(String)
    /// The upstream sent more than this many interim answers (1xx) to one request.
    case tooManyInterimAnswers(Int)

    /// Whether the failure occurred before the request was sent.
    package var isBeforeRequest: Bool {
        switch self {
        case .unreachable, .connectTimeout, .tls: true
        case .answerTimeout, .badAnswer, .tooManyInterimAnswers: false
        }
    }

    var answer: (status: HTTPResponse.Status, code: String) {
        switch self {
        case .unreachable: (.badGateway, "UPSTREAM_UNREACHABLE")
        case .tls: (.badGateway, "UPSTREAM_TLS_FAILED")
        case .badAnswer, .tooManyInterimAnswers: (.badGateway, "UPSTREAM_ANSWER_INVALID")
        case .connectTimeout, .answerTimeout: (.gatewayTimeout, "UPSTREAM_TIMEOUT")
        }
    }
}
