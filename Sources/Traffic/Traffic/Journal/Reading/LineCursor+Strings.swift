import JSON
import Text

extension LineCursor {
    /// Scans a string, whose quotation mark comes next, and validates it, including its escapes.
    mutating func string() throws(NotJSON) -> Value {
        try take(UInt8(ascii: "\""))
        var value = Value(start: Int32(offset), kind: .string)
        while true {
            skipPlain()
            guard offset < bytes.count else { throw NotJSON() }
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                value.end = Int32(offset)
                offset += 1
                return value
            case UInt8(ascii: "\\"):
                value.hasEscapes = true
                _ = try escape()
            case 0..<0x20: throw NotJSON()
            default:
                let length = UTF8Sequence.length(at: offset, in: bytes)
                guard length > 0 else { throw NotJSON() }
                offset += length
            }
        }
    }

    /// Moves to the next byte that is a quotation mark, a backslash, a control character or not ASCII; eight bytes at a
    /// time.
    @inline(__always)
    private mutating func skipPlain() {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        guard let base = bytes.baseAddress else { return }
        while offset + 8 <= bytes.count {
            let word = UInt64(
                littleEndian: UnsafeRawPointer(base + offset).loadUnaligned(as: UInt64.self))
            let quotes = word ^ (ones &* 0x22)
            let backslashes = word ^ (ones &* 0x5C)
            // The high bit of a byte is set where the byte is zero, or below 0x20; the lowest one set is never wrong.
            let special =
                ((quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes | (word &- ones &* 0x20) & ~word
                    | word) & highs
            if special != 0 {
                offset += special.trailingZeroBitCount / 8
                return
            }
            offset += 8
        }
        while offset < bytes.count {
            let byte = bytes[offset]
            if byte < 0x20 || byte >= 0x80 || byte == .quote || byte == .backslash { return }
            offset += 1
        }
    }

    /// Scans an escape and returns its scalar.
    ///
    /// A lone half of a surrogate pair is refused because UTF-8 cannot represent it.
    private mutating func escape() throws(NotJSON) -> Unicode.Scalar {
        guard offset + 1 < bytes.count else { throw NotJSON() }
        let character = bytes[offset + 1]
        offset += 2
        switch character {
        case .quote, .backslash, .slash: return Unicode.Scalar(character)
        case UInt8(ascii: "b"): return "\u{08}"
        case UInt8(ascii: "f"): return "\u{0C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            let first = try hexDigits()
            if let scalar = Unicode.Scalar(first) { return scalar }
            guard first < 0xDC00 else { throw NotJSON() }
            try take(.backslash)
            try take(UInt8(ascii: "u"))
            let second = try hexDigits()
            guard (0xDC00...0xDFFF).contains(second),
                let scalar = Unicode.Scalar(0x1_0000 + (first - 0xD800) << 10 + (second - 0xDC00))
            else { throw NotJSON() }
            return scalar
        default: throw NotJSON()
        }
    }

    private mutating func hexDigits() throws(NotJSON) -> UInt32 {
        guard let unit = bytes.hexCodeUnit(at: offset) else { throw NotJSON() }
        offset += 4
        return UInt32(unit)
    }

    /// Decodes a string to UTF-8.
    func decoded(_ value: Value) -> [UInt8] {
        precondition(value.kind == .string, "only strings are decoded")
        let source = UnsafeBufferPointer(rebasing: bytes[Int(value.start)..<Int(value.end)])
        guard value.hasEscapes, let from = source.baseAddress else { return Array(source) }
        return Array(unsafeUninitializedCapacity: source.count) { target, count in
            guard let to = target.baseAddress else { return }
            // An escape is longer than its decoded form, so writing stays behind reading.
            var cursor = LineCursor(source)
            while cursor.offset < source.count {
                if cursor.offset + 8 <= source.count {
                    let word = UnsafeRawPointer(from + cursor.offset).loadUnaligned(as: UInt64.self)
                    let marks = UInt64(littleEndian: word) ^ 0x5C5C_5C5C_5C5C_5C5C
                    let found = (marks &- 0x0101_0101_0101_0101) & ~marks & 0x8080_8080_8080_8080
                    let plain = found == 0 ? 8 : found.trailingZeroBitCount / 8
                    // All eight are copied, and those after the backslash are overwritten.
                    UnsafeMutableRawPointer(to + count).storeBytes(of: word, as: UInt64.self)
                    count += plain
                    cursor.offset += plain
                    if plain == 8 { continue }
                } else if source[cursor.offset] != UInt8(ascii: "\\") {
                    to[count] = source[cursor.offset]
                    count += 1
                    cursor.offset += 1
                    continue
                }
                // JSON within JSON has hardly any other escapes than these.
                let escaped = source[cursor.offset + 1]
                if escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\") {
                    to[count] = escaped
                    count += 1
                    cursor.offset += 2
                    continue
                }
                guard let scalar = try? cursor.escape() else { preconditionFailure("the string was found valid") }
                for byte in scalar.utf8 {
                    to[count] = byte
                    count += 1
                }
            }
        }
    }

    /// Appends a decoded string.
    func append(_ value: Value, to output: inout [UInt8]) {
        if value.hasEscapes {
            output.append(contentsOf: decoded(value))
        } else {
            output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[Int(value.start)..<Int(value.end)]))
        }
    }

    /// Decodes a string.
    func text(_ value: Value) -> String {
        if value.hasEscapes { return String(decoding: decoded(value), as: UTF8.self) }
        return String(
            decoding: UnsafeBufferPointer(rebasing: bytes[Int(value.start)..<Int(value.end)]), as: UTF8.self)
    }

    /// Whether a string decodes to exactly this.
    @inline(__always)
    func string(_ value: Value, is expected: StaticString) -> Bool {
        if value.hasEscapes { return text(value) == expected.description }
        guard value.count == expected.utf8CodeUnitCount else { return false }
        let start = Int(value.start)
        for index in 0..<value.count where bytes[start + index] != expected.utf8Start[index] { return false }
        return true
    }

    /// The integer value of a number in any notation, or nil for a fraction and for values that do not fit.
    func integer<Integer: FixedWidthInteger>(_ value: Value, as type: Integer.Type = Integer.self) -> Integer? {
        guard value.kind == .number else { return nil }
        var result: Integer = 0
        for index in Int(value.start)..<Int(value.end) {
            let digit = bytes[index] &- UInt8(ascii: "0")
            guard digit < 10 else { return unusualInteger(value) }
            let (product, overflow) = result.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(Integer(digit))
            if overflow || carry { return nil }
            result = sum
        }
        return result
    }

    private func unusualInteger<Integer: FixedWidthInteger>(_ value: Value) -> Integer? {
        let text = String(
            decoding: UnsafeBufferPointer(rebasing: bytes[Int(value.start)..<Int(value.end)]), as: UTF8.self)
        return JSONNumber(text)?.int.flatMap { Integer(exactly: $0) }
    }
}
