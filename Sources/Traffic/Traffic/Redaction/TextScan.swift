import Text

/// Replaces the secrets in text in a single pass.
///
/// The scan works on bytes and does not require a well-formed document: documents may be truncated, concatenated or
/// inside a string. All other bytes stay unchanged. This takes linear time.
struct TextScan {
    let text: UnsafeBufferPointer<UInt8>
    /// The redacted text so far.
    private(set) var output: [UInt8] = []
    /// How much of the text the output covers.
    private(set) var copied = 0
    /// The number of comparisons with known secrets.
    ///
    /// ``SecretTable`` bounds it.
    private(set) var steps = 0

    /// The object or array with a secret's name that surrounds the current index.
    var container: Container?
    /// The end of the container's current name or value, or a number greater than any index if there is no container.
    var containerResumes = Int.max

    init(_ text: UnsafeBufferPointer<UInt8>) { self.text = text }

    enum Content {
        /// JSON, URLs and words.
        case text
        /// Query-style items, such as `name=value&name=value`.
        case form
        /// Binary data; only known secrets are replaced, because any bytes may look like an address.
        case binary
    }

    /// Returns the redacted text, or nil if nothing changed.
    static func redacted(
        _ text: UnsafeBufferPointer<UInt8>, as content: Content, _ table: inout SecretTable
    ) -> [UInt8]? {
        var scan = TextScan(text)
        scan.run(content, &table)
        guard scan.copied > 0 else { return nil }
        scan.output.append(contentsOf: text[scan.copied...])
        return scan.output
    }

    mutating func run(_ content: Content, _ table: inout SecretTable) {
        let isText = content != .binary
        var index = 0
        var anchor: UInt64 = 0
        // After each replacement, the anchor needs eight new bytes.
        var anchorStart = 0
        // The end of the last known secret that was kept as a name; its bytes are not compared again.
        var nameEnd = 0
        while index < text.count {
            let byte = text[index]
            anchor = anchor << 8 | UInt64(byte)
            var match: (range: Range<Int>, placeholder: [UInt8])?
            if index - anchorStart >= 7 {
                let start = max(copied, nameEnd)
                match = table.match(anchor: anchor, endingAt: index + 1, in: text, from: start, steps: &steps)
                if let range = match?.range, isName(range) { (match, nameEnd) = (nil, range.upperBound) }
            }
            if let match {
                replace(match.range, with: match.placeholder)
            } else if index >= containerResumes, redactContent(at: index, &table) {
                // Inside the container, only names, brackets and short numbers are left.
            } else if isText {
                switch byte {
                case .quote: redactMember(endingAt: index, &table)
                case .equals: redactItem(at: index, isForm: content == .form, &table)
                case .colon where hasByte(.slash, at: index + 1) || hasByte(.backslash, at: index + 1):
                    redactUserInfo(after: index, &table)
                case .at: redactAddress(at: index, width: 1, &table)
                case .percent where hasBytes("40", at: index + 1): redactAddress(at: index, width: 3, &table)
                case .percent where hasBytes("3A%2F%2F", at: index + 1) || hasBytes("3a%2f%2f", at: index + 1):
                    redactUserInfo(at: index + 9, isEncoded: true, &table)
                case .backslash where hasBytes("u0040", at: index + 1): redactAddress(at: index, width: 6, &table)
                default: break
                }
            }
            if copied > index {
                index = copied
                anchorStart = copied
            } else {
                index += 1
            }
        }
    }

    func hasByte(_ expected: UInt8, at index: Int) -> Bool { index < text.count && text[index] == expected }

    func hasBytes(_ expected: StaticString, at index: Int) -> Bool {
        let end = index + expected.utf8CodeUnitCount
        return end <= text.count
            && text[index..<end].elementsEqual(
                UnsafeBufferPointer(start: expected.utf8Start, count: expected.utf8CodeUnitCount))
    }

    /// Replaces a range, which must follow all earlier replacements.
    mutating func replace(_ range: Range<Int>, with replacement: [UInt8]) {
        precondition(range.lowerBound >= copied, "replacements must be in order")
        output.append(contentsOf: text[copied..<range.lowerBound])
        output.append(contentsOf: replacement)
        copied = range.upperBound
    }

    /// Whether a known secret is used as the name of a member or item, so that replacing it would change the structure.
    private func isName(_ range: Range<Int>) -> Bool {
        guard range.lowerBound > 0 else { return false }
        switch text[range.lowerBound - 1] {
        case .quote: return colonAfterName(endingAt: range.upperBound) != nil
        case .questionMark, .ampersand: return hasByte(.equals, at: range.upperBound)
        default: return false
        }
    }

