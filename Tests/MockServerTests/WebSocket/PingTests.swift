import Scenarios
import TestSupport
import Testing

@testable import MockServer

@Suite("Server pings")
struct PingTests {
    private func network(_ rest: String = "") throws -> VirtualNetwork {
        let scenario = try Scenario.read("{name: small, pings: 20s\(rest)}")
        return VirtualNetwork { $0.adopt(scenario) }
    }

    private func open(_ network: VirtualNetwork) throws -> VirtualSocket {
        try network.socket(on: try network.consultation())
    }

    private func pings(_ socket: VirtualSocket) throws -> [String] {
        socket.takeEvents().compactMap {
            guard case .ping(let payload) = $0 else { return nil }
            return String(decoding: payload, as: UTF8.self)
        }
    }

    @Test("Each socket gets a ping in each interval, and a pong keeps it open")
    func answered() throws {
        let network = try network()
        let socket = try open(network)
        for (seconds, expected) in [(19, []), (1, ["1"]), (20, ["2"])] {
            network.advance(by: .seconds(seconds))
            #expect(try pings(socket) == expected)
        }
        #expect(socket.closeCode == nil)
        #expect(try network.plainWorld().journal().count { $0["opcode"] == "ping" } == 2)
    }

    @Test(
        "If a socket sends no pong, the server closes it with 1011 at the next ping",
        arguments: ["", ", faults: [{on: socket, at: {frame: 1}, stall_reading: true}]"])
    func missed(stall: String) throws {
        let network = try network(stall)
        let socket = try open(network)
        network.motion = .never
        for _ in 0..<2 { network.advance(by: .seconds(20)) }
        network.motion = .atOnce
        network.settle()
        _ = socket.takeEvents()
        #expect(socket.closeCode == (stall.isEmpty ? .internalError : nil))
    }

    @Test(
        "A ping that is late by more than a tenth of the interval extends the client's time",
        arguments: [(0, true), (1, false)])
    func late(nanoseconds: Int, isClosed: Bool) throws {
        let network = try network()
        let socket = try open(network)
        network.motion = .never
        network.advance(by: .seconds(20))
        // The next ping was due two seconds earlier.
        network.engine.advance(to: network.now + .seconds(22) + .nanoseconds(nanoseconds))
        network.settle()
        _ = socket.takeEvents()
        #expect((socket.closeCode == .internalError) == isClosed)
    }

    @Test(
        "The server does not time out a socket whose output is held by a fault or an operator",
        arguments: [true, false])
    func heldBack(isHeldByFault: Bool) throws {
        let network = try network(isHeldByFault ? ", faults: [{on: socket, at: {frame: 1}, delay: 1h}]" : "")
        let breakpoint = #"{"on":"frame","direction":"client_to_server","timeout":"10m"}"#
        if !isHeldByFault { #expect(try network.admin(.post, "breakpoints", breakpoint).status == 201) }
        let socket = try open(network)
        if !isHeldByFault { socket.send(#"{"type":"ping"}"#) }
        network.motion = .never
        network.advance(by: .seconds(40))
        #expect(network.connection(of: socket.wire)?.pings.count == 2)
        #expect(network.engine.defaultWorld.backend.openSocketCount == 1)
    }

    @Test("The server also pings a replayed session's sockets")
    func replayed() throws {
        var scenario = try ReplayedSocketTests.chat.scenario()
        scenario.rules.pings = 20_000_000_000
        let network = VirtualNetwork { $0.adopt(scenario) }
        let socket = try network.client().upgrade(.handshake(ReplayedSocketTests.path))
        for number in ["1", "2", "3"] {
            network.advance(by: .seconds(20))
            #expect(try pings(socket) == [number])
        }
        #expect(socket.closeCode == nil)
    }

    @Test("A clock move past several pings counts as one ping")
    func manual() throws {
        let network = try network(", clock: manual")
        let socket = try open(network)
        for (span, number) in [("70s", "1"), ("10s", "2")] {
            try network.plainWorld().advance(span)
            #expect(try pings(socket) == [number])
        }
        #expect(socket.closeCode == nil)
    }
}
