import TestSupport
import Testing
import WebSocket

@testable import MockServer

/// Random operations on many connections, replayed exactly from their seed.
private struct RandomSession {
    private var random: Draw
    private let network: VirtualNetwork
    private var clients: [Client] = []
    private let ids: [String]
    let sessionCount: Int
    private var opened = 0

    private struct Client {
        let wire: VirtualClient
        var isUpgraded = false
    }

    init(seed: UInt64, sessions: Int) throws {
        random = Draw(seed: seed)
        sessionCount = sessions
        network = VirtualNetwork {
            $0.seed = seed
            $0.pace = seed % 2 == 0 ? .instant : .human
            $0.limits.connections = 80
            $0.limits.refusedConnections = 8
            $0.limits.unsentBytes = 200_000
            $0.limits.verifiedTokens = 8
        }
        ids = try [#"{"persona":"nutritionist"}"#, #"{"persona":"fitness_coach"}"#].map { [network] in
            try network.consultation($0)
        }
    }

    /// Runs to the end, checking the invariants; returns a digest of everything that clients received.
    mutating func run() throws -> UInt64 {
        while opened < sessionCount || !clients.isEmpty {
            if opened < sessionCount, clients.count < 200, random.once(in: 3) { open() }
            if !clients.isEmpty { act(on: random.below(clients.count)) }
            if random.once(in: 10) { network.advance(by: .milliseconds(Int64(random.below(3000)))) }
            collectEnded()
            checkInvariants()
        }
        network.beginShutdown()
        network.advance(by: .seconds(200))
        #expect(network.engine.isEmpty && network.openCount == 0 && network.engine.connections.webSocketCount == 0)
        let places = network.engine.connections.places
        #expect(places.count <= 88 && places.allSatisfy { $0 == nil })
        #expect(network.engine.defaultWorld.backend.openSocketCount == 0 && network.engine.deadlines.count == 0)
        #expect(network.engine.nextDeadline == nil)
        return digest
    }

    private var digest: UInt64 = 0xCBF2_9CE4_8422_2325

    private mutating func open() {
        opened += 1
        guard let wire = network.connect(window: random.once(in: 5) ? random.below(2000) : .max) else { return }
        wire.closesInReply = !random.once(in: 8)
        clients.append(Client(wire: wire))
    }

    private mutating func act(on index: Int) {
        let wire = clients[index].wire
        switch random.below(24) {
        case 0..<9: send(clients[index].isUpgraded ? frame() : request(), on: wire)
        case 9, 10:
            guard !clients[index].isUpgraded else { return send(frame(), on: wire) }
            clients[index].isUpgraded = true
            let path = random.once(in: 3) ? "/__admin/echo" : "/api/v1/consultations/\(ids[random.below(2)])/ws"
            send(Request.handshake(path, as: TestUser.anna).bytes, on: wire)
        case 11: send(garbage(), on: wire)
        case 12..<16: wire.read(random.below(5000))
        case 16: wire.read()
        case 17: wire.stopReading()
        case 18: wire.finishWriting()
        case 19: wire.vanish()
        case 20 where clients[index].isUpgraded: send([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xE8], on: wire)
        case 21: send(Array(request().prefix(random.below(100))), on: wire)
        default: network.advance(by: .milliseconds(Int64(random.below(200))))
        }
    }

    private mutating func send(_ bytes: [UInt8], on wire: VirtualClient) {
        switch random.below(3) {
        case 0: wire.send(bytes)
        case 1: wire.send(bytes, cutAt: random.below(bytes.count + 1))
        default: wire.send(bytes, inPiecesOf: 1 + random.below(40))
        }
    }

    private mutating func request() -> [UInt8] {
        let id = ids[random.below(2)]
        let requests: [Request] = [
            Request(), Request(target: "/ready"), Request(target: "/nowhere"), .create(as: TestUser.anna),
            .create("[]"),
            .authorized(.get, "/api/v1/consultations/quick-actions"),
            .authorized(.get, "/api/v1/consultations", as: "user-\(random.below(30))"),
            .authorized(.get, "/api/v1/consultations/\(id)/messages", as: TestUser.anna),
            .authorized(.head, "/api/v1/consultations/\(id)", as: TestUser.anna),
            Request(method: .options, target: "*"), Request(fields: ["Connection: close"]),
            Request.create("{}").with("Expect: 100-continue"), Request(version: "HTTP/1.0"),
            Request(target: "/api/v1/consultations/\(id)/ws"),
        ]
        let count = random.once(in: 4) ? 20 : 1
        return (0..<count).flatMap { _ in random.element(of: requests).bytes }
    }

    private mutating func frame() -> [UInt8] {
        let texts = [
            #"{"type":"message","content":"hello"}"#, #"{"type":"user_message","content":"sleep"}"#,
            #"{"type":"ping"}"#, "nonsense", "", String(repeating: "x", count: 3000),
        ]
        var bytes: [UInt8] = []
        for _ in 0...random.below(4) {
            let opcodes: [Opcode] = [.text, .text, .text, .binary, .ping, .pong]
            let opcode = random.element(of: opcodes)
            let payload = opcode.isControl ? [0x61] : Array(random.element(of: texts).utf8)
            FrameEncoder.append(opcode, payload, maskKey: UInt32(truncatingIfNeeded: random.next()), into: &bytes)
        }
        return bytes
    }

    private mutating func garbage() -> [UInt8] { random.bytes(1 + random.below(60)) }

    private mutating func collectEnded() {
        clients.removeAll { client in
            guard client.wire.ending != .open else { return false }
            for byte in client.wire.received { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
            return true
        }
    }

    private func checkInvariants() {
        let engine = network.engine
        #expect(engine.connections.count == network.openCount && engine.connections.count <= 88)
        #expect(engine.connections.places.count <= 88 && engine.defaultWorld.authenticator.verifiedCount <= 8)
        #expect(engine.deadlines.count <= 2 * engine.connections.count + 1025)
        for client in clients {
            // The bytes that may be pending, plus the answers to one more piece: pipelined lists or error frames.
            #expect(network.unsent(by: client.wire) <= 200_000 + 256 * 1024 + (1 << 20))
        }
    }
}

@Suite("Random sessions")
struct RandomSessionTests {
    @Test("Random client behaviour never makes the engine's state inconsistent", arguments: 1...UInt64(10))
    func invariants(seed: UInt64) throws {
        var session = try RandomSession(seed: seed, sessions: 250)
        _ = try session.run()
    }

    @Test("The same seed repeats a random session byte for byte", arguments: [11, 12])
    func replay(seed: UInt64) throws {
        let digests = try (0..<2).map { _ in
            var session = try RandomSession(seed: seed, sessions: 100)
            return try session.run()
        }
        #expect(digests[0] == digests[1])
    }
}
