import TestSupport
import Testing

@testable import MockServer

@Suite("The connection table")
struct ConnectionTableTests {
    private let network = VirtualNetwork()

    @Test("Connection ids sort by age, and a closed connection's id is not reused")
    func numbers() throws {
        let (first, second) = (ConnectionID(place: 0, serial: 1), ConnectionID(place: 0, serial: 2))
        #expect(first < second && !(second < first) && !(first < first))
        #expect(network.engine.connection(first) == nil)
        let client = try network.open()
        #expect(network.engine.connection(client.id) != nil)
        client.vanish()
        #expect(network.engine.connection(client.id) == nil)
    }

    @Test("A connection defaults to local and without TLS")
    func defaults() throws {
        let connection = try #require(network.engine.open(at: network.now).flatMap { network.engine.connection($0) })
        #expect(connection.isLocal && !connection.isSecure && !connection.isRefused)
    }

    @Test("The engine serves each touched connection once, request connections before sockets")
    func touched() throws {
        let (socket, client) = (try network.echo(), try network.open())
        for wire in [socket.wire, client, socket.wire] {
            network.engine.touch(try #require(network.connection(of: wire)))
        }
        #expect(network.engine.takeTouched().map(\.id) == [client.id, socket.wire.id])
        #expect(network.engine.takeTouched().isEmpty)
    }

    @Test("The engine removes stale deadlines for closed connections when there are too many")
    func deadlines() throws {
        // The limit is 1024, plus two for each open connection.
        for _ in 0..<1026 { try network.open().vanish() }
        #expect(network.engine.deadlines.count == 1026)
        let client = try network.open()
        #expect(network.engine.deadlines.count == 1 && client.ending == .open)
    }

    @Test("The engine reuses up to 128 emptied buffers but no large buffer")
    func spareBuffers() {
        func lentCount(reclaiming count: Int, ofCapacity capacity: Int) -> Int {
            var spare = SpareBuffers()
            for _ in 0..<count {
                var bytes: [UInt8] = []
                bytes.reserveCapacity(capacity)
                spare.reclaim(bytes)
            }
            var lent = 0
            while spare.lend() != nil { lent += 1 }
            return lent
        }
        #expect(lentCount(reclaiming: 200, ofCapacity: 64) == 128)
        #expect(lentCount(reclaiming: 1, ofCapacity: 32 * 1024) == 0)
    }
}
