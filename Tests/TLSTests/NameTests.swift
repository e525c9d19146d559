import Testing

@testable import TLS

@Suite("Certificate names")
struct NameTests {
    @Test(
        "The parser reads host names and addresses and prints their usual form",
        arguments: [
            ("localhost", "localhost"), ("Example.COM", "example.com"), ("*.example.com", "*.example.com"),
            ("a_b.c", "a_b.c"), ("xn--mnchen-3ya.de", "xn--mnchen-3ya.de"), ("1a", "1a"),
            ("127.0.0.1", "127.0.0.1"), ("255.255.255.255", "255.255.255.255"), ("::1", "::1"), ("[::1]", "::1"),
            ("::", "::"), ("2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("1:0:0:0:0:0:0:0", "1::"),
            ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"), ("1:0:3:4:5:6:7:8", "1:0:3:4:5:6:7:8"),
            ("::ffff:10.0.0.1", "::ffff:a00:1"),
            ("0000:0000:0000:0000:0000:ffff:192.168.100.228", "::ffff:c0a8:64e4"),
        ])
    func reads(_ text: String, _ written: String) throws {
        #expect(try CertificateName(text).description == written)
        #expect(try CertificateName(written) == CertificateName(text))
    }

    @Test(
        "The parser rejects strings that are neither host names nor addresses",
        arguments: [
            "", ".", "a.", ".a", "a..b", "-a", "a-", "a b", "a/b", "a:b", "a,b", "1.2.3.4.5", "1.2.3", "256.1.1.1",
            "1.2.3.4\0", "a\0", "::1%lo0", ":::", "*", "a.*", "a*.b", "münchen.de", "[a]", "[1.2.3.4", "https://a",
            String(repeating: "a", count: 64), String(repeating: "a.", count: 126) + "ab",
        ])
    func refuses(_ text: String) {
        #expect(throws: TLSError.invalidName(text)) { try CertificateName(text) }
    }

    @Test("The parser accepts the longest names")
    func longest() throws {
        let name = String(repeating: "a.", count: 126) + "a"
        #expect(name.utf8.count == 253)
        #expect(try CertificateName(name) == .dns(name))
        let label = String(repeating: "a", count: 63)
        #expect(try CertificateName(label) == .dns(label))
    }
}
