/// Searches eight bytes at a time, because every byte of a request is searched.
extension UnsafeBufferPointer<UInt8> {
    /// The offset of the first such byte at or after `start`.
    @inlinable public func first(_ byte: UInt8, from start: Int) -> Int? {
        guard start < count, start >= 0, let base = baseAddress.map(UnsafeRawPointer.init) else { return nil }
        var index = start
        while index &+ 16 <= count {
            let words = (UInt64(bytesAt: base + index), UInt64(bytesAt: base + index + 8))
            if words.0.equal(to: byte) | words.1.equal(to: byte) != 0 { break }
            index &+= 16
        }
        while index &+ 8 <= count {
            // The lowest set bit marks the first match.
            let found = UInt64(bytesAt: base + index).equal(to: byte)
            if found != 0 { return index &+ found.trailingZeroBitCount / 8 }
            index &+= 8
        }
        while index < count {
            if self[index] == byte { return index }
            index += 1
        }
        return nil
    }

    /// Whether no byte matches a test, which sets the high bits of matching bytes in a word.
    @inlinable @inline(__always)
    public func hasNone(_ test: (UInt64) -> UInt64) -> Bool {
        guard let base = baseAddress.map(UnsafeRawPointer.init) else { return true }
        var index = 0
        while index &+ 8 <= count {
            if test(UInt64(bytesAt: base + index)) & .highBits != 0 { return false }
            index &+= 8
        }
        // Padded with a letter.
        var rest = UInt64.lowBits &* 0x61
        while index < count {
            rest = rest << 8 | UInt64(self[index])
            index += 1
        }
        return test(rest) & .highBits == 0
    }

    /// Whether the bytes are equal; the time depends only on their number.
    @inlinable public func equalsInConstantTime(_ other: Self) -> Bool {
        guard count == other.count, let base = baseAddress, let otherBase = other.baseAddress else {
            return count == other.count
        }
        var (difference, index) = (UInt64(0), 0)
        while index &+ 8 <= count {
            difference |= UInt64(bytesAt: base + index) ^ UInt64(bytesAt: otherBase + index)
            index &+= 8
        }
        for index in index..<count { difference |= UInt64(self[index] ^ other[index]) }
        return difference == 0
    }
}

/// Eight bytes as a number, with tests that set the high bit of each matching byte.
///
/// Bytes above a match may be marked wrongly, but the lowest mark is always correct.
extension UInt64 {
    @inlinable public static var lowBits: UInt64 { 0x0101_0101_0101_0101 }
    @inlinable public static var highBits: UInt64 { 0x8080_8080_8080_8080 }

    /// Loads eight bytes in little-endian order.
    @inlinable public init(bytesAt start: UnsafeRawPointer) {
        self.init(littleEndian: start.loadUnaligned(as: UInt64.self))
    }

    /// Marks the bytes less than a bound of at most 128.
    @inlinable public func less(than bound: UInt8) -> UInt64 {
        (self &- Self.lowBits &* UInt64(bound)) & ~self & Self.highBits
    }

    /// Marks the bytes equal to another byte.
    @inlinable public func equal(to byte: UInt8) -> UInt64 { (self ^ Self.lowBits &* UInt64(byte)).less(than: 1) }

    /// The value of eight hexadecimal digits, the first in the lowest byte; nil if a byte is not a digit.
    @inlinable public var hexDigits: (value: UInt64, hasUpperCase: Bool)? {
        let first = byteSwapped
        // A letter has bit 6 set, and its low bits start at 1 for ten.
        var value = (first & 0x0f0f_0f0f_0f0f_0f0f) &+ ((first >> 6) & Self.lowBits) &* 9
        let letters = ((value &+ Self.lowBits &* 6) >> 4) & Self.lowBits
        // Only digits produce the same text again.
        let digits = value &+ Self.lowBits &* 0x30 &+ letters &* 0x27
        guard value & 0xf0f0_f0f0_f0f0_f0f0 == 0, digits == first | letters &* 0x20 else { return nil }
        let hasUpperCase = letters &* 0x20 & ~first != 0
        value = (value | value >> 4) & 0x00ff_00ff_00ff_00ff
        value = (value | value >> 8) & 0x0000_ffff_0000_ffff
        return ((value | value >> 16) & 0xffff_ffff, hasUpperCase)
    }

    /// The lower 32 bits as eight lower-case hexadecimal digits, the first in the lowest byte.
    @inlinable public var hexText: UInt64 {
        var value = self & 0xffff_ffff
        value = (value | value << 16) & 0x0000_ffff_0000_ffff
        value = (value | value << 8) & 0x00ff_00ff_00ff_00ff
        value = (value | value << 4) & 0x0f0f_0f0f_0f0f_0f0f
        let letters = ((value &+ Self.lowBits &* 6) >> 4) & Self.lowBits
        return (value &+ Self.lowBits &* 0x30 &+ letters &* 0x27).byteSwapped
    }
}
