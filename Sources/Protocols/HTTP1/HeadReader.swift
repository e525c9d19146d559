import HTTPTypes
import Text

/// Reads a start line and field lines as they arrive.
///
/// No byte is scanned twice, so a head that arrives byte by byte does not cost more than a whole head. Errors do not
/// depend on how the input is split.
///
/// Most clients repeat field lines and whole requests. The reader therefore keeps the last head in two parts and
/// compares the next head with them before parsing.
struct HeadReader: Sendable {
    enum StartLine: Sendable {
        case request(RequestLine)
        case status(StatusLine)
    }

    /// The field lines of a head, with offsets from the first line.
    struct Fields: Sendable {
        fileprivate(set) var block = FieldBlock()
        fileprivate(set) var section = FieldSection()
        fileprivate(set) var framing = FramingFields()
    }

    private(set) var startLine: StartLine?
    /// The bytes of the start line, including its line end.
    private var start: [UInt8] = []
    private(set) var fields = Fields()
    // The parts of the last head, initially nil and empty. The parts are moved, never copied.
    private var (lastStartLine, lastStart, lastFields) = (StartLine?.none, [UInt8](), Fields())
    /// The start of the current line and the scanned length; once the start line is read, both count from the first
    /// field line.
    private var (lineStart, scanned) = (0, 0)
    /// The length of the head including its empty line, once `advance` has returned true.
    var length: Int { start.count + lineStart }

    /// Reads the received part of a head from `sender`; true once the head is complete.
    mutating func advance(
        _ buffer: borrowing ReceiveBuffer, from sender: Role, _ limits: Limits
    ) throws(RemoteError) -> Bool {
        try buffer.withUnread { (bytes) throws(RemoteError) -> Bool in
            if startLine == nil, scanned == 0, lastStart.begins(bytes) {
                startLine = lastStartLine.take()
                swap(&start, &lastStart)
            } else if startLine == nil {
                guard let lineFeed = bytes.firstLineFeed(from: scanned) else {
                    scanned = bytes.count
                    try checkPendingStartLine(bytes, from: sender, limits)
                    return false
                }
                try readStartLine(bytes, lineFeed: lineFeed, from: sender, limits)
            }
            return try advance(Bytes(rebasing: bytes[start.count...]), limits)
        }
    }

    /// Reads field lines up to the empty line.
    private mutating func advance(_ bytes: Bytes, _ limits: Limits) throws(RemoteError) -> Bool {
        if scanned == 0, lastFields.block.bytes.begins(bytes) {
            swap(&fields, &lastFields)
            lineStart = fields.block.bytes.count
            return true
        }
        while let lineFeed = bytes.firstLineFeed(from: scanned) {
            scanned = lineFeed + 1
            let line = try fields.section.line(bytes, from: lineStart, lineFeed: lineFeed, limits)
            lineStart = scanned
            if line.isEmpty {
                fields.block.bytes = Array(bytes[..<lineStart])
                return true
            }
            let field = try FieldLine.parse(bytes, line)
            try fields.framing.note(field, bytes)
            fields.block.lines.append(field)
        }
        scanned = bytes.count
        try fields.section.checkPending(bytes, from: lineStart, limits)
        return false
    }

    /// The longest head to keep for comparison with the next one, even on idle connections.
    private static let longestKept = 4096

    /// Begins the next head.
    mutating func finish() {
        guard length <= Self.longestKept else {
            self = HeadReader()
            return
        }
        lastStartLine = startLine.take()
        swap(&start, &lastStart)
        swap(&fields, &lastFields)
        (start, fields) = ([], Fields())
        (lineStart, scanned) = (0, 0)
    }

