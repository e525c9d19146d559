import COpenSSL

/// HMAC with SHA-256, which signs HS256 tokens.
///
/// Source: RFC 2104; FIPS 198-1; RFC 7518 §3.2 for HS256.
public enum HMACSHA256 {
    /// The number of bytes in an authentication code.
    public static let byteCount = 32

    /// Returns the 32-byte authentication code of `message` under `key`.
    ///
    /// Any key length is allowed: longer than 64 bytes it is hashed first (RFC 2104 §2). Compare codes with
    /// ``constantTimeEquals(_:_:)``, never with `==`.
    /// - Precondition: the key is shorter than 2 GiB.
    public static func authenticate(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        guard let keyLength = Int32(exactly: key.count) else { preconditionFailure(Messages.keyTooLong) }
        return [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            // The one-shot `HMAC` is not among the functions that OpenSSL 3 deprecates; only its contexts are.
            let code = HMAC(EVP_sha256(), key, keyLength, message, message.count, buffer.baseAddress, nil)
            precondition(code != nil, Messages.unavailable("HMAC-SHA-256"))
            count = byteCount
        }
    }
}
