import Testing

@testable import FitIQClient

@Suite("Base URLs")
struct BaseURLTests {
    @Test(
        "A base URL has a host, an optional port and an optional path",
        arguments: [
            ("http://127.0.0.1:8080", "127.0.0.1", 8080, "", "127.0.0.1:8080"),
            ("http://localhost", "localhost", 80, "", "localhost:80"),
            ("http://localhost/", "localhost", 80, "", "localhost:80"),
            ("http://[::1]:8080", "::1", 8080, "", "[::1]:8080"), ("http://[::1]", "::1", 80, "", "[::1]:80"),
            ("http://host.local:9/w/world", "host.local", 9, "/w/world", "host.local:9"),
            ("http://host.local:9/w/world//", "host.local", 9, "/w/world", "host.local:9"),
        ])
    func valid(text: String, host: String, port: UInt16, path: String, authority: String) throws {
        let url = try BaseURL(text)
        #expect((url.host, url.port, url.path, url.authority) == (host, port, path, authority))
        #expect(url.description == "http://\(authority)\(path)")
    }

    @Test(
        "The error for an invalid base URL shows the expected form",
        arguments: [
            "", "localhost:8080", "https://localhost", "ws://localhost", "http://", "http://:80", "http://host:",
            "http://host:x", "http://host:65536", "http://host:-1", "http://host/?q", "http://host/#f", "http://host?q",
            "http://host#f", "http://[::1", "http://[::1]8080", "http://höst", "http://host/a b", "http://host/\u{E9}",
        ])
    func invalid(text: String) {
        let error = #expect(throws: ClientError.self) { try BaseURL(text) }
        #expect(error?.description == "'\(text)' is not a base URL; use a URL such as http://127.0.0.1:8080.")
    }

    @Test("The error hides a base URL's user and password", arguments: ["http://me:hush@host", "me:hu@sh@host"])
    func userInfo(text: String) {
        let error = #expect(throws: ClientError.self) { try BaseURL(text) }
        #expect(error?.description == "'…@host' is not a base URL; use a URL such as http://127.0.0.1:8080.")
    }
}