    private mutating func readStartLine(
        _ bytes: Bytes, lineFeed: Int, from sender: Role, _ limits: Limits
    ) throws(RemoteError) {
        let hasCarriageReturn = lineFeed > 0 && bytes[lineFeed - 1] == .carriageReturn
        let line = ByteRange(0, hasCarriageReturn ? lineFeed - 1 : lineFeed)
        if sender == .client { try RequestLine.checkMethodLength(bytes, 0, line.upper, limits) }
        guard lineFeed + 1 <= limits.requestLine else { throw tooLong(sender, limits) }
        // "A recipient MAY recognize a single LF as a line terminator" (RFC 9112 §2.2); this code does not.
        guard hasCarriageReturn else { throw .bareLineFeed(Excerpt(bytes, ByteRange(0, lineFeed + 1))) }
        do {
            switch sender {
            case .client: startLine = .request(try RequestLine.parse(bytes, line))
            case .server: startLine = .status(try StatusLine.parse(bytes, line))
            }
        } catch {
            throw bytes[line].contains(.carriageReturn) ? .bareCarriageReturn(Excerpt(bytes, line)) : error
        }
        start = Array(bytes[...lineFeed])
        scanned = 0
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

    /// The head of a request after validating the whole head.
    func request(_ limits: Limits) throws(RemoteError) -> (head: RequestHead, body: BodyReader) {
        guard case .request(let line) = startLine else { preconditionFailure("no request line was read") }
        // "A server MUST respond with a 400 to any HTTP/1.1 request message that lacks a Host header field" (§3.2).
        let framing = fields.framing
        if line.version == .http11 && framing.hostCount == 0 { throw .missingHost }
        let chunked = try fields.block.bytes.withUnsafeBufferPointer { (bytes) throws(RemoteError) in
            try framing.checkExpectation(bytes)
            return try framing.checkTransferEncoding(line.version, bytes)
        }
        let contentLength = framing.contentLength
        // A raised limit is checked when the body is read.
        if let contentLength, contentLength > max(limits.body, limits.raisedBody ?? 0) {
            throw .bodyTooLarge(announced: contentLength, limits.body)
        }
        let head = RequestHead(line, start, fields.block, framing, isChunked: chunked)
        // "If this is a request message and none of the above are true, then the message body length is zero."
        return (head, BodyReader(chunked ? .chunkSize : .length(contentLength ?? 0), fields.section))
    }

    /// The head of a response; `toHead` is true if the request's method is HEAD.
    func response(toHead: Bool, _ limits: Limits) throws(RemoteError) -> (head: ResponseHead, body: BodyReader) {
        guard case .status(let line) = startLine else { preconditionFailure("no status line was read") }
        let (framing, section) = (fields.framing, fields.section)
        let chunked = try fields.block.bytes.withUnsafeBufferPointer { (bytes) throws(RemoteError) in
            try framing.checkTransferEncoding(line.version, bytes)
        }
        // Reject it even without a body: the head could not be relayed unchanged.
        if framing.contentLength == .max { throw .bodyTooLarge(announced: .max, limits.body) }
        let head = ResponseHead(
            status: line.status, version: line.version, fields: fields.block,
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

extension [UInt8] {
    /// Whether other bytes begin with these bytes; false if these bytes are empty.
    fileprivate func begins(_ other: Bytes) -> Bool {
        guard !isEmpty, count <= other.count else { return false }
        return withUnsafeBufferPointer { $0.equalsInConstantTime(Bytes(rebasing: other[..<$0.count])) }
    }
}

extension HTTPResponse.Status {
    /// Whether a response with this status may have a body (RFC 9112 §6.3).
    var allowsBody: Bool { code >= 200 && code != 204 && code != 304 }
}

/// Received bytes that are not consumed yet.
///
/// Consuming advances an index. A later append drops the consumed bytes once they make up at least half of the buffer.
/// Each consumed byte costs at most one move: amortised O(1), regardless of pipelining.
@usableFromInline struct ReceiveBuffer: Sendable {
    /// An empty buffer releases its memory if its capacity exceeds this.
    static let retainedCapacity = 256 * 1024
    @usableFromInline var bytes: [UInt8] = []
    @usableFromInline var start = 0
    @inlinable var count: Int { bytes.count - start }
    @inlinable var isEmpty: Bool { bytes.count == start }

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
