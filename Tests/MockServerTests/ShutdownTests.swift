import TestSupport
import Testing
import WebSocket

@testable import MockServer

@Suite("Clean shutdown")
struct ShutdownTests {
    @Test("A shutdown closes idle connections and sends sockets a 1001")
    func idle() throws {
        let network = VirtualNetwork()
        let fresh = try network.open()
        let kept = try network.client()
        #expect(try kept.exchange(Request()).status == 200)
        let chat = try network.socket(on: try network.consultation())
        let echo = try network.echo()
        network.beginShutdown()
        #expect(fresh.ending == .closed && fresh.received.isEmpty)
        #expect(kept.wire.ending == .closed)
        for socket in [chat, echo] {
            #expect(socket.closeCode == .goingAway)
            #expect(socket.closeReason == "The server is shutting down")
            #expect(socket.wire.ending == .closed)
        }
        #expect(network.engine.isEmpty)
        #expect(network.engine.nextDeadline == nil || network.engine.deadlines.count > 0)
    }

    @Test("A request in progress gets its answer with Connection: close", arguments: 1..<20)
    func inFlight(part: Int) throws {
        let network = VirtualNetwork()
        let client = try network.client()
        let request = Request.create()
        let bytes = request.bytes
        let cut = bytes.count * part / 20
        client.wire.send(Array(bytes[..<cut]))
        network.beginShutdown()
        #expect(client.wire.ending == .open)
        client.wire.send(Array(bytes[cut...]))
        let response = try client.response(to: request)
        #expect(response.status == 201)
        #expect(response.fields[.connection] == "close")
        #expect(client.wire.ending == .closed)
        #expect(network.engine.isEmpty)
    }

    @Test("The first of several pipelined answers has Connection: close")
    func pipelined() throws {
        let network = VirtualNetwork()
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
        let network = VirtualNetwork()
        let client = try network.client()
        let request = Request(target: path)
        client.wire.send(Array(request.bytes.prefix(3)))
        network.beginShutdown()
        client.wire.send(Array(request.bytes.dropFirst(3)))
        #expect(try client.response().status == status)
    }

    @Test("A handshake in flight opens its socket and closes it immediately with 1001", arguments: [true, false])
    func handshake(isChat: Bool) throws {
        let network = VirtualNetwork()
        let request =
            isChat
            ? Request.handshake("/api/v1/consultations/\(try network.consultation())/ws", as: TestUser.anna)
            : Request.handshake("/__admin/echo")
        let client = try network.client()
        client.wire.send(Array(request.bytes.dropLast()))
        network.beginShutdown()
        client.wire.send(Array(request.bytes.suffix(1)))
        let socket = try client.acceptUpgrade(request)
        #expect(socket.closeCode == .goingAway)
        #expect(socket.wire.ending == .closed)
        #expect(network.engine.isEmpty)
    }

    @Test("A connection that arrives during a shutdown gets one answer")
    func late() throws {
        let network = VirtualNetwork()
        network.beginShutdown()
        let client = try network.client()
        #expect(try client.exchange(Request()).fields[.connection] == "close")
        #expect(network.engine.isEmpty)
    }

    @Test("A slow reader gets the rest of its answer before the connection ends")
    func slowReader() throws {
        let network = VirtualNetwork()
        let wire = try network.open(window: 0)
        let request = Request(
            target: "/api/v1/consultations/quick-actions", fields: Request.authorized(.get, "/").fields)
        wire.send(request.bytes)
        let whole = network.unsent(by: wire)
        network.beginShutdown()
        wire.read(100)
        network.advance(by: .seconds(3))
        wire.read()
        #expect(wire.received.count == whole)
        #expect(wire.ending == .closed)
    }

    @Test("The deadline cuts off sockets, slow senders and clients that never read")
    func cutOff() throws {
        let network = VirtualNetwork()
        let socket = try network.socket(on: try network.consultation())
        let trickler = try network.open()
        trickler.send("GET /")
        let neverReader = try network.open(window: 0)
        neverReader.send(Request().bytes)
        network.beginShutdown()
        network.advance(by: network.engine.shutdownTime)
        #expect(socket.wire.ending == .closed)
        #expect(trickler.ending == .open && neverReader.ending == .open)
        network.engine.resetAll()
        network.settle()
        #expect(trickler.ending == .reset && neverReader.ending == .reset)
        #expect(network.engine.isEmpty && network.openCount == 0)
    }

    @Test("A second shutdown changes nothing")
    func twice() throws {
        let network = VirtualNetwork()
        let socket = try network.echo()
        socket.wire.stopReading()
        network.beginShutdown()
        network.advance(by: .seconds(1))
        network.beginShutdown()
        socket.wire.read()
        #expect(socket.closeCode == .goingAway)
        #expect(socket.takeEvents().count == 1)
    }

    @Test("A socket that is already closing completes its close")
    func closingAlready() throws {
        let network = VirtualNetwork()
        let id = try network.consultation()
        let socket = try network.socket(on: id)
        try network.archive(id)
        network.advance(by: .seconds(1))
        network.beginShutdown()
        network.advance(by: .milliseconds(999))
        #expect(socket.wire.ending == .open)
        network.advance(by: .milliseconds(1))
        #expect(socket.wire.ending == .closed)
        #expect(socket.closeCode == .normalClosure)
    }

    @Test("A shutdown does not cut off a connection that lingers after its last answer")
    func lingering() throws {
        let network = VirtualNetwork()
        let client = try network.client()
        client.wire.closesInReply = false
        #expect(try client.exchange(Request(fields: ["Connection: close"])).status == 200)
        network.beginShutdown()
        #expect(client.wire.ending == .open)
        network.advance(by: .seconds(2))
        #expect(client.wire.ending == .closed)
    }
}
