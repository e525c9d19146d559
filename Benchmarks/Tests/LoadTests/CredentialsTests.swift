import Testing

@testable import Load

@Suite("Credentials")
struct CredentialsTests {
    // RFC 4231, section 4.3, test case 2.
    @Test("HMAC-SHA-256 is the RFC's")
    func hmac() {
        let digest = hmacSHA256(Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
        let hex = digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(hex == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    }

    @Test(
        "base64url has no padding and no characters that a URL escapes",
        arguments: [
            ([], ""), ([0xFB], "-w"), ([0xFF, 0xEF], "_-8"), ([0x66, 0x6F, 0x6F], "Zm9v"),
            ([0x66, 0x6F, 0x6F, 0x62], "Zm9vYg"),
        ] as [([UInt8], String)])
    func encoding(bytes: [UInt8], text: String) {
        #expect(base64url(bytes) == text)
    }

    @Test("a token has three parts, and other users and secrets give other signatures")
    func tokens() {
        let tokens = [("a", "s"), ("b", "s"), ("a", "t")].map { user, secret in
            Credentials(user: user, secret: secret, apiKey: "k").token.split(separator: ".")
        }
        #expect(tokens.allSatisfy { $0.count == 3 && $0[0] == "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9" })
        #expect(Set(tokens.map { $0[2] }).count == 3)
    }
}
