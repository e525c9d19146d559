import Text

/// Finds ids, times and addresses in a text of any kind: JSON, a path, a sentence.
///
/// The time is linear in the text's length: every byte belongs to one run, and a run is looked at a fixed number of times.
struct ValueScanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0
    /// Where the run of ``isRunByte(_:)`` ends in which the position lies, and what was found of it.
    private var runEnd = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// The next value; nil at the end.
    mutating func next() -> FoundValue? {
        while position < bytes.count {
            guard bytes[position].isAlphanumeric else {
                skipToWord()
                continue
            }
            if let length = timeLength() { return found(length, .time) }
            if let length = dateLength() { return found(length, .date) }
            if position >= runEnd {
                // Addresses and tokens hold dots, so they are looked for once in each run, from its beginning.
                runEnd = end(from: position, where: Self.isRunByte)
                if let value = wholeRun() { return value }
            }
            let start = position
            let end = end(from: start, where: Self.isWordByte)
            position = end
            if let value = Self.id(in: bytes, start..<end) { return value }
        }
        return nil
    }

    private mutating func found(_ length: Int, _ kind: ValueKind) -> FoundValue {
        defer { position += length }
        return FoundValue(range: position..<(position + length), kind: kind)
    }

    /// Passes over what is no word, and over the letter of a JSON escape, which else would stick to the word after it.
    private mutating func skipToWord() {
        let isEscape = bytes[position] == UInt8(ascii: "\\")
        position += 1
        guard isEscape, position < bytes.count else { return }
        let isUnicode = bytes[position] == UInt8(ascii: "u")
        position += 1
        guard isUnicode, position + 4 <= bytes.count else { return }
        if (position..<(position + 4)).allSatisfy({ bytes[$0].isHexDigit }) { position += 4 }
    }

    private func end(from start: Int, where isIncluded: (UInt8) -> Bool) -> Int {
        var end = start
        while end < bytes.count, isIncluded(bytes[end]) { end += 1 }
        return end
    }

    static func isWordByte(_ byte: UInt8) -> Bool {
        byte.isWordCharacter
    }

    static func isRunByte(_ byte: UInt8) -> Bool {
        isWordByte(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "@") || byte == UInt8(ascii: "+")
    }

    /// The run from the position on, where all of it is an e-mail address or a JSON Web Token.
    private mutating func wholeRun() -> FoundValue? {
        var end = runEnd
        while end > position, !Self.isWordByte(bytes[end - 1]) { end -= 1 }
        let run = UnsafeBufferPointer(rebasing: bytes[position..<end])
        if run.count <= ReplayLimits.valueLength, run.isEmailAddress { return found(run.count, .email) }
        if run.count <= ReplayLimits.tokenLength, run.isWebToken { return found(run.count, .id) }
        return nil
    }

    // MARK: Times

    private func digits(at offset: Int, _ count: Int) -> Bool {
        guard offset + count <= bytes.count else { return false }
        return (offset..<(offset + count)).allSatisfy { bytes[$0].isDigit }
    }

    private func has(_ byte: UInt8, at offset: Int) -> Bool { offset < bytes.count && bytes[offset] == byte }

    private func hasDate() -> Bool {
        digits(at: position, 4) && has(UInt8(ascii: "-"), at: position + 4) && digits(at: position + 5, 2)
            && has(UInt8(ascii: "-"), at: position + 7) && digits(at: position + 8, 2)
    }

    private func dateLength() -> Int? {
        guard hasDate() else { return nil }
        let end = position + 10
        return end == bytes.count || !Self.isWordByte(bytes[end]) ? 10 : nil
    }

    /// RFC 3339 §5.6, with a space for `T` and without an offset, as some write it.
    private func timeLength() -> Int? {
        guard hasDate() else { return nil }
        var end = position + 10
        let letters = [UInt8(ascii: "T"), UInt8(ascii: "t"), UInt8(ascii: " ")]
        guard letters.contains(where: { has($0, at: end) }), digits(at: end + 1, 2),
            has(UInt8(ascii: ":"), at: end + 3), digits(at: end + 4, 2), has(UInt8(ascii: ":"), at: end + 6),
            digits(at: end + 7, 2)
        else { return nil }
        end += 9
        if has(UInt8(ascii: "."), at: end), digits(at: end + 1, 1) {
            end = self.end(from: end + 1, where: \.isDigit)
        }
        if has(UInt8(ascii: "Z"), at: end) || has(UInt8(ascii: "z"), at: end) { return end + 1 - position }
        let isOffset = has(UInt8(ascii: "+"), at: end) || has(UInt8(ascii: "-"), at: end)
        if isOffset, digits(at: end + 1, 2), has(UInt8(ascii: ":"), at: end + 3), digits(at: end + 4, 2) { end += 6 }
        return end - position
    }
}
