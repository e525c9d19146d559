import HTTPTypes
import Text

/// What a request asks for: the request-target of its first line (RFC 9112 §3.2).
///
/// Kept as it arrived; the strings are made when asked for.
public struct RequestTarget: Sendable {
    /// The four forms of a request target.
    public enum Form: Sendable, Hashable {
        /// `/path?query`, for everything but proxies, CONNECT and OPTIONS on the whole server.
        case origin
        /// `http://host/path?query`, as sent to proxies; servers take it too.
        case absolute
        /// `host:port`, for CONNECT.
        case authority
        /// `*`, for OPTIONS on the whole server.
        case asterisk
    }

    /// Where the parts lie in the bytes of the head.
    struct Parts: Sendable {
        var form: Form
        var path = ByteRange.empty
        var query: ByteRange?
        var authority: ByteRange?
    }

    private let bytes: [UInt8]
    private let parts: Parts

    init(bytes: [UInt8], parts: Parts) {
        self.bytes = bytes
        self.parts = parts
    }

    /// Parses a request target on its own, as a request with that method would carry it.
    ///
    /// Throws what a server would answer to such a request.
    public init(parsing text: String, method: HTTPRequest.Method = .get) throws(RemoteError) {
        let bytes = Array(text.utf8)
        let parts = try bytes.withUnsafeBufferPointer { (buffer) throws(RemoteError) -> Parts in
            guard !buffer.isEmpty else { throw .malformedRequestLine(Excerpt(buffer)) }
            return try Parts.parse(buffer, ByteRange(0, buffer.count), method)
        }
        self.init(bytes: bytes, parts: parts)
    }

    /// Which of the four forms it has.
    public var form: Form { parts.form }

    /// The path, still percent-encoded: begins with `/`, or is `*`, or is empty for a CONNECT.
    public var path: String { withPath { String(decoding: $0, as: UTF8.self) } }

    /// The query, still encoded and without its `?`; nil without a `?`.
    public var query: String? { parts.query.map(text) }

    /// The host and port, if the target names them (absolute and authority form).
    public var authority: String? { parts.authority.map(text) }

    /// Borrows the bytes of ``path`` without copying; the buffer is valid only during the call.
    ///
    /// Not generic, because generic code is not specialised for other modules, and this is called for every request.
    public func readPath(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        withPath(body)
    }

    func withPath<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
        // "If the path component is empty …, the client MUST send "/"" (RFC 9112 §3.2.1); http://host has none.
        if parts.form == .absolute && parts.path.isEmpty {
            return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1) { slash in
                slash.initialize(repeating: .slash)
                return body(Bytes(slash))
            }
        }
        return bytes.withUnsafeBufferPointer { body($0[parts.path]) }
    }

    /// Borrows the bytes of ``query`` without copying; nil without a query.
    public func withQuery<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R? {
        guard let query = parts.query else { return nil }
        return bytes.withUnsafeBufferPointer { body($0[query]) }
    }

    private func text(_ range: ByteRange) -> String {
        bytes.withUnsafeBufferPointer { String(decoding: $0[range], as: UTF8.self) }
    }
}

extension RequestTarget: CustomStringConvertible {
    /// The target as a request line would carry it, without scheme.
    public var description: String { (authority ?? "") + path + (query.map { "?" + $0 } ?? "") }
}
