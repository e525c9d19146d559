import Text
import WebSocket

/// Replaces the secrets in a session with placeholders.
///
/// Identical secrets get the same placeholder, numbered in order of appearance.
///
/// Secrets are
///
/// - the credentials in `Authorization`, except for the scheme, and the values of cookies;
/// - fields, JSON members, query and form items, and parts of `multipart/form-data`, whose decoded names are those of
///   secrets (``SecretName``). In JSON this means strings, numbers of at least four digits, and such values inside an
///   object or array;
/// - the userinfo of URLs, and e-mail addresses, in URLs, fields, bodies and frames.
///
/// Later copies of a known secret are replaced everywhere if it has at least eight bytes and is not a short lower-case
/// word. All other bytes stay unchanged. Text that is not UTF-8 is searched only for known secrets. This takes linear
/// time. At most 100,000 secrets are distinguished; see ``hasTooManySecrets``.
public struct Redactor: Sendable {
    private var table = SecretTable()

    public init() {}

    /// Whether there are too many secrets to distinguish.
    ///
    /// All additional secrets of a kind share a placeholder.
    public var hasTooManySecrets: Bool { table.isFull }

    /// Redacts an exchange and its frames.
    ///
    /// The request comes first, because responses may repeat its content.
    public mutating func redact(_ exchange: inout SessionExchange) {
        redact(&exchange.request)
        if var response = exchange.response {
            exchange.response = nil
            redact(&response)
            exchange.response = response
        }
        for index in exchange.frames.indices { redact(&exchange.frames[index]) }
    }

    /// Redacts a message or control frame.
    ///
    /// In a close frame, the reason is redacted.
    public mutating func redact(_ frame: inout SessionFrame) {
        guard frame.opcode.isControl else {
            redact(&frame.payload, as: frame.opcode == .text ? .text : nil)
            return
        }
        let kept = frame.opcode == .close ? min(2, frame.payload.bytes.count) : 0
        guard let text = redacted(Array(frame.payload.bytes[kept...]), as: nil) else { return }
        // A placeholder may be longer than the secret, but a control frame's payload is limited to 125 bytes (RFC 6455
        // §5.5).
        let room = FrameEncoder.longestControlPayload - kept
        frame.payload = RecordedBody(
            Array(frame.payload.bytes[..<kept]) + text[..<UTF8Sequence.boundary(in: text, at: room)])
    }

    /// Redacts text that may contain JSON, URLs or addresses.
    public mutating func redact(_ text: inout String) {
        let new = text.withUTF8 { TextScan.redacted($0, as: .text, &table) }
        if let new { text = String(decoding: new, as: UTF8.self) }
    }

    // MARK: Parts

    private mutating func redact(_ request: inout SessionRequest) {
        redact(&request.url)
        for index in request.fields.indices { redact(&request.fields[index]) }
        guard var body = request.body else { return }
        redact(&body, of: request.fields)
        request.body = body
    }

    private mutating func redact(_ response: inout SessionResponse) {
        for index in response.fields.indices { redact(&response.fields[index]) }
        redact(&response.body, of: response.fields)
    }

    /// Redacts a body; an encoded body is omitted, because it cannot be searched.
    private mutating func redact(_ body: inout RecordedBody, of fields: [SessionField]) {
        if !body.bytes.isEmpty, fields.contains(where: \.isContentEncoding) {
            body = RecordedBody([], of: body.byteCount)
            return
        }
        let type = fields.value(of: "content-type") ?? ""
        if let parts = MultipartBody(body.bytes, type: type) {
            replace(&body, with: redacted(parts))
        } else {
            let isForm = type.lowercased().utf8.starts(with: "application/x-www-form-urlencoded".utf8)
            redact(&body, as: isForm ? .form : nil)
        }
    }

    private mutating func redact(_ body: inout RecordedBody, as content: TextScan.Content?) {
        replace(&body, with: redacted(body.bytes, as: content))
    }

    private func replace(_ body: inout RecordedBody, with new: [UInt8]?) {
        guard let new else { return }
        body = body.isCut ? RecordedBody(new, of: new.count + body.byteCount - body.bytes.count) : RecordedBody(new)
    }

    /// The redacted bytes, or nil if nothing changed.
    ///
    /// If the content type is unknown, the function checks whether the bytes are text.
    private mutating func redacted(_ bytes: [UInt8], as content: TextScan.Content?) -> [UInt8]? {
        guard !bytes.isEmpty else { return nil }
        let isText = content == .text || String(validating: bytes, as: UTF8.self) != nil
        if !isText, table.isEmpty { return nil }
        return bytes.withUnsafeBufferPointer { TextScan.redacted($0, as: isText ? content ?? .text : .binary, &table) }
    }

    /// Redacts each part: the whole content if the part has a secret's name; otherwise, only secrets in its text.
    ///
    /// Binary parts stay unchanged.
    private mutating func redacted(_ body: MultipartBody) -> [UInt8] {
        var output: [UInt8] = []
        var end = 0
        func piece(_ range: Range<Int>) -> [UInt8] { Array(body.bytes[range]) }
        body.forEachPart { name, content in
            let head = piece(end..<content.lowerBound)
            output += redacted(head, as: nil) ?? head
            let bytes = piece(content)
            if !bytes.isEmpty, let kind = name.withUnsafeBufferPointer({ SecretKind($0) }) {
                output += table.placeholder(for: bytes, kind)
            } else {
                output += redacted(bytes, as: nil) ?? bytes
            }
            end = content.upperBound
        }
        let rest = piece(end..<body.bytes.count)
        return output + (redacted(rest, as: nil) ?? rest)
    }

    // MARK: Fields

