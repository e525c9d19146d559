import Digests

/// The key that a client sends and the answer that shows a server understood it.
///
/// Source: RFC 6455 §4.1 and §4.2.2.
enum HandshakeKey {
    /// A key stands for so many bytes.
    static let byteCount = 16

    /// Whether a field value is "a value that, when base64-decoded, is 16 bytes in length" (RFC 6455 §4.2.1).
    static func isValid(_ key: String) -> Bool {
        // Sixteen bytes take 24 characters; looking at the length first keeps a long value from being decoded.
        key.utf8.count == 24 && Base64.decode(key)?.count == byteCount
    }

    /// The value of Sec-WebSocket-Accept that answers `key`.
    ///
    /// §4.2.2: "concatenating ... |Sec-WebSocket-Key| ... with the string "258EAFA5-E914-47DA-95CA-C5AB0DC85B11",
    /// taking the SHA-1 hash of this concatenated value ... and base64-encoding". The key goes in as it came.
    static func accept(for key: String) -> String {
        Base64.encode(SHA1.digest(Array(key.utf8) + Array("258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)))
    }
}
