import FitIQAPI
import Replay
import Scenarios
import TestSupport
import Testing
import Traffic
import WebSocket

@testable import MockServer

@Suite("Replayed worlds: WebSockets")
struct ReplayedSocketTests {
    static let path = "/api/v1/consultations/11111111-1111-4111-8111-111111111111/ws"
    static let hello = #"{"type":"connected"}"#
    static let question = #"{"type":"message","content":"Hello?"}"#

    /// A chat: `connected` after 20 ms, a question at 1 s, and answers 100 and 250 ms after the question.
    static let chat = Take().socket(
        path, waited: 10,
        [
            Take.server(hello, at: 30), Take.client(question, at: 1000), Take.server("one", at: 1100),
            Take.server("two", at: 1250),
        ])

    private func socket(_ network: VirtualNetwork, after wait: Duration = .milliseconds(10)) throws -> VirtualSocket {
        let request = Request.handshake(Self.path, as: TestUser.anna)
        let client = try network.sending(request)
        network.advance(by: wait)
        return try client.acceptUpgrade(request)
    }

    private func texts(_ socket: VirtualSocket) -> [String] {
        socket.takeEvents().map { event in
            guard case .text(let text) = event else { return "\(event)" }
            return String(decoding: text, as: UTF8.self)
        }
    }

