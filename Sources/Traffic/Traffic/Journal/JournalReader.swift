import Digests
import FitIQAPI
import HTTP1
import JSON
import Text
import WebSocket

/// Parses a journal that ``JournalEncoder`` saved as NDJSON, incrementally.
///
/// Members may come in any order, and numbers in any JSON notation. Newer journals may contain more, so unknown members
/// and kinds of entries are skipped, and an unknown operation counts as no operation. Truncated content is marked as
/// truncated. A line may be up to 4 MiB long.
///
/// Parsing takes linear time in the number of bytes, regardless of how they are split. Received bytes stay in memory
/// until they are read, so call ``next()`` until it returns nil before you pass in more.
public struct JournalReader {
    public static let lineLimit = 4 << 20
    /// The maximum number of nested arrays and objects within a line.
    ///
    /// Current journals need four levels; newer journals may need more.
    static let depthLimit = 64

    /// An entry and its position.
    public struct Line: Sendable {
        /// The line number, from 1.
        public let number: Int
        /// The name of the entry's world, or nil if the line does not name a world.
        public let world: ExactString?
        public let entry: JournalEntry
    }

    private var buffer: [UInt8] = []
    /// The start of the current line, and the position up to which the line's end has been searched for.
    private var start = 0
    private var searched = 0
    private var isFinished = false
    private var isSkipping = false
    private var lineNumber = 0
    /// Whether any line was an entry; otherwise the bytes may not be a journal.
    private var hasEntry = false
    /// Whether the last error that ``next()`` threw was about an unfinished last line, left by a writer that was stopped.
    ///
    /// At least one complete line precedes it.
    public private(set) var isUnfinished = false

    public init() {}

    public mutating func receive(_ bytes: ArraySlice<UInt8>) {
        precondition(!isFinished, "no bytes may follow the end")
        var bytes = bytes
        if isSkipping {
            guard let end = bytes.firstIndex(of: 0x0A) else { return }
            isSkipping = false
            bytes = bytes[(end + 1)...]
        }
        if start > 0 {
            buffer.removeSubrange(..<start)
            searched -= start
            start = 0
        }
        buffer.append(contentsOf: bytes)
    }

    public mutating func receive(_ bytes: [UInt8]) { receive(bytes[...]) }

    /// Marks the end of the input.
    ///
    /// Remaining bytes are a last line without a line end.
    public mutating func finish() { isFinished = true }

    /// Returns the next entry, or nil if the reader needs more bytes or has returned the last entry.
    ///
    /// After an error in a line, the next call continues with the following line.
    public mutating func next() throws(Refusal) -> Line? {
        while let line = try nextLine() {
            lineNumber += 1
            // This does not copy the buffer, because the reader does not change it in the meantime.
            let bytes = buffer
            let found = try bytes.withUnsafeBufferPointer { buffer throws(Refusal) in
                try read(UnsafeBufferPointer(rebasing: buffer[line.range]), isComplete: line.isComplete)
            }
            if let found { return found }
        }
        return nil
    }

    private mutating func read(_ line: UnsafeBufferPointer<UInt8>, isComplete: Bool) throws(Refusal) -> Line? {
        if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return nil }
        do throws(Refusal) {
            let found = try JournalEntry.read(line)
            hasEntry = true
            return found.map { Line(number: lineNumber, world: $0.world, entry: $0.entry) }
        } catch {
            // Only JSON errors have a column; a truncated object causes a JSON error.
            let isJSON = error.place.first?.hasPrefix("column ") == true
            isUnfinished = isJSON && !isComplete && hasEntry && line.first == UInt8(ascii: "{")
            throw (isUnfinished ? Refusal(Messages.unfinishedLine) : error).inside("line \(lineNumber)")
        }
    }

    /// The bytes of the next line without its line end, or nil if the line is incomplete.
    private mutating func nextLine() throws(Refusal) -> (range: Range<Int>, isComplete: Bool)? {
        let lineFeed = buffer.withUnsafeBufferPointer { $0.firstLineFeed(from: searched) }
        guard let end = lineFeed ?? (isFinished ? buffer.count : nil) else {
            searched = buffer.count
            if buffer.count - start > Self.lineLimit {
                lineNumber += 1
                isSkipping = true
                (start, searched) = (0, 0)
                buffer.removeAll()
                throw Refusal(Messages.longLine(limit: Self.lineLimit), at: "line \(lineNumber)")
            }
            return nil
        }
        let range = start..<end
        start = min(end + 1, buffer.count)
        searched = start
        if lineFeed == nil, range.isEmpty { return nil }
        guard range.count <= Self.lineLimit else {
            lineNumber += 1
            throw Refusal(Messages.longLine(limit: Self.lineLimit), at: "line \(lineNumber)")
        }
        return (range, lineFeed != nil)
    }
}

