import Digests
import FitIQAPI
import HTTP1
import JSON
import Text
import WebSocket

/// The members of an object in a line by name, each with an error if it is not what it must be; null counts as absent.
struct EntryMembers {
    private let object: JSONObject
    /// Where the search for the next name starts: members are mostly asked for in the order in which they are written.
    private var position = 0

    init(_ object: JSONObject) { self.object = object }

    private mutating func present(_ name: String) -> JSONValue? {
        guard let value = object.value(of: name, from: &position) else { return nil }
        if case .null = value { return nil }
        return value
    }

    mutating func objectIfPresent(_ name: String) throws(EntryProblem) -> EntryMembers? {
        try read(name, \.object).map(EntryMembers.init)
    }

    mutating func object(_ name: String) throws(EntryProblem) -> EntryMembers {
        try expected(objectIfPresent(name), name)
    }

    mutating func stringIfPresent(_ name: String) throws(EntryProblem) -> String? { try read(name, \.string) }
    mutating func string(_ name: String) throws(EntryProblem) -> String { try expected(stringIfPresent(name), name) }

    mutating func boolIfPresent(_ name: String) throws(EntryProblem) -> Bool? { try read(name, \.bool) }

    /// A number in any notation without a fraction.
    mutating func integerIfPresent<Integer: FixedWidthInteger>(_ name: String) throws(EntryProblem) -> Integer? {
        try read(name) { value in
            value.number.flatMap { Integer($0.text) ?? $0.int.flatMap(Integer.init(exactly:)) }
        }
    }

    mutating func integer<Integer: FixedWidthInteger>(_ name: String) throws(EntryProblem) -> Integer {
        try expected(integerIfPresent(name), name)
    }

    /// Reads a member that may be absent.
    @inline(__always)
    private mutating func read<Value>(_ name: String, _ form: (JSONValue) -> Value?) throws(EntryProblem) -> Value? {
        guard let value = present(name) else { return nil }
        return try expected(form(value), name)
    }

    @inline(__always)
    private func expected<Value>(_ value: Value?, _ name: String) throws(EntryProblem) -> Value {
        guard let value else { throw wrong(name) }
        return value
    }

    mutating func choice<Choice>(
        _ name: String, among choices: some Sequence<Choice>, _ spelling: (Choice) -> String
    ) throws(EntryProblem) -> Choice {
        let text = try string(name)
        if let choice = choices.first(where: { spelling($0) == text }) { return choice }
        throw .sentence(JournalMessages.unknownWord(text, of: name, allowed: choices.map(spelling)))
    }

    mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(_ name: String) throws(EntryProblem) -> Choice
    {
        try choice(name, among: Choice.allCases, \.rawValue)
    }

