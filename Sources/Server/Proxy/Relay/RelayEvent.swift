import HTTPTypes
import Text

/// Something that a relay did, for the log and for counting.
public enum RelayEvent: Sendable, Equatable {
    /// A request was answered by the upstream, to its last byte.
    case answered(method: String, target: String, status: Int)
    /// A WebSocket was opened.
    case opened(target: String)
    /// The proxy itself answered, with that status; the message says why, and what to do.
    case refused(status: Int, message: String)
    /// An exchange ended before its answer was complete; the sentence says how.
    case brokenOff(String)
}

/// How one side of a relay is to be ended, after what waits for it was sent.
public enum RelayEnding: Sendable, Equatable {
    /// Not yet.
    case none
    /// By the end of our stream (FIN, with TLS a close_notify before it), while the other direction goes on.
    case finish
    /// In good order: FIN, then what still arrives is dropped until the peer ends its stream too.
    case close
    /// By a reset.
    case reset
}

/// What a relay waits for, which decides how long it may.
public enum RelayPhase: Sendable, Equatable {
    /// For a request to begin.
    case idle
    /// For the rest of a request.
    case request
    /// For an answer, or the rest of one.
    case answer
    /// For nothing: a WebSocket may be silent for as long as both sides like.
    case tunnel
    /// For the client to take what is left and go.
    case ending
}

/// How much a proxy holds and waits for.
public struct RelayLimits: Sendable, Equatable {
    /// Connections of clients at the same time; more are answered 503.
    public var connections = 4_096
    /// Bytes that wait for one side before the other is not read any more.
    public var unsentBytes = 1024 * 1024
    /// Bytes of a head's fields, and bytes of its first line; more are answered 431 or 414, or 502 where the upstream sends them.
    public var headBytes = 64 * 1024
    /// Fields of a head; more are answered 431, or 502 where the upstream sends them.
    public var fieldCount = 256
    /// Interim answers (1xx) to one request; with one more it is answered 502.
    public var interimAnswers = 16
    /// Time to connect to the upstream server and agree on TLS, all of its addresses together; then 504.
    public var connectTime = Duration.seconds(10)
    /// Time for a client to agree on TLS; then its connection is closed.
    public var handshakeTime = Duration.seconds(10)
    /// Time without any byte on a connection between requests, or within one that is not complete; then it is closed.
    public var idleTime = Duration.seconds(120)
    /// Time without any byte while an answer is awaited or under way; then 504, or a reset where it has begun.
    public var answerTime = Duration.seconds(300)
    /// Time that a connection which is being closed has to end its own stream, once all was sent; then nothing more is read.
    ///
    /// To take what is left of an answer it has ``idleTime`` after each byte that it takes.
    public var lingerTime = Duration.seconds(2)
    /// Time that answers under way have once the proxy is told to stop.
    public var shutdownTime = Duration.seconds(2)

    /// The defaults, to be changed field by field.
    public init() {}

    /// Lowers ``connections`` to what a process with that many file descriptors can serve: two each, and some for itself.
    public mutating func fit(descriptors: Int) {
        connections = max(1, min(connections, (descriptors - RelayLimits.ownDescriptors) / 2))
    }

    /// File descriptors that ``connections`` need.
    public var descriptors: Int { connections * 2 + RelayLimits.ownDescriptors }

    /// Standard streams, event queue, listeners, recording, and connections that are refused or connected anew just then.
    private static let ownDescriptors = 128
}

/// Why no answer could be had from the upstream server.
public enum UpstreamFailure: Error, Sendable, Equatable {
    /// None of its addresses could be connected to; the reason is a sentence of the system's.
    case unreachable(String)
    /// It did not accept the connection, or agree on TLS, in that time.
    case connectTimeout(Duration)
    /// TLS failed; the reason says how, and `isCertificate` whether the certificate was not to be trusted.
    case tls(String, isCertificate: Bool)
    /// The connection was made, and no answer came in that time.
    case answerTimeout(Duration)
    /// What it answered is not HTTP/1.1.
    case badAnswer(String)

    /// It sent more interim answers (1xx) to one request than that.
    case tooManyInterimAnswers(Int)

    /// What the client is answered with.
    var status: HTTPResponse.Status {
        switch self {
        case .unreachable, .tls, .badAnswer, .tooManyInterimAnswers: .badGateway
        case .connectTimeout, .answerTimeout: .gatewayTimeout
        }
    }

    /// The code in the answer's body.
    var code: String {
        switch self {
        case .unreachable: "UPSTREAM_UNREACHABLE"
        case .tls: "UPSTREAM_TLS_FAILED"
        case .badAnswer, .tooManyInterimAnswers: "UPSTREAM_ANSWER_INVALID"
        case .connectTimeout, .answerTimeout: "UPSTREAM_TIMEOUT"
        }
    }
}

/// The server that a proxy stands in front of: scheme, host and port.
public struct UpstreamURL: Hashable, Sendable, CustomStringConvertible {
    /// Whether it speaks TLS.
    public let isSecure: Bool
    /// A name, an IPv4 address, or an IPv6 address without brackets; in lower case.
    public let host: String
    /// 80 or 443 where the URL names none.
    public let port: UInt16

    /// Why a text is no such URL.
    public struct Refusal: Error, Equatable, CustomStringConvertible {
        /// What the person at the keyboard is told.
        public let description: String
    }

    /// Reads a URL: `https://api.example.com`, `http://127.0.0.1:8080`; `ws` and `wss` are taken for `http` and `https`.
    ///
    /// - Throws: for other schemes, a path, a query, credentials, or a host or port that cannot be one.
    public init(_ text: String) throws(Refusal) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].hasPrefix("//") else { throw Refusal(description: Messages.notAURL(text)) }
        switch parts[0].lowercased() {
        case "http", "ws": isSecure = false
        case "https", "wss": isSecure = true
        default: throw Refusal(description: Messages.unknownScheme(String(parts[0])))
        }
        var authority = parts[1].dropFirst(2)
        if authority.hasSuffix("/") { authority.removeLast() }
        guard !authority.contains(where: { "/?#".contains($0) }) else {
            throw Refusal(description: Messages.urlWithPath(text))
        }
        guard !authority.contains("@") else { throw Refusal(description: Messages.urlWithCredentials) }
        guard let parts = HostAndPort(authority), parts.hasPlainHost, parts.isBracketed || parts.host.utf8.count <= 253
        else { throw Refusal(description: Messages.badAuthority(String(authority))) }
        host = parts.host.lowercased()
        guard let port = parts.port else {
            self.port = isSecure ? 443 : 80
            return
        }
        guard let number = parts.portNumber, number > 0 else {
            throw Refusal(description: Messages.badPort(String(port)))
        }
        self.port = number
    }

    /// `http` or `https`.
    public var scheme: String { isSecure ? "https" : "http" }

    /// Host and port as they stand in a `Host` field; the scheme's own port is left out.
    public var authority: String {
        let host = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? host : "\(host):\(port)"
    }

    /// The URL without a slash at its end: an origin as RFC 6454 §6.2 writes it.
    public var description: String { "\(scheme)://\(authority)" }
}
