import TestSupport
import Testing
import WebSocket

@testable import MockServer

@Suite("Clean shutdown")
struct ShutdownTests {
    private let network = VirtualNetwork()

    @Test("A shutdown closes idle connections and sends sockets a 1001")
    func idle() throws {
        let fresh = try network.open()
        let kept = try network.client()
        #expect(try kept.exchange(Request()).status == 200)
        let sockets = [try network.socket(on: try network.consultation()), try network.echo()]
        network.beginShutdown()
        #expect(fresh.ending == .closed && fresh.received.isEmpty && kept.wire.ending == .closed)
        for socket in sockets {
            #expect(socket.closeCode == .goingAway && socket.closeReason == "The server is shutting down")
            #expect(socket.wire.ending == .closed)
        }
        #expect(network.engine.isEmpty)
        #expect(network.engine.nextDeadline == nil || network.engine.deadlines.count > 0)
    }

    @Test("A request in progress gets its answer with Connection: close", arguments: 1..<20)
    func inFlight(part: Int) throws {
        let client = try network.client()
        let request = Request.create()
        let pieces = request.bytes.cut(at: request.bytes.count * part / 20).map(Array.init)
        client.wire.send(pieces[0])
        network.beginShutdown()
        #expect(client.wire.ending == .open)
        client.wire.send(pieces[1])
        let response = try client.response(to: request)
        #expect(response.status == 201 && response.fields[.connection] == "close")
        #expect(client.wire.ending == .closed && network.engine.isEmpty)
    }

    @Test("The first of several pipelined answers has Connection: close")
    func pipelined() throws {
        let client = try network.client()
        client.wire.send("GET /hea")
        network.beginShutdown()
        client.wire.send(Array(Request().bytes.dropFirst(8)) + Request().bytes)
        #expect(try client.response().fields[.connection] == "close")
        #expect(throws: ResponseReader.Missing.self) { try client.response() }
        #expect(client.wire.ending == .closed)
    }

    @Test(
        "During a shutdown, /ready returns 503 and /health returns 200", arguments: [("/ready", 503), ("/health", 200)])
    func ready(path: String, status: Int) throws {
        let client = try network.client()
        let request = Request(target: path)
        client.wire.send(Array(request.bytes.prefix(3)))
        network.beginShutdown()
        client.wire.send(Array(request.bytes.dropFirst(3)))
        #expect(try client.response().status == status)
    }

    @Test("A handshake in flight opens its socket and closes it immediately with 1001", arguments: [true, false])
    func handshake(isChat: Bool) throws {
        let request =
            isChat
            ? Request.handshake("/api/v1/consultations/\(try network.consultation())/ws", as: TestUser.anna)
            : Request.handshake("/__admin/echo")
        let client = try network.client()
        client.wire.send(Array(request.bytes.dropLast()))
        network.beginShutdown()
        client.wire.send(Array(request.bytes.suffix(1)))
        let socket = try client.acceptUpgrade(request)
        #expect(socket.closeCode == .goingAway && socket.wire.ending == .closed)
        #expect(network.engine.isEmpty)
    }

    @Test("A connection that arrives during a shutdown gets one answer")
    func late() throws {
        network.beginShutdown()
        let client = try network.client()
        #expect(try client.exchange(Request()).fields[.connection] == "close")
        #expect(network.engine.isEmpty)
    }

    @Test("A slow reader gets the rest of its answer before the connection ends")
    func slowReader() throws {
        let wire = try network.open(window: 0)
        wire.send(Request.quickActions.bytes)
        let whole = network.unsent(by: wire)
        network.beginShutdown()
        wire.read(100)
        network.advance(by: .seconds(3))
        wire.read()
        #expect(wire.received.count == whole && wire.ending == .closed)
    }

    @Test("The deadline cuts off sockets, slow senders and clients that never read")
    func cutOff() throws {
        let socket = try network.socket(on: try network.consultation())
        let (trickler, neverReader) = (try network.open(), try network.open(window: 0))
        trickler.send("GET /")
        neverReader.send(Request().bytes)
        network.beginShutdown()
        network.advance(by: network.engine.shutdownTime)
        #expect([socket.wire, trickler, neverReader].map(\.ending) == [.closed, .open, .open])
        network.engine.resetAll()
        network.settle()
        #expect([trickler, neverReader].map(\.ending) == [.reset, .reset])
        #expect(network.engine.isEmpty && network.openCount == 0)
    }

    @Test("A second shutdown changes nothing")
    func twice() throws {
        let socket = try network.echo(isRead: false)
        network.beginShutdown()
        network.advance(by: .seconds(1))
        network.beginShutdown()
        socket.wire.read()
        #expect(socket.closeCode == .goingAway && socket.takeEvents().count == 1)
    }

    @Test("A socket that is already closing completes its close")
    func closingAlready() throws {
        let (id, socket) = try network.chat()
        try network.archive(id)
        network.advance(by: .seconds(1))
        network.beginShutdown()
        #expect(network.endings(of: socket.wire, after: .seconds(1)) == [.open, .closed])
        #expect(socket.closeCode == .normalClosure)
    }

    @Test("A shutdown does not cut off a connection that lingers after its last answer")
    func lingering() throws {
        let client = try network.client()
        client.wire.closesInReply = false
        #expect(try client.exchange(Request(fields: ["Connection: close"])).status == 200)
        network.beginShutdown()
        #expect(client.wire.ending == .open)
        network.advance(by: .seconds(2))
        #expect(client.wire.ending == .closed)
    }
}
