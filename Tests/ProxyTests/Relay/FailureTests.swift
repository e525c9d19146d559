import FitIQAPI
import HTTP1
import Testing

@testable import Hosting
@testable import Proxy

@Suite("The proxy's own answers")
struct FailureTests {
    private static func answer(_ status: String, _ code: String, _ message: String, closes: Bool = false) -> String {
        let body = APIError.body(code: code, message: message, in: .union)
        return "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\nContent-Length: \(body.count)\r\n"
            + (closes ? "Connection: close\r\n" : "") + "\r\n" + String(decoding: body, as: UTF8.self)
    }

    private static func notConnected(within time: String) -> String {
        "The proxy could not connect to http://api.example.com within \(time). Check the URL, the network and any VPN "
            + "that the server needs."
    }

    private static func untrusted(_ reason: String) -> String {
        "The certificate from http://api.example.com cannot be trusted: \(reason) If your own CA issued it, make the "
            + "proxy trust that CA's certificate (PEM); the certificate must cover the host name in the URL."
    }

    private static func withoutTLS(_ reason: String) -> String {
        "TLS with http://api.example.com failed: \(reason) Check that the server speaks TLS 1.2 or 1.3 on that port; "
            + "for a server without TLS, use http://api.example.com instead."
    }

    static let failures: [(UpstreamFailure, String, String, String)] = [
        (
            .unreachable("nothing is listening there"), "502 Bad Gateway", "UPSTREAM_UNREACHABLE",
            "The proxy cannot reach http://api.example.com: nothing is listening there. Check the URL, and check that "
                + "the server is running."
        ),
        (.connectTimeout(.seconds(10)), "504 Gateway Timeout", "UPSTREAM_TIMEOUT", notConnected(within: "10 s")),
        (
            .connectTimeout(.milliseconds(1_500)), "504 Gateway Timeout", "UPSTREAM_TIMEOUT",
            notConnected(within: "1.5 s")
        ),
        (.tls("It expired", isCertificate: true), "502 Bad Gateway", "UPSTREAM_TLS_FAILED", untrusted("It expired.")),
        (.tls("It hung up", isCertificate: false), "502 Bad Gateway", "UPSTREAM_TLS_FAILED", withoutTLS("It hung up.")),
        (
            // The TLS module creates whole sentences.
            .tls("The certificate is not for 'a', but for example.com.", isCertificate: true), "502 Bad Gateway",
            "UPSTREAM_TLS_FAILED", untrusted("The certificate is not for 'a', but for example.com.")
        ),
        (
            .tls("Is TLS spoken on that port?", isCertificate: false), "502 Bad Gateway", "UPSTREAM_TLS_FAILED",
            withoutTLS("Is TLS spoken on that port?")
        ),
    ]

    @Test(
        "A failed upstream connection gives an error in the API's form and keeps the client connected",
        arguments: FailureTests.failures)
    func cannotConnect(_ failure: UpstreamFailure, status: String, code: String, message: String) throws {
        var harness = RelayHarness.asked(RelayCase.post())
        harness.tell { $0.upstreamFailed(failure) }
        #expect(harness.clientText == Self.answer(status, code, message))
        #expect(harness.relay.clientEnding == .none && harness.hasDroppedUpstream)
        #expect(harness.events == [.refused(status: try #require(Int(status.prefix(3))), message: message)])
        harness.sentToClient = []
        harness.client(RelayCase.get)
        #expect(harness.relay.upstreamNumber == 2)
        harness.upstream(RelayCase.ok)
        #expect(harness.clientText == RelayCase.ok)
    }

    @Test("A failure during a request is answered immediately, and the rest of the request is dropped")
    func failsEarly() {
        var harness = RelayHarness.asked("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 6\r\n\r\nabc")
        harness.tell { $0.upstreamFailed(.unreachable("no")) }
        #expect(harness.clientText.hasPrefix("HTTP/1.1 502 "))
        harness.sentToClient = []
        harness.client("def" + RelayCase.get)
        harness.upstream(RelayCase.ok)
        #expect((harness.upstreamTexts.last, harness.clientText) == (RelayCase.sentGet, RelayCase.ok))
    }

