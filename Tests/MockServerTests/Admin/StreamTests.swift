import HTTP1
import Scenarios
import TestSupport
import Testing

@testable import MockServer

@Suite("Long answers in slices") struct StreamTests {
    private let network = VirtualNetwork()

    private static let journal = Request(target: "/__admin/journal")

    /// A network whose default world has this many entries of a few kilobytes each.
    private static func network(
        entries: Int = 200, _ configure: (inout Engine.Configuration) -> Void = { _ in }
    ) throws -> VirtualNetwork {
        let network = VirtualNetwork(configure)
        let filler = String(repeating: "x", count: 4000)
        let client = try network.client()
        for number in 0..<entries { _ = try client.exchange(Request(target: "/nowhere/\(number)?\(filler)")) }
        client.wire.vanish()
        return network
    }

    /// Requests the journal on a new connection.
    private static func ask(_ network: VirtualNetwork, window: Int = 0) throws -> VirtualClient {
        let wire = try network.open(window: window)
        wire.send(journal.bytes)
        return wire
    }

    private static func lines(_ network: VirtualNetwork) -> [UInt8] {
        network.engine.journalLines(ofWorld: World.defaultID)
    }

    @Test("The journal's bytes do not depend on the slice size", arguments: [1, 7000, 64 * 1024, 100_000, 8_000_000])
    func journal(_ size: Int) throws {
        let network = try Self.network(entries: 40)
        network.engine.streams.sliceSize = size
        let response = try network.exchange(Self.journal)
        #expect(response.body == Self.lines(network) && response.body.count > 160_000)
        #expect(response.fields[.contentType] == "application/x-ndjson; charset=utf-8")
        let isChunked = response.fields[.transferEncoding] == "chunked"
        // An answer that fits into one slice is sent like any other.
        #expect(isChunked == (size < 8_000_000) && isChunked == (response.fields[.contentLength] == nil))
        #expect(!network.engine.isBusy)
    }

