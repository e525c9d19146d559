import Sockets
import TestSupport
import Testing
import WebSocket

@testable import MockServer

@Suite("Stopping the host", .serialized)
struct HostShutdownTests {
    @Test(
        "A stopping server sends 1001 to open sockets and closes idle connections", arguments: EventQueue.Kind.allCases)
    func inOrder(kind: EventQueue.Kind) throws {
        let server = try RunningHost(kind)
        let sockets = try (0..<20).map { _ in try server.echo() }
        let idle = try server.connect()
        #expect(try idle.exchange(Request()).status == 200)
        try server.stop()
        for socket in sockets {
            #expect(try socket.next() == .closing(code: .goingAway, reason: "The server is shutting down"))
            #expect(try socket.next() == nil)
        }
        #expect(try idle.read().isEmpty && server.join())
        #expect(throws: SocketError.self) { try HostClient(server.address) }
    }

    @Test("A request in flight gets its answer with Connection: close", arguments: EventQueue.Kind.allCases)
    func inFlight(kind: EventQueue.Kind) throws {
        let (server, client) = try RunningHost.connected(kind)
        let request = Request.create()
        try client.write(Array(request.bytes.dropLast(5)))
        while try !server.onLoop({ $0.engine.connections.contains { $0.http.isReadingBody } }) {}
        try server.stop()
        try client.write(Array(request.bytes.suffix(5)))
        let response = try client.response(to: request)
        #expect(response.status == 201 && response.fields[.connection] == "close")
        #expect(try client.read().isEmpty)
        client.stream.close()
        #expect(try server.join())
    }

    @Test("A stopping server cuts off remaining clients at the deadline", arguments: EventQueue.Kind.allCases)
    func deadline(kind: EventQueue.Kind) throws {
        let server = try RunningHost(kind) {
            $0.limits.shutdownTime = .milliseconds(300)
            $0.limits.closingTime = .seconds(60)
        }
        let (silent, trickler) = (try server.echo(), try server.connect())
        try trickler.write(Array("GET /".utf8))
        while try !server.onLoop({ $0.engine.connections.contains { $0.speaks == .http && $0.http.isReadingHead } }) {}
        try server.shutDown()
        // The close frame has arrived; the reset follows it.
        #expect(try silent.read().prefix(4) == [0x88, 0x1D, 0x03, 0xE9])
        #expect(throws: SocketError.self) { try trickler.read() }
    }

    @Test("A server without clients stops immediately", arguments: EventQueue.Kind.allCases)
    func empty(kind: EventQueue.Kind) throws {
        let server = try RunningHost(kind)
        try server.shutDown()
        #expect(try server.join())
    }

    @Test("Stopping a server twice has the same effect as stopping it once", arguments: EventQueue.Kind.allCases)
    func twice(kind: EventQueue.Kind) throws {
        let server = try RunningHost(kind)
        let socket = try server.echo()
        try server.onLoop { host in
            host.stop()
            host.stop()
        }
        #expect(try socket.next() == .closing(code: .goingAway, reason: "The server is shutting down"))
        #expect(try server.join())
    }
}
