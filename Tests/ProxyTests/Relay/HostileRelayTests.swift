import FitIQAPI
import TestSupport
import Testing
import Traffic

@testable import Proxy

@Suite("A relay's hostile peers")
struct HostileRelayTests {
    static let requests = [
        "GET /a HTTP/1.1\r\nHost: h\r\n\r\n", "GET http://h?x HTTP/1.1\r\nHost: h\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: h\r\nConnection: host, close\r\n\r\n", "HEAD /a HTTP/1.0\r\n\r\n",
        "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello",
        "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nA: b\r\n\r\n",
        "PUT /a HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n", "hello",
        "CONNECT h:1 HTTP/1.1\r\nHost: h:1\r\n\r\n",
        "GET /ws HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
        "POST /ws HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 5\r\n\r\nhello",
        "\u{1}\u{0}\u{0}\u{0}\u{0}", "\r\n",
    ]

    static let answers = [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "HTTP/1.1 204 No Content\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\r\nuntil the end", "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n",
        "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", "hello", "\u{1}\u{5}hello", "\u{8}\u{0}",
        "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 999 \u{9B}\r\nLocation: http://api.example.com:80\r\nSet-Cookie: a=b; Domain=;;\r\n\r\n",
    ]

    /// One of the texts, possibly with a byte changed, removed or doubled, or with its end cut off.
    static func bytes(_ texts: [String], _ numbers: inout Draw) -> [UInt8] {
        var bytes = Array(texts[Int.random(in: 0..<texts.count, using: &numbers)].utf8)
        let place = Int.random(in: 0..<bytes.count, using: &numbers)
        switch Int.random(in: 0..<12, using: &numbers) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &numbers)
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(bytes[place], at: place)
        case 3: bytes.removeSubrange(place...)
        default: break
        }
        return bytes
    }

    @Test("Random actions by both sides never crash the relay or the recorder", arguments: 0..<40)
    func anything(seed: Int) throws {
        var numbers = Draw(seed: UInt64(seed))
        let recorder = SessionRecorder(settings: .init(creatorVersion: "1"))
        var file: [UInt8] = []
        var connection: UInt64 = 0
        for _ in 0..<100 {
            var harness = RelayHarness()
            // Records the bytes of each connection to the upstream, as the host does.
            var recorded = 0
            var recordedBytes = 0
            var upstream: Int?
            func record() {
                if upstream != harness.relay.upstreamNumber {
                    if upstream != nil { recorder.ended(connection, by: .client, isReset: false, at: at(1)) }
                    upstream = harness.relay.upstreamNumber
                    if upstream != nil {
                        connection += 1
                        recordedBytes = 0
                        recorder.opened(connection, scheme: "http")
                    }
                }
                guard let upstream, harness.sentToUpstream.count >= upstream else { return }
                let sent = harness.sentToUpstream[upstream - 1]
                sent[recordedBytes...].withUnsafeBytes { recorder.clientSent($0, on: connection, at: at(2)) }
                recordedBytes = sent.count
                recorded += 1
            }
            for _ in 0..<Int.random(in: 1..<14, using: &numbers) {
                switch Int.random(in: 0..<24, using: &numbers) {
                case 0..<11: harness.client(Self.bytes(Self.requests, &numbers))
                case 11..<20:
                    let bytes = Self.bytes(Self.answers, &numbers)
                    if upstream != nil { bytes.withUnsafeBytes { recorder.serverSent($0, on: connection, at: at(3)) } }
                    harness.upstream(bytes)
                case 20: harness.tell { $0.clientFinished() }
                case 21:
                    if upstream != nil { recorder.finished(connection, by: .server, at: at(4)) }
                    harness.tell { $0.upstreamFinished() }
                case 22: harness.tell { $0.timeIsUp() }
                default:
                    switch Int.random(in: 0..<3, using: &numbers) {
                    case 0: harness.tell { $0.upstreamBroke() }
                    case 1: harness.tell { $0.clientBroke() }
                    default: harness.tell { $0.upstreamFailed(.unreachable("gone")) }
                    }
                }
                record()
            }
            #expect(harness.sentToClient.count < 20_000)
            if upstream != nil { recorder.ended(connection, by: .server, isReset: true, at: at(5)) }
            for write in recorder.takeWrites() { write.apply(to: &file) }
        }
        let session = try HARFile(reading: file).session
        #expect(session.entries.count == recorder.exchangeCount + recorder.socketCount)
        #expect(session.entries.count > 20)
    }

    private func at(_ second: Int64) -> Timestamp { Timestamp(nanosecondsSinceEpoch: second * 1_000_000_000) }
}
