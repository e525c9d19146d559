import Scenarios
import TestSupport
import Testing

@testable import MockServer

@Suite("Socket faults on the wire")
struct SocketFaultTests {
    static let ask = #"{"type":"message","content":"Hello?"}"#
    static let three = #"[{chunks: ["1 ", "2 ", "3 "], timing: instant}]"#

    private func socket(
        _ rules: String..., answers: String = three, clock: ClockMode = .real
    ) throws -> (VirtualNetwork, VirtualSocket, id: String) {
        let network = try VirtualNetwork.faulty(rules.joined(separator: ", "), answers: answers, clock: clock)
        let id = try network.consultation()
        return (network, try network.greetedSocket(on: id), id)
    }

    @Test("A silenced socket ignores frames in the same packet as the silencing frame")
    func silence() throws {
        let (network, socket, id) = try socket("{on: socket, at: {frame: 2}, silence: true}")
        let before = socket.wire.received.count
        let messages = socket.frames([Self.ask, #"{"type":"ping"}"#])
        // A masked ping and a masked close frame, with keys that consist of zeros.
        socket.wire.send(messages + [0x89, 0x80, 0, 0, 0, 0] + [0x88, 0x80, 0, 0, 0, 0])
        try network.archive(id)
        expectLines(network.timeline(of: socket.wire, for: .seconds(900)), ["600.000 s reset"])
        #expect(socket.wire.received.count == before)
        #expect(network.engine.isEmpty && network.engine.connections.heldBytes == 0)
    }

    @Test("A connection can fall silent at its first message", arguments: [1, 2])
    func silenceAtOnce(_ frame: Int) throws {
        let network = try VirtualNetwork.faulty(
            "{on: socket, at: {frame: \(frame)}, silence: true}", answers: Self.three)
        let id = try network.consultation()
        let wire = try network.open()
        let handshake = Request.handshake("/api/v1/consultations/\(id)/ws", as: TestUser.anna)
        wire.send(handshake.bytes + [0x81, 0x80, 0, 0, 0, 0])
        #expect(wire.received.starts(with: Array("HTTP/1.1 101".utf8)) && wire.ending == .open)
        #expect(try network.exchange(Request()).status == 200)
        wire.vanish()
        #expect(network.openCount == 0)
    }

    @Test(
        "A silence in the middle of a frame lasts until the client leaves or ten minutes pass",
        arguments: [true, false])
    func silenceInAFrame(clientLeaves: Bool) throws {
        let (network, socket, _) = try socket("{on: socket, at: {byte: 250}, silence: true}")
        let before = socket.wire.received.count
        socket.send(Self.ask)
        network.advance(by: .seconds(599))
        #expect(socket.wire.received.count > before && socket.wire.ending == .open)
        if clientLeaves { socket.wire.finishWriting() } else { network.advance(by: .seconds(1)) }
        #expect(socket.wire.ending == (clientLeaves ? .closed : .reset))
        #expect(network.engine.isEmpty && network.engine.connections.heldBytes == 0)
    }

    @Test(
        "The backend removes a socket ended by a fault",
        arguments: [
            ("finish: true", .closed), ("reset: true", .reset), ("cut: {after: 5}", .closed),
            ("cut: {after: 5, reset: true}", .reset), ("close: 1011", .closed), ("silence: true", .open),
        ] as [(String, VirtualClient.Ending)])
    func forgotten(_ fault: String, _ ending: VirtualClient.Ending) throws {
        let (network, socket, id) = try socket("{on: socket, connections: 1, at: {frame: 2}, \(fault)}")
        socket.send(Self.ask)
        #expect(network.engine.defaultWorld.backend.openSocketCount == 0)
        network.advance(by: .seconds(3))
        #expect(socket.closeCode == (fault == "close: 1011" ? .internalError : nil) && socket.wire.ending == ending)
        // The answer is stored anyway, and another connection works.
        let second = try network.greetedSocket(on: id)
        second.send(Self.ask)
        network.advance(by: .seconds(3))
        #expect(second.takeTypes().last == "stream_complete")
        #expect(try network.messages(of: id).count == 4)
    }

    @Test(
        "A delayed end fault reads and sends nothing before the connection ends",
        arguments: ["finish", "reset", "silence"])
    func endsLater(_ how: String) throws {
        let (network, socket, id) = try socket(
            "{on: socket, connections: 1, at: {type: message_received}, end: {how: \(how), after: 20s}}")
        socket.send(Self.ask)
        network.advance(by: .milliseconds(19_999))
        #expect(socket.takeTypes() == ["message_received"] && socket.wire.ending == .open)
        socket.send(Self.ask)
        network.advance(by: .milliseconds(1))
        let ending: VirtualClient.Ending = how == "finish" ? .closed : how == "reset" ? .reset : .open
        #expect(socket.wire.ending == ending && socket.closeCode == nil)
        #expect(network.engine.defaultWorld.backend.openSocketCount == 0)
        // The silence ends without further input.
        network.advance(by: .seconds(600))
        #expect(socket.wire.ending != .open && socket.takeTypes().isEmpty)
        // Both questions were stored and answered anyway.
        #expect(try network.messages(of: id).count == 4)
        #expect(network.engine.connections.heldBytes == 0)
    }

    @Test("The server does not send a close frame after an end fault", arguments: ["finish", "reset", "silence"])
    func nothingAfterTheEnd(_ fault: String) throws {
        let (network, socket, id) = try socket("{on: socket, at: {type: error}, \(fault): true}")
        let before = socket.wire.received.count
        try network.archive(id)
        network.advance(by: .seconds(1))
        #expect(socket.wire.received.count == before && socket.closeCode == nil)
    }

    @Test(
        "Before the close frame, the server sends the messages that are waiting to be coalesced",
        arguments: ["archive", "shutdown", "client", "mistake", "reset of the world"])
    func coalesced(_ cause: String) throws {
        let (network, socket, id) = try socket(
            "{on: socket, at: {type: stream_chunk}, coalesce: 9}", answers: #"[{steps: [chunk: a, chunk: b, silence]}]"#
        )
        socket.send(Self.ask)
        network.advance(by: .seconds(60))
        #expect(socket.takeTypes() == ["message_received"])
        switch cause {
        case "archive": try network.archive(id)
        case "shutdown": network.beginShutdown()
        case "client": socket.close()
        // Send a frame without a mask.
        case "mistake": socket.wire.send([0x89, 0])
        default: #expect(try network.admin(.post, "reset", "{}").status == 200)
        }
        let texts = socket.takeEvents().compactMap { event in
            if case .text(let text) = event { String(decoding: text, as: UTF8.self) } else { nil }
        }
        #expect(texts.first?.split(separator: "\n").count == 2 && texts.first?.contains(#""content":"a""#) == true)
        let isOrdinary = ["archive", "client"].contains(cause)
        #expect(socket.closeCode == (isOrdinary ? .normalClosure : cause == "mistake" ? .protocolError : .goingAway))
        #expect(network.engine.connections.heldBytes == 0)
    }

    @Test("A close frame waits behind a delayed frame")
    func closeBehindAWait() throws {
        let (network, socket, id) = try socket("{on: socket, at: {frame: 2}, delay: 2s}")
        socket.send(Self.ask)
        try network.archive(id)
        for wait in [0, 1999] {
            network.advance(by: .milliseconds(wait))
            #expect(socket.takeTypes().isEmpty)
        }
        network.advance(by: .milliseconds(1))
        #expect(socket.takeTypes().first == "message_received" && socket.closeCode == .normalClosure)
    }

    @Test(
        "A reset releases held output even on a manual clock",
        arguments: ["delay: 1h", "dribble: {bytes: 1, every: 1m}"])
    func reset(_ fault: String) throws {
        let (network, socket, _) = try socket("{on: socket, at: {frame: 2}, \(fault)}", clock: .manual)
        socket.send(Self.ask)
        #expect(socket.takeTypes().isEmpty)
        #expect(try network.admin(.post, "reset", "{}").status == 200)
        #expect(socket.takeTypes().first == "message_received" && socket.closeCode == .goingAway)
        network.advance(by: .seconds(3))
        #expect(network.engine.isEmpty && network.engine.connections.heldBytes == 0)
    }

    @Test("Deleting a world ends its delayed responses and silent connections")
    func resetOfResponses() throws {
        let network = try VirtualNetwork.faulty(
            "{on: GET /api/v1/goals, delay: 1h}", "{on: GET /api/v1/consultations, hang: true}", clock: .manual)
        let late = try network.sending(.goals).wire
        let silent = try network.sending(.authorized(.get, "/api/v1/consultations", as: TestUser.anna)).wire
        network.advance(by: .seconds(1))
        #expect(late.received.isEmpty && silent.ending == .open)
        #expect(try network.admin(.post, "reset", "{}").status == 200)
        #expect(late.received == (try ResponseFaultTests.plain()))
        #expect(silent.ending == .reset && silent.received.isEmpty)
    }

    @Test("Deleting a world releases the frames held by its faults")
    func deletion() throws {
        let network = VirtualNetwork()
        let world = try network.world(
            #"{"clock":"manual","scenario":{"name":"a","faults":[{"on":"GET /api/v1/goals","delay":"1h"}]}}"#)
        let late = try network.sending(world.request(.get, "/api/v1/goals")).wire
        #expect(late.received.isEmpty)
        #expect(try network.admin(.delete, "worlds/\(world.id)").status == 204)
        #expect(late.received.starts(with: Array("HTTP/1.1 200 OK".utf8)) && late.ending == .open)
        network.advance(by: .seconds(80))
        #expect(network.engine.isEmpty && network.engine.connections.heldBytes == 0)
    }

    @Test("The server drops the held output of a disconnected client", arguments: [ClockMode.real, .manual])
    func clientLeaves(clock: ClockMode) throws {
        let (network, socket, _) = try socket("{on: socket, at: {frame: 2}, delay: 1h}", clock: clock)
        socket.send(Self.ask)
        socket.wire.finishWriting()
        #expect(socket.wire.ending == .closed)
        #expect(network.engine.isEmpty && network.engine.connections.heldBytes == 0)
    }

    @Test("A shutdown resets silent sockets and sends other sockets a close frame")
    func shutdown() throws {
        let network = try VirtualNetwork.faulty("{on: socket, connections: 1, at: {frame: 2}, silence: true}")
        let id = try network.consultation()
        let (silent, well) = (try network.greetedSocket(on: id), try network.greetedSocket(on: id))
        silent.send(Self.ask)
        network.beginShutdown()
        #expect(silent.wire.ending == .reset && silent.closeCode == nil)
        #expect(well.closeCode == .goingAway)
    }

    @Test("Disabling a stall rule resumes reading")
    func stall() throws {
        let (network, socket, _) = try socket("{name: stall, on: socket, stall_reading: true}")
        socket.send(Self.ask)
        socket.ping("?")
        network.advance(by: .seconds(500))
        #expect(socket.takeEvents().isEmpty && socket.wire.unread > 0)
        #expect(try network.admin(.patch, "faults/stall", #"{"enabled":false}"#).json?["enabled"] == false)
        network.advance(by: .seconds(1))
        #expect(socket.wire.unread == 0 && socket.takeEvents().contains(.pong(Array("?".utf8))))
    }

    @Test("withhold_pong suppresses both kinds of pong until the rule is disabled")
    func pongs() throws {
        let (network, socket, _) = try socket("{name: dead, on: socket, withhold_pong: true}")
        for (isEnabled, count) in [(true, 0), (false, 2)] {
            #expect(try network.admin(.patch, "faults/dead", "{\"enabled\":\(isEnabled)}").status == 200)
            socket.ping("?")
            socket.send(#"{"type":"ping"}"#)
            #expect(socket.takeEvents().count == count)
        }
    }

    @Test("The journal names the rules that affected a frame and marks unsent frames")
    func journal() throws {
        let (network, socket, _) = try socket(
            "{name: gone, on: socket, at: {chunk: 2}, lose: true}",
            "{name: twice, on: socket, at: {chunk: 3}, double: true}")
        socket.send(Self.ask)
        network.advance(by: .seconds(1))
        let entries = try network.admin(.get, "frames").json?["entries"]?.array ?? []
        let faults = entries.compactMap { $0["faults"]?.array?.compactMap(\.string) }
        #expect(Set(faults.filter { !$0.isEmpty }) == [["gone"], ["twice"]])
    }

    @Test("Output written during a long clock move does not count as unread")
    func longAdvance() throws {
        let network = try VirtualNetwork.faulty(
            "{on: socket, at: {type: stream_complete}, finish: true}",
            answers: "[{chunks: [a, b], timing: {first_chunk: 5s, chunks_per_second: 1}}]", clock: .manual
        ) { $0.pace = .human }
        let socket = try network.greetedSocket(on: try network.consultation())
        socket.send(Self.ask)
        // Ask on a separate connection, which stays open.
        let asking = try network.client()
        #expect(
            try asking.exchange(Request(method: .post, target: "/__admin/clock").json(#"{"advance":"1h"}"#)).status
                == 200)
        #expect(socket.takeTypes() == ["message_received", "stream_chunk", "stream_chunk"])
        #expect(socket.wire.ending == .closed)
        #expect(try asking.exchange(Request(target: "/__admin/clock")).status == 200)
    }

    @Test("A slow reader gets the same bytes as a fast reader", arguments: [1, 50, .max])
    func slowReader(window: Int) throws {
        func bytes(_ window: Int) throws -> [UInt8] {
            let network = try VirtualNetwork.faulty(
                "{on: socket, at: {chunk: 2}, dribble: {bytes: 30, every: 1s}}",
                "{on: socket, at: {frame: 4}, delay: 2s}", answers: Self.three)
            let id = try network.consultation()
            let client = HTTPClient(try network.open(window: window))
            client.wire.send(Request.handshake("/api/v1/consultations/\(id)/ws", as: TestUser.anna).bytes)
            while network.unsent(by: client.wire) > 0 { client.wire.read(window) }
            client.wire.send(Self.maskedAsk)
            for _ in 0..<60 {
                network.advance(by: .milliseconds(500))
                while network.unsent(by: client.wire) > 0, network.connection(of: client.wire)?.hasOutput == true {
                    client.wire.read(window)
                }
            }
            #expect(network.engine.connections.heldBytes == 0)
            return client.wire.received
        }
        #expect(try bytes(window) == bytes(.max))
    }

    private static let maskedAsk: [UInt8] = [0x81, 0x80 | UInt8(ask.utf8.count), 0, 0, 0, 0] + Array(ask.utf8)
}

@Suite("Handshake faults on the wire")
struct HandshakeFaultTests {
    private func answer(
        _ fault: String, wrongToken: Bool, after wait: Duration
    ) throws -> (network: VirtualNetwork, client: HTTPClient<VirtualClient>, request: Request) {
        let network = try VirtualNetwork.faulty("{name: bad, on: handshake, \(fault)}")
        let id = try network.consultation()
        var request = Request.handshake("/api/v1/consultations/\(id)/ws", as: TestUser.anna)
        if wrongToken { request.fields[0] = "Authorization: Bearer nonsense" }
        let client = try network.sending(request)
        network.advance(by: wait)
        return (network, client, request)
    }

    @Test(
        "A delay also applies to a 401, and a fault's status replaces the 401",
        arguments: [
            ("delay: 2s", 1999, nil), ("delay: 2s", 2000, 401), ("wrong_accept: true", 0, 401), ("status: 503", 0, 503),
            ("hang: true", 60000, nil),
        ] as [(String, Int, Int?)])
    func wrongCredentials(_ fault: String, _ wait: Int, _ status: Int?) throws {
        let (network, client, request) = try answer(fault, wrongToken: true, after: .milliseconds(wait))
        #expect((try? client.response(to: request).status) == status)
        #expect(network.engine.defaultWorld.backend.openSocketCount == 0)
    }

    @Test("A delayed 101 and the first frame arrive together")
    func late() throws {
        let (network, client, request) = try answer("delay: 2s", wrongToken: false, after: .milliseconds(1999))
        #expect(client.wire.received.isEmpty)
        network.advance(by: .milliseconds(1))
        #expect(try client.acceptUpgrade(request).takeTypes() == ["connected"])
    }

    @Test(
        "A handshake that a fault resets or ends does not open a socket", arguments: ["reset", "empty_reply", "hang"])
    func ends(_ fault: String) throws {
        let (network, client, _) = try answer("\(fault): true", wrongToken: false, after: .seconds(60))
        let ending: VirtualClient.Ending = fault == "reset" ? .reset : fault == "hang" ? .open : .closed
        #expect(client.wire.received.isEmpty && client.wire.ending == ending)
        #expect(network.engine.defaultWorld.backend.openSocketCount == 0)
        let entries = try network.admin(.get, "requests").json?["entries"]?.array ?? []
        #expect(entries.contains { $0["faults"]?.array?.map(\.string) == ["bad"] })
        client.wire.vanish()
        #expect(network.engine.isEmpty && network.engine.connections.heldBytes == 0)
    }
}
