import Text

/// Parses a JSON text in one pass.
///
/// Open arrays and objects are on a separate stack, so no text can overflow the thread's stack. Finished values are on
/// another stack until their container closes.
struct Parser: ~Copyable {
    let bytes: UnsafeBufferPointer<UInt8>
    let limits: JSON.Limits
    var offset = 0
    /// A reusable buffer for strings with escapes.
    var scratch = Stack<UInt8>()
    private var containers = Stack<Container>()
    private var elements = Stack<JSONValue>()
    /// The open members; null stands for a value until it is complete.
    private var members = Stack<JSONObject.Element>()
    private var valueCount = 0

    /// An open array or object and the start of its contents on the value stack.
    private struct Container {
        var isObject: Bool
        var start: Int
    }

    init(_ bytes: UnsafeBufferPointer<UInt8>, limits: JSON.Limits) { (self.bytes, self.limits) = (bytes, limits) }

    /// RFC 8259, section 2: `JSON-text = ws value ws`.
    mutating func parseText() throws(JSONError) -> JSONValue {
        guard bytes.count <= limits.bytes else {
            throw failure(Messages.tooManyBytes(bytes.count, limit: limits.bytes), at: limits.bytes)
        }
        // RFC 8259, section 8.1: "Implementations MUST NOT add a byte order mark".
        if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF {
            throw failure(Messages.byteOrderMark, at: 0)
        }

        var place = Place.start
        while true {
            skipWhitespace()
            guard var value = try openOrParseScalar(after: &place) else { continue }
            // The value is complete; add it to its container, which may then also be complete.
            while true {
                try countValue()
                skipWhitespace()
                guard !containers.isEmpty else {
                    guard offset == bytes.count else {
                        throw failure(Messages.trailing(found: found(at: offset)), at: offset)
                    }
                    return value
                }
                if containers.top.isObject {
                    members.top.value = consume value
                    if try nextFollows(close: .rightBrace, place: .memberValue) {
                        place = .comma
                        try parseName(after: place)
                        place = .colon
                        break
                    }
                } else {
                    elements.append(consume value)
                    if try nextFollows(close: .rightBracket, place: .element) {
                        place = .comma
                        break
                    }
                }
                value = closeContainer()
            }
        }
    }

    /// Parses a scalar or an empty container, or opens a container and returns nil.
    private mutating func openOrParseScalar(after place: inout Place) throws(JSONError) -> JSONValue? {
        guard offset < bytes.count else { throw failure(Messages.value(after: place, found: .end), at: offset) }
        switch bytes[offset] {
        case .quote: return .string(try parseString())
        case .leftBrace:
            try open(isObject: true)
            skipWhitespace()
            if offset < bytes.count, bytes[offset] == .rightBrace {
                offset += 1
                return closeContainer()
            }
            try parseName(after: .brace)
            place = .colon
            return nil
        case .leftBracket:
            try open(isObject: false)
            skipWhitespace()
            if offset < bytes.count, bytes[offset] == .rightBracket {
                offset += 1
                return closeContainer()
            }
            place = .bracket
            return nil
        case .minus, .digitZero...(.digitZero + 9): return .number(try parseNumber())
        case UInt8(ascii: "t") where take("true"): return .bool(true)
        case UInt8(ascii: "f") where take("false"): return .bool(false)
        case UInt8(ascii: "n") where take("null"): return .null
        default: throw failure(Messages.value(after: place, found: found(at: offset)), at: offset)
        }
    }

    private mutating func open(isObject: Bool) throws(JSONError) {
        guard containers.count < limits.depth else { throw failure(Messages.tooDeep(limit: limits.depth), at: offset) }
        offset += 1
        containers.append(Container(isObject: isObject, start: isObject ? members.count : elements.count))
    }

    private mutating func closeContainer() -> JSONValue {
        let container = containers.removeLast()
        return container.isObject
            ? .object(JSONObject(consuming: members.removeAll(from: container.start)))
            : .array(elements.removeAll(from: container.start))
    }

    /// Consumes the comma or closing bracket after a value; returns true for the comma.
    private mutating func nextFollows(close: UInt8, place: Place) throws(JSONError) -> Bool {
        if offset < bytes.count {
            let byte = bytes[offset]
            if byte == .comma || byte == close {
                offset += 1
                return byte == .comma
            }
        }
        throw failure(Messages.separator(after: place, found: found(at: offset)), at: offset)
    }

    /// RFC 8259, section 4: `member = string name-separator value`.
    private mutating func parseName(after place: Place) throws(JSONError) {
        skipWhitespace()
        guard offset < bytes.count, bytes[offset] == .quote else {
            throw failure(Messages.name(after: place, found: found(at: offset)), at: offset)
        }
        let key = try parseString()
        skipWhitespace()
        guard offset < bytes.count, bytes[offset] == .colon else {
            throw failure(Messages.colon(after: key, found: found(at: offset)), at: offset)
        }
        offset += 1
        members.append((key, .null))
    }

    private mutating func countValue() throws(JSONError) {
        valueCount += 1
        if valueCount > limits.values { throw failure(Messages.tooManyValues(limit: limits.values), at: offset) }
    }

    private mutating func skipWhitespace() {
        while offset < bytes.count, bytes[offset].isJSONWhitespace { offset += 1 }
    }

    /// Consumes a literal name, which must not be a prefix of a longer word such as `nullable`.
    private mutating func take(_ literal: StaticString) -> Bool {
        let end = offset + literal.utf8CodeUnitCount
        guard end <= bytes.count else { return false }
        for index in 0..<literal.utf8CodeUnitCount where bytes[offset + index] != literal.utf8Start[index] {
            return false
        }
        if end < bytes.count, bytes[end].isAlphanumeric { return false }
        offset = end
        return true
    }

    func failure(_ message: String, at offset: Int) -> JSONError { JSONError(message, at: offset, in: bytes) }
    func found(at offset: Int) -> Found { .at(offset, in: bytes) }
}

extension UInt8 {
    /// RFC 8259 §2: `ws = *( %x20 / %x09 / %x0A / %x0D )`.
    @inlinable public var isJSONWhitespace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
}
