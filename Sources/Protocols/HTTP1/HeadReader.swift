import HTTPTypes
import Text

/// Reads a start line and field lines, line by line as they arrive.
///
/// Offsets count from the first byte of the head. Scanned bytes are not scanned again, so a head that arrives byte by
/// byte costs no more than one that arrives at once. An error is detected at the same byte however the input is split.
struct HeadReader: Sendable {
    enum StartLine: Sendable {
        case request(RequestLine)
        case status(StatusLine)
    }

    private(set) var startLine: StartLine?
    private(set) var lines: [FieldLine] = []
    private(set) var section = FieldSection()
    private(set) var framing = FramingFields()
    private var lineStart = 0
    private var scanned = 0
    /// The length of the head with its empty line, after `advance` has returned true.
    var length: Int { lineStart }

    /// Reads the part of a head from `sender` that has arrived; true when the head is complete.
    mutating func advance(
        _ buffer: borrowing ReceiveBuffer, from sender: Role, _ limits: Limits
    ) throws(RemoteError) -> Bool {
        try buffer.withUnread { (bytes) throws(RemoteError) -> Bool in
            while let lineFeed = bytes.firstLineFeed(from: scanned) {
                scanned = lineFeed + 1
                if startLine == nil {
                    try readStartLine(bytes, lineFeed: lineFeed, from: sender, limits)
                } else {
                    let line = try section.line(bytes, from: lineStart, lineFeed: lineFeed, limits)
                    lineStart = scanned
                    if line.isEmpty { return true }
                    let field = try FieldLine.parse(bytes, line)
                    try framing.note(field, bytes)
                    lines.append(field)
                }
            }
            scanned = bytes.count
            if startLine == nil {
                try checkPendingStartLine(bytes, from: sender, limits)
            } else {
                try section.checkPending(bytes, from: lineStart, limits)
            }
            return false
        }
    }

    private mutating func readStartLine(
        _ bytes: Bytes, lineFeed: Int, from sender: Role, _ limits: Limits
    ) throws(RemoteError) {
        let hasCarriageReturn = lineFeed > 0 && bytes[lineFeed - 1] == .carriageReturn
        let line = ByteRange(0, hasCarriageReturn ? lineFeed - 1 : lineFeed)
        if sender == .client { try RequestLine.checkMethodLength(bytes, 0, line.upper, limits) }
        guard lineFeed + 1 <= limits.requestLine else { throw tooLong(sender, limits) }
        // "A recipient MAY recognize a single LF as a line terminator" (RFC 9112 §2.2): not done here.
        guard hasCarriageReturn else { throw .bareLineFeed(Excerpt(bytes, ByteRange(0, lineFeed + 1))) }
        do {
            switch sender {
            case .client: startLine = .request(try RequestLine.parse(bytes, line))
            case .server: startLine = .status(try StatusLine.parse(bytes, line))
            }
        } catch {
            throw bytes[line].contains(.carriageReturn) ? .bareCarriageReturn(Excerpt(bytes, line)) : error
        }
        lineStart = lineFeed + 1
        lines.reserveCapacity(16)
    }

    private func checkPendingStartLine(_ bytes: Bytes, from sender: Role, _ limits: Limits) throws(RemoteError) {
        let end = bytes.last == .carriageReturn ? bytes.count - 1 : bytes.count
        if sender == .client { try RequestLine.checkMethodLength(bytes, 0, end, limits) }
        guard bytes.count + 1 <= limits.requestLine else { throw tooLong(sender, limits) }
    }

    private func tooLong(_ sender: Role, _ limits: Limits) -> RemoteError {
        sender == .client ? .requestLineTooLong(limits.requestLine) : .statusLineTooLong(limits.requestLine)
    }

    // MARK: The meaning of a complete head: the value to report, and the framing of its body (RFC 9112 §6.3)

    /// The head of a request, after checks of the head as a whole.
    func request(
        _ buffer: borrowing ReceiveBuffer, _ limits: Limits
    ) throws(RemoteError) -> (head: RequestHead, body: BodyReader) {
        guard case .request(let line) = startLine else { preconditionFailure("no request line was read") }
        // "A server MUST respond with a 400 to any HTTP/1.1 request message that lacks a Host header field" (§3.2).
        if line.version == .http11 && framing.hostCount == 0 { throw .missingHost }
        let (chunked, bytes) = try buffer.withUnread { (bytes) throws(RemoteError) in
            try framing.checkExpectation(bytes)
            return (try framing.checkTransferEncoding(line.version, bytes), Array(bytes[..<length]))
        }
        let contentLength = framing.contentLength
        // A raised limit is checked when the body is read.
        if let contentLength, contentLength > max(limits.body, limits.raisedBody ?? 0) {
            throw .bodyTooLarge(announced: contentLength, limits.body)
        }
        let head = RequestHead(line, FieldBlock(bytes: bytes, lines: lines), framing, isChunked: chunked)
        // "If this is a request message and none of the above are true, then the message body length is zero."
        return (head, BodyReader(chunked ? .chunkSize : .length(contentLength ?? 0), section))
    }

    /// The head of a response; `toHead` is true if the request's method is HEAD.
    func response(
        _ buffer: borrowing ReceiveBuffer, toHead: Bool, _ limits: Limits
    ) throws(RemoteError) -> (head: ResponseHead, body: BodyReader) {
        guard case .status(let line) = startLine else { preconditionFailure("no status line was read") }
        let (chunked, bytes) = try buffer.withUnread { (bytes) throws(RemoteError) in
            (try framing.checkTransferEncoding(line.version, bytes), Array(bytes[..<length]))
        }
        // Rejected even without a body: the head cannot be relayed unchanged.
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
    /// Whether a response with this status may have a body (RFC 9112 §6.3).
    var allowsBody: Bool { code >= 200 && code != 204 && code != 304 }
}

/// Bytes that have arrived and are not consumed yet.
///
/// Consuming advances an index. A later append drops the bytes before it once at least as many were consumed as remain,
/// so each byte is moved at most once per byte consumed: amortised O(1), however requests are pipelined.
struct ReceiveBuffer: Sendable {
    /// An empty buffer with a larger capacity than this releases its memory.
    static let retainedCapacity = 256 * 1024
    private var bytes: [UInt8] = []
    private var start = 0
    var count: Int { bytes.count - start }
    var isEmpty: Bool { bytes.count == start }

    mutating func append(_ new: UnsafeRawBufferPointer) {
        if start == bytes.count {
            bytes.removeAll(keepingCapacity: bytes.capacity <= Self.retainedCapacity)
            start = 0
        } else if start >= count {
            bytes.removeSubrange(..<start)
            start = 0
        }
        bytes.append(contentsOf: new)
    }

    mutating func consume(_ length: Int) {
        precondition(length <= count, "consumed more bytes than were received")
        start += length
    }

    /// Consumes `length` bytes and returns them without copying; the slice keeps the storage alive.
    mutating func take(_ length: Int) -> ArraySlice<UInt8> {
        let slice = bytes[start..<start + length]
        consume(length)
        return slice
    }

    mutating func takeAll() -> [UInt8] {
        let all = Array(bytes[start...])
        removeAll()
        return all
    }

    mutating func removeAll() { (bytes, start) = ([], 0) }

    @inline(__always)
    func withUnread<R, E: Error>(_ body: (Bytes) throws(E) -> R) throws(E) -> R {
        let start = start
        return try bytes.withUnsafeBufferPointer { (all) throws(E) in try body(Bytes(rebasing: all[start...])) }
    }
}
