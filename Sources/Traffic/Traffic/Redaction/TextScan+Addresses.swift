import Text

/// E-mail addresses, recognised by their form: the commonly used part of RFC 5322 §3.4.1.
///
/// The local part has letters, digits, `.`, `_`, `+`, `-`, `'` and non-ASCII characters; the domain has a dot, and a
/// last label of two characters or more that begins with a letter. Either may be percent-encoded.
extension TextScan {
    /// Replaces the address whose `@`, `%40` or `\u0040` is at an index.
    mutating func redactAddress(at index: Int, width: Int, _ table: inout SecretTable) {
        let start = startOfLocalPart(endingAt: index)
        guard table.mark == nil, start < index, var end = endOfDomain(from: index + width) else { return }
        // Text with several of these signs is not a deliverable address, but it may contain one.
        while end < text.count, text[end] == .at, let next = endOfDomain(from: end + 1) { end = next }
        let domain = slice((index + width)..<end)
        // Placeholders stay, so that redacting twice changes nothing.
        if domain.elementsEqual("redacted.example".utf8) { return }
        var address = plain(slice(start..<index))
        address.append(.at)
        address += plain(domain)
        let placeholder = table.placeholder(for: address.map(\.lowercased), .user)
        let parts = placeholder.split(separator: .at)
        if parts.count == 2 {
            replace(start..<end, with: Array(parts[0]) + slice(index..<(index + width)) + parts[1])
        } else {
            // It was a cookie or a token before and keeps that placeholder.
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
                // The digits were taken for letters; they count if their decoded byte does.
                guard let decoded = PercentCoding.byte(at: start - 1, in: text), Self.isLocal(decoded) else {
                    start = min(start + 2, end)
                    break walk
                }
                start -= 1
            case .backslash:
                let isUnit = start < end && text[start] == UInt8(ascii: "u")
                guard isUnit, let unit = text.hexCodeUnit(at: start + 1), unit >= 0x80 || Self.isLocal(UInt8(unit))
                else {
                    // The letter after it belongs to the escape.
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

    /// The end of the longest domain that begins at an index, or nil if there is none.
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
}

/// The user and the password of a URL: `userinfo "@" host`, RFC 3986 §3.2.1.
extension TextScan {
    /// Replaces the userinfo if the `:` at an index ends the scheme of a URL, in JSON perhaps as `:\/\/`.
    mutating func redactUserInfo(after colon: Int, _ table: inout SecretTable) {
        if hasBytes("//", at: colon + 1) {
            redactUserInfo(at: colon + 3, &table)
        } else if hasBytes(#"\/\/"#, at: colon + 1) {
            redactUserInfo(at: colon + 5, &table)
        }
    }

    /// Replaces what is before the last `@` of the authority that begins at an index.
    ///
    /// - Parameter isEncoded: Whether the URL is percent-encoded, as an item of a query.
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
