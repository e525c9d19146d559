import HTTP1
import HTTPTypes

/// Writes an upstream's answer to a client.
///
/// The codec's own encoder does not fit: it drops the rest of a request once an answer to it has begun; here both
/// continue.
struct AnswerEncoder {
    /// How the client learns where the body ends.
    enum Framing: Equatable {
        case none
        case length
        case chunked
        case untilClose
    }

    private(set) var framing: Framing
    /// Whether the connection ends with this answer.
    private(set) var closes: Bool

    /// Appends the head.
    ///
    /// - Parameter closes: whether the client or its request want the connection ended.
    init(
        _ head: ResponseHead, fields: HTTPFields, isHead: Bool, clientVersion: Version, closes: Bool,
        into out: inout [UInt8]
    ) {
        let mayHaveBody = head.status.code != 204 && head.status.code != 304
        let hasLength = head.contentLength != nil && head.status.code != 204
        if !mayHaveBody || isHead {
            framing = .none
        } else if hasLength {
            framing = .length
        } else {
            framing = clientVersion == .http11 ? .chunked : .untilClose
        }
        self.closes = closes || framing == .untilClose
        Self.appendHead(head.status, fields, into: &out)
        if hasLength, let length = head.contentLength {
            Self.append("Content-Length: \(length)\r\n", to: &out)
        } else if framing == .chunked || (isHead && head.isChunked && clientVersion == .http11) {
            Self.append("Transfer-Encoding: chunked\r\n", to: &out)
        }
        var options: [String] = []
        if self.closes { options.append("close") } else if clientVersion == .http10 { options.append("keep-alive") }
        if fields[.upgrade] != nil { options.append("upgrade") }
        if !options.isEmpty { Self.append("Connection: \(options.joined(separator: ", "))\r\n", to: &out) }
        Self.append("\r\n", to: &out)
    }

    /// Appends a 1xx; a 101 has `Connection: Upgrade`.
    static func appendInterim(_ head: ResponseHead, fields: HTTPFields, into out: inout [UInt8]) {
        appendHead(head.status, fields, into: &out)
        if head.status.code == 101 { append("Connection: Upgrade\r\n", to: &out) }
        append("\r\n", to: &out)
    }

    func appendBody(_ bytes: ArraySlice<UInt8>, into out: inout [UInt8]) {
        switch framing {
        case .none: break
        case .length, .untilClose: out.append(contentsOf: bytes)
        case .chunked:
            if bytes.isEmpty { return }
            Self.append(String(bytes.count, radix: 16) + "\r\n", to: &out)
            out.append(contentsOf: bytes)
            Self.append("\r\n", to: &out)
        }
    }

    /// Appends the end of the body.
    func appendEnd(into out: inout [UInt8]) {
        if framing == .chunked { Self.append("0\r\n\r\n", to: &out) }
    }

    private static func appendHead(_ status: HTTPResponse.Status, _ fields: HTTPFields, into out: inout [UInt8]) {
        append("HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n", to: &out)
        for field in fields {
            append(field.name.rawName, to: &out)
            append(": ", to: &out)
            // The bytes as they arrived, which need not be UTF-8.
            field.withUnsafeBytesOfValue { out.append(contentsOf: $0) }
            append("\r\n", to: &out)
        }
    }

    private static func append(_ text: String, to out: inout [UInt8]) { out.append(contentsOf: text.utf8) }
}

/// Bytes that wait for one side of a relay.
public struct RelayOutput: Sendable {
    /// Where the codecs append; bytes already sent precede ``start``.
    var bytes: [UInt8] = []
    private var start = 0

    /// An emptied buffer larger than this is released.
    private static let retainedCapacity = 16 * 1024

    /// How many bytes wait.
    public var count: Int { bytes.count - start }
    public var isEmpty: Bool { bytes.count == start }

    /// Borrows the waiting bytes.
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    }

    /// Removes the first bytes, which were sent.
    mutating func take(_ count: Int) {
        precondition(count <= self.count, "more was sent than there was")
        start += count
        if start == bytes.count {
            removeAll()
        } else if start >= bytes.count - start, start > RelayOutput.retainedCapacity {
            // Each byte is moved at most once per byte sent.
            bytes.removeSubrange(..<start)
            start = 0
        }
    }

    mutating func append(_ more: some Collection<UInt8>) { bytes.append(contentsOf: more) }

    mutating func append(_ more: UnsafeRawBufferPointer) { bytes.append(contentsOf: more) }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: bytes.capacity <= RelayOutput.retainedCapacity)
        start = 0
    }
}
