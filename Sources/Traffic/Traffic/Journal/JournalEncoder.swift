import Digests
import FitIQAPI
import HTTP1
import HTTPTypes
import JSON

/// Encodes entries as JSON, one object per line.
///
/// Credentials stay unredacted, because a journal is for the client's developer.
public struct JournalEncoder: Sendable {
    /// The world's name to write into each entry, or nil to omit it.
    public var world: String?
    /// The world's guide.
    ///
    /// The near misses listed for an unmatched request are endpoints of this guide.
    public var mode: GuideMode

    public init(world: String? = nil, mode: GuideMode = .union) { (self.world, self.mode) = (world, mode) }

    /// Returns the JSON of an entry, without a line end.
    public func encode(_ entry: JournalEntry) -> [UInt8] {
        var writer = JSONWriter(reserving: 512 + entry.byteCount)
        write(entry, to: &writer)
        return writer.takeBytes()
    }

    /// Appends an entry as a line of NDJSON: its JSON and a line feed.
    public func appendLine(_ entry: JournalEntry, to output: inout [UInt8]) {
        JSONWriter.append(to: &output) { write(entry, to: &$0) }
        output.append(UInt8(ascii: "\n"))
    }

    /// Writes an entry as a value, in a list or as a member.
    public func write(_ entry: JournalEntry, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("number", entry.number)
            writer.member("time", entry.time.nanosecondText)
            writer.member("world", ifPresent: world)
            if entry.connection != 0 { writer.member("connection", raw: Array(String(entry.connection).utf8)) }
            writer.member("kind", entry.event.kind.rawValue)
            switch entry.event {
            case .exchange(let exchange): write(exchange, isOpening: false, to: &writer)
            case .opened(let opening): write(opening, isOpening: true, to: &writer)
            case .frame(let frame): write(frame, to: &writer)
            case .closed(let closing): write(closing, to: &writer)
            case .fault(let fault):
                writer.member("fault", fault.name)
                writer.member("effect", fault.effect.rawValue)
            case .clock(let nanoseconds, let isOfSystem):
                writer.member("advanced_by_ns", Int(nanoseconds))
                if isOfSystem { writer.member("of_system", true) }
            case .note(let text): writer.member("text", text)
            case .held(let hold): write(hold, to: &writer)
            case .released(let release): write(release, to: &writer)
            }
        }
    }

    /// - Parameter isOpening: Whether the exchange is an accepted handshake, which has no bodies.
    private func write(_ exchange: RecordedExchange, isOpening: Bool, to writer: inout JSONWriter) {
        writer.member("endpoint", ifPresent: exchange.endpoint?.name)
        writer.member("user", ifPresent: exchange.user?.text)
        writer.member("requested_at", exchange.requestedAt.nanosecondText)
        writer.member("trace", ifPresent: TraceID.of(exchange.head))
        Self.write(exchange.head, isOpening ? nil : exchange.body, to: &writer)
        // The endpoint ignored these parameters; only the modes that include the apps report them.
        if mode.servesApps, let endpoint = exchange.endpoint, exchange.head.target.query != nil {
            let names = endpoint.unknownParameters(in: exchange.head.target.queryItems())
            if !names.isEmpty { writer.strings("unknown_parameters", names) }
        }
        if let status = exchange.status {
            writer.object("response") { writer in
                writer.member("status", status)
                Self.write(fields: exchange.responseFields.nameValuePairs, to: &writer)
                if !isOpening { Self.write(exchange.responseBody, .body, to: &writer) }
            }
        } else {
            writer.memberNull("response")
        }
        Self.write(exchange.delivery, to: &writer)
        Self.write(faults: exchange.faults, to: &writer)
        writer.member("created", ifPresent: exchange.created?.text)
        writer.member("answered_by", ifPresent: exchange.answeredBy?.rawValue)
        if isOpening { writer.member("hint", ifPresent: exchange.hint) }
        guard let unmatched = exchange.unmatched else { return }
        writer.member("unmatched", unmatched.rawValue)
        // The path does match an operation; the replay itself reports near misses in the session.
        guard unmatched != .notRecorded else { return }
        let nearest = EndpointNearMiss.nearest(
            to: exchange.head.method, segments: exchange.head.target.segmentsInWorld, in: mode)
        writer.objects("near_misses", nearest) { writer, nearMiss in
            writer.member("endpoint", nearMiss.endpoint.name)
            writer.member("method", nearMiss.endpoint.method.rawValue)
            writer.member("path", nearMiss.endpoint.template)
            writer.member("score", nearMiss.score)
            writer.strings("differences", nearMiss.differences.map(\.sentence))
        }
    }

    private func write(_ frame: RecordedFrame, to writer: inout JSONWriter) {
        writer.member("direction", frame.sender.direction)
        writer.member("opcode", frame.opcode.name)
        switch frame.opcode {
        case .close:
            let close = frame.closeFrame
            writer.member("code", ifPresent: close?.code.map { Int($0.rawValue) })
            writer.member("reason", ifPresent: close?.reason)
        case .binary: Self.write(base64: frame.payload, .payload, to: &writer)
        case .text, .continuation, .ping, .pong: Self.write(frame.payload, .payload, to: &writer)
        }
        writer.member("compressed_bytes", ifPresent: frame.compressedSize)
        Self.write(frame.delivery, to: &writer)
        Self.write(faults: frame.faults, to: &writer)
    }

    private func write(_ closing: RecordedClosing, to writer: inout JSONWriter) {
        writer.member("by", closing.party.rawValue)
        writer.member("cause", closing.cause.rawValue)
        writer.member("clean", closing.summary.wasClean)
        for (name, frame) in [("server_close", closing.summary.sent), ("client_close", closing.summary.received)] {
            guard let frame else { continue }
            writer.key(escaping: name)
            writer.object { writer in
                writer.member("code", ifPresent: frame.code.map { Int($0.rawValue) })
                writer.member("reason", frame.reason)
            }
        }
        writer.member("message", ifPresent: closing.message)
        Self.write(faults: closing.faults, to: &writer)
    }

    private func write(_ hold: RecordedHold, to writer: inout JSONWriter) {
        writer.member("breakpoint", hold.breakpoint)
        writer.member("place", hold.place.rawValue)
        writer.member("direction", hold.sender.direction)
        writer.member("until", hold.until.nanosecondText)
        writer.member("subject", hold.subject)
    }

    private func write(_ release: RecordedRelease, to writer: inout JSONWriter) {
        writer.member("held", release.held)
        writer.member("breakpoint", release.breakpoint)
        writer.member("action", release.action.rawValue)
        writer.member("due", release.due.nanosecondText)
        if let payload = release.payload { Self.write(payload, .payload, to: &writer) }
    }

    /// Writes the member `request`, with the body if it may have one.
    public static func write(_ head: RequestHead, _ body: RecordedBody?, to writer: inout JSONWriter) {
        writer.object("request") { writer in
            writer.member("method", head.method.rawValue)
            writer.member("target", head.target.description)
            writer.member("version", head.version == .http10 ? "1.0" : "1.1")
            write(fields: head.fields.nameValuePairs, to: &writer)
            if let body { write(body, .body, to: &writer) }
        }
    }

    public static func write(body: RecordedBody, to writer: inout JSONWriter) { write(body, .body, to: &writer) }

    /// Writes the members of a message's payload.
    public static func write(payload: RecordedBody, isText: Bool, to writer: inout JSONWriter) {
        if isText { write(payload, .payload, to: &writer) } else { write(base64: payload, .payload, to: &writer) }
    }

    public static func write(fields: [(name: String, value: String)], to writer: inout JSONWriter) {
        writer.fields("fields", fields)
    }

    private enum Content {
        case body, payload

        var names: (text: StaticString, base64: StaticString, count: StaticString, cut: StaticString) {
            switch self {
            case .body: ("body", "body_base64", "body_bytes", "body_note")
            case .payload: ("payload", "payload_base64", "payload_bytes", "payload_note")
            }
        }
    }

    /// Writes UTF-8 as text and anything else in base64.
    ///
    /// JSON is written unchanged, because the client's mistake may be in how it is spelled.
    private static func write(_ body: RecordedBody, _ content: Content, to writer: inout JSONWriter) {
        guard let text = String(validating: body.bytes, as: UTF8.self) else {
            write(base64: body, content, to: &writer)
            return
        }
        writer.member(content.names.text, text)
        writeCut(body, content, to: &writer)
    }

    private static func write(base64 body: RecordedBody, _ content: Content, to writer: inout JSONWriter) {
        writer.member(content.names.base64, Base64.encode(body.bytes))
        writeCut(body, content, to: &writer)
    }

    private static func writeCut(_ body: RecordedBody, _ content: Content, to writer: inout JSONWriter) {
        guard body.isCut else { return }
        writer.member(content.names.count, body.byteCount)
        writer.member(content.names.cut, Messages.cut(kept: body.bytes.count, of: body.byteCount))
    }

    private static func write(_ delivery: Delivery, to writer: inout JSONWriter) {
        if delivery != .complete { writer.member("delivery", delivery.rawValue) }
    }

    private static func write(faults: [String], to writer: inout JSONWriter) {
        if !faults.isEmpty { writer.strings("faults", faults) }
    }
}