    @Test("A half-closed client is served after a failure, and its end of stream reaches the tunnel")
    func failsAfterEnd() {
        var harness = RelayHarness.asked(RelayCase.get + RelayCase.handshake)
        harness.tell { $0.clientFinished() }
        harness.tell { $0.upstreamFailed(.unreachable("no")) }
        #expect(harness.clientText.hasPrefix("HTTP/1.1 502 "))
        harness.sentToClient = []
        #expect(harness.relay.finishesUpstream)
        harness.upstream(RelayCase.accepted)
        #expect((harness.upstreamTexts.last, harness.clientText) == (RelayCase.sentHandshake, RelayCase.accepted))
        #expect(harness.relay.upstreamNumber == 2 && harness.relay.finishesUpstream)
        harness.tell { $0.upstreamFinished() }
        #expect(harness.relay.clientEnding == .close)
    }

    @Test(
        "An upstream that does not speak HTTP causes a 502",
        arguments: ["SSH-2.0-OpenSSH\r\n", "\u{15}\u{3}\u{1}\0\u{2}\u{2}F\r\n"])
    func noHTTP(_ text: String) {
        var harness = RelayHarness.asked()
        harness.upstream(text)
        #expect(harness.clientText.hasPrefix("HTTP/1.1 502 Bad Gateway\r\n"))
        for words in ["UPSTREAM_ANSWER_INVALID", "Check that the URL names an HTTP server"] {
            #expect(harness.clientText.contains(words))
        }
        #expect(harness.hasDroppedUpstream && harness.relay.clientEnding == .none)
    }

    @Test("A length that overflows an integer is not forwarded as a different length", arguments: ["GET", "HEAD"])
    func impossibleLength(_ method: String) {
        var harness = RelayHarness.asked("\(method) /a HTTP/1.1\r\nHost: h\r\n\r\n")
        harness.upstream("HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775808\r\n\r\nhi")
        #expect(harness.clientText.hasPrefix("HTTP/1.1 502 Bad Gateway\r\n"))
        #expect(!harness.clientText.contains("9223372036854775807\r\n") && harness.hasDroppedUpstream)
        var chunked = RelayHarness.asked()
        chunked.upstream("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8000000000000000\r\nhi")
        #expect(chunked.relay.clientEnding == .reset)
    }

    @Test("A length one below the largest integer is forwarded")
    func greatestLength() {
        var harness = RelayHarness.asked()
        let beginning = "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775806\r\n\r\nhi"
        harness.upstream(beginning)
        #expect(harness.clientText == beginning)
    }

    @Test("Interim answers are forwarded up to a limit, and one more answer causes a 502", arguments: [16, 17])
    func interimAnswers(_ count: Int) {
        var harness = RelayHarness.asked()
        let interim = "HTTP/1.1 103 Early Hints\r\n\r\n"
        for _ in 0..<count { harness.upstream(interim) }
        harness.upstream(RelayCase.ok)
        let message =
            "http://api.example.com sent more than 16 interim answers (1xx) to one request, but no final answer."
        let end = count == 16 ? RelayCase.ok : Self.answer("502 Bad Gateway", "UPSTREAM_ANSWER_INVALID", message)
        #expect(harness.clientText == String(repeating: interim, count: 16) + end)
        #expect((harness.relay.clientEnding, harness.relay.resetsUpstream) == (.none, count == 17))
    }

    @Test("An answer that becomes invalid midway resets the client's connection")
    func badHalfWay() {
        var harness = RelayHarness.asked()
        harness.upstream("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\nx")
        harness.upstream("x\r\n")
        #expect(harness.clientText == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n")
        #expect(harness.relay.clientEnding == .reset)
    }

    @Test("A client that does not speak HTTP is rejected without contacting the upstream")
    func badClient() {
        let harness = RelayHarness.asked("GET / HTTP/1.1\r\nHost : h\r\n\r\n")
        #expect(harness.clientText.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
        #expect(harness.clientText.contains("\"BAD_REQUEST\""))
        #expect(harness.relay.clientEnding == .close && harness.sentToUpstream.isEmpty)
    }

    @Test("A request whose body becomes invalid gets a 400 and is aborted at the upstream")
    func badBody() {
        let harness = RelayHarness.asked(
            "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\nzz\r\n")
        #expect(harness.clientText.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
        #expect(harness.relay.clientEnding == .close && harness.hasDroppedUpstream)
    }

    @Test("The error for CONNECT names the alternative")
    func connect() {
        let harness = RelayHarness.asked("CONNECT api.example.com:443 HTTP/1.1\r\nHost: api.example.com:443\r\n\r\n")
        let message =
            "This reverse proxy in front of http://api.example.com does not open tunnels (CONNECT): set the proxy's "
            + "address as the app's base URL, not as the system's proxy."
        #expect(harness.clientText == Self.answer("501 Not Implemented", "NOT_IMPLEMENTED", message, closes: true))
        #expect(harness.relay.clientEnding == .close)
    }

