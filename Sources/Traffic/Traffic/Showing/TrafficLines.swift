import FitIQAPI
import HTTP1
import JSON
import Text

/// Formats a journal's entries for a terminal while they are recorded.
///
///     10:30:00.000  201    4.4 ms    1234 B  POST /api/v1/consultations
///     10:30:00.013  101                 ws3  WS   /api/v1/consultations/7c9e…/ws
///     10:30:00.013    ← ws3 {"type":"connected"}
///     10:30:02.000    × ws3 closed by the client: close 1000 "bye"
///
/// The columns are the same as in ``SessionTimeline``. Times are UTC times of day, according to the world's clock.
/// Frames show their connection, because WebSockets interleave. Terminal escapes in recorded content are escaped,
/// because it is untrusted.
public struct TrafficLines: Sendable {
    /// The maximum width of a line in columns, at least 60.
    ///
    /// Longer lines are truncated with "…".
    public var width: Int { didSet { width = max(width, 60) } }
    /// Whether to show bodies and messages in full below their lines, up to 64 KiB each.
    public var showsBodies: Bool
    /// Whether escape sequences colour the status, the direction and breaches.
    public var usesColor: Bool

    public init(width: Int = 120, showsBodies: Bool = false, usesColor: Bool = false) {
        (self.width, self.showsBodies, self.usesColor) = (max(width, 60), showsBodies, usesColor)
    }

    /// The lines for an entry, without line ends: one line, or several if bodies are shown.
    ///
    /// - Parameter world: The name of the entry's world to write before the request or frame, or nil to omit it.
    public func lines(of entry: JournalEntry, in world: String? = nil) -> [String] {
        let place = world.map { "[\(TerminalText.escaped($0))] " } ?? ""
        let socket = "\(place)ws\(entry.connection)"
        func line(_ text: String, _ style: Style) -> [String] { [self.line(text, style, at: entry.time)] }
        switch entry.event {
        case .exchange(let exchange):
            return line(text(of: exchange, endedAt: entry.time, place), Style(exchange)) + bodies(of: exchange)
        case .opened(let opening):
            let columns = SessionTimeline.columns(
                "101", lasted: entry.time.nanoseconds(since: opening.requestedAt), "ws\(entry.connection)")
            let what = SessionTimeline.what("WS", opening.head.target.description, "")
            return line(columns + place + what + Messages.faults(opening.faults), .note)
        case .frame(let frame): return lines(of: frame, socket, at: entry.time)
        case .closed(let closing):
            return line("  × \(socket) " + Messages.describe(closing) + Messages.faults(closing.faults), .note)
        case .fault(let fault):
            return line("  ! \(socket) \(fault.effect.rawValue)" + Messages.faults([fault.name]), .warning)
        case .held(let hold): return line("  ‖ \(place)#\(entry.number) \(Messages.describe(hold))", .warning)
        case .released(let release):
            let late = entry.time.nanoseconds(since: release.due)
            return line("  ▷ \(place)#\(release.held) \(Messages.describe(release, late: late))", .warning)
        case .clock(let nanoseconds, let isOfSystem):
            let text = isOfSystem ? Messages.systemClockSet(nanoseconds) : Messages.clockMoved(nanoseconds)
            return line("  » \(place)" + text, .plain)
        case .note(let text): return line("  · \(place)" + TerminalText.excerpt(text.utf8, width: width), .plain)
        }
    }

    /// A broken obligation, shown below the entries that prove it.
    public struct Breach: Sendable, Equatable {
        public var obligation: String
        /// `must` or `should`.
        public var level: String
        public var message: String
        /// The numbers of the entries that prove the breach.
        public var entries: [Int]

        public init(obligation: String, level: String, message: String, entries: [Int]) {
            (self.obligation, self.level, self.message, self.entries) = (obligation, level, message, entries)
        }
    }

    /// The line for a breach.
    ///
    /// The line may have up to 900 columns regardless of the width, because it is a sentence.
    public func line(of breach: Breach, in world: String? = nil) -> String {
        let place = world.map { "[\(TerminalText.escaped($0))] " } ?? ""
        let text = SessionTimeline.indent + "  ✗ \(place)" + Messages.describe(breach)
        return painted(TerminalText.cut(text, width: 900), breach.level == "must" ? .breach : .warning)
    }

