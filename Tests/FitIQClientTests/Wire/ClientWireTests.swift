import Testing

@testable import FitIQClient

@Suite("Client wire")
struct ClientWireTests {
    private func wire(_ limits: WireLimits = WireLimits(), seed: UInt64 = 1) throws -> ClientWire {
        ClientWire(base: try WireFixture.base(), seed: seed, limits: limits)
    }

    /// The commands without their bytes.
    private func outline(_ commands: [TransportCommand]) -> [String] {
        commands.map {
            switch $0 {
            case .connect(let number): "connect \(number)"
            case .send(let number, _): "send \(number)"
            case .close(let number): "close \(number)"
            }
        }
    }

    @Test("Each request has its own connection, which closes after the answer")
    func requests() throws {
        var wire = try wire()
        wire.perform(.send(WireFixture.request(1)))
        wire.perform(.send(WireFixture.request(2)))
        #expect(outline(wire.takeCommands()) == ["connect 1", "send 1", "connect 2", "send 2"])
        wire.receive(Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}".utf8), on: 2)
        wire.fail(1, "reset.")
        #expect(wire.takeInputs().map(Played.words) == ["2: 200 {}", "1: failed: reset."])
        #expect(outline(wire.takeCommands()) == ["close 2", "close 1"])
        #expect(wire.openConnections.isEmpty)
        // The transport may still report on closed connections.
        wire.receive([1], on: 2)
        wire.receiveEndOfStream(on: 2)
        #expect(wire.takeInputs().isEmpty && wire.takeCommands().isEmpty)
    }

    @Test("Abandoned connections close without an event")
    func abandoned() throws {
        var wire = try wire()
        wire.perform(.send(WireFixture.request(1)))
        wire.perform(.openSocket(WireFixture.socketRequest(2)))
        wire.perform(.openSocket(WireFixture.socketRequest(3)))
        _ = wire.takeCommands()
        wire.perform(.cancel(number: 1))
        wire.perform(.dropSocket(socket: 2))
        wire.abandonAll()
        #expect(outline(wire.takeCommands()) == ["close 1", "close 2", "close 3"])
        for action in [ClientAction.cancel(number: 1), .ping(socket: 2), .sendText(socket: 9, [65])] {
            wire.perform(action)
        }
        #expect(wire.takeInputs().isEmpty && wire.takeCommands().isEmpty)
    }

    @Test("A socket executes its commands")
    func socket() throws {
        var wire = try wire()
        wire.perform(.openSocket(WireFixture.socketRequest(2)))
        guard case .send(2, let request)? = wire.takeCommands().last
        else { throw Unexpected(what: "no handshake went out") }
        wire.receive(WireFixture.acceptance(of: request), on: 2)
        wire.perform(.sendText(socket: 2, Array("hi".utf8)))
        wire.perform(.ping(socket: 2))
        wire.perform(.closeSocket(socket: 2, .normalClosure))
        let sent = wire.takeCommands().flatMap { command -> [UInt8] in
            if case .send(2, let bytes) = command { bytes } else { [] }
        }
        #expect(
            ClientSocketTests.read(sent)
                == [.text(Array("hi".utf8)), .ping([]), .closing(code: .normalClosure, reason: "")])
        #expect(wire.takeInputs().map(Played.words) == ["2: opened"])
        let answer = WireFixture.frames { server, out in server.close(code: .normalClosure, into: &out) }
        wire.receive(answer, on: 2)
        #expect(wire.takeInputs().map(Played.words) == ["2: closed 1000 own: "])
        #expect(outline(wire.takeCommands()) == ["close 2"])
    }

    @Test("A connection above the limit fails immediately")
    func limit() throws {
        var limits = WireLimits()
        limits.connections = 2
        var wire = try wire(limits)
        for number in 1...3 { wire.perform(.send(WireFixture.request(number))) }
        wire.perform(.openSocket(WireFixture.socketRequest(4)))
        let reason = "2 connections are already open, which is this client's limit."
        #expect(wire.takeInputs().map(Played.words) == ["3: failed: \(reason)", "4: no socket: \(reason)"])
        #expect(wire.openConnections == [1, 2])
        wire.perform(.cancel(number: 1))
        wire.perform(.send(WireFixture.request(5)))
        #expect(wire.takeInputs().isEmpty && wire.openConnections == [2, 5])
    }

    @Test("An invalid target fails the request", arguments: ["/a b", "/ü", "/a\r\nX: y"])
    func target(_ target: String) throws {
        var wire = try wire()
        var request = WireFixture.request(1)
        request.target = target
        wire.perform(.send(request))
        let reason = "'\(target)' is not allowed in a request: percent-encode everything except visible ASCII."
        #expect(wire.takeInputs().map(Played.words) == ["1: failed: \(reason)"])
        #expect(wire.takeCommands().isEmpty)
    }

    @Test("The same seed and calls give the same bytes")
    func deterministic() throws {
        func bytes(seed: UInt64) throws -> [TransportCommand] {
            var wire = try wire(seed: seed)
            wire.perform(.openSocket(WireFixture.socketRequest(1)))
            wire.perform(.openSocket(WireFixture.socketRequest(2)))
            return wire.takeCommands()
        }
        let commands = try bytes(seed: 1)
        #expect(try bytes(seed: 1) == commands && bytes(seed: 2) != commands)
        guard case .send(1, let first) = commands[1], case .send(2, let second) = commands[3]
        else { throw Unexpected(what: "no handshakes went out") }
        #expect(first != second)
    }
}
