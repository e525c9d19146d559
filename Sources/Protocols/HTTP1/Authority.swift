import Text

/// The host and port of a Host field or a request target.
///
/// uri-host [ ":" port ], uri-host = IP-literal / IPv4address / reg-name (RFC 9110 §4.1, RFC 3986 §3.2).
enum Authority {
    /// Whether the bytes are a host, with a port from 0 to 65535 or none; userinfo is refused (RFC 9110 §4.2.4).
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
                    guard index + 2 < end, bytes[index + 1].hexValue != nil, bytes[index + 2].hexValue != nil else {
                        return false
                    }
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

    /// port = *DIGIT (RFC 3986 §3.2.3), and no more than TCP can carry.
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

    /// IP-literal = "[" ( IPv6address / IPvFuture ) "]"; the offset of the bracket that ends it.
    ///
    /// IPv6 addresses are held to their alphabet and to two colons, not to every rule of RFC 4291: nothing here
    /// resolves them.
    private static func endOfLiteral(_ bytes: Bytes, _ start: Int, _ end: Int) -> Int? {
        var close = start
        while close < end, bytes[close] != UInt8(ascii: "]") { close += 1 }
        guard close < end, close > start else { return nil }
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
