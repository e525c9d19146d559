import FitIQAPI
import JSON
import Text

/// The entries of a journal as text for a terminal, one by one as they happen.
///
///     10:30:00.000  201    4.4 ms    1234 B  POST /api/v1/consultations
///     10:30:00.013  101                 ws3  WS   /api/v1/consultations/7c9e…/ws
///     10:30:00.013    ← ws3 {"type":"connected"}
///     10:30:02.000    × ws3 closed by the client: close 1000 "bye"
///
/// The columns are those of ``SessionTimeline``. Times are times of day by the world's clock, in UTC; frames name their
/// connection, because WebSockets take turns. Recorded content is untrusted: terminal escapes in it are escaped.
public struct TrafficLines: Sendable {
    /// The maximum columns of a line, at least 60; longer ones are truncated with "…".
    public var width: Int { didSet { width = max(width, 60) } }
    /// Whether bodies and messages are shown in full below their lines, up to 64 KiB each.
    public var showsBodies: Bool
    /// Whether escape sequences colour the status, the direction and breaches.
    public var usesColor: Bool

    public init(width: Int = 120, showsBodies: Bool = false, usesColor: Bool = false) {
        (self.width, self.showsBodies, self.usesColor) = (max(width, 60), showsBodies, usesColor)
    }

    /// The lines of an entry, without line ends: one, and with bodies more.
    ///
    /// - Parameter world: The name of the entry's world, which precedes the request or the frame; nil omits it.
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

    /// An obligation that the client broke, as a line below the entries that show it.
    public struct Breach: Sendable, Equatable {
        public var obligation: String
        /// `must` or `should`.
        public var level: String
        public var message: String
        /// The numbers of the entries that show it.
        public var entries: [Int]

        public init(obligation: String, level: String, message: String, entries: [Int]) {
            (self.obligation, self.level, self.message, self.entries) = (obligation, level, message, entries)
        }
    }

    /// The line of a breach, cut to 900 columns whatever the width is: it is a sentence to read.
    public func line(of breach: Breach, in world: String? = nil) -> String {
        let place = world.map { "[\(TerminalText.escaped($0))] " } ?? ""
        let text = SessionTimeline.indent + "  ✗ \(place)" + Messages.describe(breach)
        return painted(TerminalText.cut(text, width: 900), breach.level == "must" ? .breach : .warning)
    }

    /// A line with the time of an entry, cut to the width, its first columns coloured.
    private func line(_ text: String, _ style: Style, at time: Timestamp) -> String {
        let start = SessionTimeline.indent.count
        let text = TerminalText.cut(text, width: width - start)
        // The status, or the direction.
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

    /// A message too long for its room with the beginnings of its IDs only, which make room for its content.
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
            // The end says what a fault did, so the payload makes room for it.
            let room = max(width - SessionTimeline.indent.count - start.count - end.count, 10)
            let text = SessionTimeline.excerpt(of: Self.withShortIDs(frame, for: room), width: room)
            return [line(start + text + end, style, at: time)]
        }
        let rest = body.dropFirst().map { SessionTimeline.indent + "    " + $0 }
        // Bodies are shown whole, so their first line is not cut either.
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

        /// The class of the status; a fault's doing is not the server's own failure.
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

extension RecordedExchange {
    /// The code and the message of a refusal; nil if the status is below 400, or the body has no `error`.
    public var refusal: (code: String?, message: String?)? {
        guard status ?? 0 >= 400, !responseBody.isCut, let error = try? JSON.parse(responseBody.bytes)["error"] else {
            return nil
        }
        return (error["code"]?.string, error["message"]?.string ?? error.string)
    }
}

extension Timestamp {
    package func nanoseconds(since earlier: Timestamp) -> Int64 {
        nanosecondsSinceEpoch &- earlier.nanosecondsSinceEpoch
    }
}
