import HTTP1
import HTTPTypes
import Testing
import Text

@testable import Proxy

@Suite("Rewritten request and answer heads")
struct HeadingTests {
    @Test(
        "The relay removes a cookie's Domain attribute and, for clients without TLS, its Secure attribute",
        arguments: [
            ("a=1", "a=1", "a=1"),
            ("a=1; Path=/; Domain=example.com; Max-Age=9", "a=1; Path=/; Max-Age=9", "a=1; Path=/; Max-Age=9"),
            ("a=1; Secure", "a=1", "a=1; Secure"),
            ("a=1;SECURE;HttpOnly", "a=1;HttpOnly", "a=1;SECURE;HttpOnly"),
            ("a=1; SameSite=None; Secure", "a=1", "a=1; SameSite=None; Secure"),
            ("a=1; SameSite=Lax; Secure", "a=1; SameSite=Lax", "a=1; SameSite=Lax; Secure"),
            ("domain=x; domain = .example.com", "domain=x", "domain=x"),
            ("secure; secure", "secure", "secure; secure"),
            ("", "", ""), ("a=1;; Path=/", "a=1;; Path=/", "a=1;; Path=/"),
        ])
    func cookies(_ cookie: String, plain: String, secure: String) {
        #expect([false, true].map { AnswerHeading.cookie(cookie, isClientSecure: $0) } == [plain, secure])
    }

    @Test("Trace fields are forwarded unchanged")
    func trace() throws {
        let fields = [
            "TraceParent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "tracestate": "a=1,b=2",
        ]
        var connection = HTTP1.Connection(role: .server)
        let lines = fields.map { "\($0): \($1)\r\n" }.joined()
        connection.receive(Array("GET / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n".utf8))
        guard case .request(let head) = try connection.nextEvent() else { return #expect(Bool(false)) }
        let heading = RequestHeading(head, isClientSecure: false, upstream: try UpstreamURL("https://api.example.com"))
        for (name, value) in fields {
            #expect(heading.fields.filter { $0.name.rawName == name }.map(\.value) == [value])
        }
    }

    @Test(
        "Only URLs at the old origin are rewritten to the new origin",
        arguments: [
            ("http://a", "https://b"), ("http://A/x", "https://b/x"), ("http://a?q", "https://b?q"),
            ("http://a#f", "https://b#f"), ("http://a.example/x", "http://a.example/x"),
            ("http://a:81/x", "http://a:81/x"), ("https://a/x", "https://a/x"), ("/x", "/x"), ("", ""),
            ("http://", "http://"),
        ])
    func moving(_ url: String, moved: String) {
        #expect(RequestHeading.moved(url, from: "http://a", to: "https://b") == moved)
        #expect(RequestHeading.moved(url, from: nil, to: "https://b") == url)
    }

    @Test(
        "A Location that names the upstream in any notation is rewritten to the proxy",
        arguments: [
            ("https://api.example.com/b", "http://localhost:1/b"),
            ("https://api.example.com:443/b", "http://localhost:1/b"),
            ("//api.example.com/b", "http://localhost:1/b"), ("HTTPS://API.EXAMPLE.COM", "http://localhost:1"),
            ("http://api.example.com/b", "http://api.example.com/b"),
            ("https://other.example.com/b", "https://other.example.com/b"), ("/b", "/b"), ("b?c", "b?c"),
        ])
    func locations(_ location: String, moved: String) {
        var harness = RelayHarness(RelayHarness.parsed("https://api.example.com"))
        harness.client("GET / HTTP/1.1\r\nHost: localhost:1\r\n\r\n")
        harness.upstream("HTTP/1.1 302 Found\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n")
        #expect(harness.clientText == "HTTP/1.1 302 Found\r\nLocation: \(moved)\r\nContent-Length: 0\r\n\r\n")
    }

    @Test("A client over TLS is redirected to https")
    func secureClient() {
        var harness = RelayHarness(RelayHarness.parsed("https://api.example.com"), isClientSecure: true)
        harness.client("GET / HTTP/1.1\r\nHost: localhost:1\r\nOrigin: https://localhost:1\r\n\r\n")
        #expect(harness.upstreamTexts[0].contains("\r\nOrigin: https://api.example.com\r\n"))
        harness.upstream("HTTP/1.1 302 Found\r\nLocation: https://api.example.com/\r\nContent-Length: 0\r\n\r\n")
        #expect(harness.clientText.contains("\r\nLocation: https://localhost:1/\r\n"))
    }

    @Test("An Origin or Referer from another host is forwarded unchanged")
    func foreignOrigin() {
        let harness = RelayHarness.asked(
            "GET / HTTP/1.1\r\nHost: h\r\nOrigin: http://other\r\nReferer: http://other/h\r\n\r\n")
        #expect(harness.upstreamTexts[0].contains("\r\nOrigin: http://other\r\nReferer: http://other/h\r\n"))
    }

    @Test("An origin with a DNS name is forwarded unchanged", arguments: ["evil.example", "127.0.0.1.nip.io"])
    func reboundOrigin(_ host: String) {
        let harness = RelayHarness.asked("GET / HTTP/1.1\r\nHost: \(host):1\r\nOrigin: http://\(host):1\r\n\r\n")
        #expect(harness.upstreamTexts[0].contains("\r\nOrigin: http://\(host):1\r\n"))
    }

    @Test(
        "Only requests for an admin API are forwarded with a Via field",
        arguments: [
            ("/__admin", true), ("/__admin/state?a", true), ("/%5f_admin/state", true), ("/_%5Fadmi%6E/ui", true),
            ("/w/w1/__admin", true), ("/api/v1/goals?x=__admin", false), ("/", false),
        ])
    func adminPaths(_ path: String, _ hasVia: Bool) {
        // A client cannot make the relay remove the field.
        let harness = RelayHarness.asked("GET \(path) HTTP/1.1\r\nHost: localhost:1\r\nConnection: via\r\n\r\n")
        #expect(harness.upstreamTexts[0].contains("\r\nVia: 1.1 fitiq-mock\r\n") == hasVia)
    }

    @Test("An HTTP/1.0 client without a Host gets the upstream's Location unchanged")
    func withoutHost() {
        var harness = RelayHarness.asked("GET / HTTP/1.0\r\n\r\n")
        #expect(
            harness.upstreamTexts == ["GET / HTTP/1.1\r\nHost: api.example.com\r\nAccept-Encoding: identity\r\n\r\n"])
        harness.upstream("HTTP/1.1 302 Found\r\nLocation: http://api.example.com/\r\nContent-Length: 0\r\n\r\n")
        #expect(harness.clientText.contains("\r\nLocation: http://api.example.com/\r\n"))
    }
}