extension JournalEntry {
    private static let limits = JSON.Limits(
        depth: JournalReader.depthLimit + 1, bytes: JournalReader.lineLimit, values: JournalReader.lineLimit)

    /// Reads an entry and its world in the format of ``JournalEncoder``, or returns nil if the kind is unknown.
    static func read(
        _ line: UnsafeBufferPointer<UInt8>
    ) throws(Refusal) -> (entry: JournalEntry, world: ExactString?)? {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSON.parse(line, limits: limits)
        } catch { throw Refusal(Messages.notJSON(error.message), at: "column \(error.column)") }
        guard let object = value.object else { throw Refusal(Messages.noObject) }
        var members = EntryMembers(object)
        guard let kind = JournalEvent.Kind(rawValue: try members.string("kind")) else { return nil }
        let number: Int = try members.integer("number")
        guard number > 0 else { throw members.wrong("number") }
        let time = try members.time("time")
        let world = try members.stringIfPresent("world").map(ExactString.init(_:))
        let entry = JournalEntry(
            number: number, time: time, connection: try members.integerIfPresent("connection") ?? 0,
            event: try JournalEvent(kind, &members))
        return (entry, world)
    }
}

extension JournalEvent {
    fileprivate init(_ kind: Kind, _ members: inout EntryMembers) throws(Refusal) {
        switch kind {
        case .exchange: self = .exchange(try RecordedExchange(&members))
        case .opened:
            var opening = try RecordedExchange(&members)
            opening.status = 101
            self = .opened(opening)
        case .frame: self = .frame(try RecordedFrame(&members))
        case .closed: self = .closed(try RecordedClosing(&members))
        case .fault:
            let name = try members.stringIfPresent("fault") ?? ""
            self = .fault(RecordedFault(name: name, effect: try members.choice("effect")))
        case .clock:
            let span: Int64 = try members.integer("advanced_by_ns")
            self = .clock(advancedBy: span, isOfSystem: try members.boolIfPresent("of_system") ?? false)
        case .note: self = .note(try members.string("text"))
        case .held:
            let hold = RecordedHold(
                breakpoint: try members.string("breakpoint"), place: try members.choice("place"),
                sender: try members.choice("direction", among: Party.allCases, \.direction),
                until: try members.time("until"), subject: try members.string("subject"))
            self = .held(hold)
        case .released:
            let held: Int = try members.integer("held")
            guard held > 0 else { throw members.wrong("held") }
            let release = RecordedRelease(
                held: held, breakpoint: try members.string("breakpoint"), action: try members.choice("action"),
                due: try members.time("due"), payload: try members.payloadIfPresent())
            self = .released(release)
        }
    }
}

