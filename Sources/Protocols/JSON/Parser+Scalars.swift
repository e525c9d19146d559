import Text

extension Parser {
    /// Parses the string whose opening quote is at `offset`.
    ///
    /// RFC 8259, section 7:
    ///
    ///     string = quotation-mark *char quotation-mark
    ///     unescaped = %x20-21 / %x23-5B / %x5D-10FFFF
    mutating func parseString() throws(JSONError) -> String {
        let opening = offset
        offset += 1
        let start = offset
        try skipUnescaped(from: opening)
        if bytes[offset] == .quote {
            offset += 1
            return text(start..<(offset - 1))
        }
        // There is an escape: copy the text around escapes and the decoded escapes.
        scratch.clear()
        scratch.append(copying: UnsafeBufferPointer(rebasing: bytes[start..<offset]))
        while bytes[offset] != .quote {
            try parseEscape()
            try skipUnescaped(from: opening, copying: true)
        }
        offset += 1
        return String(decoding: scratch.elements, as: UTF8.self)
    }

    private func text(_ range: Range<Int>) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    }

    /// Advances to the next quote or backslash over valid UTF-8 without control characters, and appends the skipped
    /// bytes to the scratch buffer if `copying`.
    @inline(__always)
    private mutating func skipUnescaped(from opening: Int, copying: Bool = false) throws(JSONError) {
        while offset < bytes.count {
            if let (word, count) = plainBytes() {
                if copying { scratch.append(word, count: count) }
                offset += count
                if count == 8 { continue }
            }
            let byte = bytes[offset]
            switch byte {
            case .quote, .backslash: return
            case 0..<0x20: throw failure(Messages.controlCharacter(byte), at: offset)
            case 0..<0x80:
                if copying { scratch.append(byte) }
                offset += 1
            default:
                let length = UTF8Sequence.length(at: offset, in: bytes)
                guard length > 0 else { throw failure(Messages.invalidUTF8(byte), at: offset) }
                if copying { scratch.append(copying: UnsafeBufferPointer(rebasing: bytes[offset..<(offset + length)])) }
                offset += length
            }
        }
        let position = TextPosition(of: opening, in: bytes)
        throw failure(Messages.unterminated(openedAt: position), at: offset)
    }

    /// The next eight bytes and the number of bytes before the first non-ASCII byte, control character, quote or
    /// backslash; nil if fewer than eight are left.
    @inline(__always)
    private func plainBytes() -> (word: UInt64, count: Int)? {
        guard offset + 8 <= bytes.count else { return nil }
        let start = bytes.baseAddress! + offset  // There are at least eight bytes.
        let word = UnsafeRawPointer(start).loadUnaligned(as: UInt64.self).littleEndian
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = word ^ (ones &* UInt64(UInt8.quote))
        let backslashes = word ^ (ones &* UInt64(UInt8.backslash))
        // Subtraction sets the high bit of bytes that are too small. A borrow may also mark higher bytes, but the
        // lowest mark is correct.
        let small = (word &- ones &* 0x20) & ~word | (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes
        return (word, ((word | small) & (ones &* 0x80)).trailingZeroBitCount >> 3)
    }

    /// Decodes the escape at `offset` into the scratch buffer.
    ///
    /// RFC 8259, section 7:
    ///
    ///     char = unescaped / escape ( %x22 / %x5C / %x2F / %x62 / %x66 / %x6E / %x72 / %x74 / %x75 4HEXDIG )
    private mutating func parseEscape() throws(JSONError) {
        let escape = offset
        guard offset + 1 < bytes.count else { throw failure(Messages.escape(found: .end), at: bytes.count) }
        let character = bytes[offset + 1]
        offset += 2
        switch character {
        case .quote, .backslash, UInt8(ascii: "/"): scratch.append(character)
        case UInt8(ascii: "b"): scratch.append(0x08)
        case UInt8(ascii: "f"): scratch.append(0x0C)
        case UInt8(ascii: "n"): scratch.append(.lineFeed)
        case UInt8(ascii: "r"): scratch.append(.carriageReturn)
        case UInt8(ascii: "t"): scratch.append(.tab)
        case UInt8(ascii: "u"): for byte in try parseUnicodeEscape(at: escape).utf8 { scratch.append(byte) }
        default: throw failure(Messages.escape(found: found(at: escape + 1)), at: escape)
        }
    }

    /// Decodes `XXXX` and the second half of a surrogate pair.
    ///
    /// RFC 8259, section 8.2: a lone surrogate makes "the behavior of software that receives JSON texts […]
    /// unpredictable". A Swift string cannot contain one, so it is rejected.
    private mutating func parseUnicodeEscape(at escape: Int) throws(JSONError) -> Unicode.Scalar {
        let first = try parseHexDigits()
        if let scalar = Unicode.Scalar(first) { return scalar }
        let isPair = offset + 1 < bytes.count && bytes[offset] == .backslash && bytes[offset + 1] == UInt8(ascii: "u")
        guard first < 0xDC00, isPair else { throw failure(Messages.loneSurrogate(first), at: escape) }
        offset += 2
        let second = try parseHexDigits()
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x1_0000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw failure(Messages.loneSurrogate(first), at: escape) }
        return scalar
    }

    private mutating func parseHexDigits() throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard offset < bytes.count, let digit = bytes[offset].hexValue else {
                throw failure(Messages.hexDigit(found: found(at: offset)), at: offset)
            }
            value = value << 4 | UInt32(digit)
            offset += 1
        }
        return value
    }

    mutating func parseNumber() throws(JSONError) -> JSONNumber {
        let start = offset
        offset = try scanNumber()
        return JSONNumber(valid: String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<offset]), as: UTF8.self))
    }

    /// Finds the end of the number at `offset`.
    ///
    /// RFC 8259, section 6:
    ///
    ///     number = [ minus ] int [ frac ] [ exp ]
    ///     int = zero / ( digit1-9 *DIGIT )
    ///     frac = decimal-point 1*DIGIT
    ///     exp = e [ minus / plus ] 1*DIGIT
    mutating func scanNumber() throws(JSONError) -> Int {
        var index = offset
        if index < bytes.count, bytes[index] == .minus { index += 1 }
        let integer = index
        try skipDigits(&index, after: .minus)
        if bytes[integer] == .digitZero, index > integer + 1 { throw failure(Messages.leadingZero, at: integer) }
        if index < bytes.count, bytes[index] == .dot {
            index += 1
            try skipDigits(&index, after: .point)
        }
        if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            if index < bytes.count, bytes[index] == .plus || bytes[index] == .minus { index += 1 }
            try skipDigits(&index, after: .exponent)
        }
        return index
    }

    private func skipDigits(_ index: inout Int, after part: Place) throws(JSONError) {
        guard index < bytes.count, bytes[index].isDigit else {
            throw failure(Messages.digit(after: part, found: found(at: index)), at: index)
        }
        repeat { index += 1 } while index < bytes.count && bytes[index].isDigit
    }
}