    private mutating func redact(_ field: inout SessionField) {
        switch field.name.lowercased() {
        case let name where name.hasSuffix("authorization"): field.value = credentials(field.value)
        case "cookie":
            let pairs = field.value.split(separator: ";", omittingEmptySubsequences: false).map { cookie($0) }
            field.value = pairs.joined(separator: ";")
        case "set-cookie":
            // Keep the cookie's attributes.
            let parts = field.value.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false)
            field.value = ([cookie(parts[0])] + parts.dropFirst().map(String.init)).joined(separator: ";")
        default:
            if let kind = field.name.withUTF8({ SecretKind($0) }) {
                field.value = placeholder(field.value, kind)
            } else {
                redact(&field.value)
            }
        }
    }

    private mutating func placeholder(_ secret: some StringProtocol, _ kind: SecretKind) -> String {
        secret.isEmpty ? "" : String(decoding: table.placeholder(for: Array(secret.utf8), kind), as: UTF8.self)
    }

    /// Redacts credentials but keeps their scheme (RFC 9110 §11.4); if there is no scheme, the whole value is secret.
    private mutating func credentials(_ value: String) -> String {
        guard let space = value.firstIndex(of: " ") else { return placeholder(value, .token) }
        let secret = value[space...].drop { $0 == " " }
        return value[..<secret.startIndex] + placeholder(secret, .token)
    }

    /// Redacts a cookie's value: `cookie-pair = cookie-name "=" cookie-value`, RFC 6265 §4.1.1.
    private mutating func cookie(_ pair: Substring) -> String {
        // If a cookie has no name, browsers send only its value (RFC 6265bis §5.7).
        let value = pair.firstIndex(of: "=").map { pair[pair.index(after: $0)...] } ?? pair
        let secret = value.drop { $0 == " " || $0 == "\"" }
        let end = secret.lastIndex { $0 != " " && $0 != "\"" } ?? secret.startIndex
        guard !secret.isEmpty else { return String(pair) }
        return pair[..<secret.startIndex] + placeholder(secret[...end], .cookie) + secret[secret.index(after: end)...]
    }
}

/// A body of parts between boundaries, possibly truncated: `multipart/form-data`, RFC 7578 and RFC 2046 §5.1.1.
struct MultipartBody {
    let bytes: [UInt8]
    /// A line end, two hyphens and the boundary.
    private let delimiter: [UInt8]

    /// Returns nil if the media type is not multipart or has no boundary.
    init?(_ bytes: [UInt8], type: String) {
        guard type.lowercased().utf8.starts(with: "multipart/".utf8),
            let boundary = Self.parameter("boundary", of: Array(type.utf8)[...]), !boundary.isEmpty
        else { return nil }
        self.bytes = bytes
        delimiter = [.lineFeed, .minus, .minus] + boundary
    }

    /// Calls `body` with the decoded name and the content of each part, in linear time.
    func forEachPart(_ body: (_ name: [UInt8], _ content: Range<Int>) -> Void) {
        // A first delimiter at the start of the body may have no line end.
        var start = bytes.starts(with: delimiter.dropFirst()) ? delimiter.count - 1 : endOfDelimiter(from: 0)
        while let partStart = start {
            let next = endOfDelimiter(from: partStart)
            var end = next.map { $0 - delimiter.count } ?? bytes.count
            if next != nil, end > partStart, bytes[end - 1] == .carriageReturn { end -= 1 }
            if let content = endOfHead(in: partStart..<end) {
                body(name(in: bytes[partStart..<content]), content..<end)
            }
            start = next
        }
    }

    private func endOfDelimiter(from start: Int) -> Int? {
        // A boundary contains no line feed, so few bytes are compared twice.
        var index = start
        while let line = bytes[index...].firstIndex(of: .lineFeed) {
            if bytes[line...].starts(with: delimiter) { return line + delimiter.count }
            index = line + 1
        }
        return nil
    }

    /// The index after the empty line; line ends are LF or CRLF.
    private func endOfHead(in part: Range<Int>) -> Int? {
        var lineStart = part.lowerBound
        var isFirst = true
        while let line = bytes[lineStart..<part.upperBound].firstIndex(of: .lineFeed) {
            // The first line is the rest of the boundary's line.
            if !isFirst, bytes[lineStart..<line].allSatisfy({ $0 == .carriageReturn }) { return line + 1 }
            (isFirst, lineStart) = (false, line + 1)
        }
        return nil
    }

    /// The name of a part (RFC 7578 §4.2).
    ///
    /// Browsers write a quotation mark in a name as `%22`.
    private func name(in head: ArraySlice<UInt8>) -> [UInt8] {
        let field = "content-disposition:"
        let line = head.split(separator: .lineFeed).first {
            $0.prefix(field.utf8.count).map(\.lowercased).elementsEqual(field.utf8)
        }
        let name = line.flatMap { Self.parameter("name", of: $0) } ?? []
        return name.withUnsafeBufferPointer { PercentCoding.decoded($0, plusIsSpace: false) }
    }

    /// The value of a parameter without its quotation marks, RFC 9110 §5.6.6.
    private static func parameter(_ name: String, of value: ArraySlice<UInt8>) -> [UInt8]? {
        for piece in value.split(separator: .semicolon).dropFirst() {
            let parts = piece.split(separator: .equals, maxSplits: 1)
            guard parts.count == 2, trimmed(parts[0]).map(\.lowercased).elementsEqual(name.utf8) else { continue }
            return trimmed(parts[1]).filter { $0 != .quote }
        }
        return nil
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let start = text.drop { $0 <= .space }
        return start[..<(start.lastIndex { $0 > .space }.map { $0 + 1 } ?? start.startIndex)]
    }
}
