import Testing
import WebSocket

@Suite("RFC 6455 §5.5: pings and pongs")
struct ControlFramesTests {
    static let exchanges: [Exchange] = [
        Exchange.both(
            "receives a ping", input: { Wire.fromPeer(of: $0, 9, bytes("abc")) }, events: [.ping(bytes("abc"))],
            output: { Wire.first(from: $0, 10, bytes("abc")) }),
        Exchange.both(
            "receives an empty ping", input: { Wire.fromPeer(of: $0, 9) }, events: [.ping([])],
            output: { Wire.first(from: $0, 10) }),
        Exchange.both(
            "receives two pings and answers both",
            input: { Wire.fromPeer(of: $0, 9, [1]) + Wire.fromPeer(of: $0, 9, [2]) },
            events: [.ping([1]), .ping([2])],
            output: { Wire.first(from: $0, 10, [1]) + Wire.second(from: $0, 10, [2]) }),
        Exchange.both(
            "receives an unsolicited pong", input: { Wire.fromPeer(of: $0, 10, bytes("x")) },
            events: [.pong(bytes("x"))]),
        Exchange.both(
            "receives a ping after its own close and does not answer", before: .closing,
            input: { Wire.fromPeer(of: $0, 9, bytes("abc")) }, events: [.ping(bytes("abc"))],
            state: .closing(.weStarted)),
        Exchange.both(
            "receives a ping after the peer's close and discards it",
            input: { Wire.fromPeer(of: $0, 8, Wire.close(1000)) + Wire.fromPeer(of: $0, 9) },
            events: [.closing(code: .normalClosure, reason: "")],
            output: { Wire.first(from: $0, 8, Wire.close(1000)) }, state: .closing(.theyStarted),
            shouldClose: { $0 == .server }),
        Exchange.failure(
            "receives a fragmented ping", 1002,
            "A ping frame arrived without FIN. Control frames must not be fragmented: set FIN.",
            input: { Wire.fromPeer(of: $0, 9, [1], fin: false) }),
        Exchange.failure(
            "receives a pong of 126 bytes", 1002,
            "A pong frame announced more than 125 bytes. Control frames may have at most 125: shorten it.",
            input: { Wire.fromPeer(of: $0, 10, Array(repeating: 0, count: 126)) }),
    ].flatMap { $0 }

    @Test("A connection answers pings and ignores pongs as the RFC requires", arguments: exchanges)
    func received(exchange: Exchange) {
        exchange.run()
    }

    @Test("A peer that pings without reading gets a single pong once there is buffer space")
    func backlog() {
        var limits = Limits()
        limits.unsentBeforePongsWait = 20
        var connection = Connection(role: .server, limits: limits)
        var events: [Event] = []
        var output: [UInt8] = []
        for number in UInt8(0)..<100 {
            connection.receive(Wire.fromPeer(of: .server, 9, [number]), events: &events, output: &output)
            #expect(output.count < 20 + 127)
        }
        #expect(events == (UInt8(0)..<100).map { .ping([$0]) })
        // Seven pongs of three bytes exceed twenty bytes; only the latest of the delayed pongs is still due.
        #expect(output == (UInt8(0)..<7).flatMap { Wire.frame(10, [$0]) })
        output = []
        connection.resumePongs(into: &output)
        #expect(output == Wire.frame(10, [99]))
        output = []
        connection.resumePongs(into: &output)
        #expect(output == [])
    }

    @Test("A waiting pong is sent with the next received bytes but not after our close frame")
    func waitingPong() {
        var limits = Limits()
        limits.unsentBeforePongsWait = 0
        var connection = Connection(role: .server, limits: limits)
        var events: [Event] = []
        var output: [UInt8] = [0]
        connection.receive(Wire.fromPeer(of: .server, 9, [1]), events: &events, output: &output)
        #expect(output == [0])
        output = []
        var closing = connection
        connection.receive([], events: &events, output: &output)
        #expect(output == Wire.frame(10, [1]))
        output = []
        closing.close(code: .normalClosure, into: &output)
        closing.resumePongs(into: &output)
        #expect(output == Wire.frame(8, Wire.close(1000)))
    }
}
