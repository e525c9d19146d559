import Text

// This module's user-visible messages.
enum Messages {
    static func ownUpstream(_ upstream: UpstreamURL) -> String {
        "\(upstream) is this proxy itself: use a different port or upstream"
    }

    /// The reason in `unreachable` for a world whose upstream is its own server.
    static let itself = "that is this server itself"

    // MARK: Answers to clients

    static func failure(_ failure: UpstreamFailure, upstream: UpstreamURL) -> String {
        switch failure {
        case .unreachable(let reason):
            "The proxy cannot reach \(upstream): \(reason). Check the URL, and check that the server is running."
        case .connectTimeout(let time):
            "The proxy could not connect to \(upstream) within \(Durations.exact(time.nanoseconds)). "
                + "Check the URL, the network and any VPN that the server needs."
        case .tls(let reason, isCertificate: true):
            "The certificate from \(upstream) cannot be trusted: \(sentence(reason)) If your own CA issued it, make "
                + "the proxy trust that CA's certificate (PEM); the certificate must cover the host name in the URL."
        case .tls(let reason, isCertificate: false):
            "TLS with \(upstream) failed: \(sentence(reason)) Check that the server speaks TLS 1.2 or 1.3 on that "
                + "port; for a server without TLS, use http://\(upstream.authority) instead."
        case .answerTimeout(let time):
            "\(upstream) accepted the request, but sent nothing for \(Durations.exact(time.nanoseconds)). The request "
                + "was not repeated, because the server may still be working on it."
        case .badAnswer(let reason):
            "\(upstream) answered with something other than HTTP/1.1: \(reason) Check that the URL names an HTTP "
                + "server, with the right scheme and port."
        case .tooManyInterimAnswers(let limit):
            "\(upstream) sent more than \(limit) interim answers (1xx) to one request, but no final answer."
        }
    }
    static func connectRefused(upstream: UpstreamURL) -> String {
        "This reverse proxy in front of \(upstream) does not open tunnels (CONNECT): set the proxy's address as the "
            + "app's base URL, not as the system's proxy."
    }

    // MARK: Log

    static func ended(_ request: String, withinAnswer: Bool, isReset: Bool) -> String {
        "\(request): the upstream \(isReset ? "reset" : "ended") the connection "
            + "\(withinAnswer ? "partway through its" : "without an") answer, and the proxy did the same"
    }
    static func badWithinAnswer(_ request: String, _ reason: String) -> String {
        "\(request): the body of the upstream's answer is malformed: \(reason) The client's connection was reset"
    }
    static func stalledWithinAnswer(_ request: String, _ time: Duration) -> String {
        "\(request): the upstream stalled for \(Durations.exact(time.nanoseconds)) partway through its answer; the "
            + "client's connection was reset"
    }
    static func clientWentAway(_ request: String) -> String {
        "\(request): the client disconnected before the answer was complete"
    }
    static func upstreamTLS(_ reason: String) -> String { "the connection to the upstream broke: \(reason)" }

    // MARK: Parts

    /// A reason that ends with a full stop.
    private static func sentence(_ reason: String) -> String {
        reason.last.map { ".?!".contains($0) } == true ? reason : reason + "."
    }

    /// A client's path on one line; a long path is truncated.
    static func printable(_ text: String) -> String { String(quoted(text).dropFirst().dropLast()) }

    static func quoted(_ text: some StringProtocol) -> String { TerminalText.quoted(text) }
}
