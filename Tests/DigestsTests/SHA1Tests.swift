import Digests
import TestSupport
import Testing

@Suite("SHA-1")
struct SHA1Tests {
    /// FIPS 180-4 examples; RFC 3174 §7.3.
    @Test(
        "SHA-1 matches published vectors",
        arguments: [
            ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
            ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
            (String(repeating: "a", count: 1_000_000), "34aa973cd4c4daa4f61eeb2bdbad27316534016f"),
        ])
    func vectors(message: String, digest: String) {
        #expect(SHA1.digest(Array(message.utf8)) == hex(digest))
    }

    @Test("SHA-1 matches the sample handshake in RFC 6455 §1.3")
    func handshakeSample() {
        let text = "dGhlIHNhbXBsZSBub25jZQ==" + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        let digest = SHA1.digest(Array(text.utf8))
        #expect(digest == hex("b37a4f2cc0624f1690f64606cf385945b2bec4ea"))
        #expect(Base64.encode(digest) == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }
}
