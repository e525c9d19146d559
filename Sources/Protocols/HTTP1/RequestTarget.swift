import HTTPTypes
import Text

/// The request-target of a request line (RFC 9112 §3.2).
///
/// The target stores the received bytes and creates strings on access.
public struct RequestTarget: Sendable {
    public enum Form: Sendable, Hashable {
        /// `/path?query`, the usual form.
        case origin
        /// `http://host/path?query`, as sent to proxies; servers also accept it.
        case absolute
        /// `host:port`, for CONNECT.
        case authority
        /// `*`, for OPTIONS on the whole server.
        case asterisk
    }

    struct Parts: Sendable {
        var form: Form
        var path = ByteRange.empty
        var query: ByteRange?
        var authority: ByteRange?
    }

    private let bytes: [UInt8]
    private let parts: Parts
    init(bytes: [UInt8], parts: Parts) { (self.bytes, self.parts) = (bytes, parts) }

    /// Parses a request target for a request with the given method.
    public init(parsing text: String, method: HTTPRequest.Method = .get) throws(RemoteError) {
        let bytes = Array(text.utf8)
        let parts = try bytes.withUnsafeBufferPointer { (buffer) throws(RemoteError) -> Parts in
            guard !buffer.isEmpty else { throw .malformedRequestLine(Excerpt(buffer)) }
            return try Parts.parse(buffer, ByteRange(0, buffer.count), method)
        }
        self.init(bytes: bytes, parts: parts)
    }

    /// Whether this shares its storage with another target on this connection.
    ///
    /// Repeated request lines are stored once; different storage may hold identical targets.
    public func isSame(as other: RequestTarget) -> Bool {
        bytes.withUnsafeBufferPointer { $0.baseAddress } == other.bytes.withUnsafeBufferPointer { $0.baseAddress }
    }

    /// The number of stored bytes: the request line, or only the target if it was parsed without one.
    public var byteCount: Int { bytes.count }
    public var form: Form { parts.form }
    /// The path, still percent-encoded; starts with `/`, is `*`, or is empty for CONNECT.
    public var path: String { withPath { String(decoding: $0, as: UTF8.self) } }
    /// The query, still encoded and without its `?`; nil without a `?`.
    public var query: String? { parts.query.map(text) }
    /// The host and port, if the target names them (absolute and authority form).
    public var authority: String? { parts.authority.map(text) }

    /// Passes the bytes of ``path`` to a closure without copying them; the buffer is valid only during the call.
    ///
    /// Not generic: every request calls this, and other modules would not specialise generic code.
    public func readPath(_ body: (UnsafeBufferPointer<UInt8>) -> Void) { withPath(body) }

    func withPath<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
        // "If the path component is empty …, the client MUST send "/"" (RFC 9112 §3.2.1); the path of http://host is
        // empty.
        if parts.form == .absolute && parts.path.isEmpty {
            return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1) { slash in
                slash.initialize(repeating: .slash)
                return body(Bytes(slash))
            }
        }
        return bytes.withUnsafeBufferPointer { body($0[parts.path]) }
    }

    /// Passes the bytes of ``query`` to a closure without copying them; returns nil if there is no query.
    public func withQuery<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R? {
        guard let query = parts.query else { return nil }
        return bytes.withUnsafeBufferPointer { body($0[query]) }
    }

    private func text(_ range: ByteRange) -> String {
        bytes.withUnsafeBufferPointer { String(decoding: $0[range], as: UTF8.self) }
    }

    /// The path, split at `/` and then percent-decoded, so that a decoded `/` stays inside its segment.
    ///
    /// `/` is one empty segment, `/a//b/` is `a`, empty, `b`, empty; `*` and the authority form have no segments.
    /// Splitting takes time linear in the length of the path. Dot segments are preserved (RFC 3986 §3.3).
    public var segments: [String] {
        guard form == .origin || form == .absolute else { return [] }
        return withPath { path in
            var segments: [String] = []
            var start = 1
            while start <= path.count {
                var end = start
                while end < path.count, path[end] != .slash { end += 1 }
                segments.append(PercentCoding.string(path[ByteRange(start, end)], plusIsSpace: false))
                start = end + 1
            }
            return segments
        }
    }

    /// The query as `application/x-www-form-urlencoded` pairs; empty if there is no query.
    public func queryItems() -> [(name: String, value: String)] { withQuery(PercentCoding.items) ?? [] }
}

extension RequestTarget: CustomStringConvertible {
    /// The target as it appears in a request line, without the scheme.
    public var description: String { (authority ?? "") + path + (query.map { "?" + $0 } ?? "") }
}

