import FitIQAPI
import HTTP1
import HTTPTypes
import TestSupport
import Testing
import WebSocket

@testable import Proxy

private struct Refused: Error {}

/// A client and a server with our codecs, and the relay between them; bytes are transferred in pieces of a given size.
private struct Line {
    var client = HTTP1.Connection(role: .client, limits: Self.limits)
    var server = HTTP1.Connection(role: .server, limits: Self.limits)
    var relay = Relay(upstream: RelayHarness.plain, isClientSecure: false)
    let step: Int
    var fromClient: [UInt8] = []
    var fromServer: [UInt8] = []
    var heard: [String] = []
    var answered: [String] = []

    static var limits: HTTP1.Limits {
        var limits = HTTP1.Limits()
        limits.body = 1 << 24
        return limits
    }

    /// Transfers bytes until neither side has any, and collects each side's events.
    mutating func pass() throws {
        while true {
            var moved = false
            if !fromClient.isEmpty, relay.wantsClientBytes {
                let piece = Array(fromClient.prefix(step))
                fromClient.removeFirst(piece.count)
                piece.withUnsafeBytes { relay.receiveFromClient($0) }
                moved = true
            }
            if !fromServer.isEmpty, relay.wantsUpstreamBytes {
                let piece = Array(fromServer.prefix(step))
                fromServer.removeFirst(piece.count)
                piece.withUnsafeBytes { relay.receiveFromUpstream($0) }
                moved = true
            }
            let up = relay.toUpstream.withBytes { Array($0.prefix(step)) }
            if !up.isEmpty {
                relay.sentToUpstream(up.count)
                server.receive(up)
                try Self.drain(&server, into: &heard)
                moved = true
            }
            let down = relay.toClient.withBytes { Array($0.prefix(step)) }
            if !down.isEmpty {
                relay.sentToClient(down.count)
                client.receive(down)
                try Self.drain(&client, into: &answered)
                moved = true
            }
            if !moved { return }
        }
    }

    static func drain(_ connection: inout HTTP1.Connection, into events: inout [String]) throws {
        while true {
            switch try connection.nextEvent() {
            case .needsData, .paused, .connectionClosed: return
            case .request(let head): events.append("\(head.method) \(head.target)")
            case .response(let head), .informational(let head): events.append("\(head.status.code)")
            case .body(let bytes):
                if events.last?.hasPrefix("body ") == true {
                    events[events.count - 1] += String(decoding: bytes, as: UTF8.self)
                } else {
                    events.append("body " + String(decoding: bytes, as: UTF8.self))
                }
            case .end: events.append("end")
            }
        }
    }
}

@Suite("A relay between our own codecs")
struct RelayPairTests {
    static let steps = [1, 2, 3, 5, 7, 64, 4_096, 1 << 20]
    static let text = (0..<300).map { "piece \($0)\n" }.joined()

    @Test("Chunked bodies pass in both directions at the same time", arguments: steps)
    func chunks(_ step: Int) throws {
        var line = Line(step: step)
        line.client.startRequest(
            method: .post, target: "/up", fields: [.hostField: "localhost"], into: &line.fromClient)
        line.client.sendBody(Self.text.utf8, into: &line.fromClient)
        try line.pass()
        line.server.startResponse(status: .ok, fields: [:], into: &line.fromServer)
        line.server.sendBody(Self.text.utf8, into: &line.fromServer)
        try line.pass()
        let body = "body " + Self.text
        #expect((line.heard, line.answered) == (["POST /up", body], ["200", body]))
        line.server.endBody(into: &line.fromServer)
        line.client.endBody(into: &line.fromClient)
        try line.pass()
        #expect(line.answered == ["200", "body " + Self.text, "end"])
        // Both ends are ready for another message.
        line.client.sendRequest(
            method: .get, target: "/next", fields: [.hostField: "localhost"], body: nil, into: &line.fromClient)
        try line.pass()
        line.server.respond(status: .noContent, fields: [:], body: [], into: &line.fromServer)
        try line.pass()
        #expect(line.answered.suffix(2) == ["204", "end"])
    }

