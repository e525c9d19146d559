import Text

/// The bytes a parser looks at, borrowed for the length of one call.
typealias Bytes = UnsafeBufferPointer<UInt8>

/// Half-open offsets into the bytes of a head; half the size of `Range<Int>`, because a head keeps one pair per field.
struct ByteRange: Sendable, Equatable {
    private var start: UInt32
    private var end: UInt32

    var lower: Int { Int(start) }
    var upper: Int { Int(end) }
    var count: Int { Int(end &- start) }
    var isEmpty: Bool { start == end }

    /// Offsets stay under 1 GiB: `Limits` is checked to that end.
    init(_ lower: Int, _ upper: Int) {
        start = UInt32(truncatingIfNeeded: lower)
        end = UInt32(truncatingIfNeeded: upper)
    }

    static let empty = ByteRange(0, 0)
}

extension Bytes {
    subscript(range: ByteRange) -> Bytes { Bytes(rebasing: self[range.lower..<range.upper]) }

    /// Byte-for-byte equality with a literal.
    func equals(_ range: ByteRange, _ literal: StaticString) -> Bool {
        guard range.count == literal.utf8CodeUnitCount else { return false }
        let start = range.lower
        for index in 0..<range.count where self[start + index] != literal.utf8Start[index] { return false }
        return true
    }

    /// ASCII case-insensitive equality with a literal that is in lower case.
    func equalsIgnoringCase(_ range: ByteRange, _ lowercase: StaticString) -> Bool {
        guard range.count == lowercase.utf8CodeUnitCount else { return false }
        let start = range.lower
        for index in 0..<range.count where self[start + index].lowercased != lowercase.utf8Start[index] { return false }
        return true
    }

    /// The range without the spaces and tabs at its ends.
    ///
    /// OWS = *( SP / HTAB ) (RFC 9110 §5.6.3).
    func trimmingWhitespace(_ range: ByteRange) -> ByteRange {
        var lower = range.lower
        var upper = range.upper
        while lower < upper, self[lower].isWhitespace { lower += 1 }
        while upper > lower, self[upper - 1].isWhitespace { upper -= 1 }
        return ByteRange(lower, upper)
    }

    /// The offset of the first line feed at or after `start`, eight bytes at a time.
    func firstLineFeed(from start: Int) -> Int? {
        var index = start
        if let base = baseAddress {
            while index + 8 <= count {
                // A byte of `word` is zero where the input has a line feed; the expression after it sets the high bit
                // of the lowest zero byte, and perhaps of bytes above it, which do not matter here.
                let word =
                    UInt64(littleEndian: UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self))
                    ^ 0x0a0a_0a0a_0a0a_0a0a
                let zeros = (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
                if zeros != 0 { return index + zeros.trailingZeroBitCount / 8 }
                index += 8
            }
        }
        while index < count {
            if self[index] == .lineFeed { return index }
            index += 1
        }
        return nil
    }
}
