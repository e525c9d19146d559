import FitIQAPI
import HTTP1
import HTTPTypes
import Text

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
