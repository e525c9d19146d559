import COpenSSL

/// SHA-1, for the WebSocket handshake only.
///
/// SHA-1 is not safe for signatures; RFC 6455 §4.2.2 uses it only to prove that a server understood the request.
/// Source: FIPS 180-4, RFC 3174.
public enum SHA1 {
    public static let byteCount = 20

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

/// HMAC with SHA-256, which signs HS256 tokens (RFC 2104; FIPS 198-1; RFC 7518 §3.2 for HS256).
public enum HMACSHA256 {
    public static let byteCount = 32
    private static let blockByteCount = 64

    /// Returns the 32-byte authentication code of `message` under `key`.
    ///
    /// Any key length is allowed; a key longer than 64 bytes is hashed first (RFC 2104 §2). Compare codes with
    /// ``constantTimeEquals(_:_:)``, never with `==`.
    public static func authenticate(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        // RFC 2104 §2: H(K XOR opad, H(K XOR ipad, text))
        let block = block(of: key)
        return digest(block.map { $0 ^ 0x5C }, digest(block.map { $0 ^ 0x36 }, message))
    }

    private static func block(of key: [UInt8]) -> [UInt8] {
        let block = key.count > blockByteCount ? digest(key, []) : key
        return block + [UInt8](repeating: 0, count: blockByteCount - block.count)
    }

    /// Derives a 32-byte key from a password: PBKDF2 with HMAC-SHA-256 (RFC 8018 §5.2).
    ///
    /// - Parameter iterations: At least 1; ten thousand take two to three milliseconds.
    public static func deriveKey(password: [UInt8], salt: [UInt8], iterations: Int) -> [UInt8] {
        precondition(iterations > 0, "A key needs at least one iteration.")
        let block = block(of: password)
        // The hash states after the key's two blocks, where every iteration starts.
        var (inner, outer) = (SHA256_CTX(), SHA256_CTX())
        SHA256_Init(&inner)
        SHA256_Update(&inner, block.map { $0 ^ 0x36 }, blockByteCount)
        SHA256_Init(&outer)
        SHA256_Update(&outer, block.map { $0 ^ 0x5C }, blockByteCount)
        // The block number INT (1): the key has only one block.
        var last = authenticate(salt + [0, 0, 0, 1], key: password)
        var key = last
        for _ in 1..<iterations {
            var context = inner
            SHA256_Update(&context, last, byteCount)
            SHA256_Final(&last, &context)
            context = outer
            SHA256_Update(&context, last, byteCount)
            SHA256_Final(&last, &context)
            for index in 0..<byteCount { key[index] ^= last[index] }
        }
        return key
    }

    /// SHA-256 of the concatenation of two byte strings.
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

/// Compares two byte strings in time that does not depend on where they differ.
///
/// If the lengths differ, it returns immediately, because the length of a code is not secret.
public func constantTimeEquals(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    a.count == b.count && CRYPTO_memcmp(a, b, a.count) == 0
}
