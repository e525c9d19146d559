import FitIQAPI

/// Text without what differs between two runs of the same thing: ids, times, tokens, the server's origin.
enum VolatileText {
    /// The text with `{id}`, `{time}`, `{token}`, `{secret}` and `{origin}` in place of what such runs differ in.
    ///
    /// An id is a UUID or 24 hexadecimal digits and more; a time is RFC 3339's; a token is a JWT; a secret is a
    /// placeholder of a redacted recording. Linear in the text.
    static func normalised(_ text: String, origin: Substring = "") -> String {
        let bytes = Array(text.utf8)
        let authority = Array(origin.utf8)
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            // What begins in the middle of a word is a part of it.
            if index == 0 || !bytes[index - 1].isWord, let (length, name) = match(bytes, at: index, authority) {
                output += Array(name.utf8)
                index += length
            } else {
                output.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func match(_ bytes: [UInt8], at index: Int, _ authority: [UInt8]) -> (Int, String)? {
        let byte = bytes[index]
        if byte == UInt8(ascii: "e"), let length = token(bytes, at: index) { return (length, "{token}") }
        if byte == UInt8(ascii: "r"), let length = placeholder(bytes, at: index) { return (length, "{secret}") }
        if byte == UInt8(ascii: "h") || byte == UInt8(ascii: "w"), !authority.isEmpty,
            let length = origin(bytes, at: index, authority)
        {
            return (length, "{origin}")
        }
        guard byte.isHexDigit else { return nil }
        if let length = time(bytes, at: index) { return (length, "{time}") }
        var end = index
        var digits = 0
        while end < bytes.count, bytes[end].isHexDigit || bytes[end] == UInt8(ascii: "-") {
            if bytes[end] != UInt8(ascii: "-") { digits += 1 }
            end += 1
            if digits > 32 { break }
        }
        if isUUID(bytes[index..<min(end, index + 36)]), index + 36 == bytes.count || !bytes[index + 36].isWord {
            return (36, "{id}")
        }
        end = index
        while end < bytes.count, bytes[end].isHexDigit { end += 1 }
        let isWhole = end == bytes.count || !bytes[end].isWord
        return isWhole && end - index >= 24 ? (end - index, "{id}") : nil
    }

    private static func isUUID(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.count == 36 else { return false }
        return zip(0..., bytes).allSatisfy { position, byte in
            [8, 13, 18, 23].contains(position) ? byte == UInt8(ascii: "-") : byte.isHexDigit
        }
    }

    /// `2025-01-29T10:30:00Z`, with a fraction and an offset too.
    private static func time(_ bytes: [UInt8], at index: Int) -> Int? {
        guard index + 20 <= bytes.count, bytes[index + 4] == UInt8(ascii: "-"), bytes[index + 10] | 0x20 == 0x74 else {
            return nil
        }
        var end = index + 19
        while end < bytes.count, bytes[end].isDigit || bytes[end] == UInt8(ascii: ".") { end += 1 }
        guard end < bytes.count, end < index + 64 else { return nil }
        end += bytes[end] | 0x20 == UInt8(ascii: "z") ? 1 : 6
        guard end <= bytes.count else { return nil }
        return DateTime(String(decoding: bytes[index..<end], as: UTF8.self)) == nil ? nil : end - index
    }

    /// Three parts of base64url, of which the first is that of `{"`.
    private static func token(_ bytes: [UInt8], at index: Int) -> Int? {
        guard bytes[index...].starts(with: Array("eyJ".utf8)) else { return nil }
        var end = index
        var points = 0
        while end < bytes.count, bytes[end].isWord || bytes[end] == UInt8(ascii: ".") {
            if bytes[end] == UInt8(ascii: ".") { points += 1 }
            // Not to the end of a long row of parts, for each of them.
            if points > 2 { return nil }
            end += 1
        }
        return points == 2 ? end - index : nil
    }

    /// `redacted-token-1`.
    private static func placeholder(_ bytes: [UInt8], at index: Int) -> Int? {
        guard bytes[index...].starts(with: Array("redacted-".utf8)) else { return nil }
        let end = bytes[index...].firstIndex { !$0.isWord } ?? bytes.count
        return end - index
    }

    private static func origin(_ bytes: [UInt8], at index: Int, _ authority: [UInt8]) -> Int? {
        for scheme in ["https://", "http://", "wss://", "ws://"] {
            let prefix = Array(scheme.utf8) + authority
            guard bytes[index...].starts(with: prefix) else { continue }
            // `http://host:80` is not the beginning of `http://host:8080`.
            let end = index + prefix.count
            return end < bytes.count && (bytes[end].isWord || bytes[end] == UInt8(ascii: ":")) ? nil : prefix.count
        }
        return nil
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { self &- 0x30 < 10 }
    fileprivate var isHexDigit: Bool { isDigit || (self | 0x20) &- 0x61 < 6 }
    /// What words and tokens are made of.
    fileprivate var isWord: Bool {
        isDigit || (self | 0x20) &- 0x61 < 26 || self == UInt8(ascii: "_") || self == UInt8(ascii: "-")
    }
}
