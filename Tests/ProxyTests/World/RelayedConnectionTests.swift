import FitIQAPI
import MockServer
import TestSupport
import Testing
import Text

@testable import Proxy

@Suite("An engine's relayed connections")
struct RelayedConnectionTests {
    private let front: VirtualNetwork
    private static let request = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n"

    init() throws {
        var configuration = Engine.Configuration()
        configuration.relayed = try UpstreamURL(FrontWorld.url)
        front = VirtualNetwork(try Engine(configuration, now: FrontWorld.start), now: FrontWorld.start)
        front.report = { Issue.record("\($0)") }
    }

    private func upstreams(_ answer: String, _ ending: VirtualUpstreams.Ending) throws -> VirtualUpstreams {
        VirtualUpstreams(front, try FrontWorld.network(.init()), .bytes(answer, ending))
    }

    @Test("After the server closes, its client's connection uses no turns until the client acts")
    func ended() throws {
        let upstreams = try upstreams("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi", .finish)
        let client = try #require(front.connect())
        for count in 1...2 {
            client.send(Self.request)
            #expect(client.text.components(separatedBy: "\r\n\r\nhi").count == count + 1)
            #expect(front.engine.takeTouchedUpstreams().isEmpty && upstreams.openCount == 0)
        }
        client.finishWriting()
        #expect(client.ending == .closed)
    }

    @Test("After the server ends its side of a tunnel, the client's side uses no turns and stays open")
    func halfClosed() throws {
        let accepted = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
        let upstreams = try upstreams(accepted, .finish)
        let client = try #require(front.connect())
        client.closesInReply = false
        client.send("GET /ws HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
        #expect(client.text == accepted && client.sawEndOfStream)
        #expect(front.engine.takeTouchedUpstreams().isEmpty && upstreams.openCount == 1)
        client.send("last words")
        #expect(client.ending == .open && upstreams.openCount == 1)
        client.finishWriting()
        #expect(upstreams.openCount == 0)
    }

    @Test("A client that does not read is reset after the relay's time limit and its own limit")
    func stalled() throws {
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 4000000\r\n\r\n" + String(repeating: "x", count: 2_000_000)
        let upstreams = try upstreams(answer, .open)
        let client = try #require(front.connect(window: 0))
        client.send(Self.request)
        upstreams.timeIsUp()
        #expect(client.ending == .open && upstreams.openCount == 0)
        front.advance(by: .seconds(75))
        #expect(client.ending == .reset)
    }

    @Test("Each byte that the client sends or reads restarts the relay's time limits")
    func activity() throws {
        front.engine.reachesUpstreams = true
        let client = try #require(front.connect())
        client.send(Self.request)
        let side = try #require(front.engine.takeTouchedUpstreams().first)
        #expect(side.hasMoved)
        side.hasMoved = false
        let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi".utf8)
        answer.withUnsafeBytes { side.relay.receiveFromUpstream($0) }
        front.engine.receive(from: side, at: front.now)
        front.settle()
        #expect(side.hasMoved && front.engine.takeTouchedUpstreams().first === side)
    }
}
