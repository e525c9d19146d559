/// The structure of UTF-8 (RFC 3629): character lengths and valid cut positions.
///
/// `WebSocket`'s validator validates text that arrives in pieces.
public enum UTF8Sequence {
    /// The length of the sequence at an offset, or 0 if it is ill-formed or truncated.
    ///
    ///     UTF8-2 = %xC2-DF UTF8-tail
    ///     UTF8-3 = %xE0 %xA0-BF UTF8-tail / %xE1-EC 2( UTF8-tail ) / %xED %x80-9F UTF8-tail / %xEE-EF 2( UTF8-tail )
    ///     UTF8-4 = %xF0 %x90-BF 2( UTF8-tail ) / %xF1-F3 3( UTF8-tail ) / %xF4 %x80-8F 2( UTF8-tail )
    ///
    /// RFC 3629 §4.
    @inlinable public static func length(at offset: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int {
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch bytes[offset] {
        case 0x00...0x7F: return 1
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        case 0xF1...0xF3: length = 4
        default: return 0
        }
        guard offset + length <= bytes.count, second.contains(bytes[offset + 1]) else { return 0 }
        for index in (offset + 2)..<max(offset + length, offset + 2) where !isTail(bytes[index]) { return 0 }
        return length
    }

    /// Whether a byte continues a character: `UTF8-tail = %x80-BF`.
    @inlinable public static func isTail(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

    /// The last position up to a limit where a cut does not split a character.
    ///
    /// Returns the limit if the bytes around it are not UTF-8, and the end if the bytes are shorter.
    public static func boundary(in bytes: [UInt8], at limit: Int) -> Int {
        guard bytes.count > limit else { return bytes.count }
        var end = limit
        while end > 0, limit - end < 3, isTail(bytes[end]) { end -= 1 }
        return isTail(bytes[end]) ? limit : end
    }

    /// Whether the bytes are the incomplete start of a character.
    public static func isTorn(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first else { return false }
        let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 0
        return bytes.count < length && bytes.dropFirst().allSatisfy(isTail)
    }
}
