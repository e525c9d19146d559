/// The bytes that JSON text is made of, by name.
extension UInt8 {
    static var tab: UInt8 { 0x09 }
    static var lineFeed: UInt8 { 0x0A }
    static var carriageReturn: UInt8 { 0x0D }
    static var space: UInt8 { 0x20 }
    static var quote: UInt8 { 0x22 }
    static var plus: UInt8 { 0x2B }
    static var comma: UInt8 { 0x2C }
    static var minus: UInt8 { 0x2D }
    static var point: UInt8 { 0x2E }
    static var zero: UInt8 { 0x30 }
    static var colon: UInt8 { 0x3A }
    static var leftBracket: UInt8 { 0x5B }
    static var backslash: UInt8 { 0x5C }
    static var rightBracket: UInt8 { 0x5D }
    static var leftBrace: UInt8 { 0x7B }
    static var rightBrace: UInt8 { 0x7D }

    /// `0` to `9`.
    var isDigit: Bool { self &- .zero < 10 }

    /// `a` to `z` and `A` to `Z`.
    var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }

    /// RFC 8259, section 2: `ws = *( %x20 / %x09 / %x0A / %x0D )`.
    var isWhitespace: Bool { self == .space || self == .lineFeed || self == .carriageReturn || self == .tab }

    /// The value of a hexadecimal digit in either case.
    var hexValue: UInt32? {
        if isDigit { return UInt32(self &- .zero) }
        let letter = (self | 0x20) &- 0x61
        return letter < 6 ? UInt32(letter) + 10 : nil
    }
}