    @Test(
        "A list's bytes do not depend on the slice size",
        arguments: [
            "requests?limit=1000", "requests?path=/nowhere/7&order=asc", "requests/unmatched", "frames?type=pong",
            "frames?user=\(TestUser.anna)", "requests?since=3&before=9", "requests?since=900", "frames?kind=exchange",
            "worlds", "verdicts", "faults", "har", "worlds/w1/verdicts",
        ])
    func lists(_ path: String) throws {
        let socket = try network.socket(on: try network.consultation())
        socket.send(#"{"type":"ping"}"#)
        for number in 0..<20 { _ = try network.exchange(Request(target: "/nowhere/\(number)")) }
        for _ in 0..<3 { _ = try network.world(#"{"scenario": "flaky-500"}"#) }
        network.engine.streams.sliceSize = 8_000_000
        let whole = try network.admin(.get, path)
        #expect(whole.status == 200 && whole.json != nil)
        for size in [1, 100, 5000] {
            network.engine.streams.sliceSize = size
            let sliced = try network.admin(.get, path)
            #expect(sliced.body == whole.body && sliced.status == 200)
        }
    }

    @Test("A HAR export contains the frames and the clients' original request URLs")
    func har() throws {
        let world = try network.world()
        let empty = try #require(try world.ask(.get, "har").json?["log"])
        #expect(empty["entries"] == [] && empty["creator"]?["name"] == "fitiq-mock")
        _ = try world.exchange(.get, "/api/v1/goals")
        let socket = try network.socket(on: try network.consultation())
        socket.send(#"{"type":"ping"}"#)
        for (path, count, place, hasPing) in [
            ("worlds/\(world.id)/har", 1, "/w/\(world.id)/api/v1/goals", false),
            ("har", 2, "8080/api/v1/consultations", true),
        ] {
            let text = try network.admin(.get, path)
            #expect(text.fields[.contentType] == "application/json; charset=utf-8")
            let entries = try #require(text.json?["log"]?["entries"]?.array)
            let url = try #require(entries[0]["request"]?["url"]?.string)
            #expect(entries.count == count && url.hasSuffix(place), "\(url)")
            let messages = entries.last?["_webSocketMessages"]?.array ?? []
            #expect(messages.contains { $0["data"] == #"{"type":"ping"}"# } == hasPing)
        }
        #expect(try network.admin(.get, "har?limit=1").status == 400)
    }

    @Test("The server produces one slice per turn and serves other connections between slices")
    func turns() throws {
        let network = try Self.network(entries: 80)
        let other = try network.client()
        network.motion = .slicesByTurn
        let readers = try (0..<3).map { _ in try Self.ask(network, window: .max) }
        func received() -> Int { readers.reduce(0) { $0 + $1.received.count } }
        var before = received()
        let turns = try network.turnUntilIdle { () throws in
            // The entry that fills the slice and the framing are added to the slice's size.
            #expect(received() - before <= network.engine.streams.sliceSize + 8192)
            #expect(try other.exchange(Request()).status == 200)
            before = received()
        }
        #expect(turns > 3 * 320_000 / (64 * 1024))
        for reader in readers { #expect(try HTTPClient(reader).response().body == Self.lines(network)) }
    }

    @Test("Long answers to pipelined requests also take turns")
    func pipelined() throws {
        let network = try Self.network(entries: 20)
        network.motion = .slicesByTurn
        let client = try network.client()
        client.wire.send(Self.journal.bytes + Request().bytes + Self.journal.bytes + Request(target: "/ready").bytes)
        #expect(client.wire.received.isEmpty && network.engine.streams.waiting.count <= 1)
        network.turnUntilIdle { #expect(network.engine.streams.waiting.count <= 1) }
        let lines = String(decoding: Self.lines(network), as: UTF8.self)
        let answers = try (0..<4).map { _ in try client.response().text }
        #expect(answers == [lines, #"{"status":"ok"}"#, lines, #"{"status":"ready"}"#] && client.wire.ending == .open)
    }

    @Test("A slow reader uses little server memory")
    func slow() throws {
        let network = try Self.network()
        let wire = try Self.ask(network)
        let least = network.engine.limits.unsentBytesBeforeReadingPauses
        let most = least + network.engine.streams.sliceSize + 8192
        #expect(network.unsent(by: wire) > least && network.unsent(by: wire) <= most)
        #expect(network.engine.connections.heldBytes <= most)
        while network.unsent(by: wire) > 0 { wire.read(10_000) }
        #expect(try wire.highestUnsent <= most && HTTPClient(wire).response().body == Self.lines(network))
        #expect(network.engine.connections.heldBytes == 0)
        #expect(try network.exchange(Request()).status == 200)
    }

    @Test("The server drops a reader that reads nothing for 75 s but not a slow reader")
    func stalled() throws {
        let network = try Self.network()
        let (stalled, slow) = (try Self.ask(network), try Self.ask(network))
        for _ in 0..<5 {
            network.advance(by: .seconds(15))
            slow.read(10)
        }
        #expect(stalled.ending == .reset && slow.ending == .open)
        slow.vanish()
        #expect(network.engine.connections.heldBytes == 0 && !network.engine.isBusy)
    }

    @Test("An answer contains only entries from before its request")
    func snapshot() throws {
        // The server prepares little ahead of the reader, so the change happens in the middle of the answer.
        let network = try Self.network { $0.limits.unsentBytesBeforeReadingPauses = 4096 }
        network.engine.streams.sliceSize = 1000
        let world = try network.world()
        for _ in 0..<50 { _ = try world.exchange(.get, "/api/v1/goals") }
        for (world, path, change) in [
            (World.defaultID, "journal", { _ = try network.exchange(Request(target: "/later")) }),
            (World.defaultID, "journal", { _ = try network.admin(.delete, "journal") }),
            ("w1", "worlds/w1/journal", { _ = try network.admin(.delete, "worlds/w1") }),
        ] as [(String, String, () throws -> Void)] {
            let lines = network.engine.journalLines(ofWorld: world)
            let wire = try network.open(window: 1000)
            wire.send(Request(target: "/__admin/" + path).bytes)
            try change()
            wire.read()
            #expect(try HTTPClient(wire).response().body == lines && !lines.isEmpty)
        }
    }

    @Test("An HTTP/1.0 answer ends when the connection closes, and a HEAD answer has no body")
    func otherKinds() throws {
        let network = try Self.network(entries: 80)
        var old = Self.journal
        old.version = "HTTP/1.0"
        let wire = try network.open()
        wire.send(old.bytes)
        #expect(wire.ending == .closed)
        let response = try HTTPClient(wire).response()
        #expect(response.body == Self.lines(network) && response.fields[.transferEncoding] == nil)
        let client = try network.client()
        var head = Self.journal
        head.method = .head
        let answer = try client.exchange(head)
        #expect(answer.status == 200 && answer.body.isEmpty && answer.fields[.transferEncoding] == "chunked")
        #expect(try client.exchange(Request()).status == 200 && network.engine.connections.heldBytes == 0)
    }

    @Test("A half-closed client gets the whole answer, then a 400 for its remaining bytes")
    func halfClosed() throws {
        let network = try Self.network()
        let wire = try Self.ask(network)
        let lines = Self.lines(network)
        // The host reads a broken connection even while reading is paused.
        [UInt8](arrayLiteral: 0x16).withUnsafeBytes { network.engine.receive($0, on: wire.id, at: network.now) }
        network.engine.receiveEndOfStream(on: wire.id, at: network.now)
        wire.read()
        let client = HTTPClient(wire)
        #expect(try client.response().body == lines && client.response().status == 400)
        #expect(wire.ending == .closed && network.openCount == 0)
    }

    @Test("A stopping server finishes its answers before it closes")
    func shutdown() throws {
        let network = try Self.network(entries: 80)
        let wire = try Self.ask(network, window: 1000)
        network.beginShutdown()
        #expect(wire.ending == .open)
        wire.read()
        #expect(try HTTPClient(wire).response().body == Self.lines(network))
        #expect(wire.ending == .closed && network.engine.isEmpty)
    }

    @Test("Data kept only for a slow reader counts as held, and exceeding the limit drops readers")
    func memory() throws {
        let network = try Self.network { $0.limits.heldBytes = 2_000_000 }
        let weight = network.engine.defaultWorld.journal.weight
        // The answers only refer to the journal's data, so together they cost nothing extra.
        let readers = try (0..<5).map { _ in try Self.ask(network) }
        func held() -> Int { network.engine.connections.heldBytes }
        #expect(weight > 800_000 && held() < 5 * 400_000 && readers.allSatisfy { $0.ending == .open })
        network.engine.defaultWorld.journal.dropOldest(downTo: weight / 2)
        network.turn()
        #expect(readers.contains { $0.ending == .reset } && readers.contains { $0.ending == .open })
        #expect(held() > 400_000 && held() <= 2_000_000)
        #expect(try network.admin(.delete, "journal").status == 204)
        network.turn()
        let left = readers.filter { $0.ending == .open }
        #expect(!left.isEmpty && held() >= left.count * weight)
        for reader in left { reader.read() }
        #expect(held() == 0)
    }

    @Test("Polling a full journal never drops a reader")
    func pollers() throws {
        let network = try Self.network { $0.limits.heldBytes = 2_000_000 }
        network.motion = .slicesByTurn
        let clients = try (0..<40).map { _ in try network.client() }
        for client in clients { client.wire.send(Request(target: "/__admin/requests?limit=1&path=/nowhere/3").bytes) }
        network.turnUntilIdle()
        for client in clients { #expect(try client.response().status == 200) }
    }

    @Test("An event stream catches up by one slice per turn")
    func events() throws {
        let network = try Self.network()
        network.motion = .slicesByTurn
        var reader = try EventReader(network, lastID: "0")
        let other = try network.client()
        var received = reader.wire.received.count
        let turns = try network.turnUntilIdle { () throws in
            #expect(reader.wire.received.count - received <= network.engine.streams.sliceSize + 8192)
            #expect(network.engine.streams.waiting.count <= 1, "it is listed once")
            received = reader.wire.received.count
            #expect(try other.exchange(Request()).status == 200)
        }
        #expect(turns > 10)
        #expect(reader.take().prefix(200).map(\.id) == (1...200).map { "\($0)" })
    }

    @Test("Event streams with simultaneous entries take turns")
    func followers() throws {
        var readers = try (0..<20).map { _ in try EventReader(network) }
        for index in readers.indices { #expect(readers[index].take().isEmpty) }
        network.motion = .slicesByTurn
        network.engine.streams.sliceSize = 20_000
        let filler = String(repeating: "x", count: 7000)
        _ = try network.exchange(Request(target: "/nowhere?\(filler)"))
        func served() -> Int { readers.count { !$0.wire.received.isEmpty } }
        var before = served()
        let turns = network.turnUntilIdle {
            #expect(network.engine.streams.waiting.count <= readers.count, "each is listed once")
            #expect(served() - before <= 3)
            before = served()
        }
        #expect(turns >= 7)
        for index in readers.indices { #expect(readers[index].take().map(\.id) == ["1"]) }
        // The last events arrive before the end.
        _ = try network.exchange(Request(target: "/nowhere"))
        network.beginShutdown()
        for index in readers.indices {
            #expect(readers[index].take().map(\.id) == ["2"] && readers[index].isFinished)
        }
    }

    @Test("The engine lists a connection once while it reads several journals")
    func readers() throws {
        let network = try Self.network(entries: 20)
        network.motion = .slicesByTurn
        network.engine.streams.sliceSize = 20_000
        let client = try network.client()
        client.wire.send((0..<10).flatMap { _ in Self.journal.bytes })
        #expect(network.engine.streams.journalReaders.count <= 1)
        network.turnUntilIdle { #expect(network.engine.streams.journalReaders.count <= 1) }
        for _ in 0..<10 { #expect(try client.response().status == 200) }
        network.turn()
        #expect(network.engine.streams.journalReaders.isEmpty)
    }

    @Test("The server produces slices while the unread bytes are within the limit")
    func atTheLimit() throws {
        func unsent(limit: Int) throws -> Int {
            let network = try Self.network { $0.limits.unsentBytesBeforeReadingPauses = limit }
            return network.unsent(by: try Self.ask(network))
        }
        let one = try unsent(limit: 1)
        #expect(try unsent(limit: one - 1) == one && unsent(limit: one) > one)
    }

    @Test(
        "The server sends a one-mebibyte answer whole and a longer answer in slices",
        arguments: [(1_048_576, true), (1_048_577, false)])
    func longestWholeBody(size: Int, isWhole: Bool) throws {
        var scenario = try Scenario.read("{name: a, stubs: [{path: /long}]}")
        scenario.stubs[0].body = [UInt8](repeating: 0x78, count: size)
        let network = VirtualNetwork { $0.adopt(scenario) }
        let wire = try network.open(window: 0)
        wire.send(Request(target: "/long").bytes)
        #expect((network.unsent(by: wire) > size) == isWhole)
        wire.read()
        #expect(try HTTPClient(wire).response().body.count == size)
    }

    @Test("A source sends its pieces in order and frees each piece once sent")
    func pieces() {
        let source = BytesSource([[1, 2, 3], [], [4, 5]])
        for (progress, bytes, held) in [(BodyProgress.more, [UInt8](1...4), 2), (.end, [5], 0)] {
            var slice = BodySlice(size: 4, at: VirtualNetwork.start)
            let filled = source.fill(&slice)
            #expect(filled == progress && slice.bytes == bytes && source.heldByteCount == held)
        }
    }

    @Test("A job frees the large remainder of an answer", arguments: [(65_536, 0), (65_537, 1)])
    func leftOver(size: Int, count: Int) throws {
        let engine = network.engine
        engine.startJob = { _ in }
        let connection = try #require(network.connection(of: try network.open()))
        let head = try RequestHead(recorded: Array("GET / HTTP/1.1\r\n".utf8))
        let source = BytesSource([[UInt8](repeating: 7, count: size)])
        engine.begin(source, of: Answer(source), to: head, in: engine.defaultWorld, on: connection)
        engine.endStream(of: connection)
        #expect(engine.jobs.discarded.count == count)
    }

    @Test("The API sends a large body in slices with a Content-Length")
    func largeBody() throws {
        let text = String(repeating: "😀", count: 2000)
        let goal = "{\"title\":\"Run\",\"description\":\"\(text)\",\"targetDate\":\"2030-01-01T00:00:00Z\"}"
        let world = try network.plainWorld()
        for _ in 0..<150 { #expect(try world.exchange(.post, "/api/v1/goals", goal).status == 201) }
        let request = world.request(.get, "/api/v1/goals")
        let whole = try network.exchange(request)
        #expect(whole.body.count > Engine.longestWholeBody)
        #expect(whole.fields[.contentLength] == "\(whole.body.count)" && whole.fields[.transferEncoding] == nil)
        let wire = try network.open(window: 0)
        wire.send(request.bytes + Request().bytes)
        #expect(network.unsent(by: wire) < 400_000 && network.engine.connections.heldBytes > whole.body.count)
        // The stream keeps no reference to a journal.
        #expect(network.engine.streams.journalReaders.isEmpty)
        wire.read()
        let client = HTTPClient(wire)
        #expect(try client.response().body == whole.body && client.response().text == #"{"status":"ok"}"#)
        #expect(try world.journal().last?["response"]?["body_bytes"]?.int == whole.body.count)
    }

    @Test("Judging in slices covers entries that the journal loses between slices")
    func judging() throws {
        let network = VirtualNetwork { $0.mode = .consultationWebSocket }
        let bad = "/api/v1/consultations/ABCDEF00-0000-4000-8000-000000000000"
        let world = try network.world()
        for _ in 0..<100 { _ = try world.exchange(.get, bad) }
        network.motion = .slicesByTurn
        network.engine.streams.sliceSize = 20_000
        let client = try network.client()
        client.wire.send(Request(target: "/__admin/worlds/w1/verdicts").bytes)
        network.turn()
        let engineWorld = try #require(network.engine.worlds["w1"])
        #expect(engineWorld.judge?.isBehind == true && client.wire.received.isEmpty)
        // The journal drops all entries before they are judged.
        engineWorld.journal.dropOldest(downTo: 0)
        for _ in 0..<10 { _ = try world.exchange(.get, bad) }
        network.turnUntilIdle()
        let answer = try #require(try client.response().json)
        let verdict = answer["verdicts"]?.array?.first { $0["id"] == "ids/lowercase" }
        #expect(answer["missed"] == 0 && verdict?["finding_count"]?.int == 110)

        let doomed = try network.world()
        for _ in 0..<100 { _ = try doomed.exchange(.get, bad) }
        client.wire.send(Request(target: "/__admin/worlds/w2/verdicts").bytes)
        network.turn()
        #expect(try network.admin(.delete, "worlds/w2").status == 204)
        network.turnUntilIdle()
        #expect(try client.response().status == 404 && client.exchange(Request()).status == 200)
    }
}
