/// The ASCII characters of protocols and languages, their classes, and hexadecimal digits.
///
/// Everything here is inlinable, because parsers use it for each byte.
extension UInt8 {
    @inlinable public static var tab: UInt8 { 0x09 }
    @inlinable public static var lineFeed: UInt8 { 0x0A }
    @inlinable public static var carriageReturn: UInt8 { 0x0D }
    @inlinable public static var space: UInt8 { 0x20 }
    @inlinable public static var quote: UInt8 { 0x22 }
    @inlinable public static var hash: UInt8 { 0x23 }
    @inlinable public static var percent: UInt8 { 0x25 }
    @inlinable public static var ampersand: UInt8 { 0x26 }
    @inlinable public static var plus: UInt8 { 0x2B }
    @inlinable public static var comma: UInt8 { 0x2C }
    @inlinable public static var minus: UInt8 { 0x2D }
    @inlinable public static var dot: UInt8 { 0x2E }
    @inlinable public static var slash: UInt8 { 0x2F }
    @inlinable public static var digitZero: UInt8 { 0x30 }
    @inlinable public static var colon: UInt8 { 0x3A }
    @inlinable public static var semicolon: UInt8 { 0x3B }
    @inlinable public static var equals: UInt8 { 0x3D }
    @inlinable public static var questionMark: UInt8 { 0x3F }
    @inlinable public static var at: UInt8 { 0x40 }
    @inlinable public static var leftBracket: UInt8 { 0x5B }
    @inlinable public static var backslash: UInt8 { 0x5C }
    @inlinable public static var rightBracket: UInt8 { 0x5D }
    @inlinable public static var underscore: UInt8 { 0x5F }
    @inlinable public static var leftBrace: UInt8 { 0x7B }
    @inlinable public static var rightBrace: UInt8 { 0x7D }

    // Classes of characters: RFC 5234 appendix B.1, RFC 3986 §2.
    @inlinable public var isDigit: Bool { self &- 0x30 < 10 }
    @inlinable public var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }
    @inlinable public var isUppercaseLetter: Bool { self &- 0x41 < 26 }
    @inlinable public var isLowercaseLetter: Bool { self &- 0x61 < 26 }
    @inlinable public var isAlphanumeric: Bool { isDigit || isLetter }
    /// A letter, a digit, `-` or `_`: the characters of names, ids and parts of tokens.
    @inlinable public var isWordCharacter: Bool { isAlphanumeric || self == .minus || self == .underscore }
    /// RFC 3986 §2.3: `unreserved = ALPHA / DIGIT / "-" / "." / "_" / "~"`.
    @inlinable public var isUnreserved: Bool { isWordCharacter || self == .dot || self == 0x7E }
    /// RFC 5234 appendix B.1: `VCHAR = %x21-7E`.
    @inlinable public var isVisible: Bool { self &- 0x21 < 0x5E }
    /// The letter in lower case; any other byte unchanged.
    @inlinable public var lowercased: UInt8 { isUppercaseLetter ? self | 0x20 : self }

    /// `0` to `9`, `a` to `f` and `A` to `F`.
    @inlinable public var isHexDigit: Bool { isDigit || (self | 0x20) &- 0x61 < 6 }

    @inlinable public var hexValue: UInt8? {
        if isDigit { return self &- 0x30 }
        let letter = (self | 0x20) &- 0x61
        return letter < 6 ? letter &+ 10 : nil
    }

    /// The lowercase digit for a value from 0 to 15.
    @inlinable public var lowercaseHexDigit: UInt8 { self < 10 ? self &+ 0x30 : self &+ 0x57 }
    /// The uppercase digit for a value from 0 to 15.
    @inlinable public var uppercaseHexDigit: UInt8 { self < 10 ? self &+ 0x30 : self &+ 0x37 }

    /// The byte as two lowercase digits.
    public var lowercaseHex: String {
        String(decoding: [(self >> 4).lowercaseHexDigit, (self & 15).lowercaseHexDigit], as: UTF8.self)
    }

    /// The byte as two uppercase digits.
    public var uppercaseHex: String {
        String(decoding: [(self >> 4).uppercaseHexDigit, (self & 15).uppercaseHexDigit], as: UTF8.self)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The value of four hexadecimal digits at an index, as after `\u` in JSON; nil if they are not four digits.
    @inlinable public func hexCodeUnit(at index: Int) -> UInt16? {
        guard index + 4 <= count else { return nil }
        var unit: UInt16 = 0
        for offset in index..<(index + 4) {
            guard let digit = self[offset].hexValue else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }
}
