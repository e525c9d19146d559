import Text

extension ValueScanner {
    /// What in a word is an id: all of it, or the UUID at its end, as in `goal_550e8400-…`.
    static func id(in bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> FoundValue? {
        guard (6...ReplayLimits.valueLength).contains(range.count) else { return nil }
        let word = UnsafeBufferPointer(rebasing: bytes[range])
        if word.count >= 36, UnsafeBufferPointer(rebasing: word.suffix(36)).isUUID {
            let before = word.count > 36 ? word[word.count - 37] : UInt8(ascii: "_")
            guard !before.isAlphanumeric else { return nil }
            return FoundValue(range: (range.upperBound - 36)..<range.upperBound, kind: .id)
        }
        return word.isID ? FoundValue(range: range, kind: .id) : nil
    }

    /// Whether all of a text is one value.
    static func isValue(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { utf8 in
            var scanner = ValueScanner(utf8)
            return scanner.next()?.range == 0..<utf8.count
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// 36 characters of hexadecimal digits and hyphens (RFC 9562 §4), in either case.
    var isUUID: Bool {
        guard count == 36 else { return false }
        return indices.allSatisfy { index in
            switch index {
            case 8, 13, 18, 23: self[index] == UInt8(ascii: "-")
            default: self[index].isHexDigit
            }
        }
    }

    /// A number of 6 digits or more, a placeholder of redaction, or a text that nobody writes by hand.
    fileprivate var isID: Bool {
        if allSatisfy(\.isDigit) { return count <= 40 }
        if isPlaceholder { return true }
        guard count >= 16 else { return false }
        var (digits, upper, lower) = (0, 0, 0)
        for byte in self {
            if byte.isDigit { digits += 1 }
            if byte.isUppercaseLetter { upper += 1 }
            if byte.isLowercaseLetter { lower += 1 }
        }
        guard digits > 0 else { return false }
        // A third of the digits, letters of both cases, a ULID, or hexadecimal digits with or without a prefix.
        if digits * 3 >= count || (upper > 0 && lower > 0) { return true }
        if count == 26, lower == 0 { return true }
        var tail = 0
        for byte in reversed() {
            guard byte.isHexDigit else { break }
            tail += 1
        }
        return tail >= 16 && (tail == count || !self[count - tail - 1].isAlphanumeric)
    }

    /// `redacted-token-1`: what redaction leaves of a secret.
    var isPlaceholder: Bool {
        let prefix = "redacted-".utf8
        guard count > prefix.count + 1, starts(with: prefix), self[count - 1].isDigit else { return false }
        return true
    }

    /// A local part, one `@`, and a domain with a dot.
    var isEmailAddress: Bool {
        guard let at = firstIndex(of: UInt8(ascii: "@")), at > 0, at + 1 < count else { return false }
        let domain = self[(at + 1)...]
        guard !domain.contains(UInt8(ascii: "@")), let dot = domain.lastIndex(of: UInt8(ascii: ".")) else {
            return false
        }
        return dot > at + 1 && dot + 1 < count && domain.allSatisfy { $0 != UInt8(ascii: "_") }
    }

    /// Three parts of base64url between dots, of which the first begins an object (RFC 7519).
    var isWebToken: Bool {
        guard count >= 20, starts(with: "eyJ".utf8) else { return false }
        var dots = 0
        for byte in self {
            if byte == UInt8(ascii: ".") { dots += 1 } else if !ValueScanner.isWordByte(byte) { return false }
        }
        return dots == 2
    }
}
