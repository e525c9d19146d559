import Text

/// Scans the JSON text of one line without building a tree: members are located first and decoded on demand.
///
/// It is as strict as `JSON`, but reports only that the text is invalid, not where. It does not recurse.
struct LineCursor {
    let bytes: UnsafeBufferPointer<UInt8>
    var offset = 0

    /// The maximum depth of arrays and objects in a skipped value.
    static let depthLimit = 64

    /// The position of a value.
    struct Value {
        enum Kind: UInt8 { case absent, string, number, object, array, bool, null }

        /// Without quotation marks for strings, with brackets for the rest.
        var start: Int32 = 0
        var end: Int32 = 0
        var kind = Kind.absent
        var hasEscapes = false

        static let absent = Value()
        var isAbsent: Bool { kind == .absent }
        /// Absent, or null.
        var isNone: Bool { kind == .absent || kind == .null }
        var count: Int { Int(end - start) }
    }

    /// The text is not valid JSON, or is nested too deeply.
    struct NotJSON: Error {}

    init(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
    }

    @inline(__always)
    mutating func skipWhitespace() {
        while offset < bytes.count {
            switch bytes[offset] {
            case 0x20, 0x09, 0x0A, 0x0D: offset += 1
            default: return
            }
        }
    }

    /// Consumes a byte that must come next.
    @inline(__always)
    mutating func take(_ byte: UInt8) throws(NotJSON) {
        guard offset < bytes.count, bytes[offset] == byte else { throw NotJSON() }
        offset += 1
    }

    /// Whether only white space is left.
    mutating func isAtEnd() -> Bool {
        skipWhitespace()
        return offset == bytes.count
    }

    /// Returns the next member's name in an object whose brace was consumed, or nil after the last; the value comes
    /// next.
    @inline(__always)
    mutating func nextName(isFirst: inout Bool) throws(NotJSON) -> Value? {
        skipWhitespace()
        guard offset < bytes.count else { throw NotJSON() }
        if bytes[offset] == UInt8(ascii: "}") {
            offset += 1
            return nil
        }
        if !isFirst {
            try take(UInt8(ascii: ","))
            skipWhitespace()
        }
        isFirst = false
        let name = try string()
        skipWhitespace()
        try take(UInt8(ascii: ":"))
        return name
    }

    /// Whether another element follows in an array whose bracket was consumed.
    mutating func hasNextElement(isFirst: inout Bool) throws(NotJSON) -> Bool {
        skipWhitespace()
        guard offset < bytes.count else { throw NotJSON() }
        if bytes[offset] == UInt8(ascii: "]") {
            offset += 1
            return false
        }
        if !isFirst { try take(UInt8(ascii: ",")) }
        isFirst = false
        return true
    }

    /// Skips a value.
    @inline(__always)
    mutating func value() throws(NotJSON) -> Value {
        skipWhitespace()
        guard offset < bytes.count else { throw NotJSON() }
        switch bytes[offset] {
        case UInt8(ascii: "\""): return try string()
        case UInt8(ascii: "{"), UInt8(ascii: "["): return try container()
        default: return try scalar()
        }
    }

    /// Skips a number or a literal name.
    private mutating func scalar() throws(NotJSON) -> Value {
        let start = offset
        var value = Value()
        switch bytes[offset] {
        case UInt8(ascii: "t"): (value.kind, offset) = (.bool, try end(of: "true"))
        case UInt8(ascii: "f"): (value.kind, offset) = (.bool, try end(of: "false"))
        case UInt8(ascii: "n"): (value.kind, offset) = (.null, try end(of: "null"))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            value.kind = .number
            try number()
        default: throw NotJSON()
        }
        (value.start, value.end) = (Int32(start), Int32(offset))
        return value
    }

    private func end(of literal: StaticString) throws(NotJSON) -> Int {
        let end = offset + literal.utf8CodeUnitCount
        guard end <= bytes.count else { throw NotJSON() }
        for index in 0..<literal.utf8CodeUnitCount where bytes[offset + index] != literal.utf8Start[index] {
            throw NotJSON()
        }
        return end
    }

    /// RFC 8259, section 6: `number = [ minus ] int [ frac ] [ exp ]`.
    private mutating func number() throws(NotJSON) {
        if bytes[offset] == UInt8(ascii: "-") { offset += 1 }
        let integer = offset
        try digits()
        if bytes[integer] == UInt8(ascii: "0"), offset > integer + 1 { throw NotJSON() }
        if offset < bytes.count, bytes[offset] == UInt8(ascii: ".") {
            offset += 1
            try digits()
        }
        if offset < bytes.count, bytes[offset] | 0x20 == UInt8(ascii: "e") {
            offset += 1
            if offset < bytes.count, bytes[offset] == UInt8(ascii: "+") || bytes[offset] == UInt8(ascii: "-") {
                offset += 1
            }
            try digits()
        }
    }

    private mutating func digits() throws(NotJSON) {
        let start = offset
        while offset < bytes.count, bytes[offset].isDigit { offset += 1 }
        if offset == start { throw NotJSON() }
    }

    /// Skips an array or an object, with one bit for each open level.
    private mutating func container() throws(NotJSON) -> Value {
        let start = offset
        let kind: Value.Kind = bytes[offset] == UInt8(ascii: "{") ? .object : .array
        var objects: UInt64 = 0
        var depth = 0
        var isFirst = true
        repeat {
            if depth > 0 {
                let isObject = objects & 1 == 1
                let more =
                    isObject ? try nextName(isFirst: &isFirst) != nil : try hasNextElement(isFirst: &isFirst)
                guard more else {
                    objects >>= 1
                    depth -= 1
                    isFirst = false
                    continue
                }
                skipWhitespace()
                guard offset < bytes.count else { throw NotJSON() }
            }
            switch bytes[offset] {
            case UInt8(ascii: "\""): _ = try string()
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                guard depth < Self.depthLimit else { throw NotJSON() }
                objects = objects << 1 | (bytes[offset] == UInt8(ascii: "{") ? 1 : 0)
                depth += 1
                isFirst = true
                offset += 1
            default: _ = try scalar()
            }
        } while depth > 0
        return Value(start: Int32(start), end: Int32(offset), kind: kind)
    }
}
