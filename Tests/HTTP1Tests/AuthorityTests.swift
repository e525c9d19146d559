import Testing

@testable import HTTP1

@Suite("Hosts and ports")
struct AuthorityTests {
    /// The buffer ends with the text, so reading past it traps in a debug build.
    private func isValid(_ text: String, needsHost: Bool = false, needsPort: Bool = false) -> Bool {
        Array(text.utf8).withUnsafeBufferPointer {
            Authority.isValid($0, ByteRange(0, $0.count), needsHost: needsHost, needsPort: needsPort)
        }
    }

    @Test(
        "A host is a name, a bracketed address or a numeric address",
        arguments: [
            "", "a", "a:", "a:0", "a:80", "a:65535", "h.example:8080", "a-b_c~1.2", "!$&'()*+,;=", "%41", "a%2Db",
            "%e2%82%ac:80", "[::]", "[::1]", "[::1]:80", "[1::2.3.4.5]", "[v1.a]", "[vF1.a:b!]", "[V1.~]",
        ])
    func valid(text: String) {
        #expect(isValid(text))
    }

    @Test(
        "An invalid host is rejected",
        arguments: [
            ":", ":80", "a:65536", "a:99999", "a:8x", "a:x8", "a:x", "a b", "a/", "a@b", "%", "a%4", "%4x", "%zz1",
            "[", "[::1", "[]", "[:]", "[1:2]", "[::g]", "[::1]x", "[::1]80", "[v.a]", "[v1]", "[v1.]", "[vz.a]",
            "[v..a]", "[v1.a/]", "[v1x.a]",
        ])
    func invalid(text: String) {
        #expect(!isValid(text))
    }

    @Test("The parser can require a host")
    func needed() {
        #expect(isValid("a", needsHost: true) && !isValid("", needsHost: true) && !isValid(":1", needsHost: true))
        #expect(isValid("a:1", needsPort: true) && !isValid("a:", needsPort: true) && !isValid("a", needsPort: true))
    }
}
