import TestSupport
import Testing
import WebSocket

/// A client and a server, and the bytes in transit between them.
struct Pair {
    var client = Connection(role: .client, maskSeed: 7)
    var server = Connection(role: .server)
    var toServer: [UInt8] = []
    var toClient: [UInt8] = []
    var clientEvents: [Event] = []
    var serverEvents: [Event] = []

    /// Transfers bytes in both directions, in pieces of `size`, until none are left.
    mutating func settle(pieces size: Int) {
        while !toServer.isEmpty || !toClient.isEmpty {
            let (up, down) = (toServer, toClient)
            (toServer, toClient) = ([], [])
            for piece in up.pieces(of: size) {
                server.receive(Array(piece), events: &serverEvents, output: &toClient)
            }
            for piece in down.pieces(of: size) {
                client.receive(Array(piece), events: &clientEvents, output: &toServer)
            }
        }
    }
}

@Suite("RFC 6455 §5 and §7: a client and a server in a conversation")
struct PairTests {
    static let sizes = Array(1...17) + [1000]

    @Test("Messages, fragments and pings arrive in both directions until the client closes", arguments: sizes)
    func conversation(size: Int) {
        var pair = Pair()
        let long = bytes(String(repeating: "größer ", count: 60))
        pair.client.send(text: "hello", into: &pair.toServer)
        pair.client.ping(bytes("c"), into: &pair.toServer)
        pair.server.send(text: long, into: &pair.toClient)
        pair.toClient += Wire.frame(2, [1], fin: false)
        pair.server.ping(bytes("s"), into: &pair.toClient)
        pair.toClient += Wire.frame(0, [2])
        pair.settle(pieces: size)
        #expect(pair.serverEvents == [.text(bytes("hello")), .ping(bytes("c")), .pong(bytes("s"))])
        #expect(pair.clientEvents == [.text(long), .ping(bytes("s")), .binary([1, 2]), .pong(bytes("c"))])
        #expect(pair.client.state == .open)
        #expect(pair.server.state == .open)

        pair.client.close(code: .normalClosure, reason: "done", into: &pair.toServer)
        pair.settle(pieces: size)
        #expect(pair.serverEvents.last == .closing(code: .normalClosure, reason: "done"))
        #expect(pair.clientEvents.last == .closing(code: .normalClosure, reason: ""))
        #expect(pair.client.state == .closing(.weStarted))
        #expect(pair.server.state == .closing(.theyStarted))
        #expect(pair.server.shouldCloseTransport)
        #expect(!pair.client.shouldCloseTransport)
        #expect(pair.server.closeSummary.wasClean && pair.client.closeSummary.wasClean)
        let said = CloseSummary.Frame(code: .normalClosure, reason: "done")
        let echoed = CloseSummary.Frame(code: .normalClosure)
        #expect(pair.client.closeSummary == CloseSummary(sent: said, received: echoed, initiator: .weStarted))
        #expect(pair.server.closeSummary == CloseSummary(sent: echoed, received: said, initiator: .theyStarted))
    }

    @Test("The server can close first", arguments: sizes)
    func closeByServer(size: Int) {
        var pair = Pair()
        pair.server.close(code: .goingAway, reason: "shutting down", into: &pair.toClient)
        pair.settle(pieces: size)
        #expect(pair.clientEvents == [.closing(code: .goingAway, reason: "shutting down")])
        #expect(pair.serverEvents == [.closing(code: .goingAway, reason: "")])
        #expect(pair.server.state == .closing(.weStarted))
        #expect(pair.client.state == .closing(.theyStarted))
        #expect(pair.server.shouldCloseTransport)
        #expect(!pair.client.shouldCloseTransport)
    }

    @Test("Both sides can close simultaneously, and each sends one close frame", arguments: sizes)
    func closeAtOnce(size: Int) {
        var pair = Pair()
        pair.client.close(code: .normalClosure, into: &pair.toServer)
        pair.server.close(code: .goingAway, into: &pair.toClient)
        pair.settle(pieces: size)
        #expect(pair.serverEvents == [.closing(code: .normalClosure, reason: "")])
        #expect(pair.clientEvents == [.closing(code: .goingAway, reason: "")])
        #expect(pair.client.state == .closing(.weStarted))
        #expect(pair.server.state == .closing(.weStarted))
        #expect(pair.server.closeSummary.wasClean && pair.client.closeSummary.wasClean)
        #expect(pair.server.closeSummary.received == CloseSummary.Frame(code: .normalClosure))
        #expect(pair.client.closeSummary.received == CloseSummary.Frame(code: .goingAway))
    }

    @Test("A client whose message exceeds the server's limit receives the reason", arguments: sizes)
    func tooBig(size: Int) {
        var pair = Pair()
        pair.server = Connection(role: .server, limits: Limits(message: 10))
        pair.client.send(text: "hello world", into: &pair.toServer)
        pair.settle(pieces: size)
        let message = "A message of at least 11 bytes arrived. The limit is 10: send smaller messages."
        #expect(pair.serverEvents == [.failed(code: .messageTooBig, message: message)])
        #expect(pair.clientEvents == [.closing(code: .messageTooBig, reason: message)])
        #expect(pair.server.state == .failed)
        #expect(pair.client.state == .closing(.theyStarted))
    }
}
