import HTTP1
import HTTPTypes

/// One event of a `text/event-stream`, as EventSource parses it.
///
/// Source: HTML Living Standard §9.2.5, "Parsing an event stream".
public struct ServerSentEvent: Sendable, Equatable {
    /// The ID that the client sends as `Last-Event-ID` when it reconnects; nil keeps its last one.
    public var id: Int?
    /// The event name for listeners; nil for `message`.
    public var event: String?
    /// The text; CR, LF and CRLF are all line ends and arrive as LF.
    public var data: [UInt8]

    /// Creates an event.
    ///
    /// - Precondition: the name is one line.
    public init(id: Int? = nil, event: String? = nil, data: [UInt8]) {
        precondition(event?.utf8.contains { $0 == 0x0A || $0 == 0x0D } != true, "an event's name is one line")
        self.id = id
        self.event = event
        self.data = data
    }

    /// Creates an event from a journal entry: its number is the ID, its kind the name, its JSON the text.
    public init(_ entry: JournalEntry, encoder: JournalEncoder) {
        self.init(id: entry.number, event: entry.event.kind.rawValue, data: encoder.encode(entry))
    }

    /// The encoded event, including the empty line that dispatches it.
    public var bytes: [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(data.count + 64)
        if let id { out.append(contentsOf: "id: \(id)\n".utf8) }
        if let event { out.append(contentsOf: "event: \(event)\n".utf8) }
        var rest = data[...]
        while true {
            let end = rest.firstIndex { $0 == 0x0A || $0 == 0x0D } ?? rest.endIndex
            out.append(contentsOf: "data: ".utf8)
            out.append(contentsOf: rest[..<end])
            out.append(0x0A)
            guard end < rest.endIndex else { break }
            let isPair = rest[end] == 0x0D && end + 1 < rest.endIndex && rest[end + 1] == 0x0A
            rest = rest[(end + (isPair ? 2 : 1))...]
        }
        out.append(0x0A)
        return out
    }

    /// Sets how many milliseconds the client waits before it reconnects.
    ///
    /// - Precondition: the number is not negative.
    public static func retry(milliseconds: Int) -> [UInt8] {
        precondition(milliseconds >= 0, "a wait is not negative")
        return Array("retry: \(milliseconds)\n\n".utf8)
    }

    /// A comment, which keeps proxies and time-outs from ending a quiet stream ("every 15 seconds or so", §9.2.7).
    public static let keepAlive = Array(": keep-alive\n\n".utf8)

    /// The response fields of such a stream, which must not be cached.
    public static let responseFields: HTTPFields = [
        .contentType: "text/event-stream", .cacheControl: "no-store",
    ]

    /// The last ID that a client saw, from its `Last-Event-ID` field, or nil if it is missing or not one of ours.
    public static func lastID(in fields: FieldBlock) -> Int? {
        guard let name = HTTPField.Name("Last-Event-ID"), let text = fields[name], !text.isEmpty,
            text.utf8.allSatisfy(\.isDigit)
        else { return nil }
        return Int(text)
    }
}

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
