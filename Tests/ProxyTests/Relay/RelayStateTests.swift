import Testing

@testable import Proxy

@Suite("A relay's state")
struct RelayStateTests {
    @Test(
        "A request may be repeated only if it is idempotent, has no body and is not the first on its connection",
        arguments: [
            ("GET", "", true), ("HEAD", "", true), ("OPTIONS", "", true), ("TRACE", "", true), ("PUT", "", true),
            ("DELETE", "", true), ("POST", "", false), ("PATCH", "", false), ("PUT", "hi", false),
        ])
    func mayRepeat(_ method: String, body: String, isRepeatable: Bool) {
        let fields = body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n"
        let request = "\(method) /a HTTP/1.1\r\nHost: h\r\n\(fields)\r\n\(body)"
        var harness = RelayHarness.asked(request)
        #expect(!harness.relay.mayRepeat)
        harness.upstream("HTTP/1.1 204 No Content\r\n\r\n")
        #expect(!harness.relay.mayRepeat)
        harness.client(request)
        #expect(harness.relay.mayRepeat == isRepeatable)
        // An answer proves that the request has arrived.
        harness.upstream("H")
        #expect(!harness.relay.mayRepeat)
    }

    @Test("The relay reads the upstream while it is connected and its stream has not ended")
    func wantsUpstreamBytes() {
        var harness = RelayHarness()
        #expect(!harness.relay.wantsUpstreamBytes)
        harness.client(RelayCase.handshake)
        #expect(harness.relay.wantsUpstreamBytes)
        harness.upstream(RelayCase.accepted)
        #expect(harness.relay.wantsUpstreamBytes)
        harness.tell { $0.upstreamFinished() }
        #expect(!harness.relay.wantsUpstreamBytes)
    }

    @Test("The relay reads the client until too much input is pending or the connection ends")
    func wantsClientBytes() {
        var harness = RelayHarness()
        #expect(harness.relay.wantsClientBytes)
        harness.client(RelayCase.get + String(repeating: "x", count: 64 * 1024 - 1))
        #expect(harness.relay.wantsClientBytes)
        harness.client("x")
        #expect(!harness.relay.wantsClientBytes)
        var idle = RelayHarness()
        idle.tell { $0.timeIsUp() }
        #expect(!idle.relay.wantsClientBytes)
    }

    @Test("A tunnel has no time-out until one of its streams has ended", arguments: [true, false])
    func tunnelPhases(_ byClient: Bool) {
        var harness = RelayHarness.asked(RelayCase.handshake)
        harness.upstream(RelayCase.accepted)
        #expect(harness.relay.phase == .tunnel)
        harness.tell { byClient ? $0.clientFinished() : $0.upstreamFinished() }
        #expect(harness.relay.phase == .request)
        harness.tell { $0.timeIsUp() }
        #expect(harness.relay.clientEnding == .close && harness.relay.upstreamNumber == nil)
    }

    @Test(
        "Sent bytes are dropped once there are many of them and at least as many as there are waiting bytes",
        arguments: [
            (40_000, 20_000, 20_000), (40_000, 19_999, 40_000), (32_770, 16_385, 16_385), (32_768, 16_384, 32_768),
            (100, 50, 100), (100, 100, 0),
        ])
    func output(_ count: Int, sent: Int, held: Int) {
        var output = RelayOutput()
        output.append([UInt8](repeating: 7, count: count))
        output.take(sent)
        let waiting = output.withBytes { $0.count }
        #expect((output.bytes.count, output.count, waiting) == (held, count - sent, count - sent))
    }
}