    /// A line with an entry's time, truncated to the width, with its first columns coloured.
    private func line(_ text: String, _ style: Style, at time: Timestamp) -> String {
        let start = SessionTimeline.indent.count
        let text = TerminalText.cut(text, width: width - start)
        // The first three columns contain the status or the direction.
        return time.nanosecondText.dropFirst(11).prefix(12) + "  " + painted(text.prefix(3), style) + text.dropFirst(3)
    }

    private func text(of exchange: RecordedExchange, endedAt end: Timestamp, _ place: String) -> String {
        let size = exchange.status.map { _ in Messages.bytes(exchange.responseBody.byteCount) }
        var text = SessionTimeline.columns(
            exchange.status.map(String.init) ?? "—", lasted: end.nanoseconds(since: exchange.requestedAt), size ?? "")
        text += place + SessionTimeline.what(exchange.head.method.rawValue, exchange.head.target.description, "")
        if let code = exchange.refusal?.code { text += "  " + TerminalText.excerpt(code.utf8, width: 60) }
        if exchange.status == nil {
            text += Messages.noAnswer
        } else if exchange.delivery != .complete {
            text += Messages.incomplete
        }
        return text + Messages.faults(exchange.faults)
    }

    private func bodies(of exchange: RecordedExchange) -> [String] {
        guard showsBodies else { return [] }
        var lines: [String] = []
        SessionTimeline.write(exchange.body, after: "→ ") { lines.append($0) }
        SessionTimeline.write(exchange.responseBody, after: "← ") { lines.append($0) }
        return lines
    }

    /// Shortens the IDs in a long message, to make room for its content.
    private static func withShortIDs(_ frame: RecordedFrame, for room: Int) -> RecordedFrame {
        guard frame.opcode == .text, frame.payload.byteCount > room else { return frame }
        var short = frame
        short.payload.bytes = []
        frame.payload.bytes.prefix(8 * room).withUnsafeBufferPointer { bytes in
            var scanner = ValueScanner(bytes)
            var start = 0
            while let value = scanner.next() {
                guard value.kind == .id, value.range.count > 16 else { continue }
                short.payload.bytes += bytes[start..<value.range.lowerBound + 8] + Array("…".utf8)
                start = value.range.upperBound
            }
            short.payload.bytes += bytes[start...]
        }
        return short
    }

    private func lines(of frame: RecordedFrame, _ socket: String, at time: Timestamp) -> [String] {
        let isTheirs = frame.sender == .client
        let style = frame.faults.isEmpty ? isTheirs ? Style.request : .response : .warning
        let start = (isTheirs ? "  → " : "  ← ") + socket + " "
        let end = Messages.delivery(frame.delivery) + Messages.faults(frame.faults)
        let body = showsBodies && frame.opcode == .text ? SessionTimeline.lines(of: frame.payload) ?? [] : []
        guard let first = body.first else {
            // The end describes a fault's effect, so shorten the payload instead.
            let room = max(width - SessionTimeline.indent.count - start.count - end.count, 10)
            let text = SessionTimeline.excerpt(of: Self.withShortIDs(frame, for: room), width: room)
            return [line(start + text + end, style, at: time)]
        }
        let rest = body.dropFirst().map { SessionTimeline.indent + "    " + $0 }
        // Bodies are shown in full, so do not truncate their first line either.
        var whole = self
        whole.width = SessionTimeline.bodyLimit + 1000
        return [whole.line(start + first + end, style, at: time)] + rest
    }

    // MARK: Colours, as SGR codes (ECMA-48 §8.3.117)

    private enum Style: String {
        case plain = ""
        case success = "32"
        case request = "36"
        case response = "35"
        case note = "34"
        case warning = "33"
        case failure = "31"
        case breach = "1;31"

        /// Classifies the status; a status that comes from a fault is not a server failure.
        init(_ exchange: RecordedExchange) {
            switch exchange.status ?? 0 {
            case 200..<400: self = .success
            case 400..<500: self = .warning
            default: self = .failure
            }
        }
    }

