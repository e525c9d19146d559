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
        // There is an escape: copy what stands between escapes, and what the escapes stand for.
        scratch.removeAll(keepingCapacity: true)
        var run = start
        while bytes[offset] != .quote {
            scratch.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[run..<offset]))
            try parseEscape()
            run = offset
            try skipUnescaped(from: opening)
        }
        scratch.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[run..<offset]))
        offset += 1
        return String(decoding: scratch, as: UTF8.self)
    }

    private func text(_ range: Range<Int>) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    }

    /// Moves to the next quote or backslash; what it passes is valid UTF-8 without control characters.
    private mutating func skipUnescaped(from opening: Int) throws(JSONError) {
        while offset < bytes.count {
            let byte = bytes[offset]
            switch byte {
            case .quote, .backslash: return
            case 0..<0x20: throw failure(Messages.controlCharacter(byte), at: offset)
            case 0..<0x80: offset += 1
            default:
                let length = UTF8Sequence.length(at: offset, in: bytes)
                guard length > 0 else { throw failure(Messages.invalidUTF8(byte), at: offset) }
                offset += length
            }
        }
        let position = TextPosition(of: opening, in: bytes)
        throw failure(Messages.unterminated(openedAt: position), at: offset)
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
        case UInt8(ascii: "u"): scratch.append(contentsOf: try parseUnicodeEscape(at: escape).utf8)
        default: throw failure(Messages.escape(found: found(at: escape + 1)), at: escape)
        }
    }

    /// Decodes `XXXX`, and the second half of a surrogate pair with it.
    ///
    /// RFC 8259, section 8.2: a lone surrogate makes "the behavior of software that receives JSON texts […]
    /// unpredictable"; a Swift string cannot hold one, so it is refused.
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
}