    mutating func choiceIfPresent<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String
    ) throws(EntryProblem) -> Choice? {
        present(name) == nil ? nil : try choice(name)
    }

    /// In the format of `nanosecondText`, with one to nine fractional digits or none; in UTC, 1678 to 2261.
    mutating func time(_ name: String) throws(EntryProblem) -> Timestamp {
        var text = try string(name)
        guard let time = text.withUTF8({ Timestamp(reading: $0) }) else { throw wrong(name) }
        return time
    }

    /// The operation; an unknown one counts as none.
    mutating func endpoint() throws(EntryProblem) -> Endpoint? {
        present("endpoint")?.string.flatMap(Endpoint.init(name:))
    }

    mutating func faults() throws(EntryProblem) -> [String] {
        guard let value = present("faults") else { return [] }
        guard let names = value.array?.compactMap(\.string), names.count == value.array?.count else {
            throw wrong("faults")
        }
        return names
    }

    mutating func closeFrame(_ name: String) throws(EntryProblem) -> CloseSummary.Frame? {
        guard var frame = try objectIfPresent(name) else { return nil }
        let code: UInt16? = try frame.integerIfPresent("code")
        return CloseSummary.Frame(
            code: code.map(CloseCode.init(rawValue:)), reason: try frame.stringIfPresent("reason") ?? "")
    }

    /// The head of a request, reassembled and parsed as a server does.
    mutating func head() throws(EntryProblem) -> RequestHead {
        let (method, target, version) = (try string("method"), try string("target"), try string("version"))
        guard !target.utf8.contains(where: \.isLineEnd), !method.utf8.contains(where: \.isLineEnd) else {
            throw wrong("target")
        }
        guard version == "1.1" || version == "1.0" else { throw wrong("version") }
        var head: [UInt8] = []
        head.reserveCapacity(1024)
        head.append(contentsOf: method.utf8)
        head.append(UInt8(ascii: " "))
        // A journal has the host of an absolute target, but not the scheme.
        let isAbsolute = !target.utf8.starts(with: "/".utf8) && !target.utf8.starts(with: "*".utf8)
        if isAbsolute, method != "CONNECT" { head.append(contentsOf: "http://".utf8) }
        head.append(contentsOf: target.utf8)
        head.append(contentsOf: " HTTP/".utf8)
        head.append(contentsOf: version.utf8)
        head.append(contentsOf: "\r\n".utf8)
        try appendFields(to: &head)
        do throws(RemoteError) {
            return try RequestHead(recorded: head)
        } catch {
            throw .sentence(JournalMessages.badRequest(error.message))
        }
    }

    mutating func responseFields() throws(EntryProblem) -> RecordedFields {
        guard present("fields") != nil else { return .none }
        var lines: [UInt8] = []
        lines.reserveCapacity(512)
        try appendFields(to: &lines)
        return .encoded(lines)
    }

    /// Appends field lines, each with its CRLF.
    private func appendFields(to output: inout [UInt8]) throws(EntryProblem) {
        guard case .array(let fields)? = object["fields"] else { throw wrong("fields") }
        for field in fields {
            // A line end would split the line in two.
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

    /// A body or a payload, as text or in base64, truncated if there were more bytes.
    mutating func body(_ text: String, _ base64: String, _ count: String) throws(EntryProblem) -> RecordedBody {
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

    /// The payload of a frame; nil if there is neither text nor base64.
    mutating func payloadIfPresent() throws(EntryProblem) -> RecordedBody? {
        guard present("payload") != nil || present("payload_base64") != nil else { return nil }
        return try body("payload", "payload_base64", "payload_bytes")
    }

    /// The error that names what a member must be and what it is.
    func wrong(_ name: String) -> EntryProblem {
        guard let value = object[name] else { return .sentence(JournalMessages.missing(name)) }
        let expected = Self.expectations[name] ?? "a string"
        return .sentence(JournalMessages.wrongMember(name, expected: expected, found: value.excerpt(limit: 80)))
    }

    /// What a member must be, in words, unless it is a string.
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
        "fields": "an array of objects with \"name\" and \"value\", neither with a line end",
        "payload_base64": "base64 with padding (RFC 4648 §4)", "body_base64": "base64 with padding (RFC 4648 §4)",
    ]
}

extension UInt8 {
    fileprivate var isLineEnd: Bool { self == 0x0A || self == 0x0D }
}

extension Timestamp {
    /// Parses an RFC 3339 time in UTC without a leap second; anything else is nil.
    init?(reading text: UnsafeBufferPointer<UInt8>) {
        guard let time = RFC3339.time(text), text[10] == UInt8(ascii: "T"), text[text.count - 1] == UInt8(ascii: "Z"),
            time.fractionDigits <= 9, !time.isLeapSecond, Self.readable.contains(time.secondsSinceEpoch)
        else { return nil }
        self.init(nanosecondsSinceEpoch: time.secondsSinceEpoch * 1_000_000_000 + time.nanoseconds)
    }

    /// 1678-01-01 to 2261-12-31: whole years that nanoseconds in 64 bits can hold.
    private static let readable: Range<Int64> = -9_214_560_000..<9_214_646_400
}