    private func painted(_ text: some StringProtocol, _ style: Style) -> String {
        usesColor && style != .plain ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : String(text)
    }
}

/// Folds the chunks of each answer into one line, which is shown when the answer ends.
public struct ChunkFolds {
    private struct Fold {
        let first: JournalEntry
        var last: Timestamp
        var count = 0
        var bytes = 0
        var text = ""
        var faults: [String] = []
    }

    /// The folds by connection.
    private var folds: [UInt64: Fold] = [:]

    public init() {}

    public var isEmpty: Bool { folds.isEmpty }

    /// Returns the lines to show for an entry.
    ///
    /// A single chunk gets no line. The entry that ends an answer comes after the answer's line.
    public mutating func lines(of entry: JournalEntry, by lines: TrafficLines, in world: String? = nil) -> [String] {
        guard entry.event.isChunk, case .frame(let frame) = entry.event else {
            let answer = entry.event.isPing ? nil : folds.removeValue(forKey: entry.connection)
            return (answer.map { [line(of: $0, by: lines, in: world)] } ?? []) + lines.lines(of: entry, in: world)
        }
        var fold = folds[entry.connection] ?? Fold(first: entry, last: entry.time)
        fold.last = entry.time
        fold.count += 1
        fold.bytes += frame.payload.byteCount
        if fold.text.utf8.count < 1000, let message = try? JSON.parse(frame.payload.bytes) {
            fold.text += (message["content"] ?? message["chunk"])?.string ?? ""
        }
        fold.faults += frame.faults.filter { !fold.faults.contains($0) }
        folds[entry.connection] = fold
        return []
    }

    /// Returns the lines of unfinished answers and removes them.
    public mutating func finish(by lines: TrafficLines, in world: String? = nil) -> [String] {
        defer { folds = [:] }
        return folds.sorted { $0.key < $1.key }.map { line(of: $0.value, by: lines, in: world) }
    }

    private func line(of fold: Fold, by lines: TrafficLines, in world: String?) -> String {
        guard case .frame(var frame) = fold.first.event else { preconditionFailure("A fold must begin with a chunk.") }
        let lasted = Messages.duration(fold.last.nanoseconds(since: fold.first.time))
        frame.payload = RecordedBody(
            Array("\(frame.type ?? "") × \(fold.count), \(Messages.bytes(fold.bytes)), \(lasted): \(fold.text)".utf8))
        frame.faults = fold.faults
        var plain = lines
        plain.showsBodies = false
        let entry = JournalEntry(
            number: fold.first.number, time: fold.first.time, connection: fold.first.connection, event: .frame(frame))
        return plain.lines(of: entry, in: world)[0]
    }
}

extension RecordedExchange {
    /// The code and message of a refusal, or nil if the status is below 400 or the body has no `error`.
    public var refusal: (code: String?, message: String?)? {
        guard status ?? 0 >= 400, !responseBody.isCut, let error = try? JSON.parse(responseBody.bytes)["error"] else {
            return nil
        }
        return (error["code"]?.string, error["message"]?.string ?? error.string)
    }
}

/// An entry on one line: time, direction, event and the start of its content.
///
/// `#12 +1.250 s → POST /api/v1/goals {"title":"Run"} → 201 {"id":"…"}`. Header fields, and therefore most credentials,
/// are omitted. Terminal control characters become U+FFFD.
public struct EntryLine: Sendable {
    /// The line, without a line end.
    public let text: String

    /// The maximum number of characters to show of a target, body or payload.
    static let excerptLength = 96

    /// Describes an entry.
    ///
    /// - Parameter start: The origin of relative times, or nil to show the time of day in UTC.
    public init(_ entry: JournalEntry, since start: Timestamp? = nil) {
        text = "#\(entry.number) \(Self.time(entry.time, since: start))  \(Self.description(of: entry.event))"
    }

