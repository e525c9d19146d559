import HTTPTypes

/// What a complete head means: the value to report, and how its body is framed (RFC 9112 §6.3).
extension HeadReader {
    /// The head of a request, after all that can be wrong with it as a whole was refused.
    func request(
        _ buffer: borrowing ReceiveBuffer, _ limits: Limits
    ) throws(RemoteError) -> (head: RequestHead, body: BodyReader) {
        guard case .request(let line) = startLine else { preconditionFailure("no request line was read") }
        // "A server MUST respond with a 400 to any HTTP/1.1 request message that lacks a Host header field" (§3.2).
        if line.version == .http11 && framing.hostCount == 0 { throw .missingHost() }
        let (chunked, bytes) = try buffer.withUnread { (bytes) throws(RemoteError) in
            try framing.checkExpectation(bytes)
            return (try framing.checkTransferEncoding(line.version, bytes), Array(bytes[..<length]))
        }
        let contentLength = framing.contentLength
        // What the limit can be raised to is judged when the body is asked for.
        if let contentLength, contentLength > max(limits.body, limits.raisedBody ?? 0) {
            throw .bodyTooLarge(announced: contentLength, limits.body)
        }
        let hasBody = chunked || (contentLength ?? 0) > 0
        let head = RequestHead(
            method: line.method, target: RequestTarget(bytes: bytes, parts: line.target), version: line.version,
            fields: FieldBlock(bytes: bytes, lines: lines), contentLength: contentLength, isChunked: chunked,
            expectsContinue: framing.expectsContinue && hasBody && line.version == .http11,
            wantsUpgrade: framing.wantsUpgrade && line.version == .http11)
        // "If this is a request message and none of the above are true, then the message body length is zero."
        return (head, BodyReader(chunked ? .chunkSize : .length(contentLength ?? 0), section))
    }

    /// The head of a response to a request with or without the method HEAD.
    func response(
        _ buffer: borrowing ReceiveBuffer, toHead: Bool, _ limits: Limits
    ) throws(RemoteError) -> (head: ResponseHead, body: BodyReader) {
        guard case .status(let line) = startLine else { preconditionFailure("no status line was read") }
        let (chunked, bytes) = try buffer.withUnread { (bytes) throws(RemoteError) in
            (try framing.checkTransferEncoding(line.version, bytes), Array(bytes[..<length]))
        }
        // Refused even without a body: the head cannot be relayed unchanged.
        if framing.contentLength == .max { throw .bodyTooLarge(announced: .max, limits.body) }
        let head = ResponseHead(
            status: line.status, version: line.version, fields: FieldBlock(bytes: bytes, lines: lines),
            contentLength: framing.contentLength, isChunked: chunked)
        // "Any response to a HEAD request and any response with a 1xx, 204, or 304 status code is always terminated by
        // the first empty line after the header fields".
        if toHead || !line.status.allowsBody { return (head, BodyReader(.length(0), section)) }
        if chunked { return (head, BodyReader(.chunkSize, section)) }
        guard let contentLength = framing.contentLength else { return (head, BodyReader(.untilClose, section)) }
        guard contentLength <= limits.body else { throw .bodyTooLarge(announced: contentLength, limits.body) }
        return (head, BodyReader(.length(contentLength), section))
    }
}

extension HTTPResponse.Status {
    /// Whether a response with this status may have a body at all (RFC 9112 §6.3).
    var allowsBody: Bool { code >= 200 && code != 204 && code != 304 }
}