extension RequestTarget.Parts {
    /// Recognizes the form by the method and the first bytes.
    ///
    /// request-target = origin-form / absolute-form / authority-form / asterisk-form (RFC 9112 §3.2)
    ///
    /// Like most servers, this parser is more lenient than RFC 3986: path and query may contain any visible ASCII
    /// character except `#`, although the grammar requires `"<>[\]^{|}` and the grave accent to be percent-encoded.
    static func parse(
        _ bytes: Bytes, _ range: ByteRange, _ method: HTTPRequest.Method
    ) throws(RemoteError) -> RequestTarget.Parts {
        let isPlain = bytes[range].hasNone {
            // Finds invisible bytes and delimiters; the sum sets the high bit of bytes from 0x7f on.
            $0.less(than: 0x21) | $0 | ($0 &+ .lowBits) | $0.equal(to: .hash) | $0.equal(to: .percent)
                | $0.equal(to: .questionMark)
        }
        if isPlain, bytes[range.lower] == .slash, method != .connect { return .init(form: .origin, path: range) }
        if let byte = bytes[range].first(where: { !$0.isVisible }) {
            throw .badTargetByte(byte, Excerpt(target: range, in: bytes))
        }
        if bytes[range].contains(.hash) { throw .fragmentInTarget(Excerpt(target: range, in: bytes)) }

        // authority-form = uri-host ":" port, only for CONNECT (RFC 9112 §3.2.3)
        if method == .connect {
            guard Authority.isValid(bytes, range, needsHost: true, needsPort: true) else {
                throw .badConnectTarget(Excerpt(target: range, in: bytes))
            }
            return RequestTarget.Parts(form: .authority, authority: range)
        }
        if bytes[range.lower] == .slash { return try pathAndQuery(bytes, range, form: .origin, authority: nil) }
        // asterisk-form = "*", only for OPTIONS (RFC 9112 §3.2.4)
        if bytes.equals(range, "*") {
            guard method == .options else { throw .asteriskWithoutOptions(method.rawValue) }
            return RequestTarget.Parts(form: .asterisk, path: range)
        }
        return try absolute(bytes, range)
    }

    /// The form for proxies, which servers must also accept.
    ///
    /// absolute-form = absolute-URI: "http" "://" authority path-abempty [ "?" query ] (RFC 9112 §3.2.2, RFC 9110 §4.2)
    private static func absolute(_ bytes: Bytes, _ range: ByteRange) throws(RemoteError) -> RequestTarget.Parts {
        func begins(with scheme: StaticString, of length: Int) -> Bool {
            range.count > length && bytes.equalsIgnoringCase(ByteRange(range.lower, range.lower + length), scheme)
        }
        let scheme = begins(with: "http://", of: 7) ? 7 : begins(with: "https://", of: 8) ? 8 : 0
        guard scheme > 0 else { throw .badTargetForm(Excerpt(target: range, in: bytes)) }
        let start = range.lower + scheme
        var end = start
        while end < range.upper, bytes[end] != .slash, bytes[end] != .questionMark { end += 1 }
        let authority = ByteRange(start, end)
        // "A recipient … MUST reject a … http URI reference that has an empty host" (RFC 9110 §4.2.1); userinfo is an
        // error too (§4.2.4).
        guard Authority.isValid(bytes, authority, needsHost: true, needsPort: false) else {
            throw .badTargetAuthority(Excerpt(target: authority, in: bytes))
        }
        return try pathAndQuery(bytes, ByteRange(end, range.upper), form: .absolute, authority: authority)
    }

    /// The form of nearly all requests, and the end of the absolute form.
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

    /// pct-encoded = "%" HEXDIG HEXDIG (RFC 3986 §2.1); the decoded path must be UTF-8 without NUL.
    ///
    /// Repairing invalid UTF-8 would make different paths equal.
    private static func checkEscapes(_ bytes: Bytes, _ path: ByteRange) throws(RemoteError) {
        var index = path.lower
        while index < path.upper {
            if bytes[index] == .percent {
                guard index + 2 < path.upper, let byte = PercentCoding.byte(at: index, in: bytes) else {
                    throw .badEscape(Excerpt(bytes, ByteRange(index, min(index + 3, path.upper))))
                }
                if byte == 0 { throw .escapedNUL(Excerpt(bytes, path)) }
                index += 2
            }
            index += 1
        }
        guard String(validating: PercentCoding.decoded(bytes[path], plusIsSpace: false), as: UTF8.self) != nil else {
            throw .escapesNotUTF8(Excerpt(bytes, path))
        }
    }
}
