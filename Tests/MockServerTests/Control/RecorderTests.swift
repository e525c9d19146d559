import TestSupport
import Testing
import Traffic

@testable import MockServer

@Suite("The journal recorder") struct RecorderTests {
    @Test("The observer receives each entry of every world immediately after it is recorded")
    func observer() throws {
        let network = VirtualNetwork.manual()
        var seen: [String: [Int]] = [:]  // The ids come from this test.
        network.engine.recorder.observe = { entry, world, _ in
            #expect(world.journal.lastNumber == entry.number)
            seen[world.name, default: []].append(entry.number)
        }
        let other = try network.world(#"{"clock":"manual"}"#)
        _ = try other.exchange(.get, "/api/v1/goals")
        let socket = try network.socket(on: try network.consultation())
        socket.send(#"{"type":"message","content":"Hello"}"#)
        _ = try network.admin(.post, "clock", #"{"advance":"10s"}"#)
        socket.ping("x")
        socket.wire.vanish()
        _ = try network.exchange(Request(target: "/nothing"))
        for world in [World.defaultID, other.id] {
            #expect(seen[world] == network.engine.journalEntries(ofWorld: world).map(\.number), "\(world)")
        }
        let kinds = Set(network.engine.journalEntries(ofWorld: World.defaultID).map(\.event.kind))
        #expect(kinds == [.exchange, .opened, .frame, .clock, .closed])
        network.engine.recorder.observe = nil
        _ = try other.exchange(.get, "/api/v1/goals")
        #expect(seen[other.id]?.count == 1)
    }

    @Test("A socket's record contains its handshake and the same frame counts as the journal")
    func socket() throws {
        let network = VirtualNetwork()
        let id = try network.consultation()
        let socket = try network.socket(on: id)
        network.advance(by: .seconds(1))
        socket.send(#"{"type":"message","content":"Hello"}"#)
        socket.ping("x")
        network.advance(by: .seconds(9))
        let record = try #require(network.connection(of: socket.wire)?.record)
        let opening = try #require(record.opening)
        #expect(opening.path == "/api/v1/consultations/\(id)/ws" && opening.endpoint == .webSocket)
        #expect(opening.time == VirtualNetwork.start && opening.user?.text == TestUser.anna)
        func count(_ sender: Party) -> Int {
            network.engine.journalEntries(ofWorld: World.defaultID).count { entry in
                if case .frame(let frame) = entry.event { frame.sender == sender } else { false }
            }
        }
        #expect(record.framesIn == 2 && count(.client) == 2)
        #expect(record.framesOut == count(.server) && record.framesOut > 3)
        let echo = try network.echo()
        echo.send("x")
        let none = try #require(network.connection(of: echo.wire)?.record)
        #expect(none.opening == nil && none.framesIn == 0)
    }

    @Test("In a socket's record, a frame lost to a fault does not count as sent")
    func lost() throws {
        let network = try VirtualNetwork.faulty("{on: socket, at: {type: pong}, lose: true}")
        let socket = try network.socket(on: try network.consultation())
        let before = try #require(network.connection(of: socket.wire)?.record.framesOut)
        #expect(before == 1)
        socket.send(#"{"type":"ping"}"#)
        #expect(network.connection(of: socket.wire)?.record.framesOut == before)
    }
}
