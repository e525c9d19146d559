import Testing
import WebSocket

@Suite("RFC 6455 §5.4, §5.6: data frames and fragmentation")
struct DataFramesTests {
    static let exchanges: [Exchange] = [
        Exchange.both(
            "receives text", input: { Wire.fromPeer(of: $0, 1, bytes("😀")) }, events: [.text(bytes("😀"))]),
        Exchange.both(
            "receives empty text", input: { Wire.fromPeer(of: $0, 1) }, events: [.text([])]),
        Exchange.both(
            "receives binary", input: { Wire.fromPeer(of: $0, 2, [1, 2, 0xFE, 0xFF]) },
            events: [.binary([1, 2, 0xFE, 0xFF])]),
        Exchange.both(
            "receives text of 200 bytes", input: { Wire.fromPeer(of: $0, 1, Array(repeating: 0x61, count: 200)) },
            events: [.text(Array(repeating: 0x61, count: 200))]),
        Exchange.both(
            "receives fragmented text with a ping inside",
            input: {
                Wire.fromPeer(of: $0, 1, [0xF0, 0x9F], fin: false) + Wire.fromPeer(of: $0, 9, bytes("p"))
                    + Wire.fromPeer(of: $0, 0, [0x98], fin: false) + Wire.fromPeer(of: $0, 0, [0x80])
            },
            events: [.ping(bytes("p")), .text(bytes("😀"))], output: { Wire.first(from: $0, 10, bytes("p")) }),
        Exchange.both(
            "receives fragmented binary",
            input: { Wire.fromPeer(of: $0, 2, [1], fin: false) + Wire.fromPeer(of: $0, 0, [2]) },
            events: [.binary([1, 2])]),
        Exchange.both(
            "receives messages after its own close", before: .closing,
            input: { Wire.fromPeer(of: $0, 1, bytes("late")) }, events: [.text(bytes("late"))],
            state: .closing(.weStarted)),
        Exchange.failure(
            "receives a continuation that continues nothing", 1002,
            "A continuation frame arrived, but no message had begun. Begin one with a text or binary frame "
                + "without FIN.",
            input: { Wire.fromPeer(of: $0, 0, [1]) }),
        Exchange.failure(
            "receives text inside a fragmented message", 1002,
            "A text frame arrived inside a fragmented message. End that message first, with FIN on its "
                + "last frame.",
            input: { Wire.fromPeer(of: $0, 2, [1], fin: false) + Wire.fromPeer(of: $0, 1, [2]) }),
        Exchange.failure(
            "receives a reserved bit", 1002,
            "RSV2 is set, but no extension was negotiated. Send uncompressed frames with reserved bits 0.",
            input: { Wire.fromPeer(of: $0, 1, [0x61], rsv: 2) }),
        Exchange.failure(
            "receives a reserved opcode", 1002,
            "Opcode 3 is reserved. Use 0 (continuation), 1 (text), 2 (binary), 8 (close), 9 (ping) or 10 (pong).",
            input: { Wire.fromPeer(of: $0, 3, [0x61]) }),
        Exchange.failure(
            "receives text that is not UTF-8", 1007,
            "Text is not UTF-8: byte 0xFF at index 2. Send UTF-8, or a binary message.",
            input: { Wire.fromPeer(of: $0, 1, [0x61, 0x62, 0xFF, 0x63]) }),
        Exchange.failure(
            "receives text that ends inside a character", 1007,
            "Text is not UTF-8: it ends inside a character after 2 bytes. Send whole characters.",
            input: { Wire.fromPeer(of: $0, 1, [0x61, 0xC3]) }),
    ].flatMap { $0 }

    @Test("Each received data frame produces the expected events and answers", arguments: exchanges)
    func received(exchange: Exchange) {
        exchange.run()
    }

    @Test("A server rejects unmasked frames, and a client rejects masked frames")
    func masking() {
        let server = receiveHoweverSplit(Wire.frame(1, bytes("a")), by: Connection(role: .server))
        #expect(server.events.map(Self.failureCode) == [.protocolError])
        let client = receiveHoweverSplit(Wire.frame(1, bytes("a"), mask: Wire.sampleKey), by: Connection(role: .client))
        #expect(client.events.map(Self.failureCode) == [.protocolError])
        #expect(client.state == .failed)
    }

    @Test("Each side can send text, binary, ping and pong frames", arguments: [Role.client, .server])
    func sent(role: Role) {
        func written(_ send: (inout Connection, inout [UInt8]) -> Bool) -> [UInt8] {
            var connection = Connection(role: role)
            var out = bytes("before")
            #expect(send(&connection, &out))
            #expect(connection.state == .open)
            return Array(out.dropFirst(6))
        }
        #expect(written { $0.send(text: "é", into: &$1) } == Wire.first(from: role, 1, bytes("é")))
        #expect(written { $0.send(text: bytes("é"), into: &$1) } == Wire.first(from: role, 1, bytes("é")))
        #expect(written { $0.send(binary: [0xFF], into: &$1) } == Wire.first(from: role, 2, [0xFF]))
        #expect(written { $0.ping(bytes("p"), into: &$1) } == Wire.first(from: role, 9, bytes("p")))
        #expect(written { $0.ping(into: &$1) } == Wire.first(from: role, 9))
        #expect(written { $0.pong(bytes("q"), into: &$1) } == Wire.first(from: role, 10, bytes("q")))
    }

    @Test("A ping may come between fragments", arguments: [Role.client, .server])
    func fragments(role: Role) {
        var peer = Connection(role: role)
        let mask: [UInt8]? = role == .server ? [1, 2, 3, 4] : nil
        func outcome(_ frames: [[UInt8]]) -> [Event] { peer.outcome(of: [Array(frames.joined())[...]]).events }
        let text = [
            Wire.frame(1, bytes("a"), fin: false, mask: mask), Wire.frame(9, mask: mask),
            Wire.frame(0, bytes("b"), fin: false, mask: mask), Wire.frame(0, mask: mask),
        ]
        #expect(outcome(text) == [.ping([]), .text(bytes("ab"))])
        #expect(
            outcome([Wire.frame(2, [1], fin: false, mask: mask), Wire.frame(0, [2], mask: mask)]) == [.binary([1, 2])])
    }

    static func failureCode(_ event: Event) -> CloseCode? {
        guard case .failed(let code, _) = event else { return nil }
        return code
    }
}
