import JSON
import TestSupport
import Testing
import Traffic

@testable import MockServer

@Suite("The journal shows what the client could see, and when") struct JournalTruthTests {
    static let ask = #"{"type":"message","content":"Hello?"}"#

    private func socket(_ rules: String) throws -> (VirtualNetwork, VirtualSocket) {
        let network = try VirtualNetwork.faulty(rules, answers: SocketFaultTests.three)
        return (network, try network.socket(on: network.consultation()))
    }

    /// The newest entries: kind, seconds since the start, and outcome.
    private func story(_ network: VirtualNetwork, last count: Int = 100) -> [String] {
        network.engine.journalEntries(ofWorld: World.defaultID).suffix(count).map { entry in
            let passed = entry.time.nanosecondsSinceEpoch - VirtualNetwork.start.nanosecondsSinceEpoch
            return "\(passed / 1_000_000) " + Self.words(entry.event)
        }
    }

    private static func words(_ event: JournalEvent) -> String {
        switch event {
        case .exchange(let exchange):
            "exchange \(exchange.status.map(String.init) ?? "nil") \(exchange.delivery)"
        case .opened: "opened"
        case .frame(let frame):
            "\(frame.sender) \((try? JSON.parse(frame.payload.bytes))?["type"]?.string ?? "?") \(frame.delivery)"
        case .closed(let closing): "closed \(closing.party) \(closing.cause) \(closing.faults)"
        case .fault(let fault): "fault \(fault.name) \(fault.effect)"
        case .clock, .note, .held, .released: "other"
        }
    }

    /// Sends a request for the goals, whose answer has the fault.
    private func ask(_ fault: String) throws -> (VirtualNetwork, VirtualClient) {
        let network = try VirtualNetwork.faulty("{on: GET /api/v1/goals, \(fault)}")
        let wire = try network.open()
        wire.send(Request.goals.bytes)
        return (network, wire)
    }

    private func lastExchange(_ network: VirtualNetwork) throws -> RecordedExchange {
        let event = network.engine.journalEntries(ofWorld: World.defaultID).last?.event
        let exchange: RecordedExchange? = if case .exchange(let exchange)? = event { exchange } else { nil }
        return try #require(exchange)
    }

    @Test("The journal places a late answer at its last released byte")
    func lateAnswer() throws {
        let (network, wire) = try ask("dribble: {bytes: 200, every: 1s}")
        network.advance(by: .milliseconds(500))
        _ = try network.exchange(.authorized(.get, "/api/v1/consultations"))
        #expect(story(network) == ["500 exchange 200 complete"])
        network.advance(by: .seconds(60))
        let last = (wire.received.count - 1) / 200 * 1000
        #expect(story(network) == ["500 exchange 200 complete", "\(last) exchange 200 complete"])
        #expect(try lastExchange(network).requestedAt == VirtualNetwork.start)
    }

    @Test(
        "The journal records when a client gives up and what it had received",
        arguments: [
            ("delay: 5s", "3000 exchange nil none"), ("hang: true", "0 exchange nil none"),
            ("dribble: {bytes: 10, every: 1s}", "3000 exchange 200 partial"),
            ("empty_reply: true", "0 exchange nil none"), ("reset: {after: 20}", "0 exchange 200 partial"),
        ])
    func givesUp(_ fault: String, _ expected: String) throws {
        let (network, wire) = try ask(fault)
        network.advance(by: .seconds(3))
        wire.vanish()
        network.advance(by: .seconds(600))
        #expect(story(network) == [expected])
    }

    @Test(
        "The journal marks an answer with an undetectable end as partial",
        arguments: [
            ("content_length: 7", "partial"), ("content_length: -7", "partial"), ("malformed: chunking", "partial"),
            ("malformed: json", "complete"), ("truncate: {after: 3}", "partial"),
            ("truncate: {after: 100000}", "complete"),
        ])
    func framing(_ fault: String, _ expected: String) throws {
        #expect(try story(ask(fault).0) == ["0 exchange 200 \(expected)"])
    }

    @Test(
        "The journal records the body that the client received, after any faults",
        arguments: ["delay: 0", "truncate: {after: 3}", "truncate: {after: 100000}", "malformed: json"])
    func bodies(_ fault: String) throws {
        let (network, wire) = try ask(fault)
        #expect(try lastExchange(network).responseBody.bytes == ResponseFaultTests.body(wire.received[...]))
    }

    @Test("The journal marks an answer to a half-closed waiting client as complete")
    func halfClosed() throws {
        let (network, wire) = try ask("delay: 5s")
        wire.finishWriting()
        network.advance(by: .seconds(10))
        #expect(story(network) == ["5000 exchange 200 complete"])
    }

    @Test(
        "The journal records a released handshake as an opening and a held one as an exchange",
        arguments: [
            ("delay: 2s", 10, ["2000 opened", "2000 server connected complete", "10000 closed client reset []"]),
            ("delay: 20s", 10, ["10000 exchange nil none"]),
            ("hang: true", 10, ["0 exchange nil none"]), ("reset: true", 10, ["0 exchange nil none"]),
            ("empty_reply: true", 10, ["0 exchange nil none"]), ("status: 503", 10, ["0 exchange 503 complete"]),
        ])
    func handshake(_ fault: String, _ seconds: Int, _ expected: [String]) throws {
        let network = try VirtualNetwork.faulty("{on: handshake, \(fault)}")
        let id = try network.consultation()
        let wire = try network.open()
        wire.send(Request.handshake("/api/v1/consultations/\(id)/ws", as: TestUser.anna).bytes)
        network.advance(by: .seconds(seconds))
        wire.vanish()
        #expect(story(network).dropFirst() == expected[...])
    }