    /// The number of backslashes before a name's closing quote, and the index after its colon.
    func colonAfterName(endingAt end: Int) -> (level: Int, next: Int)? {
        var index = end
        while hasByte(.backslash, at: index) { index += 1 }
        let level = index - end
        guard hasByte(.quote, at: index) else { return nil }
        index = skippingSpace(from: index + 1)
        guard hasByte(.colon, at: index) else { return nil }
        return (level, skippingSpace(from: index + 1))
    }

    func skippingSpace(from start: Int) -> Int {
        var index = start
        while index < text.count, text[index].isJSONWhitespace { index += 1 }
        return index
    }

    func slice(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: text[range]) }

    /// Replaces the value of the member whose name may end at this quote.
    ///
    /// In JSON inside a JSON string, each quote is `\"`. All quotes on the same level have the same number of
    /// backslashes.
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

    /// The number of bytes examined at a name's end, including escapes.
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

    /// Removes the escapes of a string and of its enclosing strings.
    private func unescaped(_ piece: UnsafeBufferPointer<UInt8>, level: Int) -> [UInt8] {
        var bytes = Array(piece)
        var escapes = level + 1
        while escapes > 0, bytes.contains(.backslash) {
            bytes = bytes.withUnsafeBufferPointer { JSONEscapes.removed(from: $0) }
            escapes /= 2
        }
        return bytes
    }

    /// An object or array that is a secret's value; everything in it is secret too.
    struct Container {
        var kind: SecretKind
        /// The number of backslashes before each quote.
        var level: Int
        var depth = 0
    }

    /// Replaces a string or number that starts at the index in the container.
    ///
    /// Names are kept, and are searched like other text.
    /// - Returns: Whether the byte needs no further search.
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

    /// Continues after a value in the container; the container ends if invalid JSON follows.
    private mutating func resumeContainer(after end: Int) {
        guard container != nil else { return }
        let next = skippingSpace(from: end)
        if next == text.count || ",]}".utf8.contains(text[next]) { containerResumes = end } else { leaveContainer() }
    }

    /// Replaces the contents of a string that starts at the index, if any.
    private mutating func redactString(at index: Int, level: Int, _ kind: SecretKind, _ table: inout SecretTable) {
        var start = index
        while hasByte(.backslash, at: start) { start += 1 }
        guard start - index == level, hasByte(.quote, at: start) else { return }
        start += 1
        let (end, next) = endOfString(from: start, level: level)
        resumeContainer(after: next)
        // A scheme may precede the credential, as it does in the header field.
        if end - start > 7, slice(start..<(start + 7)).map({ $0 | 0x20 }).elementsEqual("bearer ".utf8) { start += 7 }
        guard end > start else { return }
        replace(start..<end, with: table.placeholder(for: unescaped(slice(start..<end), level: level), kind))
    }

    /// The end of a string's contents and the index after its closing quote, or the end of the text if the string is
    /// truncated.
    ///
    /// A quote inside the contents has more backslashes.
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

    /// Replaces a number of at least four digits with a string; shorter numbers are probably counts.
    private mutating func redactNumber(at start: Int, level: Int, _ kind: SecretKind, _ table: inout SecretTable) {
        let end = text[start...].firstIndex { !$0.isAlphanumeric && !"+-.".utf8.contains($0) } ?? text.count
        resumeContainer(after: end)
        guard end - start >= 4, text[start..<end].allSatisfy(\.isDigit) else { return }
        let quote = [UInt8](repeating: .backslash, count: level) + [.quote]
        replace(start..<end, with: quote + table.placeholder(for: Array(slice(start..<end)), kind) + quote)
    }

    /// Replaces the value of the query item whose name may end before this `=`.
    mutating func redactItem(at index: Int, isForm: Bool, _ table: inout SecretTable) {
        var start = index
        while start > copied, index - start <= Self.longestEnding, Self.isItemName(text[start - 1]) { start -= 1 }
        let name = slice(start..<index)
        switch start == 0 ? nil : text[start - 1] {
        case nil: guard isForm else { return }
        case .questionMark, .ampersand, .semicolon, .hash: break
        // Some JSON encoders write an ampersand as `\u0026`.
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

    /// Whether a byte may be in an item's name: word characters, percent-encoding, and nesting as in `user[password]`.
    private static func isItemName(_ byte: UInt8) -> Bool { byte.isWordCharacter || "%[].".utf8.contains(byte) }

    private static func endsItem(_ byte: UInt8) -> Bool { byte <= .space || #""\&#;<>'"#.utf8.contains(byte) }

    /// Replaces the address that has its `@`, `%40` or `\u0040` at the index.
    mutating func redactAddress(at index: Int, width: Int, _ table: inout SecretTable) {
        let start = startOfLocalPart(endingAt: index)
        guard table.mark == nil, start < index, var end = endOfDomain(from: index + width) else { return }
        // Text with more than one such sign is not an address, but may contain one.
        while end < text.count, text[end] == .at, let next = endOfDomain(from: end + 1) { end = next }
        let domain = slice((index + width)..<end)
        // Keep placeholders, so that redacting twice changes nothing.
        if domain.elementsEqual("redacted.example".utf8) { return }
        var address = plain(slice(start..<index))
        address.append(.at)
        address += plain(domain)
        let placeholder = table.placeholder(for: address.map(\.lowercased), .user)
        let parts = placeholder.split(separator: .at)
        if parts.count == 2 {
            replace(start..<end, with: Array(parts[0]) + slice(index..<(index + width)) + parts[1])
        } else {
            // Use the placeholder that it has as a cookie or token.
            replace(start..<end, with: placeholder)
        }
    }

    private func plain(_ part: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        let decoded = PercentCoding.decoded(part, plusIsSpace: false)
        guard decoded.contains(.backslash) else { return decoded }
        return decoded.withUnsafeBufferPointer { JSONEscapes.removed(from: $0) }
    }

    private func startOfLocalPart(endingAt end: Int) -> Int {
        var start = end
        walk: while start > copied {
            let byte = text[start - 1]
            switch byte {
            case .percent:
                // The loop took the digits for letters; they count only if the byte that they encode does.
                guard let decoded = PercentCoding.byte(at: start - 1, in: text), Self.isLocal(decoded) else {
                    start = min(start + 2, end)
                    break walk
                }
                start -= 1
            case .backslash:
                let isUnit = start < end && text[start] == UInt8(ascii: "u")
                guard isUnit, let unit = text.hexCodeUnit(at: start + 1), unit >= 0x80 || Self.isLocal(UInt8(unit))
                else {
                    // The letter after the backslash belongs to the escape.
                    start = min(start + (isUnit ? 5 : 1), end)
                    break walk
                }
                start -= 1
            default:
                guard Self.isLocal(byte) else { break walk }
                start -= 1
            }
        }
        while start < end, text[start] == UInt8(ascii: "'") || text[start] == .dot { start += 1 }
        return start
    }

    private static func isLocal(_ byte: UInt8) -> Bool {
        byte.isWordCharacter || byte >= 0x80 || byte == .dot || byte == .plus || byte == UInt8(ascii: "'")
    }

    /// The end of the longest domain that starts at the index, or nil.
    private func endOfDomain(from start: Int) -> Int? {
        var end: Int?
        var label = start
        var index = start
        while true {
            while index < text.count, isDomain(text[index]) { index += 1 }
            guard index > label else { return end }
            let first = text[label]
            if label > start, index - label >= 2, first.isLetter || first >= 0x80 { end = index }
            guard hasByte(.dot, at: index) else { return end }
            index += 1
            label = index
        }
    }

    private func isDomain(_ byte: UInt8) -> Bool { byte.isAlphanumeric || byte >= 0x80 || byte == .minus }

    /// Replaces the userinfo if this `:` ends a URL's scheme; in JSON, the text may be `:\/\/`.
    mutating func redactUserInfo(after colon: Int, _ table: inout SecretTable) {
        if hasBytes("//", at: colon + 1) {
            redactUserInfo(at: colon + 3, &table)
        } else if hasBytes(#"\/\/"#, at: colon + 1) {
            redactUserInfo(at: colon + 5, &table)
        }
    }

    /// Replaces the text before the last `@` in the authority that starts at the index.
    ///
    /// - Parameter isEncoded: Whether the URL is percent-encoded, as in a query item.
    mutating func redactUserInfo(at start: Int, isEncoded: Bool = false, _ table: inout SecretTable) {
        var end: Int?
        var index = start
        while index < text.count {
            let decoded = isEncoded ? PercentCoding.byte(at: index, in: text) : nil
            let byte = decoded ?? text[index]
            if Self.endsAuthority(byte) || (isEncoded && text[index] == .ampersand) { break }
            if byte == .at { end = index }
            index += decoded == nil ? 1 : 3
        }
        guard let end, end > start else { return }
        let secret = PercentCoding.decoded(slice(start..<end), plusIsSpace: false)
        replace(start..<end, with: table.placeholder(for: secret, .password))
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        switch byte {
        case .slash, .questionMark, .hash, .backslash, .quote, UInt8(ascii: "<"), UInt8(ascii: ">"): true
        default: byte <= .space
        }
    }
}

/// JSON escapes in text that may not be JSON.
enum JSONEscapes {
    /// Decodes a piece of a JSON string and keeps invalid escapes.
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
                // Halves of surrogate pairs become U+FFFD. This is good enough, because identical strings still have
                // identical results.
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
