/// Validates UTF-8 as it arrives, in pieces of any size, and fails at the first invalid byte.
///
/// The state is three bytes: the number of continuation bytes due, and the range of the next one. Only the first
/// continuation byte has a range narrower than 80-BF, which rejects overlong forms, surrogates and values above
/// U+10FFFF at the earliest byte. `UTF8Sequence` in `Text` quotes the grammar (RFC 3629 §4).
struct UTF8Validator: Hashable, Sendable {
    private var due: UInt8 = 0
    /// The range of the next continuation byte.
    private var lowest: UInt8 = 0x80
    private var highest: UInt8 = 0xBF
    /// Whether the text so far ends between two characters.
    var isAtBoundary: Bool { due == 0 }

    /// Validates the next bytes; returns the index of the first byte that makes the text invalid, or nil.
    ///
    /// Do not use the validator again after a non-nil result.
    mutating func consume(_ bytes: UnsafeRawBufferPointer) -> Int? {
        var index = 0
        let count = bytes.count
        while index < count {
            if due == 0 {
                index = Self.skipASCII(bytes, from: index)
                // Fast path for characters that lie entirely in this piece.
                while index + 4 <= count, bytes[index] >= 0x80 {
                    let length = Self.wholeCharacter(bytes, at: index)
                    guard length > 0 else { break }
                    index += length
                }
                guard index < count else { return nil }
                guard begin(bytes[index]) else { return index }
            } else {
                let byte = bytes[index]
                guard byte >= lowest, byte <= highest else { return index }
                (lowest, highest) = (0x80, 0xBF)
                due -= 1
            }
            index += 1
        }
        return nil
    }

    @inline(__always)
    private mutating func begin(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x00...0x7F: return true
        case 0xC2...0xDF: due = 1
        case 0xE0: (due, lowest) = (2, 0xA0)
        case 0xED: (due, highest) = (2, 0x9F)
        case 0xE1...0xEC, 0xEE...0xEF: due = 2
        case 0xF0: (due, lowest) = (3, 0x90)
        case 0xF1...0xF3: due = 3
        case 0xF4: (due, highest) = (3, 0x8F)
        default: return false
        }
        return true
    }

    /// The length of the valid character of two to four bytes at `index`, or 0; four bytes must be readable.
    @inline(__always)
    private static func wholeCharacter(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Int {
        let word = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self))
        if word & 0xE0C0_0000 == 0xC080_0000 { return word >= 0xC280_0000 ? 2 : 0 }
        if word & 0xF0C0_C000 == 0xE080_8000 {
            let scalar = (word >> 12 & 0xF000) | (word >> 10 & 0x0FC0) | (word >> 8 & 0x003F)
            return scalar >= 0x800 && scalar & 0xF800 != 0xD800 ? 3 : 0
        }
        if word & 0xF8C0_C0C0 == 0xF080_8080 { return word >= 0xF090_8080 && word <= 0xF48F_BFBF ? 4 : 0 }
        return 0
    }

    /// The index of the first non-ASCII byte from `start`.
    @inline(__always)
    private static func skipASCII(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var index = start
        let high: UInt64 = 0x8080_8080_8080_8080
        while index + 32 <= bytes.count {
            let first = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let second = bytes.loadUnaligned(fromByteOffset: index + 8, as: UInt64.self)
            let third = bytes.loadUnaligned(fromByteOffset: index + 16, as: UInt64.self)
            let fourth = bytes.loadUnaligned(fromByteOffset: index + 24, as: UInt64.self)
            if (first | second | third | fourth) & high != 0 { break }
            index += 32
        }
        while index + 8 <= bytes.count {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)) & high
            if word != 0 { return index + word.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < bytes.count, bytes[index] < 0x80 { index += 1 }
        return index
    }
}
