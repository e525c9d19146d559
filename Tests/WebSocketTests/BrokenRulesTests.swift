import Testing
import WebSocket

/// The rules that a misbehaving server can break, beyond what ``Connection`` allows.
@Suite("RFC 6455 broken on purpose")
struct BrokenRulesTests {
    struct RawFrame: Sendable, CustomTestStringConvertible {
        let name: String
        var firstByte: UInt8 = 0x81
        var payload: [UInt8] = bytes("ab")
        var maskKey: UInt32?
        var announcedLength: UInt64?
        let expected: [UInt8]

        var testDescription: String { name }
    }

    static let frames: [RawFrame] = [
        RawFrame(name: "as it should be", expected: [0x81, 2] + bytes("ab")),
        RawFrame(name: "reserved bits and opcode", firstByte: 0xF5, expected: [0xF5, 2] + bytes("ab")),
        RawFrame(
            name: "masked", maskKey: 0x37FA_213D,
            expected: [0x81, 0x82, 0x37, 0xFA, 0x21, 0x3D, 0x61 ^ 0x37, 0x62 ^ 0xFA]),
        RawFrame(name: "one too many announced", announcedLength: 3, expected: [0x81, 3] + bytes("ab")),
        RawFrame(name: "nothing announced", announcedLength: 0, expected: [0x81, 0] + bytes("ab")),
        RawFrame(name: "126 announced", announcedLength: 126, expected: [0x81, 126, 0, 126] + bytes("ab")),
        RawFrame(
            name: "65,536 announced", announcedLength: 65536,
            expected: [0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0] + bytes("ab")),
        RawFrame(
            name: "the largest length announced", announcedLength: .max,
            expected: [0x81, 127] + Array(repeating: 0xFF, count: 8) + bytes("ab")),
        RawFrame(
            name: "a ping of 126 bytes", firstByte: 0x89, payload: Array(repeating: 7, count: 126),
            expected: [0x89, 126, 0, 126] + Array(repeating: 7, count: 126)),
    ]

    @Test("A raw frame is sent byte for byte", arguments: frames)
    func raw(frame: RawFrame) {
        var out = bytes("before")
        FrameEncoder.appendRaw(
            firstByte: frame.firstByte, frame.payload[...], maskKey: frame.maskKey,
            announcedLength: frame.announcedLength, into: &out)
        #expect(out == bytes("before") + frame.expected)
    }

    @Test(
        "closeAnyway can send any code, which the peer reports as an error",
        arguments: [0, 999, 1005, 1006, 1015, 2999, 5000, 65535] as [UInt16])
    func forbiddenCode(code: UInt16) {
        var server = Connection(role: .server)
        var out: [UInt8] = []
        #expect(server.closeAnyway(code: CloseCode(rawValue: code), reason: "bye", into: &out))
        #expect(out == Wire.frame(8, Wire.close(code, "bye")))
        #expect(server.state == .closing(.weStarted))
        #expect(server.closeSummary.sent == CloseSummary.Frame(code: CloseCode(rawValue: code), reason: "bye"))
        #expect(!server.closeAnyway(code: .normalClosure, into: &out))
        #expect(!server.send(text: "more", into: &out))
        #expect(out.count == 7)

        var client = Connection(role: .client)
        var (events, answer): ([Event], [UInt8]) = ([], [])
        client.receive(out, events: &events, output: &answer)
        let message = "Close code \(code) must not be sent. Use 1000, another registered code, or 3000 to 4999."
        #expect(events == [.failed(code: .protocolError, message: message)])

        var heard: [Event] = []
        server.receive(answer, events: &heard, output: &out)
        #expect(heard == [.closing(code: .protocolError, reason: message)])
        #expect(server.shouldCloseTransport)
        #expect(out.count == 7)
    }

    @Test("A close frame without a code is empty even if there is a reason")
    func closeWithoutCode() {
        var server = Connection(role: .server)
        var out: [UInt8] = []
        #expect(server.closeAnyway(code: nil, reason: "left out", into: &out))
        #expect(out == Wire.frame(8))
        #expect(server.closeSummary.sent == CloseSummary.Frame(code: nil))
    }

    @Test("closeAnyway shortens a long reason like an ordinary close")
    func longReason() {
        var server = Connection(role: .server)
        var out: [UInt8] = []
        server.closeAnyway(code: .abnormal, reason: String(repeating: "a", count: 200), into: &out)
        #expect(out == Wire.frame(8, Wire.close(1006, String(repeating: "a", count: 123))))
    }

    @Test("A connection that withholds pongs reports pings without answering and drops a waiting pong")
    func withheldPongs() {
        var limits = Limits()
        limits.unsentBeforePongsWait = 0
        var server = Connection(role: .server, limits: limits)
        var (events, out): ([Event], [UInt8]) = ([], [0])
        server.receive(Wire.fromPeer(of: .server, 9, [1]), events: &events, output: &out)
        server.answersPings = false
        out = []
        server.receive(Wire.fromPeer(of: .server, 9, [2]), events: &events, output: &out)
        server.resumePongs(into: &out)
        #expect(events == [.ping([1]), .ping([2])])
        #expect(out == [])
        server.answersPings = true
        server.resumePongs(into: &out)
        #expect(out == [])
        server.receive(Wire.fromPeer(of: .server, 9, [3]), events: &events, output: &out)
        #expect(out == Wire.frame(10, [3]))
    }

    @Test("The server can compute the accept value for any key")
    func accept() {
        // RFC 6455 §1.3.
        #expect(ServerHandshake.accept(for: "dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }
}