    @Test("In lock-step order, the server's frames follow the client's with the recorded pauses")
    func lockStep() throws {
        let network = try Self.chat.network()
        let socket = try socket(network)
        #expect(network.arrivals(of: socket.wire, for: 5000) == [20])
        #expect(texts(socket) == [Self.hello])
        socket.send(Self.question)
        #expect(network.arrivals(of: socket.wire, for: 1000) == [100, 250])
        #expect(texts(socket) == ["one", "two"])
        #expect(
            network.story == [
                "opened for \(TestUser.anna)", "server text \(Self.hello)", "client text \(Self.question)",
                "server text one", "server text two",
            ])
    }

    @Test("With timed order, the server sends frames without waiting for the client")
    func timed() throws {
        let network = try Self.chat.network(ReplaySettings(speed: .factor(10), frames: .timed))
        let socket = try socket(network, after: .milliseconds(1))
        #expect(network.arrivals(of: socket.wire, for: 200, step: 1) == [2, 109, 124])
    }

    @Test("A manual clock releases each replayed frame at its time")
    func manualClock() throws {
        let network = try Self.chat.network(ReplaySettings(frames: .timed), clock: .manual)
        let request = Request.handshake(Self.path)
        let client = try network.sending(request)
        network.advance(by: .seconds(10))
        #expect(client.wire.received.isEmpty)
        try network.plainWorld().advance("2s")
        let socket = try client.acceptUpgrade(request)
        #expect(texts(socket) == [Self.hello, "one", "two"])
        let times = network.engine.journalEntries(ofWorld: World.defaultID).compactMap { entry -> Int64? in
            guard case .frame = entry.event else { return nil }
            return (entry.time.nanosecondsSinceEpoch - ClockMode.manualStart.nanosecondsSinceEpoch) / 1_000_000
        }
        #expect(times == [30, 1100, 1250])
    }

    @Test("A replay sends binary messages, pings and close frames as recorded")
    func otherFrames() throws {
        let network = try Take().socket(
            Self.path,
            [
                Take.frame(.server, .binary, [0, 255], at: 10), Take.frame(.server, .ping, [1, 2], at: 20),
                Take.frame(.server, .close, [0x0F, 0xA1] + Array("bye".utf8), at: 30),
                Take.frame(.client, .close, [0x0F, 0xA1], at: 40),
            ], ending: Take.ending(.server, .closeFrame, at: 50)
        ).network()
        let socket = try socket(network)
        network.advance(by: .milliseconds(100))
        #expect(
            socket.takeEvents() == [
                .binary([0, 255]), .ping([1, 2]), .closing(code: CloseCode(rawValue: 4001), reason: "bye"),
            ])
        #expect(
            network.story.dropFirst() == [
                "server binary \(String(decoding: [0, 255] as [UInt8], as: UTF8.self))", "server ping \u{1}\u{2}",
                "client pong \u{1}\u{2}", "closed by server: close_frame",
            ])
        network.advance(by: .seconds(5))
        #expect(network.openCount == 0)
    }

    @Test(
        "A replay drops a connection without a close frame as recorded",
        arguments: [SessionEnding.Cause.finish, .reset])
    func drops(_ cause: SessionEnding.Cause) throws {
        let network = try Take().socket(
            Self.path, [Take.server(Self.hello, at: 10)], ending: Take.ending(.server, cause, at: 500)
        ).network()
        let socket = try socket(network)
        network.advance(by: .milliseconds(480))
        #expect(socket.wire.ending == .open)
        network.advance(by: .milliseconds(20))
        #expect(socket.wire.ending == (cause == .finish ? .closed : .reset))
        #expect(texts(socket) == [Self.hello] && socket.closeCode == nil)
        #expect(network.story.last == "closed by server: \(cause.rawValue)")
    }

    @Test("A client that closes or disconnects ends the replay of its socket", arguments: [true, false])
    func clientEnds(inOrder: Bool) throws {
        let network = try Self.chat.network(ReplaySettings(frames: .timed))
        let socket = try socket(network)
        if inOrder { socket.close() } else { socket.wire.vanish() }
        network.advance(by: .seconds(5))
        #expect(socket.closeCode == (inOrder ? .normalClosure : nil) && network.openCount == 0)
        let cause = inOrder ? "close_frame" : "reset"
        #expect(network.story == ["opened for \(TestUser.anna)", "closed by client: \(cause)"])
        #expect(try network.admin(.get, "worlds/default").json?["web_sockets"] == 0)
    }

    @Test("A replay repeats a recorded handshake error")
    func refusals() throws {
        let refusal = #"{"error":{"message":"No"}}"#
        let network = try Take().asked(
            "GET", "/a", fields: [SessionField("Upgrade", "websocket")], status: 403, answer: refusal
        ).socket(Self.path, []).network()
        let refused = try network.exchange(.handshake("/a"))
        #expect(refused.status == 403 && refused.text == refusal)
        var broken = Request.handshake(Self.path)
        broken.fields.removeLast()
        #expect(try network.exchange(broken).status == 400)
        #expect(try network.exchange(Request(target: Self.path)).status == 404)
        _ = try socket(network)
        let report = try network.admin(.get, "replay").json
        #expect(report?["served"]?.int == 2 && report?["repeats"]?.int == 0 && report?["unexpected_count"]?.int == 1)
    }

    @Test("After a clock step, the report gives an unexpected frame the same date as its entry")
    func dates() throws {
        let network = try Self.chat.network()
        let socket = try socket(network)
        network.engine.clockStepped(by: 28_800_000_000_000, at: network.now)
        socket.send("What?")
        network.advance(by: .milliseconds(10))
        _ = try network.get("/api/v1/goal")
        let report = try network.admin(.get, "replay").json
        let entries = network.engine.defaultWorld.journal.entries().suffix(2)
        for (misses, entry) in zip([report?["frames"]?["unexpected"], report?["unexpected"]], entries) {
            #expect(misses?.array?.count == 1 && entry.time > network.now.advanced(byNanoseconds: 28_000_000_000_000))
            #expect(misses?.array?.first?["time"]?.string == entry.time.nanosecondText)
        }
    }

    @Test("Recorded sockets with the same path replay in turn")
    func turns() throws {
        let network = try Take().socket(Self.path, [Take.server("first", at: 0)])
            .socket(Self.path, at: 5000, [Take.server("second", at: 5000)]).network()
        for expected in ["first", "second"] {
            let socket = try socket(network)
            network.advance(by: .milliseconds(10))
            #expect(texts(socket) == [expected])
        }
    }

    @Test("Socket faults apply to replayed frames")
    func faults() throws {
        let network = try Self.chat.network(
            ReplaySettings(frames: .timed), faults: "[{name: cut, on: socket, at: {frame: 2}, cut: {after: 0}}]")
        let socket = try socket(network)
        network.advance(by: .seconds(2))
        #expect(texts(socket) == [Self.hello])
        #expect(socket.wire.ending != .open && network.story.last == "closed by server: fault")
        let refusing = try Self.chat.network(faults: "[{on: handshake, status: 503, connections: 1}]")
        #expect(try refusing.exchange(.handshake(Self.path)).status == 503)
        _ = try self.socket(refusing)
    }

    @Test("A reset closes the sockets and restarts the session")
    func reset() throws {
        let network = try Self.chat.network()
        let before = try socket(network)
        #expect(try network.admin(.post, "reset").status == 200)
        #expect(before.closeCode == .goingAway)
        let after = try socket(network)
        network.advance(by: .milliseconds(50))
        #expect(texts(after) == [Self.hello])
    }

    @Test("A stopping server closes replayed sockets with 1001")
    func shutdown() throws {
        let network = try Self.chat.network()
        let socket = try socket(network)
        network.beginShutdown()
        #expect(socket.closeCode == .goingAway)
        #expect(network.story.last == "closed by server: shutdown")
    }
}

extension ClockMode {
    static var manualStart: Timestamp {
        guard case .manual(let start) = ClockMode.manual else { preconditionFailure("It is moved by hand.") }
        return start
    }
}
