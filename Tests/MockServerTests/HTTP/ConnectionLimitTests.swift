import TestSupport
import Testing

@testable import MockServer

@Suite("The connection limit")
struct ConnectionLimitTests {
    private let network = VirtualNetwork {
        $0.limits.connections = 3
        $0.limits.refusedConnections = 2
    }

    private func fill() throws -> [HTTPClient<VirtualClient>] { try (0..<3).map { _ in try network.client() } }

    private func openOverLimit() throws -> VirtualClient {
        _ = try fill()
        return try network.open(window: 0)
    }

    @Test("A connection beyond the limit gets a 503 and is closed")
    func refused() throws {
        let served = try fill()
        let refused = try network.client()
        let response = try refused.response()
        #expect(response.refusal == "503 TOO_MANY_CONNECTIONS")
        #expect(response.message == "3 connections are open, which is the limit; close some and try again.")
        #expect(response.fields[.connection] == "close" && refused.wire.ending == .closed)
        for client in served { #expect(try client.exchange(Request()).status == 200) }
        let warning = network.observations.last { $0.level == .warning }
        #expect(warning?.description == "refused a connection: 3 connections are open, which is the limit")
    }

    @Test("Beyond the limit on rejected connections, the server closes connections without an answer")
    func refusedOutright() throws {
        let lingering = try [openOverLimit(), network.open(window: 0)]
        #expect(network.connect() == nil && network.engine.connections.count == 5)
        for client in lingering { client.read() }
        #expect(network.engine.connections.count == 3)
        for _ in 0..<5 { #expect(try network.client().response().status == 503) }
    }

    @Test("A rejected connection frees its slot when it closes")
    func afterRefusals() throws {
        let served = try fill()
        for _ in 0..<2 { #expect(try network.client().response().status == 503) }
        served[0].wire.vanish()
        #expect(try network.client().exchange(Request()).status == 200)
    }

    @Test("A freed slot serves the next connection even while others are rejected")
    func freedPlace() throws {
        let served = try fill()
        let refused = try network.open(window: 0)
        #expect(refused.ending == .open)
        served[0].wire.vanish()
        #expect(try network.client().exchange(Request()).status == 200)
    }

    @Test("The table reuses slots and grows only to the peak number of connections")
    func placesReused() throws {
        for round in 0..<200 {
            let clients = try fill()
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
        let refused = try openOverLimit()
        network.advance(by: .seconds(75))
        #expect(refused.ending == .reset)
    }

    @Test("The server closes a rejected connection 2 s after its client has read the answer")
    func refusedLingers() throws {
        let refused = try openOverLimit()
        refused.closesInReply = false
        refused.read()
        #expect(refused.sawEndOfStream && refused.ending == .open)
        #expect(network.endings(of: refused, after: .seconds(2)) == [.open, .closed])
    }
}
