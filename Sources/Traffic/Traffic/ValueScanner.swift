import JSON
import Text

/// A kind of value that may differ between runs of a client.
package enum ValueKind: Sendable {
    /// An ID: a UUID, a ULID, a long number, a token or a redaction placeholder.
    case id
    /// A point in time (RFC 3339 `date-time`).
    case time
    /// A day (RFC 3339 `full-date`).
    case date
    case email
    /// A server's origin with a world's prefix, such as `http://localhost:8080/w/abc`.
    case origin
}

/// A value in the text, with its position and kind.
package struct FoundValue: Equatable {
    package var range: Range<Int>
    package var kind: ValueKind
}

/// Finds volatile values (IDs, times, addresses and origins) in JSON, paths, sentences or any other text.
///
/// The scanner defines how two identical runs may differ. A replay accepts different values in their place, and a
/// session comparison ignores them. Only a replay tracks IDs, because different IDs have different responses: a
/// server's ID matches only itself, and two IDs stay distinct.
///
/// Scanning takes linear time, because every byte belongs to only one run, and a run is checked a fixed number of
/// times.
package struct ValueScanner {
    /// The maximum length of an ID or e-mail address in bytes.
    package static let longestValue = 200
    /// The maximum length of a token in bytes.
    package static let longestToken = 4_096

    private let bytes: UnsafeBufferPointer<UInt8>
    private let origins: Origins
    private var position = 0
    /// The end of the current ``isRunByte(_:)`` run, and the value found in it.
    private var runEnd = 0

    package init(_ bytes: UnsafeBufferPointer<UInt8>, origins: Origins = Origins()) {
        (self.bytes, self.origins) = (bytes, origins)
    }

    /// Returns the next value, or nil at the end.
    package mutating func next() -> FoundValue? {
        while position < bytes.count {
            guard bytes[position].isAlphanumeric else {
                skipToWord()
                continue
            }
            if let length = originLength() { return found(length, .origin) }
            if let length = timeLength() { return found(length, .time) }
            if let length = dateLength() { return found(length, .date) }
            if position >= runEnd {
                // Addresses and tokens contain dots, so check each run once from its start.
                runEnd = end(from: position, where: Self.isRunByte)
                if let value = wholeRun() { return value }
            }
            let start = position
            let end = end(from: start, where: \.isWordCharacter)
            position = end
            if let value = Self.id(in: bytes, start..<end) { return value }
        }
        return nil
    }

    private mutating func found(_ length: Int, _ kind: ValueKind) -> FoundValue {
        defer { position += length }
        return FoundValue(range: position..<(position + length), kind: kind)
    }

    /// Skips non-word bytes and the letter of a JSON escape, which would otherwise join the next word.
    private mutating func skipToWord() {
        let isEscape = bytes[position] == .backslash
        position += 1
        guard isEscape, position < bytes.count else { return }
        let isUnicode = bytes[position] == UInt8(ascii: "u")
        position += 1
        guard isUnicode, position + 4 <= bytes.count else { return }
        if (position..<(position + 4)).allSatisfy({ bytes[$0].isHexDigit }) { position += 4 }
    }

    private func end(from start: Int, where isIncluded: (UInt8) -> Bool) -> Int {
        bytes[start...].firstIndex { !isIncluded($0) } ?? bytes.count
    }

    package static func isRunByte(_ byte: UInt8) -> Bool {
        byte.isWordCharacter || byte == .dot || byte == .at || byte == .plus
    }

    /// The run at the position, if it is an e-mail address or JSON Web Token.
    private mutating func wholeRun() -> FoundValue? {
        let end = bytes[position..<runEnd].lastIndex(where: \.isWordCharacter) ?? position
        let run = UnsafeBufferPointer(rebasing: bytes[position...end])
        if run.count <= Self.longestValue, run.isEmailAddress { return found(run.count, .email) }
        if run.count <= Self.longestToken, run.isWebToken { return found(run.count, .id) }
        return nil
    }

    /// The length of `http://host` (or `http:\/\/host`), including any `/w/name/` that follows.
    private func originLength() -> Int? {
        guard !origins.isEmpty else { return nil }
        let colon = position + bytes[position...].prefix(6).prefix(while: \.isLetter).count
        guard colon < bytes.count, bytes[colon] == .colon else { return nil }
        let scheme = String(decoding: bytes[position..<colon], as: UTF8.self).lowercased()
        guard ["http", "https", "ws", "wss"].contains(scheme) else { return nil }
        let rest = bytes[(colon + 1)...]
        let slash: [UInt8] = rest.first == .backslash ? [.backslash, .slash] : [.slash]
        guard rest.starts(with: slash + slash) else { return nil }
        let start = colon + 1 + 2 * slash.count
        var authority = bytes[start...].prefix(300).prefix { $0.isWordCharacter || ".:[]".utf8.contains($0) }
        if authority.first != .leftBracket { authority = authority.prefix { $0 != .rightBracket } }
        // Drop punctuation that ends the sentence.
        while authority.last == .dot || authority.last == .colon { authority.removeLast() }
        let name = RequestURL.authority(String(decoding: authority, as: UTF8.self), scheme: scheme)
        guard origins.contains(ExactString(name)) else { return nil }
        let (end, world) = (authority.endIndex, slash + "w".utf8 + slash)
        guard bytes[end...].starts(with: world) else { return end - position }
        let id = bytes[(end + world.count)...].prefix(while: \.isWordCharacter)
        return (!id.isEmpty && bytes[id.endIndex...].starts(with: slash) ? id.endIndex : end) - position
    }

    // MARK: Times

    private func dateLength() -> Int? {
        guard RFC3339.days(at: position, in: bytes) != nil else { return nil }
        let end = position + 10
        return end == bytes.count || !bytes[end].isWordCharacter ? 10 : nil
    }

    /// The length of an RFC 3339 §5.6 time; a space may replace the `T`, and the offset may be missing.
    private func timeLength() -> Int? { RFC3339.time(at: position, in: bytes)?.length }

    /// Whether a number is a time in seconds or milliseconds since 1970, according to its size and its member's name.
    package static func isTime(_ number: JSONNumber, under name: String) -> Bool {
        guard let value = number.double, value >= 946_684_800, value < 1e20 else { return false }
        let words = name.lowercased()
        return ["time", "ts", "date"].contains(words) || ["timestamp", "_time", "_at"].contains(where: words.hasSuffix)
            || name.hasSuffix("At") || name.hasSuffix("Time")
    }

    /// The ID in a word: the whole word, or a UUID at its end as in `goal_550e8400-…`.
    fileprivate static func id(in bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> FoundValue? {
        guard (6...longestValue).contains(range.count) else { return nil }
        let word = UnsafeBufferPointer(rebasing: bytes[range])
        if word.count >= 36, UnsafeBufferPointer(rebasing: word.suffix(36)).isUUID {
            let before = word.count > 36 ? word[word.count - 37] : UInt8(ascii: "_")
            guard !before.isAlphanumeric else { return nil }
            return FoundValue(range: (range.upperBound - 36)..<range.upperBound, kind: .id)
        }
        return word.isID ? FoundValue(range: range, kind: .id) : nil
    }

    /// Whether the whole text is one value.
    package static func isValue(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { utf8 in
            var scanner = ValueScanner(utf8)
            return scanner.next()?.range == 0..<utf8.count
        }
    }
}

extension JSONNumber {
    /// The canonical text of a number, which is the same for all notations.
    package var canonicalText: String { int.map(String.init) ?? double.map { JSONNumber($0).text } ?? text }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether the 36 bytes are hexadecimal digits and hyphens (RFC 9562 §4), in either case.
    fileprivate var isUUID: Bool {
        indices.allSatisfy { index in
            switch index {
            case 8, 13, 18, 23: self[index] == .minus
            default: self[index].isHexDigit
            }
        }
    }

    /// Whether the bytes are a number of at least 6 digits, a placeholder or a machine-generated string.
    fileprivate var isID: Bool {
        if allSatisfy(\.isDigit) { return count <= 40 }
        if isPlaceholder { return true }
        guard count >= 16 else { return false }
        let digits = count(where: \.isDigit)
        let (upper, lower) = (count(where: \.isUppercaseLetter), count(where: \.isLowercaseLetter))
        guard digits > 0 else { return false }
        // At least a third of an ID's characters are digits, or it contains both cases, is a ULID, or is hexadecimal
        // with or without a prefix.
        if digits * 3 >= count || (upper > 0 && lower > 0) { return true }
        if count == 26, lower == 0 { return true }
        let tail = count - 1 - (lastIndex { !$0.isHexDigit } ?? -1)
        return tail >= 16 && (tail == count || !self[count - tail - 1].isAlphanumeric)
    }

    /// Whether the bytes are a redaction placeholder such as `redacted-token-1`.
    package var isPlaceholder: Bool { count > 10 && starts(with: "redacted-".utf8) && self[count - 1].isDigit }

    /// Whether the bytes are a local part, one `@` and a domain with a dot.
    fileprivate var isEmailAddress: Bool {
        guard let at = firstIndex(of: .at), at > 0, at + 1 < count else { return false }
        let domain = self[(at + 1)...]
        guard !domain.contains(.at), !domain.contains(.underscore), let dot = domain.lastIndex(of: .dot) else {
            return false
        }
        return dot > at + 1 && dot + 1 < count
    }

    /// Whether the bytes are three base64url parts separated by dots that begin like a JSON object (RFC 7519).
    fileprivate var isWebToken: Bool {
        guard count >= 20, starts(with: "eyJ".utf8) else { return false }
        return allSatisfy { $0.isWordCharacter || $0 == .dot } && count { $0 == .dot } == 2
    }
}

/// Normalises the values that ``ValueScanner`` finds, which may differ between identical runs.
package enum VolatileText {
    /// Replaces volatile values with `{id}`, `{time}`, `{date}`, `{email}` and `{origin}`, in linear time.
    ///
    /// A `{` in the text is doubled, to distinguish it from a mark.
    package static func normalised(_ text: String, origins: Origins = Origins()) -> ExactString {
        var text = text
        return text.withUTF8 { bytes in
            var output: [UInt8] = []
            output.reserveCapacity(bytes.count)
            func append(_ range: Range<Int>) {
                for byte in bytes[range] {
                    output.append(byte)
                    if byte == .leftBrace { output.append(byte) }
                }
            }
            var scanner = ValueScanner(bytes, origins: origins)
            var start = 0
            while let found = scanner.next() {
                append(start..<found.range.lowerBound)
                output += "{\(found.kind)}".utf8
                start = found.range.upperBound
            }
            append(start..<bytes.count)
            return ExactString(String(decoding: output, as: UTF8.self))
        }
    }
}
