import HTTPTypes

/// The request line and the field lines of a request.
public struct RequestHead: Sendable {
    /// The method; any token of up to ``Limits/methodName`` bytes, known or not.
    public var method: HTTPRequest.Method
    /// What is asked for.
    public var target: RequestTarget
    /// The version of the request line.
    public var version: Version
    /// The field lines as they arrived.
    public var fields: FieldBlock
    /// The length of the body, if a Content-Length told it.
    public var contentLength: Int?
    /// Whether the body comes in chunks, its length unknown.
    public var isChunked: Bool
    /// Whether the client may be waiting for a `100 Continue` before it sends its body (RFC 9110 §10.1.1).
    ///
    /// Never set for HTTP/1.0 or for a request without a body.
    public var expectsContinue: Bool
    /// Whether the request has `Connection: upgrade` and an Upgrade field (RFC 9110 §7.8).
    ///
    /// Never set for HTTP/1.0, whose Upgrade fields are to be ignored.
    public var wantsUpgrade: Bool

    /// Whether a body follows.
    public var hasBody: Bool { isChunked || (contentLength ?? 0) > 0 }
    /// The host and port asked: those of the target if it names them, else the Host field (RFC 9112 §3.3).
    public var authority: String? { target.authority ?? fields[.hostField] }
}