    @Test("A body without a length ends when the server closes", arguments: steps)
    func untilClose(_ step: Int) throws {
        var line = Line(step: step)
        line.client.sendRequest(
            method: .get, target: "/", fields: [.hostField: "localhost"], body: nil, into: &line.fromClient)
        try line.pass()
        line.fromServer = Array("HTTP/1.0 200 OK\r\n\r\n\(Self.text)".utf8)
        try line.pass()
        #expect(line.answered == ["200", "body " + Self.text])
        line.relay.upstreamFinished()
        try line.pass()
        #expect(line.answered == ["200", "body " + Self.text, "end"])
        #expect(line.relay.clientEnding == .none && line.relay.upstreamNumber == nil)
    }

    @Test("WebSocket frames pass unchanged, however they are split", arguments: steps)
    func frames(_ step: Int) throws {
        var line = Line(step: step)
        let handshake = ClientHandshake(key: Array(0..<16))
        line.client.sendRequest(
            method: .get, target: "/ws", fields: [.hostField: "localhost"] + handshake.requestFields, body: nil,
            into: &line.fromClient)
        try line.pass()
        let asked: HTTPFields = [
            .connection: "Upgrade", .upgrade: "websocket", .init("Sec-WebSocket-Version")!: "13",
            .init("Sec-WebSocket-Key")!: handshake.key,
        ]
        guard case .accept(let fields) = ServerHandshake.evaluate(method: .get, isHTTP11: true, fields: asked)
        else { throw Refused() }
        line.server.switchProtocols(fields: fields, into: &line.fromServer)
        // The first frame arrives together with the 101.
        var serverSocket = WebSocket.Connection(role: .server)
        serverSocket.send(text: "welcome", into: &line.fromServer)
        var clientSocket = WebSocket.Connection(role: .client, maskSeed: 7)
        var atClient: [WebSocket.Event] = []
        var atServer: [WebSocket.Event] = []
        let (count, hello) = (line.fromServer.count, "welcome".utf8.count + 2)
        let head = Array(line.fromServer.prefix(count - hello))
        // In a tunnel the bytes are no longer HTTP, so this end reads them itself.
        for piece in line.fromServer.pieces(of: step) { piece.withUnsafeBytes { line.relay.receiveFromUpstream($0) } }
        line.fromServer = []
        var received = line.relay.toClient.withBytes { Array($0) }
        line.relay.sentToClient(received.count)
        #expect(head.count > 0 && received.starts(with: Array("HTTP/1.1 101 Switching Protocols\r\n".utf8)))
        received.removeFirst(received.count - hello)
        var reply: [UInt8] = []
        clientSocket.receive(received, events: &atClient, output: &reply)
        #expect(atClient == [.text(Array("welcome".utf8))])
        for number in 0..<50 { clientSocket.send(text: "\(number) " + Self.text, into: &reply) }
        clientSocket.ping(into: &reply)
        clientSocket.close(code: .normalClosure, reason: "bye", into: &reply)
        for piece in reply.pieces(of: step) {
            piece.withUnsafeBytes { line.relay.receiveFromClient($0) }
            let sent = line.relay.toUpstream.withBytes { Array($0) }
            line.relay.sentToUpstream(sent.count)
            serverSocket.receive(sent, events: &atServer, output: &line.fromServer)
        }
        #expect(atServer.count == 52 && atServer.first == .text(Array(("0 " + Self.text).utf8)))
        #expect(atServer.last == .closing(code: .normalClosure, reason: "bye"))
    }