extension RecordedExchange {
    fileprivate init(_ members: inout EntryMembers) throws(Refusal) {
        var request = try members.object("request")
        self.init(
            head: try request.head(), body: try request.body("body", "body_base64", "body_bytes"),
            requestedAt: try members.time("requested_at"),
            endpoint: try members.endpoint(), user: try members.stringIfPresent("user").map(ExactString.init(_:)),
            unmatched: try members.choiceIfPresent("unmatched"), status: nil, responseFields: .none,
            responseBody: RecordedBody(), delivery: try members.choiceIfPresent("delivery") ?? .complete,
            faults: try members.faults())
        created = try members.stringIfPresent("created").map(ExactString.init(_:))
        answeredBy = try members.choiceIfPresent("answered_by")
        guard var response = try members.objectIfPresent("response") else { return }
        let code: Int = try response.integer("status")
        guard (100...999).contains(code) else { throw response.wrong("status") }
        status = code
        responseFields = try response.responseFields()
        responseBody = try response.body("body", "body_base64", "body_bytes")
    }
}

extension RecordedFrame {
    fileprivate init(_ members: inout EntryMembers) throws(Refusal) {
        let sender = try members.choice("direction", among: Party.allCases, \.direction)
        let opcodes: [Opcode] = [.text, .binary, .continuation, .close, .ping, .pong]
        let opcode = try members.choice("opcode", among: opcodes, \.name)
        self.init(
            sender: sender, opcode: opcode, payload: [],
            delivery: try members.choiceIfPresent("delivery") ?? .complete, faults: try members.faults())
        payload =
            opcode == .close
            ? RecordedBody(try Self.closePayload(&members))
            : try members.body("payload", "payload_base64", "payload_bytes")
        compressedSize = try members.integerIfPresent("compressed_bytes")
    }

    private static func closePayload(_ members: inout EntryMembers) throws(Refusal) -> [UInt8] {
        guard let code: UInt16 = try members.integerIfPresent("code") else { return [] }
        return [UInt8(code >> 8), UInt8(code & 0xFF)] + Array((try members.stringIfPresent("reason") ?? "").utf8)
    }
}

extension RecordedClosing {
    fileprivate init(_ members: inout EntryMembers) throws(Refusal) {
        let party: Party = try members.choice("by")
        let cause: Cause = try members.choice("cause")
        let sent = try members.closeFrame("server_close")
        let received = try members.closeFrame("client_close")
        let isBothSided = cause == .closeFrame && sent != nil && received != nil
        let initiator: WebSocket.Connection.Initiator? =
            isBothSided ? (party == .server ? .weStarted : .theyStarted) : nil
        self.init(
            by: party, cause: cause, summary: CloseSummary(sent: sent, received: received, initiator: initiator),
            message: try members.stringIfPresent("message"), faults: try members.faults())
    }
}

/// An object's members by name.
///
/// Reading a member throws an error if the member has the wrong form; null counts as absent.
struct EntryMembers {
    private let object: JSONObject
    /// Where the next search starts, because callers mostly read members in the order in which they are written.
    private var position = 0

    init(_ object: JSONObject) { self.object = object }

    private mutating func present(_ name: String) -> JSONValue? {
        guard let value = object.value(of: name, from: &position) else { return nil }
        if case .null = value { return nil }
        return value
    }

    mutating func objectIfPresent(_ name: String) throws(Refusal) -> EntryMembers? {
        try read(name, \.object).map(EntryMembers.init)
    }

    mutating func object(_ name: String) throws(Refusal) -> EntryMembers {
        try expected(objectIfPresent(name), name)
    }

    mutating func stringIfPresent(_ name: String) throws(Refusal) -> String? { try read(name, \.string) }
    mutating func string(_ name: String) throws(Refusal) -> String { try expected(stringIfPresent(name), name) }

    mutating func boolIfPresent(_ name: String) throws(Refusal) -> Bool? { try read(name, \.bool) }

    /// A number in any notation without a fraction.
    mutating func integerIfPresent<Integer: FixedWidthInteger>(_ name: String) throws(Refusal) -> Integer? {
        try read(name) { value in
            value.number.flatMap { Integer($0.text) ?? $0.int.flatMap(Integer.init(exactly:)) }
        }
    }

    mutating func integer<Integer: FixedWidthInteger>(_ name: String) throws(Refusal) -> Integer {
        try expected(integerIfPresent(name), name)
    }

