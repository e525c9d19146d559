import COpenSSL
import Glibc

/// What a request identifies its user with: a bearer token of their own and the API key.
public struct Credentials: Sendable {
    /// The token, ready for a query as well.
    public let token: String
    /// Both header fields, each with its line end.
    public let fields: String

    /// Signs a token for `user` that lives a day: a JWT with HS256 (RFC 7515, RFC 7519).
    public init(user: String, secret: String, apiKey: String) {
        let now = time(nil)
        let header = base64url(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8))
        let claims = base64url(Array(#"{"sub":"\#(user)","iat":\#(now),"exp":\#(now + 86_400)}"#.utf8))
        let signed = "\(header).\(claims)"
        token = "\(signed).\(base64url(hmacSHA256(Array(signed.utf8), key: Array(secret.utf8))))"
        fields = "Authorization: Bearer \(token)\r\nX-API-Key: \(apiKey)\r\n"
    }
}

/// HMAC with SHA-256 (RFC 2104).
func hmacSHA256(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    var count: UInt32 = 0
    HMAC(EVP_sha256(), key, Int32(key.count), message, message.count, &digest, &count)
    precondition(count == 32, "SHA-256 gives 32 bytes")
    return digest
}

/// Base64 with the alphabet of RFC 4648, section 5, without padding.
func base64url(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
        let group = bytes[start..<min(start + 3, bytes.count)]
        let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
        for position in 0...group.count { text.append(alphabet[bits >> (18 - 6 * position) & 63]) }
    }
    return String(decoding: text, as: UTF8.self)
}
