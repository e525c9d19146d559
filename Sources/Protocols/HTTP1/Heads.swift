import HTTPTypes
import Text

public struct RequestHead: Sendable {
    /// The method: any token of up to ``Limits/methodName`` bytes, even unknown.
    public var method: HTTPRequest.Method
    public var target: RequestTarget
    public var version: Version
    /// The field lines as they arrived.
    public var fields: FieldBlock
    /// The length of the body, if a Content-Length gave it.
    public var contentLength: Int?
    /// Whether the body is chunked and its length unknown.
    public var isChunked: Bool
    /// Whether an HTTP/1.1 client may be waiting for `100 Continue` before it sends the body (RFC 9110 §10.1.1).
    public var expectsContinue: Bool
    /// Whether an HTTP/1.1 request has `Connection: upgrade` and an Upgrade field (RFC 9110 §7.8).
    public var wantsUpgrade: Bool
    public var hasBody: Bool { isChunked || (contentLength ?? 0) > 0 }
    /// The requested host and port: from the target if it names them, otherwise from the Host field (RFC 9112 §3.3).
    public var authority: String? { target.authority ?? fields[.hostField] }

    /// - Parameter start: The bytes of the request line.
    init(_ line: RequestLine, _ start: [UInt8], _ fields: FieldBlock, _ framing: FramingFields, isChunked: Bool) {
        (method, version, self.fields, self.isChunked) = (line.method, line.version, fields, isChunked)
        target = RequestTarget(bytes: start, parts: line.target)
        contentLength = framing.contentLength
        let hasBody = isChunked || (framing.contentLength ?? 0) > 0
        expectsContinue = framing.expectsContinue && hasBody && line.version == .http11
        wantsUpgrade = framing.wantsUpgrade && line.version == .http11
    }

    /// The size of the received and stored head in bytes, from the first line to the empty line.
    public var byteCount: Int { target.byteCount + fields.bytes.count }

    /// Parses the recorded head of an accepted request: a request line and field lines, without the empty line.
    ///
    /// Parsing enforces the grammar but neither the limits nor the presence of a Host field, and recomputes the facts
    /// about the body. Throws the first violation of the grammar.
    package init(recorded bytes: [UInt8]) throws(RemoteError) {
        let end = bytes.firstIndex(of: .lineFeed).map { $0 + 1 } ?? 0
        precondition(end > 1 && bytes[end - 2] == .carriageReturn, "a head's lines must end with CRLF")
        let (first, rest) = (Array(bytes[..<end]), Array(bytes[end...]))
        let line = try first.withUnsafeBufferPointer { (bytes) throws(RemoteError) in
            try RequestLine.parse(bytes, ByteRange(0, end - 2))
        }
        var (lines, framing) = ([FieldLine](), FramingFields())
        let isChunked = try rest.withUnsafeBufferPointer { (bytes) throws(RemoteError) -> Bool in
            var start = 0
            while let lineFeed = bytes.firstLineFeed(from: start) {
                precondition(lineFeed > start && bytes[lineFeed - 1] == .carriageReturn, "lines must end with CRLF")
                let range = ByteRange(start, lineFeed - 1)
                guard !range.isEmpty else { throw .fieldWithoutColon(Excerpt(bytes, range)) }
                let field = try FieldLine.parse(bytes, range)
                try framing.note(field, bytes)
                lines.append(field)
                start = lineFeed + 1
            }
            return try framing.checkTransferEncoding(line.version, bytes)
        }
        self.init(line, first, FieldBlock(bytes: rest, lines: lines), framing, isChunked: isChunked)
    }
}

public struct ResponseHead: Sendable {
    /// The status with the received reason phrase.
    public var status: HTTPResponse.Status
    public var version: Version
    /// The field lines as they arrived.
    public var fields: FieldBlock
    /// The length of the body, if a Content-Length gave it; for HEAD, the length that a GET would return.
    public var contentLength: Int?
    /// Whether the body is chunked and its length unknown.
    public var isChunked: Bool
}
