import FitIQAPI
import Scenarios
import TestSupport
import Testing

@testable import MockServer

/// Worlds behind simulated networks, on clocks that only the test moves, so that times are exact.
@Suite("Networks")
struct NetworkProfileTests {
    /// A world behind a network, written as in a scenario file, with an answer of exactly 100,000 bytes.
    static func network(
        _ profile: String, faults: String = "", clock: ClockMode = .real, seed: UInt64 = 1
    ) throws -> VirtualNetwork {
        let scenario = try Scenario.read("{name: behind, network: \(profile), faults: [\(faults)]}")
        return VirtualNetwork { ($0.scenario, $0.clock, $0.seed) = (scenario, clock, seed) }
    }

    static func answer(of count: Int) throws -> String {
        func rule(_ body: Int) -> String {
            "{on: GET /api/v1/goals, status: 200, body: \"\(String(repeating: "x", count: body))\"}"
        }
        let network = try VirtualNetwork.faulty(rule(count - 1000))
        let wire = try network.sending(.goals).wire
        return rule(count - 1000 + count - wire.received.count)
    }

    @Test("A 100 kB answer at 50 kB/s takes 2 s plus the effect of a 100 ms round trip")
    func formula() throws {
        let network = try Self.network("{down: 50000, rtt: 100ms}", faults: Self.answer(of: 100_000))
        let wire = try network.sending(.goals).wire
        // Connecting and sending the request take one and a half round trips, and the answer takes half of one.
        let first = network.timeline(of: wire, for: .seconds(10))
        #expect(first.first == "0.229 s 1460 bytes" && first.last == "2.200 s 720 bytes", "\(first)")
        // A slice arrives with its last byte, at the line's rate.
        #expect(first.count == 69 && first[1] == "0.258 s 1460 bytes")
        wire.send(Request.goals.bytes)
        #expect(network.timeline(of: wire, for: .seconds(10)).last == "2.100 s 720 bytes")
        #expect(wire.received.count == 200_000)
        wire.vanish()
        #expect(network.engine.isEmpty && network.engine.connections.heldBytes == 0)
    }

    @Test("The journal dates a request by its arrival and an answer by its last byte's arrival")
    func journal() throws {
        let network = try Self.network(
            "{down: 50000, up: 1000, rtt: 1s}", faults: Self.answer(of: 100_000), clock: .manual)
        let world = try network.plainWorld()
        let client = try network.sending(.goals)
        try world.advance("10s")
        client.wire.send(Request.goals.bytes)
        try world.advance("10s")
        let times = try world.journal().filter { $0["kind"]?.string == "exchange" }.map { $0["time"]?.string ?? "" }
        // A byte takes a millisecond to reach the server.
        let sending = Request.goals.bytes.count
        let second = "2025-01-29T10:30:\(13 + sending / 1000).\(String(1000 + sending % 1000).dropFirst())"
        #expect(times.count == 2 && times[0].hasPrefix("2025-01-29T10:30:04"), "\(times)")
        #expect(times.last?.hasPrefix(second) ?? false, "\(times), expected \(second)")
    }

    @Test("A body arrives at the client's upload rate within the limit on held bytes")
    func upload() throws {
        let network = try Self.network("{up: 50000}")
        let body = String(repeating: "x", count: 900_000)
        let request = Request.authorized(.post, "/api/v1/goals", as: TestUser.anna).json("{\"title\":\"\(body)\"}")
        let client = try network.sending(request)
        var most = 0
        var first: Timestamp?
        network.advance(by: .seconds(20)) {
            most = max(most, network.connection(of: client.wire)?.input.count ?? 0)
            if first == nil, !client.wire.received.isEmpty { first = network.now }
        }
        // Bytes that were read together with the head arrived earlier.
        let seconds = Double(request.bytes.count - 16 * 1024) / 50_000
        let time = try #require(first).nanosecondsSinceEpoch - VirtualNetwork.start.nanosecondsSinceEpoch
        #expect(abs(Double(time) / 1e9 - seconds) < 0.001, "\(time) ns for \(seconds) s")
        #expect(try client.response().status == 400)
        let limit = network.engine.limits.unsentBytesBeforeReadingPauses
        #expect(most > limit / 2 && most < limit + 16 * 1024, "\(most)")
    }

