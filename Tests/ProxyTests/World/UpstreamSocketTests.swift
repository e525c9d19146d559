import FitIQAPI
import JSON
import Scenarios
import TestSupport
import Testing
import WebSocket

@testable import MockServer
@testable import Proxy

@Suite("A world in front of a real server: WebSockets")
struct UpstreamSocketTests {
    /// The server's consultation, and a client's connection to its socket.
    private func chat(_ world: FrontWorld) throws -> (path: String, client: HTTPClient<VirtualClient>) {
        let created = try world.exchange(.create())
        let id = try #require(created.json?["data"]?["id"]?.string, "\(created.text)")
        return ("/api/v1/consultations/\(id)/ws", try world.client())
    }

    private func socket(_ world: FrontWorld) throws -> SocketClient<VirtualClient> {
        let (path, client) = try chat(world)
        let socket = try client.upgrade(.handshake(path, as: DevelopmentCredentials.userID))
        #expect(socket.takeTypes() == ["connected"])
        return socket
    }

    static let question = #"{"type":"message","content":"What should I eat for breakfast?"}"#

    @Test("A stream that drops midway sends the same bytes as the fake", arguments: ["drop-mid-stream"])
    func sameBytes(_ name: String) throws {
        let scenario = try #require(Scenario.builtIn(named: name))
        func play(_ network: VirtualNetwork, behind other: VirtualNetwork? = nil) throws -> VirtualClient {
            let created = HTTPClient(try #require(network.connect()))
            let id = try #require(created.exchange(.create()).json?["data"]?["id"]?.string)
            let client = HTTPClient(try #require(network.connect()))
            let path = "/api/v1/consultations/\(id)/ws"
            client.wire.send(Request.handshake(path, as: DevelopmentCredentials.userID).bytes)
            var frames: [UInt8] = []
            var codec = WebSocket.Connection(role: .client)
            codec.send(text: Self.question, into: &frames)
            client.wire.send(frames)
            for _ in 0..<300 {
                other?.advance(by: .milliseconds(100))
                network.advance(by: .milliseconds(100))
            }
            return client.wire
        }
        var plain = scenario
        plain.clock = nil
        let fake = try play(FrontWorld.network(plain))
        let world = try FrontWorld(plain)
        let front = try play(world.front, behind: world.back)
        #expect(fake.received.count > 300)
        #expect((front.text, front.ending) == (fake.text, fake.ending))
    }

    @Test("Frames pass both ways, including the server's pings and the client's pongs")
    func frames() throws {
        let world = try FrontWorld(behind: UpstreamWorldTests.scenario("pings: 5s"))
        let socket = try socket(world)
        socket.send(Self.question)
        world.advance(by: .seconds(1))
        #expect(socket.takeTypes().contains("stream_complete"))
        for _ in 0..<4 {
            world.advance(by: .seconds(5))
            // The client answers the ping.
            socket.update()
        }
        #expect(socket.takeEvents().filter { if case .ping = $0 { true } else { false } }.count == 4)
        #expect(socket.closeCode == nil)
    }

    @Test("The client's close frame reaches the server")
    func closing() throws {
        let world = try FrontWorld()
        let first = try socket(world)
        first.close(.goingAway, reason: "bye")
        world.front.settle()
        let journal = try world.back.exchange(Request(target: "/__admin/journal")).text
        #expect(journal.contains(#""client_close":{"code":1001,"reason":"bye"}"#), "\(journal.suffix(900))")
        #expect(world.upstreams.openCount == 0)
    }

    @Test("A stopping server closes the client's socket with its own code")
    func serverCloses() throws {
        let world = try FrontWorld()
        let socket = try socket(world)
        world.back.beginShutdown()
        world.front.settle()
        #expect((socket.closeCode, socket.closeReason) == (.goingAway, "The server is shutting down"))
    }

    @Test("If the server's connection closes or resets, so does the client's socket", arguments: [true, false])
    func serverIsGone(isReset: Bool) throws {
        let world = try FrontWorld()
        let socket = try socket(world)
        world.upstreams.end(isReset: isReset)
        #expect(isReset ? socket.wire.ending == .reset : socket.wire.ending == .closed || socket.wire.sawEndOfStream)
        let journal = try world.journal()
        #expect(journal.contains(isReset ? #""cause":"reset""# : #""cause":"finish""#), "\(journal.prefix(600))")
    }

    @Test("Frames that break the protocol close the client's socket with 1014, and the journal says why")
    func badFrames() throws {
        let accept =
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n\u{3}\u{0}"
        let world = try FrontWorld(Scenario(), .bytes(accept, .open))
        let client = try world.client()
        let socket = try client.upgrade(.handshake("/ws/meal-logs", as: DevelopmentCredentials.userID))
        #expect(socket.closeCode?.rawValue == 1014)
        #expect(try world.story().contains { $0.contains("note: upstream: http://real.example broke the WebSocket") })
    }

    @Test("A rejected handshake gets the server's answer or, if allowed, the fake's")
    func refusedHandshake() throws {
        let refusal = "HTTP/1.1 404 Not Found\r\nX-Real: yes\r\nContent-Length: 0\r\n\r\n"
        let world = try FrontWorld(Scenario(), .bytes(refusal, .open))
        let answer = try world.exchange(.handshake("/ws/meal-logs", as: DevelopmentCredentials.userID))
        #expect(answer.status == 404)
        let other = try FrontWorld(
            UpstreamWorldTests.scenario("upstream: {url: 'http://real.example', answers: real-else-fake}"),
            .bytes(refusal, .open))
        let client = try other.client()
        #expect(try client.upgrade(.handshake("/ws/meal-logs", as: DevelopmentCredentials.userID)).closeCode == nil)
        #expect(try other.story().last == "GET 101 fake")
    }

    /// The network of an earlier request delivers them in parts, so the codec fails while the handshake waits.
    @Test("A handshake with too many bytes behind it is refused when the real server accepts it")
    func bytesBehindHandshake() throws {
        let world = try FrontWorld(
            UpstreamWorldTests.scenario("network: {up: 100000}"),
            behind: UpstreamWorldTests.scenario("faults: [{on: handshake, delay: 4s}]"))
        let client = try world.asking()
        for _ in 0..<2 { world.advance(by: .milliseconds(100)) }
        #expect(try client.response().status == 200)
        client.wire.send(Request.handshake("/ws/meal-logs", as: DevelopmentCredentials.userID).bytes)
        for count in [16_000, 270_000] { client.wire.send([UInt8](repeating: 0x20, count: count)) }
        for _ in 0..<39 { world.advance(by: .milliseconds(100)) }
        #expect(world.upstreams.openCount == 1)
        for _ in 0..<5 { world.advance(by: .milliseconds(100)) }
        #expect(try client.response().status == 400)
    }

    @Test("A client that does not read uses bounded memory and stays connected")
    func backpressure() throws {
        let world = try FrontWorld()
        let (path, _) = try chat(world)
        let client = HTTPClient(try #require(world.front.connect(window: 2_000)))
        let socket = try client.upgrade(.handshake(path, as: DevelopmentCredentials.userID))
        for _ in 0..<400 { socket.send(Self.question) }
        let held = world.front.engine.connections.heldBytes
        #expect(held < 3 * 1024 * 1024, "\(held)")
        #expect(world.front.engine.connection(client.wire.id) != nil)
    }
}