    /// Formats relative seconds or the time of day.
    ///
    /// Seconds are exact, with three or nine decimal places, so that readers can compute waits.
    private static func time(_ time: Timestamp, since start: Timestamp?) -> String {
        guard let start else { return String(time.nanosecondText.dropFirst(11).prefix(12)) }
        let nanoseconds = time.nanosecondsSinceEpoch &- start.nanosecondsSinceEpoch
        let size = Int64(clamping: nanoseconds.magnitude)
        let rest = size % 1_000_000 == 0 ? "" : String(1_000_000 + size % 1_000_000).dropFirst()
        return "\(nanoseconds < 0 ? "-" : "+")\(Durations.fixedSeconds(size))\(rest) s"
    }

    private static func description(of event: JournalEvent) -> String {
        switch event {
        case .exchange(let exchange):
            let answer =
                exchange.status.map { "→ \($0)\(excerpt(of: exchange.responseBody))\(notes(exchange.delivery))" }
                ?? "→ no answer"
            return "→ \(request(exchange.head))\(excerpt(of: exchange.body)) \(answer)\(faults(exchange.faults))"
        case .opened(let opening): return "→ \(request(opening.head)) → 101 socket opened\(faults(opening.faults))"
        case .frame(let frame):
            return "\(frame.sender == .client ? "→" : "←") \(content(of: frame))\(notes(frame.delivery))"
                + faults(frame.faults)
        case .closed(let closing):
            let codes = [("server", closing.summary.sent), ("client", closing.summary.received)].compactMap {
                (name, frame) in
                frame.map { "\(name)'s close frame \($0.code.map { String($0.rawValue) } ?? "without a code")" }
            }
            let how = ([closing.cause.rawValue] + codes).joined(separator: ", ")
            return "✕ socket ended by the \(closing.party.rawValue): \(how)"
                + (closing.message.map { ": " + excerpt($0) } ?? "") + faults(closing.faults)
        case .fault(let fault): return "! fault \(excerpt(fault.name)): \(fault.effect.rawValue)"
        case .clock(let nanoseconds, let isOfSystem):
            return isOfSystem
                ? Messages.systemClockSet(nanoseconds) : "the clock was moved by \(Durations.seconds(nanoseconds)) s"
        case .note(let text): return excerpt(text)
        case .held(let hold):
            let arrow = hold.sender == .client ? "→" : "←"
            return "‖ \(arrow) \(hold.place.rawValue) held by \(excerpt(hold.breakpoint)): \(excerpt(hold.subject))"
        case .released(let release):
            let payload = release.payload.map(excerpt) ?? ""
            return "▷ #\(release.held) of \(excerpt(release.breakpoint)): \(release.action.rawValue)\(payload)"
        }
    }

    private static func request(_ head: RequestHead) -> String {
        "\(head.method.rawValue) \(excerpt(head.target.description))"
    }

    private static func content(of frame: RecordedFrame) -> String {
        switch frame.opcode {
        case .text: return "text\(excerpt(of: frame.payload))"
        case .close:
            guard let close = frame.closeFrame else { return "close" }
            let code = close.code.map { " \($0.rawValue)" } ?? ""
            return "close\(code)\(close.reason.isEmpty ? "" : " " + excerpt(close.reason))"
        case .binary: return "binary, \(frame.payload.byteCount) bytes"
        case .continuation, .ping, .pong: return "\(frame.opcode.name)\(excerpt(of: frame.payload))"
        }
    }

    private static func notes(_ delivery: Delivery) -> String {
        switch delivery {
        case .complete: ""
        case .partial: " (delivered in part)"
        case .none: " (not delivered)"
        }
    }

    private static func faults(_ names: [String]) -> String {
        names.isEmpty ? "" : " [fault: \(excerpt(names.joined(separator: ", ")))]"
    }

    private static func excerpt(of body: RecordedBody) -> String {
        guard body.byteCount > 0 else { return "" }
        // Decode at most four bytes per displayed character, plus the start of the next character.
        let bytes = body.bytes.prefix(4 * excerptLength + 4)
        var text = String(decoding: bytes, as: UTF8.self)
        if bytes.count < body.byteCount { text += String(repeating: " ", count: excerptLength) }
        return " " + excerpt(text)
    }

    private static func excerpt(_ text: String) -> String { text.onOneLine(limit: excerptLength) }
}
