import FitIQAPI
import HTTP1
import Text

/// An entry on one line: time, direction, event, and the beginning of its content.
///
/// `#12 +1.250 s  → POST /api/v1/goals {"title":"Run"} → 201 {"id":"…"}`. Fields, and so most credentials, are omitted;
/// characters that act on a terminal are shown as U+FFFD.
public struct EntryLine: Sendable {
    /// The line, without a line end.
    public let text: String

    /// How many characters of a target, a body or a payload are shown.
    static let excerptLength = 96

    /// Describes an entry.
    ///
    /// - Parameter start: the origin of its time; nil shows the time of day in UTC.
    public init(_ entry: JournalEntry, since start: Timestamp? = nil) {
        text = "#\(entry.number) \(Self.time(entry.time, since: start))  \(Self.description(of: entry.event))"
    }

    /// Seconds, or the time of day.
    ///
    /// Seconds are exact, with three decimal places or nine, so that the wait between two entries can be read off them.
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
        // At most four bytes for each character shown, and the start of the next.
        let bytes = body.bytes.prefix(4 * excerptLength + 4)
        var text = String(decoding: bytes, as: UTF8.self)
        if bytes.count < body.byteCount { text += String(repeating: " ", count: excerptLength) }
        return " " + excerpt(text)
    }

    private static func excerpt(_ text: String) -> String { text.onOneLine(limit: excerptLength) }
}
