import JSON
import Text

/// Parses a `text/event-stream`: bytes go in as they arrive, split anywhere, and events come out.
///
/// Comments, `retry` and unknown fields are skipped, and so are IDs that are not numbers. Its memory is one event.
///
/// Source: HTML Living Standard §9.2.6, "Interpreting an event stream".
public struct EventStreamReader: Sendable {
    /// The maximum bytes of an event's lines.
    public static let eventLimit = 1 << 20

    /// An event has more than ``eventLimit`` bytes.
    public struct TooLong: Error {}

    private var line: [UInt8] = []
    private var id: Int?
    private var event: String?
    /// The lines of the text, with a line feed after each; nil before the first.
    private var data: [UInt8]?
    private var followsReturn = false
    private var isFirstLine = true

    public init() {}

    /// Receives more bytes, and returns the events that they complete.
    ///
    /// - Throws: ``TooLong``; nothing can be read after that.
    public mutating func receive(_ bytes: some Sequence<UInt8>) throws(TooLong) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        for byte in bytes {
            let completesPair = followsReturn && byte == .lineFeed
            followsReturn = byte == .carriageReturn
            if completesPair { continue }
            if byte == .lineFeed || byte == .carriageReturn {
                if let event = endLine() { events.append(event) }
            } else {
                guard line.count + (data?.count ?? 0) < Self.eventLimit else { throw TooLong() }
                line.append(byte)
            }
        }
        return events
    }

    /// Interprets a line; the event, if the line is empty and so ends one.
    private mutating func endLine() -> ServerSentEvent? {
        defer { line.removeAll(keepingCapacity: true) }
        if isFirstLine, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        isFirstLine = false
        guard !line.isEmpty else {
            defer { (id, event, data) = (nil, nil, nil) }
            return data.map { ServerSentEvent(id: id, event: event, data: Array($0.dropLast())) }
        }
        let colon = line.firstIndex(of: .colon) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == .space { value.removeFirst() }
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "data": data = (data ?? []) + value + [.lineFeed]
        case "event": event = String(decoding: value, as: UTF8.self)
        case "id" where !value.isEmpty && value.allSatisfy(\.isDigit): id = Int(String(decoding: value, as: UTF8.self))
        default: break
        }
        return nil
    }
}