    @Test("The journal places frames at their release, including frames queued behind a delay")
    func frames() throws {
        let (network, socket) = try socket("{on: socket, at: {frame: 3}, delay: 2s}")
        socket.send(Self.ask)
        let before = story(network).count
        network.advance(by: .seconds(1))
        #expect(story(network).count == before)
        network.advance(by: .seconds(2))
        let frames = story(network, last: story(network).count - before)
        #expect(frames.first == "2000 server stream_chunk complete" && frames.count == 4)
        #expect(frames.last == "2000 server stream_complete complete")
    }

    @Test("The journal records undelivered output before a client's end")
    func leaves() throws {
        let (network, socket) = try socket("{on: socket, at: {frame: 3}, delay: 9s}")
        socket.send(Self.ask)
        network.advance(by: .seconds(1))
        socket.wire.vanish()
        let story = story(network, last: 5)
        #expect(story.first == "1000 server stream_chunk none" && story.last == "1000 closed client reset []")
        network.advance(by: .seconds(60))
        #expect(self.story(network, last: 5) == story)
    }

    @Test(
        "The journal names the fault that ended a socket",
        arguments: [
            ("finish: true", ["closed server fault [\"end\"]"]), ("reset: true", ["closed server fault [\"end\"]"]),
            ("cut: {after: 5}", ["closed server fault [\"end\"]"]),
            ("close: 1011", ["closed server closeFrame [\"end\"]"]),
            ("silence: true", ["fault end silence", "closed client reset []"]),
        ])
    func ends(_ fault: String, _ expected: [String]) throws {
        let (network, socket) = try socket("{name: end, on: socket, at: {frame: 3}, \(fault)}")
        socket.send(Self.ask)
        network.advance(by: .seconds(1))
        socket.update()
        socket.wire.vanish()
        let words = story(network, last: expected.count).map { $0.split(separator: " ").dropFirst() }
        #expect(words.map { $0.joined(separator: " ") } == expected)
    }

    @Test("An end fault waits for earlier delayed output and suppresses later output")
    func waitsThenEnds() throws {
        let (network, socket) = try socket(
            "{on: socket, at: {frame: 3}, delay: 2s}, {name: end, on: socket, at: {frame: 4}, silence: true}")
        socket.send(Self.ask)
        network.advance(by: .seconds(5))
        let expected = ["server stream_chunk complete", "server stream_chunk none", "fault end silence"]
        #expect(story(network, last: 3) == expected.map { "2000 " + $0 })
    }

    @Test("The journal records a lasting fault once, with its rules")
    func settingIn() throws {
        let (network, socket) = try socket(
            """
            {name: late, on: socket, at: {frame: 1..3}, delay: 1s},
            {name: no-pong, on: socket, at: {frame: 1}, withhold_pong: true},
            {name: stall, on: socket, at: {frame: 3}, stall_reading: true},
            {name: no-pong-either, on: socket, at: {frame: 2..3}, withhold_pong: true}
            """)
        socket.send(Self.ask)
        network.advance(by: .seconds(9))
        let faults = ["no-pong withholdPong", "no-pong-either withholdPong", "stall stallReading"]
        #expect(story(network).filter { $0.contains("fault") } == faults.map { "0 fault " + $0 })
    }

    @Test("The journal lists swapped messages in the order in which they arrived")
    func swapped() throws {
        let (network, socket) = try socket("{on: socket, at: {frame: 2}, swap: true}")
        socket.send(Self.ask)
        network.advance(by: .seconds(1))
        let order = story(network).compactMap { $0.contains("server") ? $0.split(separator: " ")[2] : nil }
        #expect(order.prefix(3) == ["connected", "stream_chunk", "message_received"])
    }

    @Test("The journal places messages that share a frame at that frame")
    func coalesced() throws {
        let (network, socket) = try socket("{on: socket, at: {chunk: 1..3}, coalesce: 2}")
        socket.send(Self.ask)
        network.advance(by: .seconds(1))
        let frames = story(network).filter { $0.contains("server") }
        #expect(frames.allSatisfy { $0.hasSuffix("complete") } && frames.count == 6)
    }

    @Test("A stopping server records the end of each socket", arguments: [true, false])
    func shutdown(answers: Bool) throws {
        let network = VirtualNetwork()
        let socket = try network.socket(on: network.consultation())
        if !answers { socket.wire.stopReading() }
        network.beginShutdown()
        if answers { socket.update() } else { network.engine.resetAll() }
        network.settle()
        #expect(story(network, last: 1) == ["0 closed server shutdown []"])
    }

    @Test("The error for a rejected token says where to get a token for that world", arguments: [true, false])
    func tokenAdvice(isDefault: Bool) throws {
        let network = VirtualNetwork()
        let world = isDefault ? try network.plainWorld() : try network.world()
        let message = try world.exchange(.get, "/api/v1/consultations", token: "none").message
        #expect(message.contains("POST /__admin/worlds/\(world.id)/tokens") == !isDefault)
        #expect(message.contains("fitiq-mock token") == isDefault)
    }
}
