import Text

/// The character classes of HTTP's grammar (RFC 9110 §5.6, RFC 3986 §3.2.2); `Text` has the classes that several
/// protocols share.
extension UInt8 {
    @inline(__always) var isWhitespace: Bool { self == .space || self == .tab }

    /// Whether this is a token character: a bit table avoids a lazily initialised global.
    ///
    /// tchar = "!" / "#" / "$" / "%" / "&" / "'" / "*" / "+" / "-" / "." / "^" / "_" / "`" / "|" / "~" / DIGIT / ALPHA
    /// (RFC 9110 §5.6.2).
    @inline(__always) var isTokenCharacter: Bool {
        let low: UInt64 = 0x03ff_6cfa_0000_0000
        let high: UInt64 = 0x57ff_ffff_c7ff_fffe
        guard self < 128 else { return false }
        return ((self < 64 ? low : high) &>> UInt64(self & 63)) & 1 == 1
    }

    /// field-vchar = VCHAR / obs-text, and the SP and HTAB allowed between them (RFC 9110 §5.5).
    @inline(__always) var isFieldValueCharacter: Bool {
        // Without short-circuiting operators, a loop over bytes has no branches.
        let control = UInt8(self < 0x20 ? 1 : 0) | UInt8(self == 0x7f ? 1 : 0)
        return control & UInt8(self == 0x09 ? 0 : 1) == 0
    }

    /// unreserved / sub-delims: the characters of a reg-name, apart from escapes (RFC 3986 §2.2, §2.3, §3.2.2).
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

/// The bytes of a parser's input, borrowed for one call.
typealias Bytes = UnsafeBufferPointer<UInt8>

/// Half-open offsets into the bytes of a head; half the size of `Range<Int>`, because a head keeps one pair per field.
struct ByteRange: Sendable, Equatable {
    private var start: UInt32
    private var end: UInt32
    var lower: Int { Int(start) }
    var upper: Int { Int(end) }
    var count: Int { Int(end &- start) }
    var isEmpty: Bool { start == end }

    /// Offsets stay under 1 GiB; `Limits` ensures this.
    init(_ lower: Int, _ upper: Int) {
        start = UInt32(truncatingIfNeeded: lower)
        end = UInt32(truncatingIfNeeded: upper)
    }

    static let empty = ByteRange(0, 0)
}

extension Bytes {
    subscript(range: ByteRange) -> Bytes { Bytes(rebasing: self[range.lower..<range.upper]) }

    func equals(_ range: ByteRange, _ literal: StaticString) -> Bool {
        guard range.count == literal.utf8CodeUnitCount else { return false }
        let start = range.lower
        for index in 0..<range.count where self[start + index] != literal.utf8Start[index] { return false }
        return true
    }

    /// ASCII case-insensitive equality to a lowercase literal.
    func equalsIgnoringCase(_ range: ByteRange, _ lowercase: StaticString) -> Bool {
        guard range.count == lowercase.utf8CodeUnitCount else { return false }
        let start = range.lower
        for index in 0..<range.count where self[start + index].lowercased != lowercase.utf8Start[index] { return false }
        return true
    }

    /// The range without the spaces and tabs at both ends.
    ///
    /// OWS = *( SP / HTAB ) (RFC 9110 §5.6.3).
    func trimmingWhitespace(_ range: ByteRange) -> ByteRange {
        var lower = range.lower
        var upper = range.upper
        while lower < upper, self[lower].isWhitespace { lower += 1 }
        while upper > lower, self[upper - 1].isWhitespace { upper -= 1 }
        return ByteRange(lower, upper)
    }

    package func firstLineFeed(from start: Int) -> Int? { first(.lineFeed, from: start) }
}

///
/// uri-host [ ":" port ], uri-host = IP-literal / IPv4address / reg-name (RFC 9110 §4.1, RFC 3986 §3.2).
enum Authority {
    /// Whether the bytes are a host, optionally with a port from 0 to 65535; userinfo is rejected (RFC 9110 §4.2.4).
    static func isValid(_ bytes: Bytes, _ range: ByteRange, needsHost: Bool, needsPort: Bool) -> Bool {
        let start = range.lower
        let end = range.upper
        var index = start
        if index < end, bytes[index] == UInt8(ascii: "[") {
            guard let close = endOfLiteral(bytes, index + 1, end) else { return false }
            index = close + 1
        } else {
            while index < end, bytes[index] != .colon {
                if bytes[index] == .percent {
                    // pct-encoded = "%" HEXDIG HEXDIG (RFC 3986 §2.1)
                    guard index + 2 < end, PercentCoding.byte(at: index, in: bytes) != nil else { return false }
                    index += 3
                } else {
                    guard bytes[index].isRegisteredNameCharacter else { return false }
                    index += 1
                }
            }
            if index == start && (needsHost || start < end) { return false }
        }
        if index == end { return !needsPort }
        return bytes[index] == .colon && isPort(bytes, index + 1, end, needed: needsPort)
    }

    /// port = *DIGIT (RFC 3986 §3.2.3), at most 65535.
    private static func isPort(_ bytes: Bytes, _ start: Int, _ end: Int, needed: Bool) -> Bool {
        if start == end { return !needed }
        var port = 0
        for index in start..<end {
            guard bytes[index].isDigit else { return false }
            port = port * 10 + Int(bytes[index] &- 0x30)
            if port > 65535 { return false }
        }
        return true
    }

    /// IP-literal = "[" ( IPv6address / IPvFuture ) "]"; returns the offset of the closing bracket.
    ///
    /// An IPv6 address needs valid characters and two colons; other rules of RFC 4291 are not checked, because nothing
    /// here resolves it.
    private static func endOfLiteral(_ bytes: Bytes, _ start: Int, _ end: Int) -> Int? {
        var close = start
        while close < end, bytes[close] != UInt8(ascii: "]") { close += 1 }
        guard close < end else { return nil }
        if bytes[start].lowercased == UInt8(ascii: "v") {
            // IPvFuture = "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )
            var index = start + 1
            while index < close, bytes[index].hexValue != nil { index += 1 }
            guard index > start + 1, index + 1 < close, bytes[index] == .dot else { return nil }
            for position in index + 1..<close
            where !(bytes[position].isRegisteredNameCharacter || bytes[position] == .colon) { return nil }
            return close
        }
        var colons = 0
        for index in start..<close {
            if bytes[index] == .colon { colons += 1 }
            guard bytes[index] == .colon || bytes[index] == .dot || bytes[index].hexValue != nil else { return nil }
        }
        return colons >= 2 ? close : nil
    }
}
