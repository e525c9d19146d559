import Testing

@testable import MockServer

@Suite("Web page origins")
struct WebOriginTests {
    static let hostile = [
        "", "null", "*", "localhost", "localhost:80", "//localhost", "://localhost", "http:/localhost",
        "http:localhost", "http://", "http://:80", "http:///", "http://localhost/", "http://localhost/a",
        "http://localhost?a", "http://localhost#a", "http://localhost ", " http://localhost", "http://localhost\t",
        "http://local host", "http://localhost@evil.com", "http://localhost:80@evil.com", "http://evil.com@localhost",
        "http://a:b@localhost", "http://localhost:", "http://localhost:0", "http://localhost:080",
        "http://localhost:65536",
        "http://localhost:80:80", "http://localhost:+80", "http://localhost:-1", "http://localhost:8o",
        "http://localhost:٨٠", "http://localhost, http://localhost", "http://localhost http://localhost",
        "http://localhost,", "http://[::1", "http://::1", "http://[::1]]", "http://[::1].evil.com", "http://[::1]evil",
        "http://[::1%lo]", "http://[localhost]", "http://[]", "http://[::1]:", "http://localhost%2eevil.com",
        "http://localhost\\@evil.com", "http://\u{212A}localhost", "http://loca\u{301}lhost", "http://localhost\u{0}",
        "1http://localhost", "ht tp://localhost", "http//://localhost", "http\u{301}://localhost",
        "http:/\u{301}/localhost",
    ]

    @Test("The parser rejects strings that are not origins", arguments: hostile)
    func none(_ text: String) { #expect(WebOrigin(text) == nil) }

    @Test(
        "The parser normalizes each origin to one spelling",
        arguments: [
            ("http://localhost", "http://localhost"), ("HTTP://LOCALHOST", "http://localhost"),
            ("http://localhost:80", "http://localhost"), ("https://localhost:443", "https://localhost"),
            ("http://localhost:443", "http://localhost:443"), ("http://Example.COM:3000", "http://example.com:3000"),
            ("http://[::1]:8080", "http://[::1]:8080"), ("http://[FE80::1]", "http://[fe80::1]"),
            ("http://localhost.", "http://localhost."), ("http://a_b.local", "http://a_b.local"),
            ("ws://localhost:8080", "http://localhost:8080"), ("wss://localhost:443", "https://localhost"),
            ("chrome-extension://abcdef", "chrome-extension://abcdef"),
            ("capacitor://localhost", "capacitor://localhost"),
        ])
    func spelling(_ text: String, _ canonical: String) throws {
        let origin = try #require(WebOrigin(text))
        #expect(origin.description == canonical && WebOrigin(canonical) == origin)
    }

    @Test(
        "Only exact local hosts over http or https count as local origins",
        arguments: [
            ("http://localhost", true), ("https://localhost:3000", true), ("http://127.0.0.1:8080", true),
            ("http://127.255.255.255", true), ("http://[::1]", true), ("http://localhost.", false),
            ("http://app.localhost", false), ("http://evil.localhost", false),
            ("http://localhost.evil.com", false), ("http://127.0.0.1.nip.io", false), ("http://127.0.0.1.", false),
            ("http://127.0.0.01", false), ("http://0127.0.0.1", false), ("http://127.0.0.256", false),
            ("http://127.0.0", false), ("http://127.1", false), ("http://2130706433", false),
            ("http://0x7f.0.0.1", false), ("http://128.0.0.1", false), ("http://0.0.0.0", false),
            ("http://[::]", false), ("http://[::2]", false),
            ("http://[::ffff:127.0.0.1]", false), ("http://notlocalhost", false), ("http://localhost_", false),
            ("chrome-extension://127.0.0.1", false), ("file://localhost", false), ("ftp://localhost", false),
        ])
    func thisMachine(_ text: String, _ isOfThisMachine: Bool) throws {
        #expect(try #require(WebOrigin(text)).isOfThisMachine == isOfThisMachine)
    }

    @Test("--allow-origin accepts any, null, files or a single origin")
    func allowed() {
        #expect(AllowedOrigin("*") == .any && AllowedOrigin("null") == .null && AllowedOrigin("file://") == .files)
        #expect(AllowedOrigin("http://a:80") == WebOrigin("http://a").map(AllowedOrigin.origin))
        for text in ["", "NULL", "http://a/", "http://*", "a", "file:", "file:///", "FILE://"] {
            #expect(AllowedOrigin(text) == nil)
        }
    }
}
