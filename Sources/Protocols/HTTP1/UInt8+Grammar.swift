/// The character classes of HTTP's grammar (RFC 9110 §5.6, RFC 5234 B.1, RFC 3986 §2).
extension UInt8 {
    static let tab = UInt8(ascii: "\t")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")
    static let colon = UInt8(ascii: ":")
    static let comma = UInt8(ascii: ",")
    static let dot = UInt8(ascii: ".")
    static let percent = UInt8(ascii: "%")
    static let questionMark = UInt8(ascii: "?")
    static let semicolon = UInt8(ascii: ";")
    static let slash = UInt8(ascii: "/")

    @inline(__always) var isWhitespace: Bool { self == .space || self == .tab }
    @inline(__always) var isDigit: Bool { self &- 0x30 < 10 }
    @inline(__always) var isAlpha: Bool { (self | 0x20) &- 0x61 < 26 }

    @inline(__always) var lowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

    /// The value of a hexadecimal digit.
    @inline(__always) var hexValue: UInt8? {
        if isDigit { return self &- 0x30 }
        let letter = (self | 0x20) &- 0x61
        return letter < 6 ? letter + 10 : nil
    }

    /// What tokens are made of; one bit per character, a table without a lazily initialised global.
    ///
    /// tchar = "!" / "#" / "$" / "%" / "&" / "'" / "*" / "+" / "-" / "." / "^" / "_" / "`" / "|" / "~" / DIGIT / ALPHA
    /// (RFC 9110 §5.6.2).
    @inline(__always) var isTokenCharacter: Bool {
        let low: UInt64 = 0x03ff_6cfa_0000_0000
        let high: UInt64 = 0x57ff_ffff_c7ff_fffe
        guard self < 128 else { return false }
        return ((self < 64 ? low : high) &>> UInt64(self & 63)) & 1 == 1
    }

    /// field-vchar = VCHAR / obs-text, with the SP and HTAB that may stand between them (RFC 9110 §5.5).
    @inline(__always) var isFieldValueCharacter: Bool {
        // Operands that do not short-circuit leave a loop over bytes free of branches.
        let control = UInt8(self < 0x20 ? 1 : 0) | UInt8(self == 0x7f ? 1 : 0)
        return control & UInt8(self == 0x09 ? 0 : 1) == 0
    }

    /// VCHAR = %x21-7E (RFC 5234 B.1).
    @inline(__always) var isVisible: Bool { self > 0x20 && self < 0x7f }

    /// unreserved / sub-delims: what a reg-name is made of beside escapes (RFC 3986 §2.2, §2.3, §3.2.2).
    var isRegisteredNameCharacter: Bool {
        if isAlpha || isDigit { return true }
        switch self {
        case UInt8(ascii: "-"), .dot, UInt8(ascii: "_"), UInt8(ascii: "~"): return true
        case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("),
            UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"), .comma, .semicolon, UInt8(ascii: "="):
            return true
        default: return false
        }
    }
}
