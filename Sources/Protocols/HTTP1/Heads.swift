import HTTPTypes
import Text

/// The request line and the field lines of a request.
public struct RequestHead: Sendable {
    /// The method: any token of up to ``Limits/methodName`` bytes, known or not.
    public var method: HTTPRequest.Method
    public var target: RequestTarget
    public var version: Version
    /// The field lines as they arrived.
    public var fields: FieldBlock
    /// The length of the body, if a Content-Length gave it.
    public var contentLength: Int?
    /// Whether the body is chunked and its length unknown.
    public var isChunked: Bool
    /// Whether the client may be waiting for a `100 Continue` before it sends its body (RFC 9110 §10.1.1).
    ///
    /// Never set for HTTP/1.0 or for a request without a body.
    public var expectsContinue: Bool
    /// Whether the request has `Connection: upgrade` and an Upgrade field (RFC 9110 §7.8).
    ///
    /// Never set for HTTP/1.0, in which Upgrade fields must be ignored.
    public var wantsUpgrade: Bool

    public var hasBody: Bool { isChunked || (contentLength ?? 0) > 0 }
    /// The requested host and port: those of the target if it names them, else the Host field (RFC 9112 §3.3).
    public var authority: String? { target.authority ?? fields[.hostField] }
}

extension RequestHead {
    /// Parses the head of a request that was recorded after a server had accepted it: a request line and field lines,
    /// without the empty line.
    ///
    /// The grammar is enforced, but no limits, and a Host is not required. The facts about the body are derived again.
    /// Throws the first violation of the grammar.
    package init(recorded bytes: [UInt8]) throws(RemoteError) {
        typealias Parts = (line: RequestLine, fields: [FieldLine], framing: FramingFields)
        let parts = try bytes.withUnsafeBufferPointer { (buffer) throws(RemoteError) -> Parts in
            var line: RequestLine?
            var fields: [FieldLine] = []
            fields.reserveCapacity(12)
            var framing = FramingFields()
            var start = 0
            while let lineFeed = buffer.firstLineFeed(from: start) {
                precondition(lineFeed > start && buffer[lineFeed - 1] == .carriageReturn, "lines end with CRLF")
                let range = ByteRange(start, lineFeed - 1)
                if line == nil {
                    line = try RequestLine.parse(buffer, range)
                } else {
                    guard !range.isEmpty else { throw .fieldWithoutColon(Excerpt(buffer, range)) }
                    let field = try FieldLine.parse(buffer, range)
                    try framing.note(field, buffer)
                    fields.append(field)
                }
                start = lineFeed + 1
            }
            guard let line else { preconditionFailure("a head has a request line") }
            return (line, fields, framing)
        }
        let version = parts.line.version
        let chunked = try bytes.withUnsafeBufferPointer { (buffer) throws(RemoteError) in
            try parts.framing.checkTransferEncoding(version, buffer)
        }
        let hasBody = chunked || (parts.framing.contentLength ?? 0) > 0
        self.init(
            method: parts.line.method, target: RequestTarget(bytes: bytes, parts: parts.line.target), version: version,
            fields: FieldBlock(bytes: bytes, lines: parts.fields), contentLength: parts.framing.contentLength,
            isChunked: chunked, expectsContinue: parts.framing.expectsContinue && hasBody && version == .http11,
            wantsUpgrade: parts.framing.wantsUpgrade && version == .http11)
    }
}

/// The status line and the field lines of a response.
public struct ResponseHead: Sendable {
    /// The status, with the reason phrase that arrived.
    public var status: HTTPResponse.Status
    public var version: Version
    /// The field lines as they arrived.
    public var fields: FieldBlock
    /// The length of the body, if a Content-Length gave it; for HEAD, the length of the body a GET would have had.
    public var contentLength: Int?
    /// Whether the body is chunked and its length unknown.
    public var isChunked: Bool
}
