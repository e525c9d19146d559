import COpenSSL

/// SHA-1, for the one protocol that still asks for it: the WebSocket handshake.
///
/// SHA-1 is broken for signatures; RFC 6455 §4.2.2 uses it only to show that a server understood the request.
/// Source: FIPS 180-4, RFC 3174.
public enum SHA1 {
    /// The number of bytes in a digest.
    public static let byteCount = 20

    /// Returns the 20-byte digest of `bytes`.
    ///
    /// - Precondition: OpenSSL offers SHA-1; a build that withholds it cannot serve WebSocket at all.
    public static func digest(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            let succeeded = EVP_Digest(bytes, bytes.count, buffer.baseAddress, nil, EVP_sha1(), nil)
            precondition(succeeded == 1, Messages.unavailable("SHA-1"))
            count = byteCount
        }
    }
}
