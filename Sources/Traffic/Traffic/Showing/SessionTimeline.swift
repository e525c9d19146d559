import FitIQAPI
import HTTP1
import JSON
import Text

/// A session as terminal output, with one line per entry, and frames below their WebSocket.
///
///     +0.000 s   201    4.4 ms    1234 B  POST /api/v1/consultations
///     +0.010 s   101    3.0 ms            WS   /api/v1/consultations/7c9e…/ws
///     +0.013 s     ← {"type":"connected"}
///     +0.200 s     → close 1000 "bye"
///
/// Terminal escapes in recorded content are escaped, because it is untrusted.
public struct SessionTimeline: Sendable {
    /// The maximum width of a line in columns.
    ///
    /// Longer lines are truncated with "…".
    public var width: Int
    /// Whether to show bodies and messages in full below their lines, up to 64 KiB each.
    public var showsBodies: Bool

    static let bodyLimit = 64 * 1024
    /// The indentation of everything but the time.
    static let indent = String(repeating: " ", count: 14)

    /// Creates a timeline of at least 60 columns.
    public init(width: Int = 120, showsBodies: Bool = false) {
        self.width = max(width, 60)
        self.showsBodies = showsBodies
    }

    /// Writes the text line by line, without line ends.
    public func write(_ session: Session, name: String, notes: [HARNote] = [], to output: (String) -> Void) {
        let name = TerminalText.escaped(name)
        output(TerminalText.cut(Messages.summary(SessionSummary(session), name: name), width: width))
        for note in notes { output(Messages.note(note.description)) }
        guard let start = session.entries.first?.started else { return }
        output("")
        let origin = URLParts(session.entries[0].request.url).authority ?? ""
        for entry in session.entries {
            if let opened = entry.opened {
                write(entry, opened: opened, from: start, origin, to: output)
            } else {
                write(entry, from: start, origin, to: output)
            }
        }
    }

    private func write(
        _ exchange: SessionExchange, from start: Timestamp, _ origin: Substring, to output: (String) -> Void
    ) {
        let response = exchange.response
        var line = Self.columns(
            response.map { String($0.status) } ?? "—", lasted: exchange.lasted > 0 ? exchange.lasted : nil,
            response.map { Messages.bytes($0.body.byteCount) } ?? "")
        line += Self.what(exchange.request.method, exchange.request.url, origin)
        if response == nil { line += Messages.noAnswer }
        if response?.isComplete == false { line += Messages.incomplete }
        output(Self.time(exchange.started, from: start) + TerminalText.cut(line, width: width - 14))
        guard showsBodies else { return }
        if let body = exchange.request.body { Self.write(body, after: "→ ", to: output) }
        if let body = response?.body { Self.write(body, after: "← ", to: output) }
    }

    private func write(
        _ socket: SessionExchange, opened: Timestamp, from start: Timestamp, _ origin: Substring,
        to output: (String) -> Void
    ) {
        let waited = opened.nanosecondsSinceEpoch - socket.started.nanosecondsSinceEpoch
        let columns = Self.columns("101", lasted: waited > 0 ? waited : nil)
        let line = columns + Self.what("WS", socket.request.url, origin)
        output(Self.time(socket.started, from: start) + TerminalText.cut(line, width: width - 14))
        for frame in socket.frames {
            let arrow = frame.sender == .client ? "  → " : "  ← "
            let time = Self.time(frame.time, from: start)
            if showsBodies, frame.opcode == .text, let lines = Self.lines(of: frame.payload), !lines.isEmpty {
                output(time + arrow + lines[0])
                for line in lines.dropFirst() { output(Self.indent + "    " + line) }
            } else {
                output(time + arrow + Self.excerpt(of: frame.value, width: width - 18))
            }
        }
        if let ending = socket.ending {
            output(Self.time(ending.time, from: start) + "  × " + Messages.describe(ending))
        } else {
            output(Self.indent + "  × " + Messages.noEnding)
        }
    }

