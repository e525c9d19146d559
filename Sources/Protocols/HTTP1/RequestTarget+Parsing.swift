import HTTPTypes
import Text

extension RequestTarget.Parts {
    /// Tells the forms apart by the method and the first bytes.
    ///
    /// request-target = origin-form / absolute-form / authority-form / asterisk-form (RFC 9112 §3.2)
    ///
    /// More lenient than RFC 3986 in one way, as most servers are: any visible ASCII character but `#` may stand in
    /// path and query, where the grammar would have `"<>[\]^{|}` and the grave accent percent-encoded.
    static func parse(
        _ bytes: Bytes, _ range: ByteRange, _ method: HTTPRequest.Method
    ) throws(RemoteError) -> RequestTarget.Parts {
        // One pass without an early exit, as for field values.
        var invisible: UInt8 = 0
        var hash: UInt8 = 0
        for byte in bytes[range] {
            invisible |= byte &- 0x21 < 0x5e ? 0 : 1
            hash |= byte == .hash ? 1 : 0
        }
        if invisible != 0, let byte = bytes[range].first(where: { !$0.isVisible }) {
            throw .badTargetByte(byte, Excerpt(bytes, range))
        }
        if hash != 0 { throw .fragmentInTarget(Excerpt(bytes, range)) }

        // authority-form = uri-host ":" port, for CONNECT and nothing else (RFC 9112 §3.2.3)
        if method == .connect {
            guard Authority.isValid(bytes, range, needsHost: true, needsPort: true) else {
                throw .badConnectTarget(Excerpt(bytes, range))
            }
            return RequestTarget.Parts(form: .authority, authority: range)
        }
        if bytes[range.lower] == .slash { return try pathAndQuery(bytes, range, form: .origin, authority: nil) }
        // asterisk-form = "*", for OPTIONS and nothing else (RFC 9112 §3.2.4)
        if bytes.equals(range, "*") {
            guard method == .options else { throw .asteriskWithoutOptions(method.rawValue) }
            return RequestTarget.Parts(form: .asterisk, path: range)
        }
        return try absolute(bytes, range)
    }

    /// The form for proxies, which servers must take as well.
    ///
    /// absolute-form = absolute-URI: "http" "://" authority path-abempty [ "?" query ] (RFC 9112 §3.2.2, RFC 9110 §4.2)
    private static func absolute(_ bytes: Bytes, _ range: ByteRange) throws(RemoteError) -> RequestTarget.Parts {
        var start = range.lower
        if range.count > 7, bytes.equalsIgnoringCase(ByteRange(start, start + 7), "http://") {
            start += 7
        } else if range.count > 8, bytes.equalsIgnoringCase(ByteRange(start, start + 8), "https://") {
            start += 8
        } else {
            throw .badTargetForm(Excerpt(bytes, range))
        }
        var end = start
        while end < range.upper, bytes[end] != .slash, bytes[end] != .questionMark { end += 1 }
        let authority = ByteRange(start, end)
        // "A recipient … MUST reject a … http URI reference that has an empty host" (RFC 9110 §4.2.1); userinfo is
        // an error as well (§4.2.4).
        guard Authority.isValid(bytes, authority, needsHost: true, needsPort: false) else {
            throw .badTargetAuthority(Excerpt(bytes, authority))
        }
        return try pathAndQuery(bytes, ByteRange(end, range.upper), form: .absolute, authority: authority)
    }

    /// The form of nearly all requests, and the tail of the absolute form.
    ///
    /// origin-form = absolute-path [ "?" query ] (RFC 9112 §3.2.1)
    private static func pathAndQuery(
        _ bytes: Bytes, _ range: ByteRange, form: RequestTarget.Form, authority: ByteRange?
    ) throws(RemoteError) -> RequestTarget.Parts {
        var end = range.lower
        var escaped = false
        while end < range.upper, bytes[end] != .questionMark {
            escaped = escaped || bytes[end] == .percent
            end += 1
        }
        let path = ByteRange(range.lower, end)
        if escaped { try checkEscapes(bytes, path) }
        return RequestTarget.Parts(
            form: form, path: path, query: end < range.upper ? ByteRange(end + 1, range.upper) : nil,
            authority: authority)
    }

    /// pct-encoded = "%" HEXDIG HEXDIG (RFC 3986 §2.1); decoded it must be UTF-8 without NUL.
    ///
    /// Repairing bad UTF-8 would let two different paths name the same thing.
    private static func checkEscapes(_ bytes: Bytes, _ path: ByteRange) throws(RemoteError) {
        var index = path.lower
        while index < path.upper {
            if bytes[index] == .percent {
                guard index + 2 < path.upper, let high = bytes[index + 1].hexValue, let low = bytes[index + 2].hexValue
                else { throw .badEscape(Excerpt(bytes, ByteRange(index, min(index + 3, path.upper)))) }
                if high == 0 && low == 0 { throw .escapedNUL(Excerpt(bytes, path)) }
                index += 2
            }
            index += 1
        }
        guard String(validating: PercentCoding.decoded(bytes[path], plusIsSpace: false), as: UTF8.self) != nil else {
            throw .escapesNotUTF8(Excerpt(bytes, path))
        }
    }
}
