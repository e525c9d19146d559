import TestSupport
import Testing

@testable import MockServer

@Suite("WebSocket handshakes")
struct HandshakeTests {
    private let network = VirtualNetwork()

    private static let unknown = "00000000-0000-4000-8000-000000000000"

    @Test(
        "The handshake checks credentials, the id, the status and the upgrade in that order", arguments: [false, true])
    func order(upgrade: Bool) throws {
        let active = try network.consultation()
        let archived = try network.consultation(#"{"persona":"fitness_coach"}"#)
        try network.archive(archived)
        for (id, hasCredentials, refusal) in [
            (active, false, "401 UNAUTHORIZED"), (archived, false, "401 UNAUTHORIZED"),
            (Self.unknown, false, "401 UNAUTHORIZED"), (Self.unknown, true, "404 NOT_FOUND"),
            (archived, true, "400 CONSULTATION_NOT_ACTIVE"),
            (active, true, upgrade ? "101 without a code" : "426 UPGRADE_REQUIRED"),
        ] {
            var request = Request.authorized(.get, "/api/v1/consultations/\(id)/ws", as: TestUser.anna)
            if !hasCredentials { request.fields = [] }
            if upgrade { request.fields += Request.handshake("").fields }
            #expect(try network.exchange(request).refusal == refusal, "\(request.head)")
        }
    }

    @Test("A handshake for another user's consultation or an upper-case id returns 404")
    func foreign() throws {
        let id = try network.consultation()
        #expect(try network.exchange(.handshake("/api/v1/consultations/\(id)/ws", as: TestUser.ben)).status == 404)
        let capitals = try network.exchange(
            .handshake("/api/v1/consultations/\(id.uppercased())/ws", as: TestUser.anna))
        #expect(capitals.status == 404 && capitals.message.contains("lower-case it to \"\(id)\""))
    }

    @Test("Only a token in the header fields requires the API key")
    func queryToken() throws {
        let path = "/api/v1/consultations/\(try network.consultation())/ws"
        let token = Request.token(for: TestUser.anna)
        for (request, status) in [
            (Request.handshake("\(path)?token=\(token)"), 101),
            (.handshake("\(path)?x=1&token=\(token)&token=bad"), 101), (.handshake("\(path)?token="), 401),
            (.handshake("\(path)?token=bad", as: TestUser.anna), 401),
            (.handshake("\(path)?token=\(Request.token(for: TestUser.anna, secret: "x"))"), 401),
            (.handshake("\(path)?token=\(Request.token(for: TestUser.ben))"), 404),
            (.handshake(path).with(Request.bearer(token)), 401),
        ] { #expect(try network.exchange(request).status == status, "\(request.head)") }
        let nothing = try network.exchange(.handshake(path))
        #expect(nothing.message.contains("or '?token=<JWT>' in its URL; neither arrived"))
    }

    struct Malformed: CustomTestStringConvertible {
        let testDescription: String
        let status: Int
        let fields: [String]
        let version: String

        private init(_ name: String, _ status: Int, _ fields: [String], version: String = "HTTP/1.1") {
            (testDescription, self.status, self.fields, self.version) = (name, status, fields, version)
        }

        private static let upgrade = "Upgrade: websocket"
        private static let connection = "Connection: Upgrade"
        private static let version13 = "Sec-WebSocket-Version: 13"
        private static let key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="

        static let all = [
            Malformed("no upgrade", 426, []), Malformed("no Upgrade field", 426, [connection, version13, key]),
            Malformed("Upgrade to h2c", 426, ["Upgrade: h2c", connection]),
            Malformed("no Connection field", 400, [upgrade, version13, key]),
            Malformed("Connection: keep-alive", 400, [upgrade, "Connection: keep-alive", version13, key]),
            Malformed("no version", 426, [upgrade, connection, key]),
            Malformed("version 8", 426, [upgrade, connection, "Sec-WebSocket-Version: 8", key]),
            Malformed("two versions", 400, [upgrade, connection, version13, version13, key]),
            Malformed("no key", 400, [upgrade, connection, version13]),
            Malformed("short key", 400, [upgrade, connection, version13, "Sec-WebSocket-Key: YQ=="]),
            Malformed("two keys", 400, [upgrade, connection, version13, key, key]),
            Malformed("HTTP/1.0", 426, [upgrade, connection, version13, key], version: "HTTP/1.0"),
            Malformed(
                "odd case and doubled lines", 101,
                ["UPGRADE: WebSocket", upgrade, "connection: keep-alive, UPGRADE", connection, version13, key]),
            Malformed("Connection: close, Upgrade", 101, [upgrade, "Connection: close, upgrade", version13, key]),
        ]
    }

    @Test("A rejected handshake leaves the connection usable", arguments: Malformed.all)
    func malformed(_ handshake: Malformed) throws {
        let client = try network.client()
        let request = Request(target: "/__admin/echo", version: handshake.version, fields: handshake.fields)
        let response = try client.exchange(request)
        #expect(response.status == handshake.status)
        if handshake.status == 101 {
            return #expect(response.fields[.secWebSocketAccept] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        }
        if handshake.status == 426 { #expect(response.fields[.upgrade] == "websocket") }
        if handshake.version == "HTTP/1.1" { #expect(try client.exchange(Request()).status == 200) }
        #expect(network.engine.connections.webSocketCount == 0)
    }

    @Test("The server accepts a handshake with a body once the body has arrived")
    func body() throws {
        let client = try network.client()
        var request = Request.handshake("/__admin/echo")
        request.body = Array("body".utf8)
        client.wire.send(Array(request.bytes.dropLast()))
        #expect(client.wire.received.isEmpty)
        client.wire.send("y")
        #expect(try client.response(to: request).status == 101)
    }

    @Test("The server answers frames right after the handshake no matter how the packets are split")
    func framesInTheSamePacket() throws {
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
        let sockets = try (0..<3).map { _ in try network.echo() }
        #expect(network.engine.connections.webSocketCount == 3)
        sockets[0].wire.vanish()
        sockets[1].close()
        #expect(network.engine.connections.webSocketCount == 1)
        let health = try network.exchange(Request(target: "/__admin/health"))
        #expect(health.json?["web_sockets"] == 1 && health.json?["connections"] == 2)
    }
}
