import HTTPTypes

package enum RelayEvent: Equatable {
    /// The upstream answered a request, to the last byte.
    case answered(method: String, target: String, status: Int)
    case opened(target: String)
    /// The proxy itself answered, with that status; the message gives the reason and the remedy.
    case refused(status: Int, message: String)
    /// An exchange ended before its answer was complete; the sentence says how.
    case brokenOff(String)
}

/// How to end one side of a relay, after its pending bytes were sent.
package enum RelayEnding {
    case none
    /// By the end of our stream (FIN, with TLS a close_notify before it), while the other direction continues.
    case finish
    /// Gracefully: FIN; further input is dropped until the peer ends its stream, too.
    case close
    case reset
}

/// What a relay waits for, which decides its time-out: the beginning of a request, the rest of one, an answer or its
/// rest, nothing (a WebSocket may be silent forever), or the client to read the rest and leave.
enum RelayPhase { case idle, request, answer, tunnel, ending }

/// The limits and time-outs of a proxy.
public struct RelayLimits: Sendable, Equatable {
    /// Client connections at the same time; more are answered 503.
    public var connections = 4_096
    /// Pending bytes for one side beyond which the other is not read.
    public var unsentBytes = 1024 * 1024
    /// Bytes of a head's fields, and of its first line; more are answered 431 or 414, or 502 if from the upstream.
    public var headBytes = 64 * 1024
    /// Fields of a head; more are answered 431, or 502 if the upstream sends them.
    public var fieldCount = 256
    /// Interim answers (1xx) to one request; with one more it is answered 502.
    public var interimAnswers = 16
    /// Time to connect to the upstream server including TLS, all of its addresses together; then 504.
    ///
    /// Also the time to look up its name at the start.
    public var connectTime = Duration.seconds(10)
    /// Time for a client's TLS handshake; then its connection is closed.
    public var handshakeTime = Duration.seconds(10)
    /// Time without any byte on a connection between requests, or within an incomplete one; then it is closed.
    public var idleTime = Duration.seconds(120)
    /// Time without any byte while an answer is awaited or in progress; then 504, or a reset if it has begun.
    public var answerTime = Duration.seconds(300)
    /// Time for the peer of a closing connection to end its stream, once all was sent; then nothing more is read.
    ///
    /// To accept the rest of an answer it has ``idleTime`` after each byte that it accepts.
    public var lingerTime = Duration.seconds(2)
    /// Time for answers in progress after the proxy begins to stop.
    public var shutdownTime = Duration.seconds(2)

    public init() {}

    /// Lowers ``connections`` to what that many file descriptors can serve: two each, and some for the proxy itself.
    public mutating func fit(descriptors: Int) {
        connections = max(1, min(connections, (descriptors - RelayLimits.ownDescriptors) / 2))
    }

    /// File descriptors that ``connections`` need.
    public var descriptors: Int { connections * 2 + RelayLimits.ownDescriptors }

    /// Standard streams, event queue, listeners, recording, and connections being refused or reconnected.
    private static let ownDescriptors = 128
}

package enum UpstreamFailure: Equatable {
    /// None of its addresses accepted a connection; the reason is the system's message.
    case unreachable(String)
    /// It did not accept the connection, or finish the TLS handshake, in that time.
    case connectTimeout(Duration)
    /// TLS failed; the reason says how, and `isCertificate` whether the certificate was not trusted.
    case tls(String, isCertificate: Bool)
    /// The connection was made, and no answer arrived in that time.
    case answerTimeout(Duration)
    /// Its answer is not valid HTTP/1.1.
    case badAnswer(String)
    /// It sent more interim answers (1xx) to one request than that.
    case tooManyInterimAnswers(Int)

    /// Whether the server has not got the request.
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
