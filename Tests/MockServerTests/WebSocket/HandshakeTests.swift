import TestSupport
import Testing

@testable import MockServer

@Suite("WebSocket handshakes")
struct HandshakeTests {
    private static let unknown = "00000000-0000-4000-8000-000000000000"

    @Test("The handshake checks credentials, the id, the status and the upgrade in that order")
    func order() throws {
        let network = VirtualNetwork()
        let active = try network.consultation()
        let archived = try network.consultation(#"{"persona":"fitness_coach"}"#)
        try network.archive(archived)
        func ask(_ id: String, credentials: Bool, upgrade: Bool) throws -> (Int, String?) {
            let path = "/api/v1/consultations/\(id)/ws"
            let user = credentials ? TestUser.anna : nil
            var request = upgrade ? Request.handshake(path, as: user) : Request(target: path)
            if credentials, !upgrade { request = .authorized(.get, path, as: TestUser.anna) }
            let response = try network.exchange(request)
            return (response.status, response.errorCode)
        }
        for upgrade in [false, true] {
            for id in [active, archived, Self.unknown] {
                #expect(try ask(id, credentials: false, upgrade: upgrade) == (401, "UNAUTHORIZED"))
            }
            #expect(try ask(Self.unknown, credentials: true, upgrade: upgrade) == (404, "NOT_FOUND"))
            #expect(try ask(archived, credentials: true, upgrade: upgrade) == (400, "CONSULTATION_NOT_ACTIVE"))
        }
        #expect(try ask(active, credentials: true, upgrade: false) == (426, "UPGRADE_REQUIRED"))
        #expect(try ask(active, credentials: true, upgrade: true).0 == 101)
    }

    @Test("A handshake for another user's consultation or an upper-case id returns 404")
    func foreign() throws {
        let network = VirtualNetwork()
        let id = try network.consultation()
        let foreign = try network.exchange(.handshake("/api/v1/consultations/\(id)/ws", as: TestUser.ben))
        #expect(foreign.status == 404)
        let capitals = try network.exchange(
            .handshake("/api/v1/consultations/\(id.uppercased())/ws", as: TestUser.anna))
        #expect(capitals.status == 404)
        #expect(capitals.message.contains("lower-case it to \"\(id)\""))
    }

    @Test("Only a token in the header fields requires the API key")
    func queryToken() throws {
        let network = VirtualNetwork()
        let id = try network.consultation()
        let path = "/api/v1/consultations/\(id)/ws"
        let token = Request.token(for: TestUser.anna)
        func status(_ request: Request) throws -> Int { try network.exchange(request).status }
        #expect(try status(.handshake("\(path)?token=\(token)")) == 101)
        #expect(try status(.handshake("\(path)?x=1&token=\(token)&token=bad")) == 101)
        #expect(try status(.handshake("\(path)?token=")) == 401)
        #expect(try status(.handshake("\(path)?token=bad", as: TestUser.anna)) == 401)
        #expect(try status(.handshake("\(path)?token=\(Request.token(for: TestUser.anna, secret: "x"))")) == 401)
        #expect(try status(.handshake("\(path)?token=\(Request.token(for: TestUser.ben))")) == 404)
        #expect(try status(.handshake(path).with(Request.bearer(token))) == 401)
        let nothing = try network.exchange(.handshake(path))
        #expect(nothing.message.contains("or '?token=<JWT>' in its URL; neither arrived"))
    }

    struct Malformed: CustomTestStringConvertible {
        let name: String
        let fields: [String]
        var version = "HTTP/1.1"
        let status: Int
        var testDescription: String { name }

        private static let upgrade = "Upgrade: websocket"
        private static let connection = "Connection: Upgrade"
        private static let version13 = "Sec-WebSocket-Version: 13"
        private static let key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="

        static let all = [
            Malformed(name: "no upgrade", fields: [], status: 426),
            Malformed(name: "no Upgrade field", fields: [connection, version13, key], status: 426),
            Malformed(name: "Upgrade to h2c", fields: ["Upgrade: h2c", connection], status: 426),
            Malformed(name: "no Connection field", fields: [upgrade, version13, key], status: 400),
            Malformed(
                name: "Connection: keep-alive", fields: [upgrade, "Connection: keep-alive", version13, key], status: 400
            ),
            Malformed(name: "no version", fields: [upgrade, connection, key], status: 426),
            Malformed(name: "version 8", fields: [upgrade, connection, "Sec-WebSocket-Version: 8", key], status: 426),
            Malformed(name: "two versions", fields: [upgrade, connection, version13, version13, key], status: 400),
            Malformed(name: "no key", fields: [upgrade, connection, version13], status: 400),
            Malformed(
                name: "short key", fields: [upgrade, connection, version13, "Sec-WebSocket-Key: YQ=="], status: 400),
            Malformed(name: "two keys", fields: [upgrade, connection, version13, key, key], status: 400),
            Malformed(
                name: "HTTP/1.0", fields: [upgrade, connection, version13, key], version: "HTTP/1.0", status: 426),
            Malformed(
                name: "odd case and doubled lines",
                fields: ["UPGRADE: WebSocket", upgrade, "connection: keep-alive, UPGRADE", connection, version13, key],
                status: 101),
            Malformed(
                name: "Connection: close, Upgrade", fields: [upgrade, "Connection: close, upgrade", version13, key],
                status: 101),
        ]
    }

    @Test("A rejected handshake leaves the connection usable", arguments: Malformed.all)
    func malformed(_ handshake: Malformed) throws {
        let network = VirtualNetwork()
        let client = try network.client()
        let request = Request(target: "/__admin/echo", version: handshake.version, fields: handshake.fields)
        let response = try client.exchange(request)
        #expect(response.status == handshake.status)
        if handshake.status == 101 {
            #expect(response.fields[.secWebSocketAccept] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
            return
        }
        if handshake.status == 426 { #expect(response.fields[.upgrade] == "websocket") }
        if handshake.version == "HTTP/1.1" { #expect(try client.exchange(Request()).status == 200) }
        #expect(network.engine.connections.webSocketCount == 0)
    }

    @Test("The server accepts a handshake with a body once the body has arrived")
    func body() throws {
        let network = VirtualNetwork()
        let client = try network.client()
        var request = Request.handshake("/__admin/echo")
        request.body = Array("body".utf8)
        let bytes = request.bytes
        client.wire.send(Array(bytes.dropLast()))
        #expect(client.wire.received.isEmpty)
        client.wire.send(Array(bytes.suffix(1)))
        #expect(try client.response(to: request).status == 101)
    }

    @Test("The server answers frames right after the handshake no matter how the packets are split")
    func framesInTheSamePacket() throws {
        let network = VirtualNetwork()
        let id = try network.consultation()
        // A separate socket that serves only to create the frames.
        let frames = try network.socket(on: id).frames([#"{"type":"ping"}"#, #"{"type":"nonsense"}"#, "not JSON"])
        let request = Request.handshake("/api/v1/consultations/\(id)/ws", as: TestUser.anna)
        let bytes = request.bytes + frames
        var expected: [UInt8]?
        for cut in bytes.indices {
            let wire = try network.open()
            wire.send(bytes, cutAt: cut)
            #expect(wire.received == expected ?? wire.received, "cut at \(cut)")
            expected = wire.received
            wire.vanish()
        }
        let client = try network.client()
        client.wire.send(bytes)
        let socket = try client.acceptUpgrade(request)
        #expect(socket.takeTypes() == ["connected", "pong", "error", "error"])
    }

    @Test("A socket is counted until its connection ends")
    func counted() throws {
        let network = VirtualNetwork()
        let sockets = try (0..<3).map { _ in try network.echo() }
        #expect(network.engine.connections.webSocketCount == 3)
        sockets[0].wire.vanish()
        sockets[1].close()
        #expect(network.engine.connections.webSocketCount == 1)
        let health = try network.exchange(Request(target: "/__admin/health"))
        #expect(health.json?["web_sockets"] == 1)
        #expect(health.json?["connections"] == 2)
    }
}