    /// - Parameter lasted: The duration in nanoseconds, or nil if unknown.
    static func columns(_ status: String, lasted: Int64?, _ size: String = "") -> String {
        right(status, 3) + right(lasted.map(Messages.duration) ?? "", 10) + right(size, 10) + "  "
    }

    /// The request's method and target, with the host if it differs from the session's first host.
    static func what(_ method: String, _ url: String, _ origin: Substring) -> String {
        let parts = URLParts(url)
        let target = parts.authority == origin && !parts.origin.isEmpty ? parts.target : url
        let method = TerminalText.excerpt(method.utf8, width: 16)
        let padding = String(repeating: " ", count: max(0, 4 - method.count))
        return "\(method)\(padding) \(TerminalText.excerpt(target.utf8, width: 1000))"
    }

    private static func time(_ time: Timestamp, from start: Timestamp) -> String {
        right(Messages.offset(time.nanosecondsSinceEpoch - start.nanosecondsSinceEpoch), 12) + "  "
    }

    private static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    // MARK: Frames and bodies

    static func excerpt(of frame: RecordedFrame, width: Int) -> String {
        let payload = frame.payload
        switch frame.opcode {
        case .text where payload.isCut || String(validating: payload.bytes, as: UTF8.self) != nil:
            return TerminalText.excerpt(payload.bytes, width: width)
        case .text: return "text that is not UTF-8, \(Words.counted(payload.byteCount, "byte"))"
        case .binary: return TerminalText.cut(Messages.binary(payload.byteCount) + hex(payload.bytes), width: width)
        case .close: return TerminalText.cut(Messages.close(payload.bytes), width: width)
        case .ping, .pong, .continuation:
            let name = frame.opcode.name
            guard !payload.bytes.isEmpty else { return name }
            return TerminalText.cut("\(name) \"\(TerminalText.excerpt(payload.bytes, width: width))\"", width: width)
        }
    }

    static func write(_ body: RecordedBody, after arrow: String, to output: (String) -> Void) {
        guard body.byteCount > 0 else { return }
        let lines = lines(of: body) ?? [Messages.binary(body.byteCount) + hex(body.bytes)]
        for (index, line) in lines.enumerated() { output(indent + (index == 0 ? arrow : "  ") + line) }
    }

    /// The text, or indented JSON, with each line escaped; nil if the body is not text.
    static func lines(of body: RecordedBody) -> [String]? {
        guard String(validating: body.bytes, as: UTF8.self) != nil else { return nil }
        var bytes = body.bytes
        if let value = try? JSON.parse(bytes) { bytes = value.encoded(indent: 2) }
        var lines = bytes.prefix(bodyLimit).split(separator: .lineFeed, omittingEmptySubsequences: false)
            .map { TerminalText.escaped(String(decoding: $0, as: UTF8.self)) }
        let missing = max(bytes.count - bodyLimit, 0) + body.byteCount - body.bytes.count
        if lines.count > 1 || missing > 0, lines.last == "" { lines.removeLast() }
        if missing > 0 { lines.append(Messages.moreBytes(missing)) }
        return lines
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        let digits = bytes.prefix(16).map(\.lowercaseHex)
        guard !digits.isEmpty else { return "" }
        return ": " + digits.joined(separator: " ") + (bytes.count > 16 ? " …" : "")
    }
}

/// Counts a session's entries.
struct SessionSummary {
    var requests = 0
    var sockets = 0
    var frames = 0
    var started: Timestamp?
    var lasted: Int64 = 0

    init(_ session: Session) {
        started = session.entries.first?.started
        for entry in session.entries {
            if let opened = entry.opened {
                sockets += 1
                frames += entry.frames.count
                extend(to: entry.ending?.time ?? entry.frames.last?.time ?? opened)
            } else {
                requests += 1
                extend(to: entry.started.advanced(byNanoseconds: entry.lasted))
            }
        }
    }

    private mutating func extend(to end: Timestamp) {
        guard let started else { return }
        lasted = max(lasted, end.nanosecondsSinceEpoch - started.nanosecondsSinceEpoch)
    }
}