    @Test("The server reads only up to the limit on bytes in transit")
    func readOnTheWay() throws {
        let network = try Self.network("{up: 1000}", clock: .manual)
        let wire = try network.open()
        wire.send("POST /api/v1/goals HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\n")
        let connection = try #require(network.connection(of: wire))
        let limit = network.engine.limits.unsentBytesBeforeReadingPauses
        wire.send([UInt8](repeating: 0x20, count: limit - 1))
        let before = (connection.input.count, network.engine.isRead(connection))
        wire.send([0x20])
        let after = (connection.input.count, network.engine.isRead(connection))
        #expect(before == (limit - 1, true) && after == (limit, false))
    }

    @Test("WebSocket frames take half a round trip each way, independently of each other")
    func frames() throws {
        let network = try Self.network("{rtt: 400ms}", clock: .manual)
        let world = try network.plainWorld()
        try #require(try network.admin(.put, "network", "{\"network\":null}").status == 200)
        let socket = try world.socket(on: world.consultation())
        #expect(socket.takeTypes() == ["connected"])
        try #require(try network.admin(.put, "network", #"{"network":{"rtt":"400ms"}}"#).status == 200)
        socket.send(#"{"type":"ping"}"#)
        try world.advance("100ms")
        socket.send(#"{"type":"ping"}"#)
        for (wait, types) in [("299ms", []), ("1ms", ["pong"]), ("99ms", []), ("1ms", ["pong"])] {
            try world.advance(wait)
            #expect(socket.takeTypes() == types)
        }
        socket.send(#"{"type":"ping"}"#)
        try world.advance("200ms")
        // Without a network, bytes in transit arrive immediately.
        try #require(try network.admin(.put, "network", "{}").status == 200)
        #expect(socket.takeTypes() == ["pong"])
    }

    @Test("A fault's delay precedes the network's, and its reset follows the bytes in transit")
    func faults() throws {
        let delayed = try Self.network("{rtt: 200ms}", faults: "{on: any, delay: 1s}")
        let wire = try delayed.sending(.goals).wire
        #expect(delayed.timeline(of: wire, for: .seconds(5)).map { $0.prefix(7) } == ["1.100 s"])
        let cut = try Self.network("{rtt: 200ms, down: 1000}", faults: "{on: any, reset: {after: 100}}")
        let other = try cut.sending(.goals).wire
        expectLines(cut.timeline(of: other, for: .seconds(5)), ["0.500 s 100 bytes", "0.500 s reset"])
    }

    @Test("The client's end of stream arrives after its bytes")
    func endOfStream() throws {
        let network = try Self.network("{rtt: 200ms}")
        let client = try network.client()
        for isLast in [false, true] {
            client.wire.send(Request.goals.bytes)
            if isLast { client.wire.finishWriting() }
            network.advance(by: .seconds(1)) {}
            #expect(try client.response().status == 200)
        }
        #expect(client.wire.ending != .open || client.wire.sawEndOfStream)
    }

    @Test("offline resets all connections, and a portal answers every request with its page")
    func reach() throws {
        let network = VirtualNetwork()
        let world = try network.plainWorld()
        let socket = try world.socket(on: world.consultation())
        let client = try network.client()
        #expect(try client.exchange(world.request(.get, "/api/v1/goals")).status == 200)
        #expect(try network.admin(.put, "network", #"{"network":"offline"}"#).text == #"{"network":"offline"}"#)
        #expect(client.wire.ending == .reset && socket.wire.ending == .reset)
        let lost = try network.sending(.goals).wire
        #expect(lost.ending == .reset && lost.received.isEmpty)
        #expect(try network.admin(.get, "health").status == 200)

        _ = try network.admin(.put, "network", #"{"network":"captive-portal"}"#)
        let guest = try network.client()
        for (request, status) in [
            (world.request(.post, "/api/v1/goals", WorldClient.goal), 302),
            (.handshake("/api/v1/consultations/a/ws"), 302),
            (Request(target: "/captive-portal"), 200),
        ] {
            guest.wire.send(request.bytes)
            network.advance(by: .seconds(1)) {}
            let answer = try guest.response()
            #expect(answer.status == status && answer.text.contains("Hotel") == (status == 200))
        }
        let entries = try world.journal().filter { $0["faults"]?.array == [.string("network captive-portal")] }
        #expect(entries.count == 3)
        #expect(try network.admin(.put, "network", #"{"network":"5g"}"#).status == 400)
    }

    @Test("With the same seed, a train's tunnels delay the same bytes and break the same connections")
    func train() throws {
        func journey(_ seed: UInt64) throws -> [String] {
            let network = try Self.network(
                "{rtt: 100ms, jitter: 50ms, loss_per_mille: 20, outages: {every: 20s, for: 10s, reset_per_mille: 500}}",
                seed: seed)
            var lines: [String] = []
            var wire = try network.open()
            for _ in 0..<60 {
                if wire.ending != .open { wire = try network.open() }
                wire.send(Request.goals.bytes)
                lines += network.timeline(of: wire, for: .seconds(3))
            }
            return lines
        }
        let lines = try journey(1)
        #expect(try lines == journey(1) && lines != journey(2))
        #expect(lines.contains { $0.hasSuffix("reset") } && lines.count > 30)
    }

    @Test("Only the first connection fails with failing_connections: 1")
    func failingConnections() throws {
        let network = try Self.network("{failing_connections: 1}")
        for isLost in [true, false] {
            let wire = try network.sending(.goals).wire
            #expect((wire.ending == .reset) == isLost && wire.received.isEmpty == isLost)
        }
    }

    @Test("A network does not affect other worlds' connections")
    func otherWorlds() throws {
        let network = VirtualNetwork()
        let (one, other) = (try network.world(), try network.world())
        let sockets = try [one, other].map { try $0.socket(on: try $0.consultation()) }
        let idle = try network.client()
        #expect(try idle.exchange(.goals).status == 200)
        #expect(!network.engine.worlds.useNetworks)
        #expect(try one.ask(.put, "network", #"{"network":"offline"}"#).status == 200)
        #expect(network.engine.worlds.useNetworks)
        #expect(sockets.map { $0.wire.ending } == [.reset, .open] && idle.wire.ending == .open)
    }

    @Test("The server drops bytes that arrive after a connection's last answer")
    func behindTheLast() throws {
        let network = try Self.network("{up: 1000}")
        let client = try network.client()
        client.wire.closesInReply = false
        client.wire.send(Request.goals.bytes)
        network.advance(by: .seconds(1)) {}
        #expect(try client.response().status == 200)
        client.wire.send(Request.goals.with("Connection: close").bytes + [UInt8](repeating: 0x20, count: 2000))
        network.advance(by: .seconds(2)) {}
        #expect(try client.response().status == 200)
        #expect(try #require(network.connection(of: client.wire)).input.count == 0)
    }

    @Test("Bytes like TLS's that arrive during a request's job are refused after its answer")
    func tlsDuringJob() throws {
        let network = try VirtualNetwork.adopting(
            "{name: behind, network: {rtt: 100ms}, accounts: {password_cost: 3000}}")
        let jobs = HeldJobs(network)
        let client = try network.sending(.goals)
        network.advance(by: .seconds(1))
        #expect(try client.response().status == 200)
        // Only bytes after the first request pass through the network.
        let request = Request(method: .post, target: "/api/v1/auth/register", fields: [Request.apiKey])
        client.wire.send(request.json(AccountTests.registration).bytes)
        network.advance(by: .milliseconds(10))
        client.wire.send([0x16, 0x03, 0x01])
        network.advance(by: .seconds(1))
        #expect(jobs.count == 1)
        try jobs.runAll()
        network.advance(by: .seconds(1))
        for status in [201, 400] { #expect(try client.response().status == status) }
    }

    @Test("A held handshake with more than 256 KiB behind it is refused when it is released")
    func bytesBehindHandshake() throws {
        let held = try HeldWorld(VirtualNetwork(), adding: #"{"on":"handshake","hold":"request"}"#)
        let path = "/api/v1/consultations/\(try held.network.consultation())/ws"
        try #require(try held.network.admin(.put, "network", #"{"network":{"up":100000}}"#).status == 200)
        let client = try held.sending(.handshake(path, as: TestUser.anna))
        for count in [16_000, 270_000] { client.wire.send([UInt8](repeating: 0x20, count: count)) }
        held.network.advance(by: .seconds(4))
        #expect(client.wire.received.isEmpty)
        try held.proceed()
        held.network.advance(by: .seconds(1))
        #expect(try client.response().status == 400)
    }

    @Test("Resetting or deleting the world discards bytes in transit")
    func ends() throws {
        let network = VirtualNetwork()
        let world = try network.world(#"{"scenario":{"name":"a","network":"satellite"},"clock":"manual"}"#)
        for call in ["reset", ""] {
            let client = try network.sending(world.request(.get, "/api/v1/goals"))
            #expect(client.wire.received.isEmpty)
            _ = call.isEmpty ? try network.admin(.delete, "worlds/\(world.id)") : try world.ask(.post, call, "{}")
            #expect(try client.response().status == 200)
        }
    }
}
