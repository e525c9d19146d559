import HTTP1
import HTTPTypes

/// Writes an upstream's answer to a client.
///
/// Unlike the codec's own encoder, this one does not drop the rest of a request once the answer begins.
package struct AnswerEncoder {
    /// How the client determines where the body ends.
    private enum Framing { case none, length, chunked, untilClose }

    private let framing: Framing
    /// Whether the connection ends with this answer.
    let closes: Bool

    /// Appends an answer's head.
    ///
    /// - Parameter closes: Whether to close the connection after the answer, even if the answer's framing does not
    ///   require it.
    init(
        _ head: ResponseHead, fields: HTTPFields, isHead: Bool, clientVersion: Version, closes: Bool,
        into out: inout [UInt8]
    ) {
        let length = head.status.code == 204 ? nil : head.contentLength
        framing =
            if isHead || head.status.code == 204 || head.status.code == 304 {
                .none
            } else if length != nil {
                .length
            } else {
                clientVersion == .http11 ? .chunked : .untilClose
            }
        self.closes = closes || framing == .untilClose
        Self.appendHead(head.status, fields, into: &out)
        if let length {
            out += "Content-Length: \(length)\r\n".utf8
        } else if framing == .chunked || (isHead && head.isChunked && clientVersion == .http11) {
            out += "Transfer-Encoding: chunked\r\n".utf8
        }
        var options: [String] = []
        if self.closes { options.append("close") } else if clientVersion == .http10 { options.append("keep-alive") }
        if fields[.upgrade] != nil { options.append("upgrade") }
        if !options.isEmpty { out += "Connection: \(options.joined(separator: ", "))\r\n".utf8 }
        out += "\r\n".utf8
    }

    /// Appends a 1xx response; adds `Connection: Upgrade` to a 101.
    package static func appendInterim(_ head: ResponseHead, fields: HTTPFields, into out: inout [UInt8]) {
        appendHead(head.status, fields, into: &out)
        if head.status.code == 101 { out += "Connection: Upgrade\r\n".utf8 }
        out += "\r\n".utf8
    }

    func appendBody(_ bytes: ArraySlice<UInt8>, into out: inout [UInt8]) {
        switch framing {
        case .none: break
        case .length, .untilClose: out.append(contentsOf: bytes)
        case .chunked where bytes.isEmpty: break
        case .chunked:
            out += "\(String(bytes.count, radix: 16))\r\n".utf8
            out.append(contentsOf: bytes)
            out += "\r\n".utf8
        }
    }

    func appendEnd(into out: inout [UInt8]) {
        if framing == .chunked { out += "0\r\n\r\n".utf8 }
    }

    private static func appendHead(_ status: HTTPResponse.Status, _ fields: HTTPFields, into out: inout [UInt8]) {
        out += "HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n".utf8
        for field in fields {
            out += "\(field.name.rawName): ".utf8
            // Copy the bytes as they arrived, because they need not be UTF-8.
            field.withUnsafeBytesOfValue { out.append(contentsOf: $0) }
            out += "\r\n".utf8
        }
    }
}

package struct RelayOutput {
    /// The codecs append here; the bytes before ``start`` have been sent.
    var bytes: [UInt8] = []
    private var start = 0

    /// The maximum capacity to keep once the buffer is empty.
    private static let retainedCapacity = 16 * 1024

    package var count: Int { bytes.count - start }
    package var isEmpty: Bool { bytes.count == start }

    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    }

    mutating func take(_ count: Int) {
        precondition(count <= self.count, "more bytes were taken than were available")
        start += count
        if start == bytes.count {
            removeAll()
        } else if start >= bytes.count - start, start > RelayOutput.retainedCapacity {
            // Because of this condition, the buffer moves at most one byte for each byte sent.
            bytes.removeSubrange(..<start)
            start = 0
        }
    }

    mutating func append(_ more: some Collection<UInt8>) { bytes.append(contentsOf: more) }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: bytes.capacity <= RelayOutput.retainedCapacity)
        start = 0
    }
}
