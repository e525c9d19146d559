import Testing
import Text

@testable import Proxy

@Suite("Upstream server URLs")
struct UpstreamURLTests {
    @Test(
        "An upstream URL is parsed and normalized",
        arguments: [
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080", "127.0.0.1", 8080, false),
            ("https://API.example.com", "https://api.example.com", "api.example.com", 443, true),
            ("https://api.example.com/", "https://api.example.com", "api.example.com", 443, true),
            ("https://api.example.com:443", "https://api.example.com", "api.example.com", 443, true),
            ("http://api.example.com:443", "http://api.example.com:443", "api.example.com", 443, false),
            ("wss://api_1.example.com:8443", "https://api_1.example.com:8443", "api_1.example.com", 8443, true),
            ("ws://localhost", "http://localhost", "localhost", 80, false),
            ("HTTP://[::1]:81", "http://[::1]:81", "::1", 81, false),
            ("https://[2001:DB8::1]", "https://[2001:db8::1]", "2001:db8::1", 443, true),
        ] as [(String, String, String, UInt16, Bool)])
    func accepted(_ text: String, description: String, host: String, port: UInt16, isSecure: Bool) throws {
        let url = try UpstreamURL(text)
        #expect((url.description, url.host, url.port, url.isSecure) == (description, host, port, isSecure))
        #expect(try UpstreamURL(description) == url)
    }

    private static let noURL =
        " is not a URL: specify the upstream server as https://api.example.com or http://127.0.0.1:8080"
    private static let hasPath =
        " has a path: write only scheme, host and port; the proxy forwards every path unchanged"
    private static let noHost =
        " is neither a host name nor an address; write an IPv6 address in brackets, http://[::1]:8080"
    private static let noPort = " is not a port: use one from 1 to 65535"

    @Test(
        "An invalid upstream URL throws an error with the expected message",
        arguments: [
            ("api.example.com", "\"api.example.com\"" + noURL), ("", "\"\"" + noURL),
            ("ftp://a", "the upstream URL begins with \"ftp\", but the proxy supports only http and https"),
            ("https://a/api", "\"https://a/api\"" + hasPath), ("https://a?b", "\"https://a?b\"" + hasPath),
            (
                "https://me:secret@a",
                "the upstream URL contains a user name or password: remove it; clients send their own credentials"
            ),
            ("https://", "\"\"" + noHost), ("http://::1:80", "\"::1:80\"" + noHost),
            ("http://[::1", "\"[::1\"" + noHost), ("http://a b", "\"a b\"" + noHost),
            ("http://a:0", "\"0\"" + noPort), ("http://a:65536", "\"65536\"" + noPort),
            ("http://a:+80", "\"+80\"" + noPort), ("http://a:", "\"\"" + noPort),
        ])
    func refused(_ text: String, message: String) {
        #expect { try UpstreamURL(text) } throws: { "\($0)" == message }
    }

    @Test("An upstream's host name has at most 253 bytes", arguments: [(253, true), (254, false)])
    func longestName(_ count: Int, isAccepted: Bool) {
        let name = String(repeating: "a", count: count)
        #expect((try? UpstreamURL("http://" + name))?.host == (isAccepted ? name : nil))
    }
}
