import FitIQAPI
import Foundation
import Sockets
import Testing

@testable import fitiq_mock

@Suite("Messages from 'record'")
struct RecordMessagesTests {
    private static let plain = RunningProxy(
        url: "http://127.0.0.1:8080", secureURL: nil, upstream: "https://api.example.com", output: "my session.har",
        caPath: nil)
    private static let secure = RunningProxy(
        url: "http://localhost:8080", secureURL: "https://localhost:8443", upstream: "http://10.0.0.1:81",
        output: "a.har", caPath: "/data/ca.pem")

    @Test("If a server or a proxy cannot listen, the message names the option for the address")
    func notStarted() {
        let (taken, nowhere) = (SocketError(.bind, code: EADDRINUSE), SocketError(.bind, code: EADDRNOTAVAIL))
        let full = SocketError(.create, code: EMFILE)
        let inUse =
            "cannot listen on that address: another process is using the port; choose another port, or 0 for any free "
            + "port"
        #expect(Messages.notStarted(.listening(taken)) == inUse + " (--port)")
        #expect(Messages.notStarted(.listeningForTLS(taken)) == inUse + " (--tls-port)")
        #expect(Messages.notStarted(.listening(nowhere)).hasSuffix("0.0.0.0 for all of IPv4 (--host)"))
        #expect(Messages.notStarted(.listening(full)) == full.description)
    }

    @Test(
        "Each message is a complete sentence",
        arguments: [
            (
                Messages.noUpstream,
                "record requires a server: --upstream https://api.example.com. See 'fitiq-mock record --help'."
            ),
            (
                Messages.noOutput,
                "record requires a file for the session: --output session.har. See 'fitiq-mock record --help'."
            ),
            (
                Messages.outputExists("a.har"),
                "'a.har' already exists and may be the only copy of a session: choose another file, or add --overwrite."
            ),
            (
                Messages.authorityWithoutTLS("http://a"),
                "--upstream-ca has no effect with http://a, which has no certificate; use https:// or leave it out."
            ),
            (Messages.recorded(requests: 0, sockets: 0, in: "a.har"), "0 requests and 0 WebSockets in a.har"),
            (Messages.recorded(requests: 1, sockets: 1, in: "a.har"), "1 request and 1 WebSocket in a.har"),
            (
                Messages.recordingIncomplete("a.har", "proxy"),
                "the recording stopped before the proxy did, for the reason logged above; 'a.har' contains the "
                    + "traffic up to that point."
            ),
            (
                Messages.recordingDisplaced("a.har", "a.har.part"),
                "'a.har' was moved, removed or replaced by another file during the recording; the recording is in "
                    + "'a.har.part'."
            ),
            (
                Messages.recordingGone("a.har"),
                "'a.har' was moved or removed during the recording, so the recording is lost."
            ),
        ])
    func sentences(_ text: String, expected: String) { #expect(text == expected) }

    @Test("The ready file contains the addresses with and without TLS")
    func readyFile() {
        func text(_ proxy: RunningProxy) -> String {
            let writer = ReadyFile.Writer(id: 7, startedAt: Timestamp(secondsSinceEpoch: 1_738_146_600))
            return String(decoding: proxy.readyFile(of: writer), as: UTF8.self)
        }
        #expect(
            text(Self.plain)
                == #"{"url":"http://127.0.0.1:8080","ws_url":"ws://127.0.0.1:8080","upstream":"https://api.example.com","#
                + #""output":"my session.har","pid":7,"started_at":"2025-01-29T10:30:00Z"}"# + "\n")
        #expect(
            text(Self.secure)
                == #"{"url":"http://localhost:8080","ws_url":"ws://localhost:8080","upstream":"http://10.0.0.1:81","#
                + #""output":"a.har","https_url":"https://localhost:8443","wss_url":"wss://localhost:8443","#
                + #""ca_certificate":"/data/ca.pem","pid":7,"started_at":"2025-01-29T10:30:00Z"}"# + "\n")
    }

    @Test("The banner says where to point the app and what the file will contain")
    func banner() {
        let text = Self.plain.banner(program: "fitiq-mock", keepsSecrets: false)
        #expect(text.contains("records the traffic between clients and https://api.example.com.\n"))
        #expect(text.contains("\n  REST        http://127.0.0.1:8080\n  WebSocket   ws://127.0.0.1:8080\n"))
        #expect(text.contains("\nwith placeholders for tokens, keys, cookies and e-mail addresses.\n"))
        #expect(text.contains("\nYou can open it at any time: fitiq-mock show 'my session.har'\n"))
        #expect(!text.contains("TLS") && !text.contains("CA"))
        let other = Self.secure.banner(program: "fitiq-mock", keepsSecrets: true)
        #expect(other.contains("\n  over TLS    https://localhost:8443\n              wss://localhost:8443\n"))
        #expect(other.contains("\n  CA          /data/ca.pem  ('fitiq-mock certificate' explains how to trust it)\n"))
        #expect(other.contains("\nincluding all tokens, keys, cookies and e-mail addresses: do not share it.\n"))
    }
}
