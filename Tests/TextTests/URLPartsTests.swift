import Testing

@testable import Text

@Suite("URLs")
struct URLPartsTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var text, origin: String
        var scheme, authority: String?
        var path: String
        var query, fragment: String?
        var testDescription: String { text }

        init(
            _ text: String, origin: String = "", _ scheme: String?, _ authority: String?, _ path: String,
            _ query: String? = nil, fragment: String? = nil
        ) {
            (self.text, self.origin, self.scheme, self.authority) = (text, origin, scheme, authority)
            (self.path, self.query, self.fragment) = (path, query, fragment)
        }
    }

    static let rows: [Row] = [
        Row(
            "https://API.a.b:8443/a/b%20c?x=1&y#z?", origin: "https://API.a.b:8443", "https", "API.a.b:8443",
            "/a/b%20c", "x=1&y", fragment: "z?"),
        Row("wss://h", origin: "wss://h", "wss", "h", ""),
        Row("https://h?x=1", origin: "https://h", "https", "h", "", "x=1"),
        Row("https://h#x?y", origin: "https://h", "https", "h", "", fragment: "x?y"),
        Row("a+b-c.1://h", origin: "a+b-c.1://h", "a+b-c.1", "h", ""),
        Row("file:///x", origin: "file://", "file", "", "/x"),
        Row("/redirect?to=https://h/x", nil, nil, "/redirect", "to=https://h/x"),
        Row("/a://b", nil, nil, "/a://b"),
        Row("1http://h", nil, nil, "1http://h"),
        Row("http:/h", nil, nil, "http:/h"),
        Row("/?", nil, nil, "/", ""),
        Row("", nil, nil, ""),
        Row("/a/\u{301}b?\u{301}", nil, nil, "/a/\u{301}b", "\u{301}"),
    ]

    @Test("A URL is split at its delimiters", arguments: rows)
    func splits(_ row: Row) {
        let parts = URLParts(row.text)
        #expect(parts.scheme.map(String.init) == row.scheme)
        #expect(parts.authority.map(String.init) == row.authority)
        #expect(parts.path == row.path)
        #expect(parts.query.map(String.init) == row.query)
        #expect(parts.fragment.map(String.init) == row.fragment)
        #expect(parts.origin == row.origin)
    }

    @Test(
        "A URL's target is the target of its request",
        arguments: [
            ("https://h", "/"), ("https://h?x", "/?x"), ("https://h/a?#b", "/a?"), ("/a", "/a"),
            ("http://h/a/b?c", "/a/b?c"),
        ])
    func targets(_ text: String, _ target: String) { #expect(URLParts(text).target == target) }

    @Test(
        "A query's items are decoded in order, including duplicates",
        arguments: [
            ("/a", []), ("/a?", []), ("/a?x", ["x="]), ("/a?b=%20+&%61=1=2&&b=#c=1", ["b=  ", "a=1=2", "b="]),
            ("/a?=1&%=%zz&", ["=1", "%=%zz"]), ("/a?\u{301}=\u{301}", ["\u{301}=\u{301}"]), ("/a?a+b=c", ["a b=c"]),
        ])
    func items(_ text: String, _ items: [String]) {
        #expect(URLParts(text).items.map { "\($0.name)=\($0.value)" } == items)
    }

    @Test(
        "An authority has a host and an optional port",
        arguments: [
            ("h", "h", nil, true), ("a.b-c_d:80", "a.b-c_d", 80, true), ("[::1]:8080", "::1", 8080, true),
            ("[::1]", "::1", nil, true), ("h:", "h", nil, true), ("h:+80", "h", nil, true), ("h:65536", "h", nil, true),
            ("h:65535", "h", 65_535, true), ("", "", nil, false), (":80", "", 80, false), ("h$", "h$", nil, false),
            ("[h]", "h", nil, false), ("[]", "", nil, false), ("é", "é", nil, false), ("h:8:0", "h", nil, true),
        ] as [(String, String, UInt16?, Bool)])
    func authorities(_ text: String, _ host: String, _ port: UInt16?, _ isPlain: Bool) throws {
        let parts = try #require(HostAndPort(text[...]))
        #expect(parts.host == host)
        #expect((parts.port == nil) == !text.dropFirst(host.utf8.count + (parts.isBracketed ? 2 : 0)).contains(":"))
        #expect(parts.portNumber == port)
        #expect(parts.hasPlainHost == isPlain)
    }

    @Test("An IPv4 address is four decimal numbers without leading zeros")
    func ipv4() {
        for host in ["0.0.0.0", "10.1.200.255"] { #expect(HostAndPort.isIPv4(host[...])) }
        for host in ["1.2.3", "1.2.3.4.5", "1.2.3.04", "1.2.3.256", "1.2..3", "1.2.3.a", "+1.2.3.4"] {
            #expect(!HostAndPort.isIPv4(host[...]), "\(host)")
        }
    }

    @Test("The parser rejects an unclosed bracket or text after a bracket", arguments: ["[::1", "[::1]80", "[::1]/"])
    func brackets(_ text: String) { #expect(HostAndPort(text[...]) == nil) }
}
