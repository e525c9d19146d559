import HTTPTypes
import Text

/// Field lines in order of arrival, including duplicates, with case-insensitive lookup by name.
///
/// Lookups compare the received bytes; strings are created on access. Values are decoded as UTF-8; bytes that are not
/// UTF-8 (obs-text, RFC 9110 §5.5) become U+FFFD.
public struct FieldBlock: Sendable {
    var bytes: [UInt8]
    var lines: [FieldLine]
    init(bytes: [UInt8], lines: [FieldLine]) { (self.bytes, self.lines) = (bytes, lines) }
    public init() { self.init(bytes: [], lines: []) }

    public init(_ fields: HTTPFields) {
        var bytes: [UInt8] = []
        var lines: [FieldLine] = []
        for field in fields {
            let start = bytes.count
            bytes.append(contentsOf: field.name.rawName.utf8)
            let colon = bytes.count
            bytes.append(contentsOf: field.value.utf8)
            lines.append(FieldLine(name: ByteRange(start, colon), value: ByteRange(colon, bytes.count)))
        }
        self.init(bytes: bytes, lines: lines)
    }

    /// Whether these field lines share their storage with another head's lines on this connection.
    ///
    /// Repeated lines are stored once; different storage may hold identical lines.
    public func isSame(as other: FieldBlock) -> Bool {
        !bytes.isEmpty
            && bytes.withUnsafeBufferPointer { $0.baseAddress }
                == other.bytes.withUnsafeBufferPointer { $0.baseAddress }
    }

    public var count: Int { lines.count }
    public func contains(_ name: HTTPField.Name) -> Bool { withFirstValue(of: name) { _ in true } ?? false }

    /// All of the field's values joined with `, ` (RFC 9110 §5.2), or nil.
    public subscript(name: HTTPField.Name) -> String? {
        var joined: String?
        forEachValue(of: name) { value in
            let text = String(decoding: value, as: UTF8.self)
            joined = joined.map { $0 + ", " + text } ?? text
            return true
        }
        return joined
    }

    /// The field's values in order of arrival.
    public func values(_ name: HTTPField.Name) -> [String] {
        var values: [String] = []
        forEachValue(of: name) { value in
            values.append(String(decoding: value, as: UTF8.self))
            return true
        }
        return values
    }

    /// Passes the bytes of the field's first value to a closure without copying them; returns nil if there is none.
    ///
    /// The buffer is valid only during the call.
    public func withFirstValue<R>(of name: HTTPField.Name, _ body: (UnsafeBufferPointer<UInt8>) -> R) -> R? {
        var result: R?
        forEachValue(of: name) { value in
            result = body(value)
            return false
        }
        return result
    }

    /// Whether the field's first value has exactly these bytes; nil if there is none.
    ///
    /// The comparison takes constant time, so it is safe for secrets.
    public func firstValue(of name: HTTPField.Name, is expected: [UInt8]) -> Bool? {
        var result: Bool?
        forEachValue(of: name) { value in
            result = expected.withUnsafeBufferPointer { $0.equalsInConstantTime(value) }
            return false
        }
        return result
    }

    /// Whether there is exactly one such field, and its value has exactly these bytes.
    public func onlyValue(of name: HTTPField.Name, is expected: [UInt8]) -> Bool {
        var (count, isEqual) = (0, false)
        forEachValue(of: name) { value in
            count += 1
            isEqual = count == 1 && value.elementsEqual(expected)
            return count == 1
        }
        return isEqual
    }

    /// Whether the comma-separated value of any such field lists the token, ignoring case.
    public func hasToken(_ token: String, in name: HTTPField.Name) -> Bool {
        var token = token
        return token.withUTF8 { wanted in
            var found = false
            forEachValue(of: name) { value in
                let elements = ListElements(value, ByteRange(0, value.count))
                found = elements.contains { !$0.isEmpty && value[$0].equalsIgnoringCase(wanted) }
                return !found
            }
            return found
        }
    }

    /// The field lines in order of arrival, with the names in their original case.
    public var nameValuePairs: [(name: String, value: String)] {
        bytes.withUnsafeBufferPointer { bytes in
            lines.map { line in
                (String(decoding: bytes[line.name], as: UTF8.self), String(decoding: bytes[line.value], as: UTF8.self))
            }
        }
    }

