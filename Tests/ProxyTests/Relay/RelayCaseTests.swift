import Testing

@testable import Proxy

@Suite("One client's connection and one to the upstream")
struct RelayCaseTests {
    @Test("Both sides get exactly the expected bytes, wherever the input is split", arguments: RelayCase.all)
    func plays(_ story: RelayCase) {
        for cut in Cut.all(upTo: story.longestText) {
            let harness = story.play(cut)
            #expect((harness.upstreamTexts, harness.clientText) == (story.toUpstream, story.toClient), "\(cut)")
            let relay = harness.relay
            #expect((relay.clientEnding, relay.upstreamNumber) == (story.ending, story.wanted), "\(cut)")
            let ends = (relay.finishesUpstream, relay.resetsUpstream)
            #expect(ends == (story.finishesUpstream, story.resetsUpstream), "\(cut)")
        }
    }
}

extension RelayCase {
    static let get = "GET /a?b=1 HTTP/1.1\r\nHost: localhost:8080\r\n\r\n"
    static let sentGet = "GET /a?b=1 HTTP/1.1\r\nHost: api.example.com\r\nAccept-Encoding: identity\r\n\r\n"
    static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"

    static func post(_ fields: String = "", body: String = "hello") -> String {
        "POST /a HTTP/1.1\r\nHost: localhost:8080\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    static func sentPost(_ fields: String = "", body: String = "hello") -> String {
        "POST /a HTTP/1.1\r\nHost: api.example.com\r\n\(fields)Accept-Encoding: identity\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// A request with the beginning of its body.
    static func post(_ part: String, of length: Int) -> String {
        "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: \(length)\r\n\r\n\(part)"
    }

    static func sentPost(_ part: String, of length: Int) -> String {
        "POST /a HTTP/1.1\r\nHost: api.example.com\r\nAccept-Encoding: identity\r\nContent-Length: \(length)\r\n\r\n\(part)"
    }

    static let all = exchanges + endings + tunnels
}
