import TestSupport
import Testing

@testable import MockServer

@Suite("Same inputs, same seed, same bytes")
struct DeterminismTests {
    /// Plays a session of two users over several connections; returns the bytes that each connection received.
    private static func session(seed: UInt64, pieces: Int = .max) throws -> [[UInt8]] {
        let network = VirtualNetwork {
            $0.seed = seed
            $0.pace = .human
        }
        var wires: [VirtualClient] = []
        func client() throws -> HTTPClient<VirtualClient> {
            let client = try network.client()
            wires.append(client.wire)
            return client
        }
        func send(_ wire: VirtualClient, _ bytes: [UInt8]) {
            wire.send(bytes, inPiecesOf: pieces == .max ? max(1, bytes.count) : pieces)
        }
        var sockets: [VirtualSocket] = []
        for user in [TestUser.anna, TestUser.ben] {
            let rest = try client()
            let create = Request.create(#"{"persona":"wellness_specialist","context_type":"mood"}"#, as: user)
            send(rest.wire, create.bytes)
            let id = try #require(try rest.response(to: create).json?["data"]?["id"]?.string)
            for request in [create, .authorized(.get, "/api/v1/consultations", as: user), Request(target: "/nowhere")] {
                send(rest.wire, request.bytes)
            }
            let opener = try client()
            let handshake = Request.handshake("/api/v1/consultations/\(id)/ws", as: user)
            send(opener.wire, handshake.bytes)
            let socket = try opener.acceptUpgrade(handshake)
            sockets.append(socket)
            let texts = [#"{"type":"message","content":"I feel low"}"#, "nonsense", #"{"type":"ping"}"#]
            send(socket.wire, socket.frames(texts))
            network.advance(by: .milliseconds(1234))
            send(socket.wire, socket.frames([#"{"type":"user_message","content":"thank you"}"#]))
            network.advance(by: .seconds(10))
            send(rest.wire, Request.authorized(.get, "/api/v1/consultations/\(id)/messages", as: user).bytes)
        }
        for socket in sockets { socket.close() }
        network.beginShutdown()
        #expect(network.engine.isEmpty)
        return wires.map(\.received)
    }

    @Test("Identical sessions produce the same bytes", arguments: [0, 1, 7, UInt64.max])
    func twice(seed: UInt64) throws {
        let first = try Self.session(seed: seed)
        #expect(try first == Self.session(seed: seed) && first.allSatisfy { $0.count > 500 })
    }

    @Test("A different seed produces different ids")
    func anotherSeed() throws { #expect(try Self.session(seed: 1) != (try Self.session(seed: 2))) }

    @Test("Packet boundaries do not change the bytes", arguments: [1, 2, 3, 5, 16, 100, 333])
    func pieces(size: Int) throws { #expect(try Self.session(seed: 3, pieces: size) == (try Self.session(seed: 3))) }

    @Test("Splitting a pipelined session at any byte does not change the output")
    func everyCut() throws {
        let list = Request.authorized(.get, "/api/v1/consultations", as: TestUser.anna)
        let bytes =
            Request.create(as: TestUser.anna).bytes + list.bytes + Request(method: .options, target: "*").bytes
            + Request.create("[]", as: TestUser.anna).bytes + Request.handshake("/__admin/echo").bytes
            + [0x81, 0x82, 1, 2, 3, 4, 0x61, 0x62, 0x89, 0x80, 0, 0, 0, 0, 0x88, 0x82, 0, 0, 0, 0, 0x03, 0xE8]
        var expected: [UInt8] = []
        for cut in bytes.indices {
            let network = VirtualNetwork()
            let wire = try network.open()
            wire.send(bytes, cutAt: cut)
            if expected.isEmpty { expected = wire.received }
            #expect(wire.received == expected && wire.ending == .closed, "cut at \(cut)")
        }
        #expect(expected.suffix(4) == [0x88, 0x02, 0x03, 0xE8])
    }
}
