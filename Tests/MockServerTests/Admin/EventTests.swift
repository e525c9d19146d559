import Faults
import JSON
import TestSupport
import Testing

@testable import MockServer

@Suite("Admin API: events") struct EventTests {
    private let network = VirtualNetwork()

    @Test("An event stream sends each journal entry as an event when it happens")
    func live() throws {
        let world = try network.world()
        _ = try world.consultation()
        var reader = try EventReader(network, world.admin + "events")
        #expect(reader.take().isEmpty && reader.retry == "1000" && reader.head.contains("text/event-stream"))
        let socket = try world.socket(on: try world.consultation(#"{"persona":"fitness_coach"}"#))
        socket.send(#"{"type":"ping"}"#)
        socket.close()
        let events = reader.take()
        #expect(events.map(\.name) == ["exchange", "opened", "frame", "frame", "frame", "closed"])
        #expect(events.map(\.id) == (2...7).map { "\($0)" })
        #expect(try events.map { try JSON.parse($0.data) } == Array(try world.journal().dropFirst()))
        // The stream does not report events of other worlds.
        _ = try network.exchange(.create())
        #expect(reader.take().isEmpty)
    }

    @Test(
        "A stream resumes after the client's Last-Event-ID",
        arguments: [("1", 2), ("0", 3), ("3", 0), ("99", 0), ("x", 0)])
    func resumes(_ lastID: String, _ count: Int) throws {
        for _ in 0..<3 { _ = try network.exchange(Request(target: "/nowhere")) }
        var reader = try EventReader(network, lastID: lastID)
        #expect(reader.take().map(\.id) == (1...3).suffix(count).map { "\($0)" })
        _ = try network.exchange(Request(target: "/nowhere"))
        #expect(reader.take().map(\.id) == ["4"])
    }

    @Test("An idle stream sends a comment every 15 s and never times out")
    func keepAlive() throws {
        var reader = try EventReader(network)
        for (span, count) in [(Duration.milliseconds(14_999), 0), (.milliseconds(1), 1), (.seconds(600), 41)] {
            network.advance(by: span)
            _ = reader.take()
            #expect(reader.comments == Array(repeating: "keep-alive", count: count))
        }
        #expect(reader.wire.ending == .open)
    }

    @Test("A manual clock does not affect the stream's own timers")
    func manual() throws {
        let network = VirtualNetwork.manual()
        var reader = try EventReader(network)
        _ = try network.admin(.post, "clock", #"{"advance":"10m"}"#)
        #expect(reader.take().map(\.name) == ["clock"] && reader.comments.isEmpty && reader.wire.ending == .open)
    }

    @Test("A slow reader gets every entry still in the journal and uses little server memory")
    func slow() throws {
        var reader = try EventReader(network, window: 2000)
        let filler = String(repeating: "x", count: 7000)
        for _ in 0..<200 { _ = try network.exchange(Request(target: "/nowhere?\(filler)")) }
        #expect(network.unsent(by: reader.wire) < 300_000)
        var events = reader.take()
        reader.wire.read()
        events += reader.take()
        #expect(events.map(\.id) == (1...200).map { "\($0)" } && reader.wire.highestUnsent < 300_000)
    }

    @Test("The server drops a reader that reads nothing for 75 s but not a slow reader")
    func stalled() throws {
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

    @Test("A stream reports lost entries once and continues with the next number", arguments: [false, true])
    func missed(_ isCleared: Bool) throws {
        var reader = try EventReader(network, window: 0)
        reader.wire.stopReading()
        // Write more than a reader's buffer holds; the rest is still in the journal when the journal is cleared.
        let filler = String(repeating: "x", count: 7000)
        for _ in 0..<100 { _ = try network.exchange(Request(target: "/nowhere?\(filler)")) }
        let response = isCleared ? try network.admin(.delete, "journal") : try network.admin(.post, "reset")
        #expect([200, 204].contains(response.status))
        reader.wire.read()
        var events = reader.take()
        #expect(events.last?.name == "missed" && events.filter { $0.name == "missed" }.count == 1)
        let data = try JSON.parse(try #require(events.last).data)
        #expect(data["missed"]?.int == 100 - (events.count - 1) && data["first_number"] == 101)
        _ = try network.exchange(Request(target: "/nowhere"))
        events = reader.take()
        #expect(events.map(\.id) == ["101"])
    }

    @Test("If one packet holds a request and a clear, the stream reports only missed entries")
    func clearedAtOnce() throws {
        var reader = try EventReader(network)
        _ = reader.take()
        let wire = try network.open()
        wire.send(Request(target: "/nowhere").bytes + Request(method: .delete, target: "/__admin/journal").bytes)
        #expect(reader.take().map(\.name) == ["missed"])
    }

    @Test("A stream ends cleanly when its world or the server ends", arguments: ["delete", "shutdown"])
    func ends(_ cause: String) throws {
        let world = try network.world()
        var reader = try EventReader(network, world.admin + "events")
        _ = reader.take()
        if cause == "delete" { _ = try network.admin(.delete, "worlds/w1") } else { network.beginShutdown() }
        _ = reader.take()
        #expect(reader.isFinished && reader.wire.ending == .closed)
        if cause == "shutdown" { #expect(network.engine.isEmpty) }
    }

    @Test("A stream sends a world's deletion events before the stream ends")
    func lastWords() throws {
        let world = try network.world()
        #expect(try world.ask(.post, "breakpoints", RequestBreakpointTests.onGoals).status == 201)
        var reader = try EventReader(network, world.admin + "events")
        let client = try network.client()
        client.wire.send(world.request(.post, "/api/v1/goals", WorldClient.goal).bytes)
        #expect(reader.take().map(\.name) == ["held"])
        #expect(try network.admin(.delete, "worlds/\(world.id)").status == 204)
        #expect(reader.take().map(\.name) == ["released", "exchange"] && reader.isFinished)
    }

    @Test("An idle engine is quiet unless a client follows a journal")
    func quiet() throws {
        #expect(network.engine.isQuiet)
        _ = try network.exchange(Request())
        #expect(network.engine.isQuiet)
        let reader = try EventReader(network)
        #expect(!network.engine.isQuiet)
        reader.wire.vanish()
        #expect(network.engine.isQuiet)
    }

    @Test("A stream starts with the world's description and repeats it after each restart")
    func worlds() throws {
        let network = VirtualNetwork.manual()
        let world = try network.world(#"{"clock":"manual","scenario":"conflict"}"#)
        _ = try world.exchange(.get, "/nowhere")
        var reader = try EventReader(network, world.admin + "events", lastID: "0")
        #expect(reader.take().map(\.name) == ["exchange"] && reader.worlds.count == 1)
        let told = try JSON.parse(reader.worlds[0])
        let facts = told.values(of: "id", "scenario", "guide", "clock", "now", "first_number", "last_number")
        #expect(facts == ["w1", "conflict", "union", "manual", "2025-01-29T10:30:00.000000000Z", 1, 1])
        #expect(told["instance"]?.string?.count == 16)
        _ = try world.ask(.post, "marks")
        _ = try world.ask(.post, "rewind", #"{"to":"mark-1"}"#)
        #expect(reader.take().map(\.name) == ["note", "note"] && reader.worlds.count == 2)
        let served = try #require(network.engine.worlds["w1"])
        #expect(served.life == 1)
        _ = try world.ask(.post, "reset", #"{"scenario":"default"}"#)
        #expect(reader.take().isEmpty && reader.worlds.count == 3 && served.life == 2)
        let restarted = try JSON.parse(reader.worlds[2])
        #expect(restarted["scenario"] == "default" && restarted["instance"] == told["instance"])
        let later = VirtualNetwork.start.advanced(byNanoseconds: 1)
        #expect(try Engine(Engine.Configuration(), now: later).instance != told["instance"]?.string)
    }

    @Test("A stream sends all verdicts first, then each changed verdict after its entry")
    func verdicts() throws {
        let network = VirtualNetwork { $0.mode = .consultationWebSocket }
        let world = try network.world()
        var reader = try EventReader(network, world.admin + "events?verdicts=true")
        let first = reader.take()
        #expect(first.map(\.name) == ["verdicts"] && first.first?.id == "")
        let all = try #require(try JSON.parse(first[0].data)["verdicts"]?.array)
        let known = try #require(try world.ask(.get, "verdicts").json?["verdicts"]?.array)
        #expect(all.map { $0["id"] } == known.map { $0["id"] } && all.allSatisfy { $0["findings"] == [] })
        _ = try world.exchange(.get, "/api/v1/consultations/ABCDEF00-0000-4000-8000-000000000000")
        let events = reader.take()
        #expect(events.map(\.name) == ["exchange", "verdicts"])
        let changed = try #require(try JSON.parse(events[1].data)["verdicts"]?.array)
        #expect(changed.count < 10)
        let lower = try #require(changed.first { $0["id"] == "ids/lowercase" })
        #expect(lower["verdict"] == "broken" && lower["finding_count"] == 1 && lower["exercised"] == 1)
        #expect(lower["findings"]?[0]?["entries"] == [1] && lower["findings"]?[0]?["level"] == "must")
        // If nothing changes, there is no event.
        _ = try world.exchange(.get, "/nowhere")
        #expect(reader.take().map(\.name) == ["exchange"])
        // A reset starts over.
        _ = try world.ask(.post, "reset")
        let again = try #require(reader.take().last { $0.name == "verdicts" })
        #expect(try JSON.parse(again.data)["verdicts"]?.array?.count == all.count)
        // A reader that does not request verdicts gets none, and triggers no judging.
        let other = try network.world()
        var plain = try EventReader(network, other.admin + "events?verdicts=false")
        _ = try other.exchange(.get, "/nowhere")
        #expect(plain.take().map(\.name) == ["exchange"] && network.engine.worlds["\(other.id)"]?.judge == nil)
    }

    @Test("A stream also reports breaches that arise from time alone, on either clock", arguments: [true, false])
    func overdue(_ isManual: Bool) throws {
        let world = try network.world("{\"clock\":\"\(isManual ? "manual" : "real")\"}")
        let socket = try world.socket(on: try world.consultation())
        var reader = try EventReader(network, world.admin + "events?verdicts=true")
        _ = reader.take()
        if isManual { try world.advance("10m") } else { network.advance(by: .seconds(600)) }
        let told = reader.take().filter { $0.name == "verdicts" }
        let verdicts = try told.flatMap { try JSON.parse($0.data)["verdicts"]?.array ?? [] }
        #expect(verdicts.contains { $0["verdict"] == "broken" }, "\(told)")
        #expect(socket.wire.ending == .open)
    }

    @Test("A controller name belongs to one stream of a world until the stream ends")
    func controllers() throws {
        let name = String(repeating: "x", count: FaultLimits.controllerName)
        let reader = try EventReader(network, "events?controller=\(name)")
        #expect(network.engine.hasController(ExactString(name), of: network.engine.defaultWorld))
        #expect(try network.admin(.get, "events?controller=\(name)").status == 409)
        let world = try network.world()
        let other = try EventReader(network, world.admin + "events?controller=\(name)")
        reader.wire.vanish()
        #expect(!network.engine.hasController(ExactString(name), of: network.engine.defaultWorld))
        let again = try EventReader(network, "events?controller=\(name)")
        for stream in [other, again] {
            #expect(stream.wire.ending == .open && stream.wire.received.starts(with: "HTTP/1.1 200".utf8))
        }
    }

    @Test("Unnamed streams and waits do not count as controllers")
    func noControllers() throws {
        let wait = try WaitTests.Wait(network, #"{"for":{"status":404}}"#)
        let plain = try EventReader(network)
        #expect(!network.engine.hasController("page", of: network.engine.defaultWorld))
        #expect(try network.admin(.post, "breakpoints", #"{"on":"request","controller":"page"}"#).status == 409)
        #expect(!wait.isAnswered && plain.wire.ending == .open)
    }

    @Test("Without its controller, no switch, rewind or fork restores a breakpoint")
    func abandoned() throws {
        let reader = try EventReader(network, "events?controller=page")
        let breakpoint = #"{"name":"look","on":"request","controller":"page"}"#
        #expect(try network.admin(.post, "breakpoints", breakpoint).status == 201)
        #expect(try network.admin(.post, "marks", #"{"name":"before"}"#).status == 201)
        let fork = try #require(try network.admin(.post, "fork", "{}").json?["id"]?.string)
        /// Whether the breakpoint is enabled and whether it is abandoned.
        func state(_ world: String = "") throws -> [JSONValue?] {
            let isEnabled = try network.admin(.get, world + "breakpoints/look").json?["enabled"]
            let listed = try network.admin(.get, world + "breakpoints").json?["breakpoints"]?[0]
            return [isEnabled, listed?["abandoned"]]
        }
        func enable(_ isEnabled: Bool = true) throws -> Int {
            try network.admin(.patch, "breakpoints/look", "{\"enabled\":\(isEnabled)}").status
        }
        #expect(try state() == [true, nil] && state("worlds/\(fork)/") == [false, true])
        // A breakpoint that was disabled by its controller is not abandoned.
        #expect(try enable(false) == 200 && state() == [false, nil] && enable() == 200)
        reader.wire.vanish()
        #expect(try state() == [false, true])
        let shown = try network.admin(.get, "breakpoints/look").text
        #expect(try enable() == 409)
        #expect(try network.admin(.post, "rewind", #"{"to":"before"}"#).status == 200)
        #expect(try state()[0] == false)
        let again = try EventReader(network, "events?controller=page")
        #expect(try enable() == 200 && state() == [true, nil] && again.wire.ending == .open)
        // The breakpoint can be added again in the form that was shown.
        #expect(try network.admin(.delete, "breakpoints/look").status == 204)
        #expect(try network.admin(.post, "breakpoints", shown).status == 201)
    }

    @Test(
        "The events endpoint rejects unknown or invalid queries",
        arguments: ["since=1", "verdicts=yes", "controller=", "controller=\(String(repeating: "x", count: 101))"])
    func refused(_ query: String) throws {
        #expect(try network.admin(.get, "events?" + query).status == 400)
    }

    @Test("The engine drops the follower of a disconnected client")
    func gone() throws {
        let readers = try (0..<3).map { _ in try EventReader(network) }
        readers[0].wire.vanish()
        readers[1].wire.finishWriting()
        _ = try network.exchange(Request(target: "/nowhere"))
        #expect(network.openCount == 1 && network.engine.followers.count == 1)
    }

    @Test("A follower that sends more bytes is disconnected without an answer")
    func chatter() throws {
        let reader = try EventReader(network)
        reader.wire.send(Array(repeating: 0x61, count: 400_000))
        #expect(reader.wire.ending == .closed && network.openCount == 0)
        #expect(try network.admin(.get, "health").status == 200)
    }
}
