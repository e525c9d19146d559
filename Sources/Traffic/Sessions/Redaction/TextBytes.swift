/// The bytes of texts in which secrets are looked for.
enum TextBytes {
    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")
    static let percent = UInt8(ascii: "%")
    static let at = UInt8(ascii: "@")
    static let dot = UInt8(ascii: ".")
    static let equals = UInt8(ascii: "=")

    static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }
    static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
    static func isAlphanumeric(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) }

    /// Whether a URL may hold it as it is: `unreserved`, RFC 3986 §2.3.
    static func isUnreserved(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || byte == UInt8(ascii: "-") || byte == dot || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: "~")
    }

    /// What the names of members and query items are made of.
    static func isName(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }

    static func isJSONSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    static func upperHex(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x41 + value - 10 }

    static func hexValue(_ byte: UInt8) -> UInt8? {
        if isDigit(byte) { return byte - 0x30 }
        let letter = (byte | 0x20) &- 0x61
        return letter < 6 ? letter + 10 : nil
    }

    /// The byte that `%XX` at an index stands for.
    static func percentDecoded(at index: Int, in text: UnsafeBufferPointer<UInt8>) -> UInt8? {
        guard index + 2 < text.count, text[index] == percent, let high = hexValue(text[index + 1]),
            let low = hexValue(text[index + 2])
        else { return nil }
        return high << 4 | low
    }

    /// A piece of a URL with every `%XX` decoded.
    static func percentDecoded(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            if let byte = percentDecoded(at: index, in: text) {
                bytes.append(byte)
                index += 3
            } else {
                bytes.append(text[index])
                index += 1
            }
        }
        return bytes
    }

    /// A piece of a JSON string without its escapes; what is no escape stays as it is.
    static func unescaped(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            guard text[index] == backslash, index + 1 < text.count else {
                bytes.append(text[index])
                index += 1
                continue
            }
            index += 2
            switch text[index - 1] {
            case UInt8(ascii: "n"): bytes.append(0x0A)
            case UInt8(ascii: "r"): bytes.append(0x0D)
            case UInt8(ascii: "t"): bytes.append(0x09)
            case UInt8(ascii: "b"): bytes.append(0x08)
            case UInt8(ascii: "f"): bytes.append(0x0C)
            case UInt8(ascii: "u"):
                // Halves of surrogate pairs become U+FFFD: alike for equal texts, which is all that is asked here.
                let unit = hexUnit(at: index, in: text)
                if unit != nil { index += 4 }
                let scalar = unit.flatMap { Unicode.Scalar($0) } ?? "\u{FFFD}"
                bytes.append(contentsOf: String(Character(scalar)).utf8)
            case let byte: bytes.append(byte)
            }
        }
        return bytes
    }

    /// The four hexadecimal digits at an index.
    static func hexUnit(at index: Int, in text: UnsafeBufferPointer<UInt8>) -> UInt16? {
        guard index + 4 <= text.count else { return nil }
        var unit: UInt16 = 0
        for offset in index..<(index + 4) {
            guard let digit = hexValue(text[offset]) else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }
}