    @Test("A side that does not read slows the other side down, even in a tunnel")
    func backPressure() {
        var limits = RelayLimits()
        limits.unsentBytes = 1_000
        var relay = Relay(upstream: RelayHarness.plain, isClientSecure: false, limits: limits)
        func client(_ text: String) { Array(text.utf8).withUnsafeBytes { relay.receiveFromClient($0) } }
        func upstream(_ text: String) { Array(text.utf8).withUnsafeBytes { relay.receiveFromUpstream($0) } }
        client("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5000\r\n\r\n")
        #expect(relay.wantsClientBytes)
        client(String(repeating: "x", count: 999))
        #expect(!relay.wantsClientBytes)
        relay.sentToUpstream(relay.toUpstream.count - 999)
        #expect(relay.wantsClientBytes)
        client(String(repeating: "x", count: 4_001))
        relay.sentToUpstream(relay.toUpstream.count)
        upstream("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n")
        #expect(relay.wantsUpstreamBytes)
        upstream(String(repeating: "x", count: 1_000))
        #expect(!relay.wantsUpstreamBytes)
        relay.sentToClient(relay.toClient.count)
        #expect(relay.wantsUpstreamBytes)
        upstream(String(repeating: "x", count: 4_000))
        relay.sentToClient(relay.toClient.count)
        client(RelayCase.handshake)
        relay.sentToUpstream(relay.toUpstream.count)
        upstream(RelayCase.accepted)
        relay.sentToClient(relay.toClient.count)
        client(String(repeating: "x", count: 1_000))
        #expect(!relay.wantsClientBytes && relay.wantsUpstreamBytes)
        upstream(String(repeating: "x", count: 1_000))
        #expect(!relay.wantsUpstreamBytes)
        relay.sentToUpstream(1)
        relay.sentToClient(1)
        #expect(relay.wantsClientBytes && relay.wantsUpstreamBytes)
    }

    @Test("Random input from either side never crashes a relay or fills its memory", arguments: 0..<40)
    func anything(_ seed: UInt64) {
        var numbers = Draw(seed: seed)
        let texts = [
            RelayCase.get, RelayCase.post(), RelayCase.handshake, RelayCase.ok, RelayCase.accepted,
            "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
            "0\r\n\r\n", "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n",
            "HEAD / HTTP/1.1\r\nHost: h\r\n\r\n", "HTTP/1.1 304 Not Modified\r\n\r\n", "\0\u{16}\u{3}", "\r\n",
            "GET / HTTP/1.0\r\n\r\n", "HTTP/1.0 200 OK\r\n\r\nuntil close", "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n",
        ]
        for _ in 0..<100 {
            var limits = RelayLimits()
            limits.unsentBytes = 2_000
            var relay = Relay(upstream: RelayHarness.plain, isClientSecure: false, limits: limits)
            for _ in 0..<30 {
                var bytes = Array(numbers.element(of: texts).utf8)
                if numbers.once(in: 4), !bytes.isEmpty {
                    bytes[numbers.below(bytes.count)] = UInt8(truncatingIfNeeded: numbers.next())
                }
                if numbers.once(in: 4) { bytes = Array(bytes.prefix(numbers.below(60))) }
                switch numbers.below(16) {
                case 0..<6: if relay.wantsClientBytes { bytes.withUnsafeBytes { relay.receiveFromClient($0) } }
                case 6..<12: if relay.wantsUpstreamBytes { bytes.withUnsafeBytes { relay.receiveFromUpstream($0) } }
                case 12: relay.clientFinished()
                case 13: numbers.once(in: 2) ? relay.upstreamFinished() : relay.upstreamBroke()
                case 14: relay.upstreamFailed(.unreachable("no"))
                default: numbers.once(in: 3) ? relay.timeIsUp() : relay.sentToClient(relay.toClient.count)
                }
                if numbers.once(in: 2) { relay.sentToUpstream(relay.toUpstream.count) }
                #expect(relay.toUpstream.count < 20_000 && relay.toClient.count < 20_000)
                _ = relay.takeEvents()
            }
        }
    }
}
