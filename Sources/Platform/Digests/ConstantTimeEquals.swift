import COpenSSL

/// Tells whether two byte strings are equal, in a time that does not depend on where they differ.
///
/// Unequal lengths are told apart at once: the length of a code is no secret.
public func constantTimeEquals(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    a.count == b.count && CRYPTO_memcmp(a, b, a.count) == 0
}
