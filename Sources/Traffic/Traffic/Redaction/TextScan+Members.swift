import Text

/// Members of JSON objects and items of queries whose names mark them as secrets.
extension TextScan {
    /// Replaces the value of the member whose name may end at a quote.
    ///
    /// JSON within a JSON string has `\"` for each quote: all quotes of a level have the same number of backslashes.
    mutating func redactMember(endingAt quote: Int, _ table: inout SecretTable) {
        guard let next = colonAfterName(endingAt: quote)?.next, next < text.count else { return }
        var end = quote
        while end > 0, text[end - 1] == .backslash { end -= 1 }
        let level = quote - end
        guard let kind = kind(ofNameEndingAt: end, level: level) else { return }
        switch text[next] {
        case .leftBrace, .leftBracket:
            guard container == nil else { return }
            container = Container(kind: kind, level: level)
            containerResumes = next
        case let byte where byte.isDigit: redactNumber(at: next, level: level, kind, &table)
        default: redactString(at: next, level: level, kind, &table)
        }
    }

    /// The maximum length of a name's ending that decides, as written.
    private static let longestEnding = 200

    private func kind(ofNameEndingAt end: Int, level: Int) -> SecretKind? {
        var (start, isEscaped) = (end, false)
        while start > 0, end - start < Self.longestEnding, text[start - 1] != .quote {
            start -= 1
            isEscaped = isEscaped || text[start] == .backslash
        }
        let name = slice(start..<end)
        guard isEscaped else { return SecretKind(name) }
        return unescaped(name, level: level).withUnsafeBufferPointer { SecretKind($0) }
    }

    /// Removes the escapes of a piece of a string and of the strings that it is in.
    private func unescaped(_ piece: UnsafeBufferPointer<UInt8>, level: Int) -> [UInt8] {
        var bytes = Array(piece)
        var escapes = level + 1
        while escapes > 0, bytes.contains(.backslash) {
            bytes = bytes.withUnsafeBufferPointer { JSONEscapes.removed(from: $0) }
            escapes /= 2
        }
        return bytes
    }

    /// An object or an array that is a secret's value, so that everything inside is secret as well.
    struct Container {
        var kind: SecretKind
        /// The number of backslashes before each quote.
        var level: Int
        var depth = 0
    }

    /// Replaces the string or the number that begins at an index between the tokens of the container.
    ///
    /// Names stay, and are searched like other text.
    /// - Returns: Whether the byte needs no other search.
    mutating func redactContent(at index: Int, _ table: inout SecretTable) -> Bool {
        guard let container else { return false }
        let (byte, level) = (text[index], container.level)
        switch byte {
        case .leftBrace, .leftBracket: self.container?.depth += 1
        case .rightBrace, .rightBracket:
            if container.depth > 1 { self.container?.depth -= 1 } else { leaveContainer() }
        case _ where text[index...].prefix(level).allSatisfy { $0 == .backslash } && hasByte(.quote, at: index + level):
            let next = endOfString(from: index + level + 1, level: level).next
            if hasByte(.colon, at: skippingSpace(from: next)) {
                containerResumes = next
            } else {
                redactString(at: index, level: level, container.kind, &table)
            }
        case _ where byte.isDigit: redactNumber(at: index, level: level, container.kind, &table)
        case .comma, .colon, .minus: return false
        case _ where byte.isJSONWhitespace || byte.isLowercaseLetter: return false
        default:
            leaveContainer()
            return false
        }
        return true
    }

    private mutating func leaveContainer() {
        container = nil
        containerResumes = .max
    }

    /// Continues after a value in the container, which ends if this is no JSON.
    private mutating func resumeContainer(after end: Int) {
        guard container != nil else { return }
        let next = skippingSpace(from: end)
        if next == text.count || ",]}".utf8.contains(text[next]) { containerResumes = end } else { leaveContainer() }
    }

    /// Replaces the contents of a string if one begins at an index.
    private mutating func redactString(at index: Int, level: Int, _ kind: SecretKind, _ table: inout SecretTable) {
        var start = index
        while hasByte(.backslash, at: start) { start += 1 }
        guard start - index == level, hasByte(.quote, at: start) else { return }
        start += 1
        let (end, next) = endOfString(from: start, level: level)
        resumeContainer(after: next)
        // A credential may be preceded by its scheme, as in the field.
        if end - start > 7, slice(start..<(start + 7)).map({ $0 | 0x20 }).elementsEqual("bearer ".utf8) { start += 7 }
        guard end > start else { return }
        replace(start..<end, with: table.placeholder(for: unescaped(slice(start..<end), level: level), kind))
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
        let end = text[start...].firstIndex { !$0.isAlphanumeric && !"+-.".utf8.contains($0) } ?? text.count
        resumeContainer(after: end)
        guard end - start >= 4, text[start..<end].allSatisfy(\.isDigit) else { return }
        let quote = [UInt8](repeating: .backslash, count: level) + [.quote]
        replace(start..<end, with: quote + table.placeholder(for: Array(slice(start..<end)), kind) + quote)
    }

    /// Replaces the value of the query item whose name may end before the `=` at an index.
    mutating func redactItem(at index: Int, isForm: Bool, _ table: inout SecretTable) {
        var start = index
        while start > copied, index - start <= Self.longestEnding, Self.isItemName(text[start - 1]) { start -= 1 }
        let name = slice(start..<index)
        switch start == 0 ? nil : text[start - 1] {
        case nil: guard isForm else { return }
        case .questionMark, .ampersand, .semicolon, .hash: break
        // Some JSON encoders write an ampersand this way.
        case .backslash where name.starts(with: "u0026".utf8): break
        default: return
        }
        let kind =
            name.contains(.percent)
            ? PercentCoding.decoded(name, plusIsSpace: false).withUnsafeBufferPointer { SecretKind($0) }
            : SecretKind(name)
        guard let kind else { return }
        var end = index + 1
        while end < text.count, !Self.endsItem(text[end]) { end += 1 }
        guard end > index + 1 else { return }
        let secret = PercentCoding.decoded(slice((index + 1)..<end), plusIsSpace: false)
        replace((index + 1)..<end, with: table.placeholder(for: secret, kind))
    }

    /// Word characters, each of which may be percent-encoded, and what nests names: `user[password]`, `user.password`.
    private static func isItemName(_ byte: UInt8) -> Bool { byte.isWordCharacter || "%[].".utf8.contains(byte) }

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