    /// All fields; slow to create.
    public var httpFields: HTTPFields {
        var fields = HTTPFields()
        bytes.withUnsafeBufferPointer { bytes in
            for line in lines {
                guard let name = HTTPField.Name(String(decoding: bytes[line.name], as: UTF8.self)) else { continue }
                fields.append(HTTPField(name: name, lenientValue: bytes[line.value]))
            }
        }
        return fields
    }

    /// Calls `body` with each of the field's values until it returns false.
    private func forEachValue(of name: HTTPField.Name, _ body: (Bytes) -> Bool) {
        var canonical = name.canonicalName
        canonical.withUTF8 { wanted in
            bytes.withUnsafeBufferPointer { bytes in
                for line in lines where line.name.count == wanted.count && bytes[line.name].equalsIgnoringCase(wanted) {
                    if !body(bytes[line.value]) { return }
                }
            }
        }
    }
}

extension Bytes {
    func equalsIgnoringCase(_ other: Bytes) -> Bool {
        guard count == other.count else { return false }
        for index in 0..<count where self[index].lowercased != other[index].lowercased { return false }
        return true
    }
}

/// How much of the header limits a message has used; trailers continue the head's count.
struct FieldSection: Sendable {
    private(set) var byteCount = 0
    private(set) var lineCount = 0

    mutating func admit(lineLength: Int, _ limits: Limits) throws(RemoteError) {
        byteCount += lineLength
        guard byteCount <= limits.headerBlock else { throw .headerBlockTooLarge(limits.headerBlock) }
        lineCount += 1
        guard lineCount <= limits.fieldCount else { throw .tooManyFields(limits.fieldCount) }
    }

    /// Rejects an unfinished line as soon as no continuation of it could fit within the limit.
    ///
    /// A lone CR may still become the empty line that ends the section, and that line does not count.
    func checkPending(_ bytes: Bytes, from start: Int, _ limits: Limits) throws(RemoteError) {
        let length = bytes.count - start
        if length == 0 || (length == 1 && bytes[start] == .carriageReturn) { return }
        guard byteCount + length + 1 <= limits.headerBlock else { throw .headerBlockTooLarge(limits.headerBlock) }
    }

    /// The line without its line end; empty at the end of the section.
    ///
    /// "A recipient MAY recognize a single LF as a line terminator" (RFC 9112 §2.2). This code does not, because peers
    /// that differ in this would see different messages in the same bytes.
    mutating func line(
        _ bytes: Bytes, from start: Int, lineFeed: Int, _ limits: Limits
    ) throws(RemoteError) -> ByteRange {
        let hasCarriageReturn = lineFeed > start && bytes[lineFeed - 1] == .carriageReturn
        if hasCarriageReturn && lineFeed - 1 == start { return .empty }
        try admit(lineLength: lineFeed + 1 - start, limits)
        guard hasCarriageReturn else { throw .bareLineFeed(Excerpt(bytes, ByteRange(start, lineFeed + 1))) }
        return ByteRange(start, lineFeed - 1)
    }
}

/// The trimmed elements of a comma-separated field value, including empty elements.
///
/// `#element => [ element ] *( OWS "," OWS [ element ] )` (RFC 9110 §5.6.1.2). Commas in quoted strings are not
/// special, because no list in this module has quoted strings.
struct ListElements: Sequence, IteratorProtocol {
    private let bytes: Bytes
    private var position: Int
    private let end: Int
    init(_ bytes: Bytes, _ range: ByteRange) { (self.bytes, position, end) = (bytes, range.lower, range.upper) }

    mutating func next() -> ByteRange? {
        guard position <= end else { return nil }
        let start = position
        var index = start
        while index < end, bytes[index] != .comma { index += 1 }
        position = index + 1
        return bytes.trimmingWhitespace(ByteRange(start, index))
    }
}

extension HTTPField.Name {
    /// The Host field, which HTTPTypes reserves for its own pseudo-header fields.
    public static let hostField = HTTPField.Name("Host")!  // A token is always accepted.
}
