import HTTPTypes

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
