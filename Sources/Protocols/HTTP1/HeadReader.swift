import HTTPTypes
import Text

/// Reads a start line and field lines, line by line as they arrive.
///
/// Offsets count from the first byte of the head. What was scanned is not scanned again, so that a head which trickles
/// in byte by byte costs no more than one that comes at once; whatever is refused is refused at the same byte however
/// the input was split.
struct HeadReader: Sendable {
    enum StartLine: Sendable {
        case request(RequestLine)
        case status(StatusLine)

        var version: Version {
            switch self {
            case .request(let line): line.version
            case .status(let line): line.version
            }
        }
    }

    private(set) var startLine: StartLine?
    private(set) var lines: [FieldLine] = []
    private(set) var section = FieldSection()
    private(set) var framing = FramingFields()
    private var lineStart = 0
    private var scanned = 0

    /// The length of the head with its empty line, once `advance` has returned true.
    var length: Int { lineStart }

    /// Takes what has arrived of a head that `sender` sends; true when it is complete.
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
        // "A recipient MAY recognize a single LF as a line terminator" (RFC 9112 §2.2): we do not.
        guard hasCarriageReturn else { throw .bareLineFeed(Excerpt(bytes, ByteRange(0, lineFeed + 1))) }
        for index in 0..<line.upper where bytes[index] == .carriageReturn {
            throw .bareCarriageReturn(Excerpt(bytes, line))
        }
        switch sender {
        case .client: startLine = .request(try RequestLine.parse(bytes, line))
        case .server: startLine = .status(try StatusLine.parse(bytes, line))
        }
        lineStart = lineFeed + 1
        lines.reserveCapacity(16)
    }

    private func checkPendingStartLine(_ bytes: Bytes, from sender: Role, _ limits: Limits) throws(RemoteError) {
        if sender == .client {
            let end = bytes.last == .carriageReturn ? bytes.count - 1 : bytes.count
            try RequestLine.checkMethodLength(bytes, 0, end, limits)
        }
        guard bytes.count + 1 <= limits.requestLine else { throw tooLong(sender, limits) }
    }

    private func tooLong(_ sender: Role, _ limits: Limits) -> RemoteError {
        sender == .client ? .requestLineTooLong(limits.requestLine) : .statusLineTooLong(limits.requestLine)
    }
}
