import COpenSSL

/// HMAC with SHA-256, which signs HS256 tokens.
///
/// Source: RFC 2104; FIPS 198-1; RFC 7518 §3.2 for HS256.
public enum HMACSHA256 {
    /// The number of bytes in an authentication code.
    public static let byteCount = 32

    /// SHA-256 works on blocks of this many bytes.
    private static let blockByteCount = 64

    /// Returns the 32-byte authentication code of `message` under `key`.
    ///
    /// Any key length is allowed: longer than 64 bytes it is hashed first (RFC 2104 §2). Compare codes with
    /// ``constantTimeEquals(_:_:)``, never with `==`.
    public static func authenticate(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        // RFC 2104 §2: H(K XOR opad, H(K XOR ipad, text))
        var block = key.count > blockByteCount ? digest(key, []) : key
        block += [UInt8](repeating: 0, count: blockByteCount - block.count)
        return digest(block.map { $0 ^ 0x5C }, digest(block.map { $0 ^ 0x36 }, message))
    }

    /// SHA-256 of two runs of bytes, one after the other.
    private static func digest(_ first: [UInt8], _ second: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            var context = SHA256_CTX()
            SHA256_Init(&context)
            SHA256_Update(&context, first, first.count)
            SHA256_Update(&context, second, second.count)
            SHA256_Final(buffer.baseAddress, &context)
            count = byteCount
        }
    }
}
