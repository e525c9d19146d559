import JSON
import TestSupport
import Testing

@testable import MockServer

@Suite("Admin API: events")
struct EventTests {
    @Test("Each entry is an event as it happens, the same as in the journal")
    func live() throws {
        let network = VirtualNetwork()
        let world = try network.world()
        _ = try world.consultation()
        var reader = try EventReader(network, world.admin + "events")
        #expect(reader.take().isEmpty)
        #expect(reader.retry == "1000" && reader.head.contains("text/event-stream"))
        let socket = try world.socket(on: try world.consultation(#"{"persona":"fitness_coach"}"#))
        socket.send(#"{"type":"ping"}"#)
        socket.close()
        let events = reader.take()
        #expect(events.map(\.name) == ["exchange", "opened", "frame", "frame", "frame", "closed"])
        #expect(events.map(\.id) == (2...7).map { "\($0)" })
        #expect(try events.map { try JSON.parse($0.data) } == Array(try world.journal().dropFirst()))
        // Nothing is reported about other worlds.
        _ = try network.exchange(.create())
        #expect(reader.take().isEmpty)
    }

    @Test(
        "It goes on after the entry that the client saw last",
        arguments: [("1", 2), ("0", 3), ("3", 0), ("99", 0), ("x", 0)])
    func resumes(_ lastID: String, _ count: Int) throws {
        let network = VirtualNetwork()
        for _ in 0..<3 { _ = try network.exchange(Request(target: "/nowhere")) }
        var reader = try EventReader(network, lastID: lastID)
        #expect(reader.take().map(\.id) == (1...3).suffix(count).map { "\($0)" })
        _ = try network.exchange(Request(target: "/nowhere"))
        #expect(reader.take().map(\.id) == ["4"])
    }

    @Test("A stream that has nothing to tell says so every 15 s, and never times out")
    func keepAlive() throws {
        let network = VirtualNetwork()
        var reader = try EventReader(network)
        network.advance(by: .milliseconds(14_999))
        _ = reader.take()
        #expect(reader.comments.isEmpty)
        network.advance(by: .milliseconds(1))
        _ = reader.take()
        #expect(reader.comments == ["keep-alive"])
        network.advance(by: .seconds(600))
        _ = reader.take()
        #expect(reader.comments.count == 41 && reader.wire.ending == .open)
    }

    @Test("A manual clock does not move a stream's time")
    func manual() throws {
        let network = VirtualNetwork.manual()
        var reader = try EventReader(network)
        _ = try network.admin(.post, "clock", #"{"advance":"10m"}"#)
        #expect(reader.take().map(\.name) == ["clock"])
        #expect(reader.comments.isEmpty && reader.wire.ending == .open)
    }

    @Test("A slow reader misses nothing while the journal has it, and makes the server hold no more than a little")
    func slow() throws {
        let network = VirtualNetwork()
        var reader = try EventReader(network, window: 2000)
        let filler = String(repeating: "x", count: 7000)
        for _ in 0..<200 { _ = try network.exchange(Request(target: "/nowhere?\(filler)")) }
        #expect(network.unsent(by: reader.wire) < 300_000)
        var events = reader.take()
        reader.wire.read()
        events += reader.take()
        #expect(events.map(\.id) == (1...200).map { "\($0)" })
        #expect(reader.wire.highestUnsent < 300_000)
    }

    @Test("A reader that takes nothing is given up after 75 s; one that takes little is not")
    func stalled() throws {
        let network = VirtualNetwork()
        let (stalled, slow) = (try EventReader(network, window: 300), try EventReader(network, window: 300))
        for _ in 0..<10 { _ = try network.exchange(Request(target: "/nowhere")) }
        for _ in 0..<5 {
            network.advance(by: .seconds(15))
            slow.wire.read(10)
        }
        #expect(stalled.wire.ending == .open)
        network.advance(by: .seconds(15))
        #expect(stalled.wire.ending == .reset && slow.wire.ending == .open)
    }

    @Test("What fell out of the journal is told once, and numbers go on", arguments: [false, true])
    func missed(_ isCleared: Bool) throws {
        let network = VirtualNetwork()
        var reader = try EventReader(network, window: 0)
        reader.wire.stopReading()
        // More than waits for a reader: the rest is still in the journal when that is cleared.
        let filler = String(repeating: "x", count: 7000)
        for _ in 0..<100 { _ = try network.exchange(Request(target: "/nowhere?\(filler)")) }
        let response = isCleared ? try network.admin(.delete, "journal") : try network.admin(.post, "reset")
        #expect([200, 204].contains(response.status))
        reader.wire.read()
        var events = reader.take()
        #expect(events.last?.name == "missed" && events.filter { $0.name == "missed" }.count == 1)
        let missed = try #require(events.last?.data.split(separator: " ").first.flatMap { Int($0) })
        #expect(missed == 100 - (events.count - 1))
        _ = try network.exchange(Request(target: "/nowhere"))
        events = reader.take()
        #expect(events.map(\.id) == ["101"])
    }

    @Test("A request and a cleared journal in one packet leave nothing to tell")
    func clearedAtOnce() throws {
        let network = VirtualNetwork()
        var reader = try EventReader(network)
        _ = reader.take()
        let wire = try network.open()
        wire.send(
            Request(target: "/nowhere").bytes + Request(method: .delete, target: "/__admin/journal").bytes)
        #expect(reader.take().map(\.name) == ["missed"])
    }

    @Test("The stream ends in good order with its world, and with the server", arguments: ["delete", "shutdown"])
    func ends(_ cause: String) throws {
        let network = VirtualNetwork()
        let world = try network.world()
        var reader = try EventReader(network, world.admin + "events")
        _ = reader.take()
        if cause == "delete" { _ = try network.admin(.delete, "worlds/w1") } else { network.beginShutdown() }
        _ = reader.take()
        #expect(reader.isFinished && reader.wire.ending == .closed)
        if cause == "shutdown" { #expect(network.engine.isEmpty) }
    }

    @Test("A client that is gone leaves nothing behind")
    func gone() throws {
        let network = VirtualNetwork()
        let readers = try (0..<3).map { _ in try EventReader(network) }
        readers[0].wire.vanish()
        readers[1].wire.finishWriting()
        _ = try network.exchange(Request(target: "/nowhere"))
        #expect(network.openCount == 1 && network.engine.followers.count == 1)
    }

    @Test("What a follower sends besides is not answered, and floods nothing")
    func chatter() throws {
        let network = VirtualNetwork()
        let reader = try EventReader(network)
        reader.wire.send(Array(repeating: 0x61, count: 400_000))
        #expect(reader.wire.ending == .closed)
        #expect(network.openCount == 0)
        #expect(try network.admin(.get, "health").status == 200)
    }
}