extension JSONWriter {
    package mutating func objects<Element>(
        _ name: StaticString, _ elements: some Sequence<Element>, _ write: (inout JSONWriter, Element) -> Void
    ) { array(name) { writer in for element in elements { writer.object { write(&$0, element) } } } }

    package mutating func strings(_ name: StaticString, _ strings: [String]) {
        array(name) { writer in for string in strings { writer.value(string) } }
    }

    mutating func fields(_ name: StaticString, _ fields: some Sequence<(name: String, value: String)>) {
        objects(name, fields) { writer, field in
            writer.member("name", field.name)
            writer.member("value", field.value)
        }
    }
}

extension RecordedExchange {
    /// A hint for a socket's opening: the client offered a subprotocol, which the server ignored.
    ///
    /// RFC 6455 §4.1 allows the client to continue, but browsers and some libraries fail the connection.
    var hint: String? {
        guard let offered = head.fields[.secWebSocketProtocol] else { return nil }
        let name = HTTPField.Name.secWebSocketProtocol.canonicalName
        guard !responseFields.nameValuePairs.contains(where: { $0.name.lowercased() == name }) else { return nil }
        return Messages.ignoredSubprotocol(offered)
    }
}

/// One event in a `text/event-stream`, as EventSource parses it.
///
/// Source: HTML Living Standard §9.2.5, "Parsing an event stream".
public struct ServerSentEvent: Sendable, Equatable {
    /// The ID that the client sends as `Last-Event-ID` when it reconnects.
    ///
    /// If the ID is nil, the client keeps the previous ID.
    public var id: Int?
    /// The event name for listeners.
    ///
    /// If the name is nil, listeners get a `message` event.
    public var event: String?
    /// The text.
    ///
    /// CR, LF and CRLF are line ends, and the client receives them as LF.
    public var data: [UInt8]