/// Encodes strings, escaping only what must be escaped.
enum Escape {
    /// RFC 8259, section 7: "the characters that MUST be escaped: quotation mark, reverse solidus, and the control
    /// characters (U+0000 through U+001F)".
    static func isNeeded(_ byte: UInt8) -> Bool { byte < 0x20 || byte == .quote || byte == .backslash }

    /// Whether text needs no escapes.
    @inline(__always)
    static func isPlain(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        utf8.hasNone { $0.less(than: 0x20) | $0.equal(to: .quote) | $0.equal(to: .backslash) }
    }

    static func append(_ string: String, to output: inout [UInt8]) {
        var string = string
        string.withUTF8 { append($0, to: &output) }
    }

    /// Appends valid UTF-8 in double quotes, copying the text between escapes as a whole.
    static func append(_ utf8: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
        output.append(.quote)
        if isPlain(utf8) {
            output.append(contentsOf: utf8)
            return output.append(.quote)
        }
        var run = 0
        for index in 0..<utf8.count where isNeeded(utf8[index]) {
            output.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[run..<index]))
            append(escaped: utf8[index], to: &output)
            run = index + 1
        }
        output.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[run..<utf8.count]))
        output.append(.quote)
    }

    private static func append(escaped byte: UInt8, to output: inout [UInt8]) {
        output.append(.backslash)
        switch byte {
        case .quote, .backslash: output.append(byte)
        case 0x08: output.append(UInt8(ascii: "b"))
        case 0x0C: output.append(UInt8(ascii: "f"))
        case .lineFeed: output.append(UInt8(ascii: "n"))
        case .carriageReturn: output.append(UInt8(ascii: "r"))
        case .tab: output.append(UInt8(ascii: "t"))
        default:
            output.append(contentsOf: [UInt8(ascii: "u"), .digitZero, .digitZero, .digitZero + byte >> 4])
            output.append((byte & 0x0F).lowercaseHexDigit)
        }
    }

    /// The escape of one byte, for messages.
    static func text(of byte: UInt8) -> String {
        var output: [UInt8] = []
        append(escaped: byte, to: &output)
        return String(decoding: output, as: UTF8.self)
    }
}
