import TestSupport
import Testing

@testable import MockServer

@Suite("The connection limit")
struct ConnectionLimitTests {
    private func network() -> VirtualNetwork {
        VirtualNetwork { configuration in
            configuration.limits.connections = 3
            configuration.limits.refusedConnections = 2
        }
    }

    @Test("A connection beyond the limit gets a 503 and is closed")
    func refused() throws {
        let network = network()
        let served = try (0..<3).map { _ in try network.client() }
        let refused = try network.client()
        let response = try refused.response()
        #expect(response.status == 503)
        #expect(response.errorCode == "TOO_MANY_CONNECTIONS")
        #expect(response.message == "3 connections are open, which is the limit; close some and try again.")
        #expect(response.fields[.connection] == "close")
        #expect(refused.wire.ending == .closed)
        for client in served { #expect(try client.exchange(Request()).status == 200) }
        guard case .refusedConnection(limit: 3) = network.observations.last(where: { $0.level == .warning }) else {
            Issue.record("the refusal was not observed")
            return
        }
    }

    @Test("Beyond the limit on rejected connections, the server closes connections without an answer")
    func refusedOutright() throws {
        let network = network()
        for _ in 0..<3 { _ = try network.open() }
        let lingering = try (0..<2).map { _ in
            let client = try #require(network.connect(window: 0))
            return client
        }
        #expect(network.connect() == nil)
        #expect(network.engine.connections.count == 5)
        for client in lingering { client.read() }
        #expect(network.engine.connections.count == 3)
        for _ in 0..<5 { #expect(try network.client().response().status == 503) }
    }

    @Test("A rejected connection frees its slot when it closes")
    func afterRefusals() throws {
        let network = network()
        let served = try (0..<3).map { _ in try network.client() }
        for _ in 0..<2 { #expect(try network.client().response().status == 503) }
        served[0].wire.vanish()
        #expect(try network.client().exchange(Request()).status == 200)
    }

    @Test("A freed slot serves the next connection even while others are rejected")
    func freedPlace() throws {
        let network = network()
        let served = try (0..<3).map { _ in try network.open() }
        let refused = try #require(network.connect(window: 0))
        #expect(refused.ending == .open)
        served[0].vanish()
        let next = try network.client()
        #expect(try next.exchange(Request()).status == 200)
    }

    @Test("The table reuses slots and grows only to the peak number of connections")
    func placesReused() throws {
        let network = network()
        for round in 0..<200 {
            let clients = try (0..<3).map { _ in try network.client() }
            for client in clients { #expect(client.wire.id.place < 3) }
            clients[round % 3].wire.vanish()
            clients[(round + 1) % 3].wire.finishWriting()
            #expect(try clients[(round + 2) % 3].exchange(Request()).status == 200)
            clients[(round + 2) % 3].wire.vanish()
            #expect(network.engine.isEmpty && network.openCount == 0)
        }
        #expect(network.engine.connections.places.count == 3)
    }

    @Test("The server resets a rejected connection that reads nothing for 75 s")
    func refusedNeverReads() throws {
        let network = network()
        for _ in 0..<3 { _ = try network.open() }
        let refused = try #require(network.connect(window: 0))
        network.advance(by: .seconds(75))
        #expect(refused.ending == .reset)
    }

    @Test("The server closes a rejected connection 2 s after its client has read the answer")
    func refusedLingers() throws {
        let network = network()
        for _ in 0..<3 { _ = try network.open() }
        let refused = try #require(network.connect(window: 0))
        refused.closesInReply = false
        refused.read()
        #expect(refused.sawEndOfStream && refused.ending == .open)
        network.advance(by: .milliseconds(1_999))
        #expect(refused.ending == .open)
        network.advance(by: .milliseconds(1))
        #expect(refused.ending == .closed)
    }
}
