import COpenSSL

/// SHA-1, for the one protocol that still asks for it: the WebSocket handshake.
///
/// SHA-1 is broken for signatures; RFC 6455 §4.2.2 uses it only to show that a server understood the request.
/// Source: FIPS 180-4, RFC 3174.
public enum SHA1 {
    /// The number of bytes in a digest.
    public static let byteCount = 20

    /// Returns the 20-byte digest of `bytes`.
    public static func digest(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            var context = SHA_CTX()
            SHA1_Init(&context)
            SHA1_Update(&context, bytes, bytes.count)
            SHA1_Final(buffer.baseAddress, &context)
            count = byteCount
        }
    }
}
