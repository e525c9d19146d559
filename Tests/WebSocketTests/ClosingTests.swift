import Testing
import WebSocket

@Suite("RFC 6455 §7: closing")
struct ClosingTests {
    static let exchanges: [Exchange] = [
        Exchange.both(
            "receives close without code", input: { Wire.fromPeer(of: $0, 8) },
            events: [.closing(code: nil, reason: "")], output: { Wire.first(from: $0, 8) },
            state: .closing(.theyStarted), shouldClose: { $0 == .server }),
        Exchange.both(
            "receives close with code", input: { Wire.fromPeer(of: $0, 8, Wire.close(1001)) },
            events: [.closing(code: .goingAway, reason: "")],
            output: { Wire.first(from: $0, 8, Wire.close(1001)) }, state: .closing(.theyStarted),
            shouldClose: { $0 == .server }),
        Exchange.both(
            "receives close with reason", input: { Wire.fromPeer(of: $0, 8, Wire.close(4000, "à bientôt")) },
            events: [.closing(code: CloseCode(rawValue: 4000), reason: "à bientôt")],
            output: { Wire.first(from: $0, 8, Wire.close(4000)) }, state: .closing(.theyStarted),
            shouldClose: { $0 == .server }),
        Exchange.both(
            "receives close inside a fragmented message",
            input: { Wire.fromPeer(of: $0, 1, [0xC3], fin: false) + Wire.fromPeer(of: $0, 8, Wire.close(1000)) },
            events: [.closing(code: .normalClosure, reason: "")],
            output: { Wire.first(from: $0, 8, Wire.close(1000)) }, state: .closing(.theyStarted),
            shouldClose: { $0 == .server }),
        Exchange.both(
            "receives the answer to its close", before: .closing,
            input: { Wire.fromPeer(of: $0, 8, Wire.close(1001)) }, events: [.closing(code: .goingAway, reason: "")],
            state: .closing(.weStarted), shouldClose: { $0 == .server }),
        Exchange.both(
            "receives messages, the answer to its close, and discards what follows", before: .closing,
            input: {
                Wire.fromPeer(of: $0, 1, bytes("a")) + Wire.fromPeer(of: $0, 8) + Wire.fromPeer(of: $0, 1, bytes("b"))
                    + [0xFF, 0xFF]
            },
            events: [.text(bytes("a")), .closing(code: nil, reason: "")],
            state: .closing(.weStarted), shouldClose: { $0 == .server }),
        Exchange.both(
            "receives garbage after its own close and writes no second close frame", before: .closing,
            input: { _ in [0xFF] },
            events: [
                .failed(
                    code: .protocolError,
                    message: "RSV1, RSV2, RSV3 are set, but no extension was negotiated. "
                        + "Send uncompressed frames with reserved bits 0.")
            ],
            state: .failed, shouldClose: { _ in true }),
        Exchange.failure(
            "receives close with 1 byte", 1002,
            "A close frame arrived with 1 byte. Send an empty one, or a 2-byte code with an optional reason.",
            input: { Wire.fromPeer(of: $0, 8, [3]) }),
        Exchange.failure(
            "receives close with 1005", 1002,
            "Close code 1005 must not be sent. Use 1000, another registered code, or 3000 to 4999.",
            input: { Wire.fromPeer(of: $0, 8, Wire.close(1005)) }),
        Exchange.failure(
            "receives close with a reason that is not UTF-8", 1007,
            "A close reason is not UTF-8: byte 0xFF at index 1. Send UTF-8.",
            input: { Wire.fromPeer(of: $0, 8, Wire.close(1000, "a") + [0xFF]) }),
        Exchange.failure(
            "fails once and discards what follows", 1002,
            "Opcode 5 is reserved. Use 0 (continuation), 1 (text), 2 (binary), 8 (close), 9 (ping) or 10 (pong).",
            input: { Wire.fromPeer(of: $0, 5) + Wire.fromPeer(of: $0, 1, bytes("a")) + [0xFF] }),
    ].flatMap { $0 }

    @Test("Each invalid or close frame closes the connection with the expected code", arguments: exchanges)
    func received(exchange: Exchange) {
        exchange.run()
    }

    @Test(
        "A close frame has a code and a reason, and the connection sends nothing after it",
        arguments: [Role.client, .server])
    func sent(role: Role) {
        var connection = Connection(role: role)
        var out: [UInt8] = []
        #expect(connection.close(code: .normalClosure, reason: "bye", into: &out))
        #expect(out == Wire.first(from: role, 8, Wire.close(1000, "bye")))
        #expect(connection.state == .closing(.weStarted))
        #expect(!connection.shouldCloseTransport)
        out = []
        #expect(!connection.canSend)
        let written = [
            connection.send(text: "a", into: &out), connection.send(text: [1], into: &out),
            connection.send(binary: [1], into: &out),
            connection.ping(into: &out), connection.pong(into: &out), connection.close(code: .goingAway, into: &out),
        ]
        #expect(!written.contains(true))
        #expect(out == [])
        #expect(connection.closeSummary.sent == CloseSummary.Frame(code: .normalClosure, reason: "bye"))
    }

    @Test("A close frame may omit the code", arguments: [Role.client, .server])
    func sentEmpty(role: Role) {
        var connection = Connection(role: role)
        var out: [UInt8] = []
        connection.close(code: nil, into: &out)
        #expect(out == Wire.first(from: role, 8))
        #expect(connection.closeSummary.sent == CloseSummary.Frame(code: nil))
    }

    /// A reason has at most 123 bytes: the 125 bytes of a control frame minus the code.
    static let cuts = [
        (String(repeating: "a", count: 123), String(repeating: "a", count: 123)),
        (String(repeating: "a", count: 124), String(repeating: "a", count: 123)),
        (String(repeating: "é", count: 62), String(repeating: "é", count: 61)),
        (String(repeating: "a", count: 122) + "é", String(repeating: "a", count: 122)),
        (String(repeating: "a", count: 120) + "🥗", String(repeating: "a", count: 120)),
        // A character of 25 bytes, five times; the fifth is dropped as a whole, not just one of its scalars.
        (String(repeating: "👨‍👩‍👧‍👦", count: 5), String(repeating: "👨‍👩‍👧‍👦", count: 4)),
    ]

    @Test("A reason is cut to at most 123 bytes at a character boundary", arguments: cuts)
    func cut(reason: String, expected: String) {
        var connection = Connection(role: .server)
        var out: [UInt8] = []
        connection.close(code: .internalError, reason: reason, into: &out)
        #expect(out == Wire.frame(8, Wire.close(1011, expected)))
    }

    @Test("Closing with an invalid code, or with a reason but no code, traps")
    func misuse() async {
        await #expect(processExitsWith: .failure) {
            var connection = Connection(role: .server)
            var out: [UInt8] = []
            connection.close(code: .abnormal, into: &out)
        }
        await #expect(processExitsWith: .failure) {
            var connection = Connection(role: .server)
            var out: [UInt8] = []
            connection.close(code: nil, reason: "why", into: &out)
        }
    }
}