    /// Creates an event.
    ///
    /// - Precondition: The value of `event` is a single line.
    public init(id: Int? = nil, event: String? = nil, data: [UInt8]) {
        precondition(event?.utf8.contains { $0 == 0x0A || $0 == 0x0D } != true, "an event's name must be one line")
        (self.id, self.event, self.data) = (id, event, data)
    }

    /// Creates an event from a journal entry, with its number as ID, its kind as name, and its JSON as text.
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

    /// The field that sets how long the client waits before it reconnects, in milliseconds.
    ///
    /// - Precondition: The value of `milliseconds` is not negative.
    public static func retry(milliseconds: Int) -> [UInt8] {
        precondition(milliseconds >= 0, "a wait must not be negative")
        return Array("retry: \(milliseconds)\n\n".utf8)
    }

    /// A comment that prevents proxies and time-outs from ending an idle stream ("every 15 seconds or so", §9.2.7).
    public static let keepAlive = Array(": keep-alive\n\n".utf8)

    /// The response fields for an event stream, which must not be cached.
    public static let responseFields: HTTPFields = [
        .contentType: "text/event-stream", .cacheControl: "no-store",
    ]

    /// The client's `Last-Event-ID`, or nil if it is missing or was not sent by this server.
    public static func lastID(in fields: FieldBlock) -> Int? {
        guard let name = HTTPField.Name("Last-Event-ID"), let text = fields[name], !text.isEmpty,
            text.utf8.allSatisfy(\.isDigit)
        else { return nil }
        return Int(text)
    }
}

/// Parses a `text/event-stream` incrementally, from bytes split anywhere.
///
/// The parser skips comments, `retry`, unknown fields and IDs that are not numbers, and stores at most one event.
///
/// Source: HTML Living Standard §9.2.6, "Interpreting an event stream".
public struct EventStreamReader: Sendable {
    /// The maximum size of an event's lines in bytes.
    public static let eventLimit = 1 << 20

    /// The event exceeds ``eventLimit`` bytes.
    public struct TooLong: Error {}

    private var line: [UInt8] = []
    private var id: Int?
    private var event: String?
    /// The lines of the text, each followed by a line feed, or nil before the first line.
    private var data: [UInt8]?
    private var followsReturn = false
    private var isFirstLine = true

    public init() {}

    /// Receives bytes and returns the completed events.
    ///
    /// - Throws: ``TooLong``. Do not use the reader afterwards.
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

    /// Interprets a line; an empty line returns the finished event.
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
