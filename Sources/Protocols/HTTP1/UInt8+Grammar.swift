import Text

/// The character classes of HTTP's grammar (RFC 9110 §5.6, RFC 3986 §3.2.2); those of all protocols are in `Text`.
extension UInt8 {
    @inline(__always) var isWhitespace: Bool { self == .space || self == .tab }

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

    /// unreserved / sub-delims: what a reg-name is made of beside escapes (RFC 3986 §2.2, §2.3, §3.2.2).
    var isRegisteredNameCharacter: Bool {
        if isUnreserved { return true }
        switch self {
        case UInt8(ascii: "!"), UInt8(ascii: "$"), .ampersand, UInt8(ascii: "'"), UInt8(ascii: "("),
            UInt8(ascii: ")"), UInt8(ascii: "*"), .plus, .comma, .semicolon, .equals:
            return true
        default: return false
        }
    }
}
