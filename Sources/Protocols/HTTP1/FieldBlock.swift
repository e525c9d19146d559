import HTTPTypes
import Text

/// Field lines as they arrived: order kept, duplicates kept, looked up by name in any case.
///
/// The bytes of the head are kept and compared where they lie; nothing becomes a `String` before it is asked for.
/// Values are decoded as UTF-8; bytes that are not UTF-8 (obs-text, RFC 9110 §5.5) become U+FFFD.
public struct FieldBlock: Sendable {
    let bytes: [UInt8]
    let lines: [FieldLine]

    init(bytes: [UInt8], lines: [FieldLine]) {
        self.bytes = bytes
        self.lines = lines
    }

    /// No fields.
    public init() { self.init(bytes: [], lines: []) }

    /// A block with the given fields, as if they had arrived.
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

    /// The number of field lines.
    public var count: Int { lines.count }

    /// Whether a field of that name arrived.
    public func contains(_ name: HTTPField.Name) -> Bool { withFirstValue(of: name) { _ in true } ?? false }

    /// All values of that name joined with `, ` (RFC 9110 §5.2), or nil.
    public subscript(name: HTTPField.Name) -> String? {
        var joined: String?
        forEachValue(of: name) { value in
            let text = String(decoding: value, as: UTF8.self)
            joined = joined.map { $0 + ", " + text } ?? text
            return true
        }
        return joined
    }

    /// The values of that name in the order of their arrival.
    public func values(_ name: HTTPField.Name) -> [String] {
        var values: [String] = []
        forEachValue(of: name) { value in
            values.append(String(decoding: value, as: UTF8.self))
            return true
        }
        return values
    }

    /// The number of field lines of that name.
    public func count(of name: HTTPField.Name) -> Int {
        var count = 0
        forEachValue(of: name) { _ in
            count += 1
            return true
        }
        return count
    }

    /// Borrows the bytes of the first value of that name without copying; nil if there is none.
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

    /// Whether the first value of that name has exactly these bytes; nil if there is none.
    ///
    /// The time it takes tells nothing of the bytes: it serves for secrets too.
    public func firstValue(of name: HTTPField.Name, is expected: [UInt8]) -> Bool? {
        var result: Bool?
        forEachValue(of: name) { value in
            var difference: UInt8 = value.count == expected.count ? 0 : 1
            for index in 0..<min(value.count, expected.count) { difference |= value[index] ^ expected[index] }
            result = difference == 0
            return false
        }
        return result
    }

    /// Whether a comma-separated list has that token, in any case, in any of the fields of that name.
    public func hasToken(_ token: String, in name: HTTPField.Name) -> Bool {
        var token = token
        return token.withUTF8 { wanted in
            var found = false
            forEachValue(of: name) { value in
                var elements = ListElements(value, ByteRange(0, value.count))
                while !found, let element = elements.next() {
                    found = !element.isEmpty && value[element].equalsIgnoringCase(wanted)
                }
                return !found
            }
            return found
        }
    }

    /// All of it, for code that is not hot.
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

    /// Calls `body` with the value of each line of that name until it returns false.
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
    /// ASCII case-insensitive equality.
    func equalsIgnoringCase(_ other: Bytes) -> Bool {
        guard count == other.count else { return false }
        for index in 0..<count where self[index].lowercased != other[index].lowercased { return false }
        return true
    }
}
