import Digests
import TestSupport
import Testing

@Suite("Keys from passwords")
struct PBKDF2Tests {
    @Test(
        "Derived keys equal the keys in RFC 7914 §11, even for a password longer than a block",
        arguments: [
            ("passwd", "salt", 1, "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"),
            ("Password", "NaCl", 80_000, "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56"),
            (
                String(repeating: "p", count: 65), "salt", 4096,
                "11f832dae1a98ddd118ea539fc75f15f1e40d05a690f6283011ba3c180e36d56"
            ),
        ])
    func vectors(password: String, salt: String, iterations: Int, key: String) {
        let made = HMACSHA256.deriveKey(password: Array(password.utf8), salt: Array(salt.utf8), iterations: iterations)
        #expect(made.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() == key)
    }
}

@Suite("HMAC-SHA-256")
struct HMACSHA256Tests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let name: String
        let key: [UInt8]
        let message: [UInt8]
        let code: String
        var testDescription: String { name }

        init(_ name: String, key: [UInt8], message: [UInt8], code: String) {
            (self.name, self.key, self.message, self.code) = (name, key, message, code)
        }
    }

    static let vectors = [
        Vector(
            "RFC 4231 §4.2", key: Array(repeating: 0x0b, count: 20), message: Array("Hi There".utf8),
            code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        Vector(
            "RFC 4231 §4.3", key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8),
            code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        Vector(
            "RFC 4231 §4.4", key: Array(repeating: 0xaa, count: 20), message: Array(repeating: 0xdd, count: 50),
            code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
        Vector(
            "RFC 4231 §4.5", key: Array(1...25), message: Array(repeating: 0xcd, count: 50),
            code: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
        Vector(
            "RFC 4231 §4.7, key longer than a block", key: Array(repeating: 0xaa, count: 131),
            message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
        Vector(
            "RFC 4231 §4.8, key and data longer than a block", key: Array(repeating: 0xaa, count: 131),
            message: Array(
                """
                This is a test using a larger than block-size key and a larger than block-size data. The key needs to \
                be hashed before being used by the HMAC algorithm.
                """.utf8),
            code: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
        Vector(
            "empty key, empty message", key: [], message: [],
            code: "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
        Vector(
            "RFC 7515 appendix A.1, an HS256 token",
            key: Base64.decodeURL(
                "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow") ?? [],
            message: Array(
                """
                eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9\
                leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ
                """.utf8),
            code: "7418dfb49799e0254ffa607dd8adbbba16d4254d69d6bff05b58055853848d79"),
    ]

    @Test("HMAC-SHA-256 matches the published vectors", arguments: vectors)
    func published(vector: Vector) {
        #expect(HMACSHA256.authenticate(vector.message, key: vector.key) == hex(vector.code))
    }

    /// RFC 4231 §4.6 truncates its output to 128 bits.
    @Test("A truncated HMAC matches RFC 4231 §4.6")
    func truncated() {
        let code = HMACSHA256.authenticate(Array("Test With Truncation".utf8), key: Array(repeating: 0x0c, count: 20))
        #expect(Array(code.prefix(16)) == hex("a3b6167473100ee06e0c796c2955552b"))
    }
}
