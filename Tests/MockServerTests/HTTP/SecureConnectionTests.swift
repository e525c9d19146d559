import TestSupport
import Testing

@testable import MockServer

@Suite("Secure connections in the engine")
struct SecureConnectionTests {
    private let network = VirtualNetwork()

    private var logged: [String] { network.observations.filter { $0.level >= .notice }.map(\.description) }

    @Test("The server closes a connection whose TLS handshake takes 10 s")
    func handshakeTime() throws {
        let client = try network.open(isSecure: true)
        #expect(network.endings(of: client, after: .seconds(10)) == [.open, .closed])
        #expect(client.received.isEmpty && network.engine.isEmpty)
        #expect(logged == ["TLS: The client did not finish the handshake within 10 s."])
    }

    @Test("After the TLS handshake, the usual time limits apply")
    func secured() throws {
        let client = try network.open(isSecure: true)
        network.advance(by: .seconds(9))
        network.engine.secured(client.id, at: network.now)
        #expect(network.endings(of: client, after: .seconds(75)) == [.open, .closed] && logged.isEmpty)
    }

    @Test("A connection beyond the limit gets its 503 after the TLS handshake", arguments: [true, false])
    func refused(isAgreed: Bool) throws {
        let network = VirtualNetwork { $0.limits.connections = 1 }
        _ = try network.open()
        // The server cannot send anything earlier.
        let client = try network.open(window: 0, isSecure: true)
        network.advance(by: .seconds(9))
        if isAgreed {
            network.engine.secured(client.id, at: network.now)
            client.read()
            #expect(String(decoding: client.received, as: UTF8.self).hasPrefix("HTTP/1.1 503 "))
        } else {
            network.advance(by: .seconds(1))
            #expect(client.received.isEmpty)
        }
        #expect(client.ending == .closed)
        #expect(network.engine.connections.count == 1 && network.engine.connections.heldBytes == 0)
    }

    @Test("After a failed handshake, the connection lingers up to 2 s for its alert", arguments: [true, false])
    func failed(closesInReply: Bool) throws {
        let client = try network.open(isSecure: true)
        client.closesInReply = closesInReply
        network.engine.tlsFailed("No.", on: client.id, at: network.now)
        network.settle()
        let atOnce: VirtualClient.Ending = closesInReply ? .closed : .open
        #expect(client.sawEndOfStream && client.ending == atOnce)
        #expect(network.endings(of: client, after: .seconds(2)) == [atOnce, .closed])
        #expect(logged == ["TLS: No."])
    }

    @Test("A TLS failure drops unsent bytes and journals the socket's end")
    func broken() throws {
        let id = try network.consultation()
        let wire = try network.open(isSecure: true)
        network.engine.secured(wire.id, at: network.now)
        wire.send(Request.handshake("/api/v1/consultations/\(id)/ws", as: TestUser.anna).bytes)
        wire.stopReading()
        wire.send([0x81, 0x80, 0, 0, 0, 0])
        let received = wire.received.count
        network.engine.tlsFailed("A record was changed.", on: wire.id, at: network.now)
        network.settle()
        wire.read()
        #expect(wire.received.count == received && wire.ending == .closed)
        #expect(network.engine.connections.heldBytes == 0)
        #expect(try network.plainWorld().journal().contains { $0["cause"] == "reset" })
    }

    @Test("Plain HTTP on a TLS connection gets an error with the right URL")
    func plainHTTP() throws {
        let network = VirtualNetwork { $0.secureOrigin = "https://127.0.0.1:8443" }
        let client = try network.open(isSecure: true)
        network.engine.spokePlainHTTP(client.id, at: network.now)
        network.settle()
        let text = String(decoding: client.received, as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 400 ") && text.contains("use https://127.0.0.1:8443, or "))
        #expect(client.ending == .closed)
    }

    @Test("The server detects TLS on a plain port only where a request may start")
    func tlsOnPlainPort() throws {
        let client = try network.client()
        #expect(try client.exchange(Request()).status == 200)
        // In a body, this byte has no special meaning.
        let body = Request.create(#"{"persona":"\#u{16}"}"#)
        client.wire.send(body.bytes, cutAt: body.bytes.count - 3)
        #expect(try client.response(to: body).status == 400)
        #expect(client.wire.ending == .open)
        client.wire.send([0x16])
        #expect(
            try client.response(to: Request()).message.hasPrefix("The client started a TLS handshake (https or wss)"))
        #expect(client.wire.ending == .closed)
    }
}