    @Test("A request over a time limit gets a 504 or a reset", arguments: [Duration.seconds(3), .milliseconds(250)])
    func time(_ time: Duration) {
        var limits = RelayLimits()
        limits.answerTime = time
        let text = time == .seconds(3) ? "3 s" : "250 ms"
        var harness = RelayHarness(limits: limits)
        #expect(harness.relay.phase == .idle)
        harness.client("GET")
        #expect(harness.relay.phase == .request)
        harness.client(" / HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(harness.relay.phase == .answer)
        harness.tell { $0.timeIsUp() }
        let message =
            "http://api.example.com accepted the request, but sent nothing for \(text). The request was not repeated, "
            + "because the server may still be working on it."
        #expect(harness.clientText == Self.answer("504 Gateway Timeout", "UPSTREAM_TIMEOUT", message))
        #expect(harness.hasDroppedUpstream && harness.relay.phase == .idle)
        harness.client(RelayCase.get)
        harness.upstream("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nh")
        harness.tell { $0.timeIsUp() }
        #expect(harness.relay.clientEnding == .reset && harness.relay.resetsUpstream && harness.relay.phase == .ending)
        let reason = "the upstream stalled for \(text) partway through its answer; the client's connection was reset"
        #expect(harness.events.last == .brokenOff("GET \"/a\": \(reason)"))
        var idle = RelayHarness()
        idle.tell { $0.timeIsUp() }
        #expect(idle.relay.clientEnding == .close)
    }

    @Test("The log records answers, sockets and broken connections")
    func events() {
        var harness = RelayHarness.asked()
        harness.upstream(RelayCase.ok)
        harness.client(RelayCase.handshake)
        harness.upstream(RelayCase.accepted)
        #expect(harness.events == [.answered(method: "GET", target: "/a", status: 200), .opened(target: "/ws")])
        let endings: [(answer: String?, end: (inout Relay) -> Void, reason: String)] = [
            (
                nil, { $0.upstreamFinished() },
                "the upstream ended the connection without an answer, and the proxy did the same"
            ),
            (
                nil, { $0.upstreamBroke() },
                "the upstream reset the connection without an answer, and the proxy did the same"
            ),
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", { $0.upstreamFinished() },
                "the upstream ended the connection partway through its answer, and the proxy did the same"
            ),
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", { $0.upstreamBroke() },
                "the upstream reset the connection partway through its answer, and the proxy did the same"
            ),
            (nil, { $0.clientBroke() }, "the client disconnected before the answer was complete"),
        ]
        for row in endings {
            var harness = RelayHarness.asked()
            if let answer = row.answer { harness.upstream(answer) }
            harness.tell(row.end)
            #expect(harness.events == [.brokenOff("GET \"/a\": \(row.reason)")])
        }
    }

    @Test("The proxy's log messages have the expected text")
    func sentences() {
        let event = RelayEvent.answered(method: "GET", target: "/a\n", status: 204)
        #expect(event.message == #"GET /a\n 204"# && event.level == .info)
        #expect(RelayEvent.opened(target: "/ws").message == "WebSocket /ws opened")
        let refused = RelayEvent.refused(status: 502, message: "No.")
        #expect(refused.message == "502: No." && refused.level == .warning)
        #expect(RelayEvent.brokenOff("x").message == "x" && RelayEvent.brokenOff("x").level == .notice)
        #expect(Messages.upstreamTLS("x") == "the connection to the upstream broke: x")
        #expect(
            SessionTap.stopped("cannot write to 'a': the disk is full", program: "proxy", rest: "a")
                == "THE RECORDING HAS STOPPED: cannot write to 'a': the disk is full. The proxy continues without it; "
                + "everything before that is in 'a'")
        #expect(
            SessionTap.stopped("x", program: "server", rest: nil)
                == "THE RECORDING HAS STOPPED: x. The server continues without it; everything before that is also lost"
        )
        #expect(
            SessionTap.notCompacted("x")
                == "the recording is complete, but the file still has unused space at its end: x")
        #expect(
            Messages.ownUpstream(RelayHarness.plain)
                == "http://api.example.com is this proxy itself: use a different port or upstream")
        #expect(Messages.printable("/a\u{1B}[2J\"") == "/a\\u{1B}[2J\\\"")
        #expect(Messages.quoted("größe 'x'") == "\"größe 'x'\"")
        #expect([120, 121].map { Messages.quoted(String(repeating: "x", count: $0)).count } == [122, 123])
    }
}