    @inline(__always)
    private mutating func read<Value>(_ name: String, _ form: (JSONValue) -> Value?) throws(Refusal) -> Value? {
        guard let value = present(name) else { return nil }
        return try expected(form(value), name)
    }

    @inline(__always)
    private func expected<Value>(_ value: Value?, _ name: String) throws(Refusal) -> Value {
        guard let value else { throw wrong(name) }
        return value
    }

    mutating func choice<Choice>(
        _ name: String, among choices: some Sequence<Choice>, _ spelling: (Choice) -> String
    ) throws(Refusal) -> Choice {
        let text = try string(name)
        if let choice = choices.first(where: { spelling($0) == text }) { return choice }
        throw Refusal(Messages.unknownWord(text, of: name, allowed: choices.map(spelling)))
    }

    mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(_ name: String) throws(Refusal) -> Choice {
        try choice(name, among: Choice.allCases, \.rawValue)
    }

    mutating func choiceIfPresent<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String
    ) throws(Refusal) -> Choice? { present(name) == nil ? nil : try choice(name) }

    /// A time in the format of `nanosecondText`: UTC, 1678 to 2261, with up to nine fractional digits.
    mutating func time(_ name: String) throws(Refusal) -> Timestamp {
        var text = try string(name)
        guard let time = text.withUTF8({ Timestamp(reading: $0) }) else { throw wrong(name) }
        return time
    }

    /// The operation, or nil if it is absent or unknown.
    mutating func endpoint() throws(Refusal) -> Endpoint? {
        present("endpoint")?.string.flatMap(Endpoint.init(name:))
    }

    mutating func faults() throws(Refusal) -> [String] {
        guard let value = present("faults") else { return [] }
        guard let names = value.array?.compactMap(\.string), names.count == value.array?.count else {
            throw wrong("faults")
        }
        return names
    }

    mutating func closeFrame(_ name: String) throws(Refusal) -> CloseSummary.Frame? {
        guard var frame = try objectIfPresent(name) else { return nil }
        let code: UInt16? = try frame.integerIfPresent("code")
        return CloseSummary.Frame(
            code: code.map(CloseCode.init(rawValue:)), reason: try frame.stringIfPresent("reason") ?? "")
    }

    /// The head of a request, reassembled and parsed as a server would parse it.
    mutating func head() throws(Refusal) -> RequestHead {
        let (method, target, version) = (try string("method"), try string("target"), try string("version"))
        guard !target.utf8.contains(where: \.isLineEnd), !method.utf8.contains(where: \.isLineEnd) else {
            throw wrong("target")
        }
        guard version == "1.1" || version == "1.0" else { throw wrong("version") }
        var head: [UInt8] = []
        head.reserveCapacity(1024)
        head.append(contentsOf: method.utf8)
        head.append(UInt8(ascii: " "))
        // A journal stores the host of an absolute target, but not the scheme.
        let isAbsolute = !target.utf8.starts(with: "/".utf8) && !target.utf8.starts(with: "*".utf8)
        if isAbsolute, method != "CONNECT" { head.append(contentsOf: "http://".utf8) }
        head.append(contentsOf: target.utf8)
        head.append(contentsOf: " HTTP/".utf8)
        head.append(contentsOf: version.utf8)
        head.append(contentsOf: "\r\n".utf8)
        try appendFields(to: &head)
        do throws(RemoteError) {
            return try RequestHead(recorded: head)
        } catch { throw Refusal(Messages.badRequest(error.message)) }
    }

    mutating func responseFields() throws(Refusal) -> RecordedFields {
        guard present("fields") != nil else { return .none }
        var lines: [UInt8] = []
        lines.reserveCapacity(512)
        try appendFields(to: &lines)
        return .encoded(lines)
    }

    private func appendFields(to output: inout [UInt8]) throws(Refusal) {
        guard case .array(let fields)? = object["fields"] else { throw wrong("fields") }
        for field in fields {
            // A line end in a field would split its line.
            guard case .object(let field) = field, case .string(let name)? = field["name"],
                case .string(let value)? = field["value"],
                !name.utf8.contains(where: { $0.isLineEnd || $0 == UInt8(ascii: ":") }),
                !value.utf8.contains(where: \.isLineEnd)
            else { throw wrong("fields") }
            output.append(contentsOf: name.utf8)
            output.append(contentsOf: ": ".utf8)
            output.append(contentsOf: value.utf8)
            output.append(contentsOf: "\r\n".utf8)
        }
    }

    /// A body or payload, as text or base64; truncated if `count` exceeds its bytes.
    mutating func body(_ text: String, _ base64: String, _ count: String) throws(Refusal) -> RecordedBody {
        let bytes: [UInt8]
        if let text = try stringIfPresent(text) {
            bytes = Array(text.utf8)
        } else if let encoded = try stringIfPresent(base64) {
            guard let decoded = Base64.decode(encoded) else { throw wrong(base64) }
            bytes = decoded
        } else {
            bytes = []
        }
        guard let byteCount: Int = try integerIfPresent(count) else { return RecordedBody(bytes) }
        guard byteCount >= bytes.count else { throw wrong(count) }
        return RecordedBody(bytes, of: byteCount)
    }

    /// The payload of a frame, or nil if the frame has neither text nor base64.
    mutating func payloadIfPresent() throws(Refusal) -> RecordedBody? {
        guard present("payload") != nil || present("payload_base64") != nil else { return nil }
        return try body("payload", "payload_base64", "payload_bytes")
    }

    /// An error that reports a member's expected and actual form.
    func wrong(_ name: String) -> Refusal {
        guard let value = object[name] else { return Refusal(Messages.missing(name)) }
        let expected = Self.expectations[name] ?? "a string"
        return Refusal("'\(name)' must be \(expected); got \(value.excerpt(limit: 80).onOneLine(limit: 80)).")
    }

    /// The expected forms of members in words; other members must be strings.
    private static let expectations: [String: String] = [  // The names are in this file.
        "number": "a whole number from 1", "held": "a whole number from 1",
        "connection": "a whole number from 0", "payload_bytes": "a whole number from 0",
        "body_bytes": "a whole number from 0", "compressed_bytes": "a whole number",
        "status": "a whole number from 100 to 999",
        "code": "a whole number from 0 to 65535",
        "advanced_by_ns": "a whole number",
        "of_system": "true or false",
        "time": "a time in UTC such as \"2025-01-29T10:30:00.250000000Z\"",
        "requested_at": "a time in UTC such as \"2025-01-29T10:30:00.250000000Z\"",
        "until": "a time in UTC such as \"2025-01-29T10:30:00.250000000Z\"",
        "due": "a time in UTC such as \"2025-01-29T10:30:00.250000000Z\"",
        "request": "an object", "response": "an object", "server_close": "an object", "client_close": "an object",
        "faults": "an array of strings",
        "fields": "an array of objects with \"name\" and \"value\", both without line breaks",
        "payload_base64": "base64 with padding (RFC 4648 §4)", "body_base64": "base64 with padding (RFC 4648 §4)",
    ]
}

extension UInt8 {
    fileprivate var isLineEnd: Bool { self == 0x0A || self == 0x0D }
}

extension Timestamp {
    /// Parses an RFC 3339 time in UTC without a leap second, or returns nil.
    init?(reading text: UnsafeBufferPointer<UInt8>) {
        guard let time = RFC3339.time(text), text[10] == UInt8(ascii: "T"), text[text.count - 1] == UInt8(ascii: "Z"),
            time.fractionDigits <= 9, !time.isLeapSecond, Self.readable.contains(time.secondsSinceEpoch)
        else { return nil }
        self.init(nanosecondsSinceEpoch: time.secondsSinceEpoch * 1_000_000_000 + time.nanoseconds)
    }

    /// 1678-01-01 to 2261-12-31: the whole years that 64 bits of nanoseconds can represent.
    private static let readable: Range<Int64> = -9_214_560_000..<9_214_646_400
}
