import TestSupport
import Testing

@testable import MockServer

@Suite("Clients that do not read")
struct BackpressureTests {
    private let network = VirtualNetwork()

    @Test("The server pauses reading while a lot of output is unsent and later sends every answer")
    func pipelinedWithoutReading() throws {
        let wire = try network.open(window: 0)
        let count = 500
        wire.send((0..<count).flatMap { _ in Request.quickActions.bytes })
        let limit = network.engine.limits.unsentBytesBeforeReadingPauses + 64 * 1024
        #expect(wire.unread > 0 && wire.highestUnsent <= limit, "reading did not pause in time")
        while network.unsent(by: wire) > 0 { wire.read(10_000) }
        #expect(wire.unread == 0 && wire.highestUnsent <= limit)
        let client = HTTPClient(wire)
        let first = try client.response()
        #expect(first.status == 200)
        for _ in 1..<count { #expect(try client.response().body == first.body) }
        #expect(throws: ResponseReader.Missing.self) { try client.response() }
        #expect(wire.ending == .open)
    }

    @Test("The server answers all requests before the end of the stream, even after a pause")
    func pausedThenFinished() throws {
        let wire = try network.open(window: 0)
        wire.send((0..<200).flatMap { _ in Request.quickActions.bytes })
        wire.finishWriting()
        wire.read()
        let client = HTTPClient(wire)
        for _ in 0..<200 { #expect(try client.response().status == 200) }
        #expect(wire.ending == .closed)
    }

    @Test("A paused client must read something within 75 s")
    func pausedDeadline() throws {
        let network = VirtualNetwork { $0.limits.unsentBytesBeforeReadingPauses = 10 }
        let wire = try network.open(window: 0)
        wire.send(Request().bytes, cutAt: 5)
        #expect(network.endings(of: wire, after: .seconds(75)) == [.open, .reset])
    }

    @Test("A paused client that reads byte by byte gets every answer")
    func resumesOneByOne() throws {
        let network = VirtualNetwork { $0.limits.unsentBytesBeforeReadingPauses = 10 }
        let wire = try network.open(window: 0)
        let connection = try #require(network.connection(of: wire))
        #expect(!connection.hasWaitingRequests)
        wire.send((0..<5).flatMap { _ in Request().bytes })
        let one = network.unsent(by: wire)
        for _ in 0..<(5 * one) {
            #expect(network.unsent(by: wire) <= one + 10)
            wire.read(1)
        }
        let client = HTTPClient(wire)
        for _ in 0..<5 { #expect(try client.response().status == 200) }
        #expect(network.unsent(by: wire) == 0 && !connection.hasWaitingRequests)
    }

    @Test("The server resets only the chat reader with more than 4 MiB unread")
    func slowChatReader() throws {
        let network = VirtualNetwork { configuration in
            configuration.limits.unsentBytes = 100_000
            configuration.worldLimits.messages = 100_000
        }
        let id = try network.consultation()
        let slow = try network.socket(on: id)
        let reader = try network.socket(on: id)
        let other = try network.socket(on: try network.consultation(of: TestUser.ben), of: TestUser.ben)
        // The slow client has sent a chat message, so it gets chat frames; it then stops reading.
        slow.send(#"{"type":"message","content":"hello"}"#)
        network.advance(by: .zero)
        #expect(slow.takeTypes().last == "stream_complete")
        slow.wire.stopReading()
        var rounds = 0
        while slow.wire.ending == .open, rounds < 1000 {
            reader.send(#"{"type":"user_message","content":"hello"}"#)
            network.advance(by: .zero)
            rounds += 1
        }
        #expect([slow, reader, other].map(\.wire.ending) == [.reset, .open, .open])
        #expect(slow.wire.highestUnsent <= 100_000 + 64 * 1024)
        #expect(rounds > 1 && reader.takeTypes().count { $0 == "assistant_message_end" } == rounds)
        other.send(#"{"type":"ping"}"#)
        #expect(other.takeTypes() == ["connected", "pong"])
        #expect(network.observations.contains { if case .slowReader(limit: 100_000) = $0 { true } else { false } })
        #expect(network.engine.connections.webSocketCount == 2)
    }

    @Test("The server stops reading from a client that exceeds the limit on unread bytes")
    func atTheLimit() throws {
        func unsent(limit: Int) throws -> Int {
            let network = VirtualNetwork { $0.limits.unsentBytesBeforeReadingPauses = limit }
            let wire = try network.open(window: 0)
            wire.send((0..<5).flatMap { _ in Request().bytes })
            return network.unsent(by: wire)
        }
        let one = try unsent(limit: 1)
        #expect(try unsent(limit: one - 1) == one)
        #expect(try unsent(limit: one) == 2 * one)
    }

    @Test("The server pauses reading from a WebSocket that has a lot of unread output")
    func pausedSocket() throws {
        let socket = try network.echo(isRead: false)
        socket.send(binary: [UInt8](repeating: 7, count: 300_000))
        socket.send("later")
        #expect(socket.wire.unread > 0)
        socket.wire.read()
        #expect(socket.wire.unread == 0 && socket.takeEvents().count == 2)
    }

    @Test("The server resets a chat reader only beyond the limit on unread bytes")
    func unreadChat() throws {
        func ask(limit: Int) throws -> (unsent: Int, ending: VirtualClient.Ending) {
            let network = VirtualNetwork { $0.limits.unsentBytes = limit }
            let socket = try network.socket(on: try network.consultation())
            socket.wire.stopReading()
            socket.send(#"{"type":"message","content":"hello"}"#)
            network.advance(by: .zero)
            return (network.unsent(by: socket.wire), socket.wire.ending)
        }
        let all = try ask(limit: 4 << 20).unsent
        #expect(try ask(limit: all).ending == .open)
        #expect(try ask(limit: all - 1).ending == .reset)
    }

    @Test("The server's limits equal the documented values")
    func documentedLimits() {
        let limits = ServerLimits()
        #expect(limits.unsentBytes == 4 << 20 && limits.unsentBytesBeforeReadingPauses == 256 << 10)
        #expect(limits.webSocketMessage == 1 << 20 && limits.echoMessage == 16 << 20)
        #expect([limits.readTime, limits.idleTime, limits.closingTime] == [.seconds(10), .seconds(75), .seconds(2)])
    }

    @Test("The server resets a WebSocket whose client reads no output for 75 s", arguments: [false, true])
    func neverReadingSocket(finishesWriting: Bool) throws {
        let socket = try network.echo(isRead: false)
        socket.send(String(repeating: "x", count: 300_000))
        if finishesWriting { socket.wire.finishWriting() }
        network.advance(by: .seconds(60))
        socket.wire.read(10)
        #expect(network.endings(of: socket.wire, after: .seconds(75)) == [.open, .reset] && network.engine.isEmpty)
    }

    @Test("The server resets a chat listener that reads nothing for 75 s, however little is unread")
    func neverReadingListener() throws {
        let id = try network.consultation()
        let (listener, speaker) = (try network.socket(on: id), try network.socket(on: id))
        listener.send(#"{"type":"message","content":"hello"}"#)
        network.advance(by: .zero)
        listener.wire.stopReading()
        speaker.send(#"{"type":"message","content":"hello"}"#)
        #expect(network.endings(of: listener.wire, after: .seconds(75)) == [.open, .reset])
        #expect(speaker.wire.ending == .open)
    }

    @Test("A WebSocket without pending output never times out")
    func silentSocket() throws {
        let socket = try network.echo(isRead: false)
        socket.send("hello")
        network.advance(by: .seconds(70))
        socket.wire.read()
        network.advance(by: .seconds(100_000))
        #expect(socket.wire.ending == .open)
        socket.send("still here")
        #expect(socket.takeEvents() == [.text(Array("hello".utf8)), .text(Array("still here".utf8))])
    }

    @Test("The server sends a pong that was waiting for buffer space as soon as the client reads")
    func waitingPong() throws {
        let socket = try network.echo(isRead: false)
        socket.send(String(repeating: "x", count: 100_000))
        socket.ping("one")
        socket.ping("two")
        socket.wire.read()
        let events = socket.takeEvents()
        #expect(events.count == 2 && events.last == .pong(Array("two".utf8)))
    }

    @Test("Endless pings from a client that never reads use bounded memory")
    func pingFlood() throws {
        let socket = try network.echo(isRead: false)
        for _ in 0..<20_000 { socket.ping("0123456789") }
        #expect(socket.wire.unread == 0 && socket.wire.highestUnsent <= 65 * 1024)
        socket.wire.read()
        #expect(socket.takeEvents().last == .pong(Array("0123456789".utf8)))
    }
}
