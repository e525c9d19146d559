import Text

/// Members of JSON objects and items of queries whose names mark them as secrets.
extension TextScan {
    /// Replaces the value of the member whose name may begin after the quote at an index.
    ///
    /// JSON within a JSON string has `\"` for each quote: all quotes of a level have the same number of backslashes.
    mutating func redactMember(at index: Int, _ table: inout SecretTable) {
        guard let name = name(from: index + 1), let kind = SecretKind(name.packed),
            let (level, next) = colonAfterName(endingAt: name.end), next < text.count
        else { return }
        switch text[next] {
        case .leftBracket:
            var element = skippingSpace(from: next + 1)
            while let end = redactString(at: element, level: level, kind, &table) {
                let comma = skippingSpace(from: end)
                guard hasByte(.comma, at: comma) else { return }
                element = skippingSpace(from: comma + 1)
            }
        case UInt8(ascii: "0")...UInt8(ascii: "9"): redactNumber(at: next, level: level, kind, &table)
        default: _ = redactString(at: next, level: level, kind, &table)
        }
    }

    /// The maximum length of a name, including underscores and hyphens.
    private static let longestName = 24

    /// The name that begins at an index and its end, or nil if it cannot be a secret's.
    private func name(from start: Int) -> (packed: PackedName, end: Int)? {
        var packed = PackedName()
        var index = start
        // And one for the closing quote.
        for _ in 0...Self.longestName {
            guard index < text.count else { return nil }
            if packed.append(text[index]) {
                index += 1
            } else if text[index] == .backslash, hasBytes("u", at: index + 1),
                let unit = text.hexCodeUnit(at: index + 2), unit < 0x80
            {
                guard packed.append(UInt8(unit)) else { return nil }
                index += 6
            } else {
                // The closing quote, which is escaped on inner levels.
                return text[index] == .quote || text[index] == .backslash ? (packed, index) : nil
            }
        }
        return nil
    }

    /// Replaces the contents of a string and returns the index after its closing quote, or nil if there is none.
    private mutating func redactString(
        at index: Int, level: Int, _ kind: SecretKind, _ table: inout SecretTable
    ) -> Int? {
        var start = index
        while hasByte(.backslash, at: start) { start += 1 }
        guard start - index == level, hasByte(.quote, at: start) else { return nil }
        start += 1
        let (end, next) = endOfString(from: start, level: level)
        // A credential may be preceded by its scheme, as in the field.
        if end - start > 7, slice(start..<(start + 7)).map({ $0 | 0x20 }).elementsEqual("bearer ".utf8) { start += 7 }
        guard end > start else { return next }
        var secret = Array(slice(start..<end))
        var escapes = level + 1
        while escapes > 0, secret.contains(.backslash) {
            secret = secret.withUnsafeBufferPointer { JSONEscapes.removed(from: $0) }
            escapes /= 2
        }
        replace(start..<end, with: table.placeholder(for: secret, kind))
        return next
    }

    /// The end of a string's contents and the index after its closing quote, or the text's end if it is torn.
    ///
    /// On each level, a quote within the contents has more backslashes, by a multiple of what escapes one backslash.
    private func endOfString(from start: Int, level: Int) -> (end: Int, next: Int) {
        var run = 0
        for index in start..<text.count {
            if text[index] == .backslash {
                run += 1
                continue
            }
            if text[index] == .quote, run % (2 * (level + 1)) == level { return (index - level, index + 1) }
            run = 0
        }
        return (text.count, text.count)
    }

    /// Replaces a number of four digits or more with a string; shorter ones are counts.
    private mutating func redactNumber(at start: Int, level: Int, _ kind: SecretKind, _ table: inout SecretTable) {
        var end = start
        while end < text.count, text[end].isDigit { end += 1 }
        let isWhole = end == text.count || (text[end] != .dot && text[end] | 0x20 != UInt8(ascii: "e"))
        guard end - start >= 4, isWhole else { return }
        let quote = [UInt8](repeating: .backslash, count: level) + [.quote]
        replace(start..<end, with: quote + table.placeholder(for: Array(slice(start..<end)), kind) + quote)
    }

    /// Replaces the value of the query item whose name may end before the `=` at an index.
    mutating func redactItem(at index: Int, isForm: Bool, _ table: inout SecretTable) {
        var start = index
        // Each byte of a name may be percent-encoded.
        while start > copied, index - start <= 3 * Self.longestName + 5,
            text[start - 1].isWordCharacter || text[start - 1] == .percent
        {
            start -= 1
        }
        var name = slice(start..<index)
        switch start == 0 ? nil : text[start - 1] {
        case nil: guard isForm else { return }
        case .questionMark, .ampersand, .semicolon, .hash: break
        // Some JSON encoders write an ampersand this way.
        case .backslash where name.starts(with: "u0026".utf8): name = UnsafeBufferPointer(rebasing: name.dropFirst(5))
        default: return
        }
        guard let kind = PackedName(PercentCoding.decoded(name, plusIsSpace: false)).flatMap(SecretKind.init)
        else { return }
        var end = index + 1
        while end < text.count, !Self.endsItem(text[end]) { end += 1 }
        guard end > index + 1 else { return }
        let secret = PercentCoding.decoded(slice((index + 1)..<end), plusIsSpace: false)
        replace((index + 1)..<end, with: table.placeholder(for: secret, kind))
    }

    private static func endsItem(_ byte: UInt8) -> Bool { byte <= .space || #""\&#;<>'"#.utf8.contains(byte) }
}

/// The escapes of JSON in a text that need not be JSON.
enum JSONEscapes {
    /// Decodes a piece of a JSON string; invalid escapes stay as they are.
    static func removed(from text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            guard text[index] == .backslash, index + 1 < text.count else {
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
                // Halves of surrogate pairs become U+FFFD, which suffices because equal texts give equal results.
                let unit = text.hexCodeUnit(at: index)
                if unit != nil { index += 4 }
                let scalar = unit.flatMap { Unicode.Scalar($0) } ?? "\u{FFFD}"
                bytes.append(contentsOf: String(Character(scalar)).utf8)
            case let byte: bytes.append(byte)
            }
        }
        return bytes
    }
}
