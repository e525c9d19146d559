import FitIQAPI
import JSON
import MockServer
import Scenarios
import Testing

@testable import ContractSuite
@testable import FitIQClient

/// An engine with one world on a manual clock, in a network of arrays.
struct VirtualWorld {
    static let start = Timestamp(secondsSinceEpoch: 1_738_146_600)

    let network: VirtualNetwork
    let access: Engine.WorldAccess

    init(_ scenario: Scenario, guide: GuideMode) throws {
        network = try Self.emptyNetwork()
        access = try network.engine.makeWorld(scenario, guide: guide, clock: .manual, at: Self.start)
    }

    init() throws { try self.init(#require(Scenario.builtIn(named: "default")), guide: .union) }

    static func emptyNetwork() throws -> VirtualNetwork {
        VirtualNetwork(try Engine(Engine.Configuration(), now: start), now: start)
    }

    var journal: String { String(decoding: network.engine.journalLines(ofWorld: access.id), as: UTF8.self) }

    /// Moves the world and its clients on; everything that is due happens at its own time.
    func carry(_ clients: [ReferenceClient], by seconds: Int64) {
        guard let start = network.engine.time(ofWorld: access.id) else { return }
        let end = start.advanced(byNanoseconds: seconds * 1_000_000_000)
        var now = start
        while true {
            var due = clients.compactMap { $0.settle(at: now) }
            // One client's actions may affect another.
            due += clients.compactMap { $0.settle(at: now) }
            if let next = network.engine.nextDue(ofWorld: access.id, at: network.now) { due.append(next) }
            guard now < end else { return }
            now = min(end, due.filter { $0 > now }.min() ?? end)
            network.engine.advanceWorld(access.id, to: now, at: network.now)
        }
    }

    var surroundings: Surroundings {
        Surroundings(
            url: access.url, webSocketURL: access.webSocketURL, token: access.token, freshToken: access.freshToken,
            apiKey: access.apiKey, guide: access.mode, now: access.now)
    }

    func join(seed: UInt64 = 1) throws -> VirtualNetwork.Endpoint {
        network.join(ClientWire(base: try BaseURL(access.url), seed: seed))
    }

    /// A request with the credentials for this world.
    func request(_ number: Int, _ target: String, body: String? = nil) -> ClientRequest {
        var fields = Credentials(token: access.token, apiKey: access.apiKey).fields
        if body != nil { fields[.contentType] = "application/json" }
        return ClientRequest(
            number: number, method: body == nil ? .get : .post, target: target, fields: fields,
            body: body.map { Array($0.utf8) })
    }
}

@Suite("A network of byte arrays")
struct VirtualNetworkTests {
    private func answers(_ inputs: [ClientInput]) -> [(number: Int, status: Int, body: JSONValue?)] {
        inputs.compactMap {
            guard case .response(let answer) = $0 else { return nil }
            return (answer.number, answer.status, try? JSON.parse(answer.body))
        }
    }

    @Test("Each of two clients gets its own answer")
    func requests() throws {
        let world = try VirtualWorld()
        let (anna, ben) = (try world.join(), try world.join(seed: 2))
        anna.wire.perform(.send(world.request(1, "/api/v1/consultations", body: #"{"persona":"nutritionist"}"#)))
        ben.wire.perform(.send(world.request(1, "/api/v1/consultations")))
        #expect(world.network.settle())
        let created = answers(anna.wire.takeInputs())
        #expect(created.map(\.number) == [1] && created.map(\.status) == [201])
        #expect(answers(ben.wire.takeInputs()).map(\.status) == [200])
        #expect(anna.wire.openConnections.isEmpty && ben.wire.openConnections.isEmpty)
        #expect(!world.network.settle())
    }

    /// A client that asked a question on socket 2, and received the frames that arrived immediately.
    private func chat(in world: VirtualWorld) throws -> VirtualNetwork.Endpoint {
        let client = try world.join()
        client.wire.perform(.send(world.request(1, "/api/v1/consultations", body: #"{"persona":"nutritionist"}"#)))
        world.network.settle()
        let body = try #require(answers(client.wire.takeInputs()).first?.body)
        let id = try #require((body["data"]?["id"] ?? body["data"]?["consultation"]?["id"])?.string)
        let request = world.request(2, "/api/v1/consultations/\(id)/ws")
        client.wire.perform(.openSocket(ClientSocketRequest(number: 2, target: request.target, fields: request.fields)))
        world.network.settle()
        client.wire.perform(.sendText(socket: 2, Array(#"{"type":"message","content":"Hello"}"#.utf8)))
        world.network.settle()
        _ = client.wire.takeInputs()
        return client
    }

    @Test("A socket streams on the world's clock until the server sees it close")
    func socket() throws {
        let world = try VirtualWorld()
        let client = try chat(in: world)
        let engine = world.network.engine
        var texts = 0
        while let due = engine.nextDue(ofWorld: world.access.id, at: world.network.now),
            due < world.access.now.advanced(byNanoseconds: 60_000_000_000)
        {
            engine.advanceWorld(world.access.id, to: due, at: world.network.now)
            world.network.settle()
            texts += client.wire.takeInputs().count
        }
        #expect(texts > 3)
        client.wire.perform(.closeSocket(socket: 2, .normalClosure))
        world.network.settle()
        let last = client.wire.takeInputs().last
        let end: ClientSocketEnd? = if case .socketClosed(let end)? = last { end } else { nil }
        #expect(end?.isOwn == true && end?.code == .normalClosure, "\(String(describing: last))")
        #expect(world.journal.contains(#""by":"client""#), "\(world.journal.suffix(600))")
    }

    @Test("The server notices a client that disconnects without closing")
    func abandoned() throws {
        let world = try VirtualWorld()
        // The echo socket belongs to the process, not to a world.
        let client = world.network.join(ClientWire(base: try BaseURL("http://127.0.0.1:8080"), seed: 1))
        let request = world.request(1, "/__admin/echo")
        client.wire.perform(.openSocket(ClientSocketRequest(number: 1, target: request.target, fields: request.fields)))
        world.network.settle()
        #expect(client.wire.openConnections == [1])
        client.wire.perform(.dropSocket(socket: 1))
        #expect(world.network.settle())
        #expect(client.wire.takeInputs().count <= 1)
        #expect(!world.network.settle())
    }

    @Test("A request sent in many pieces arrives complete")
    func pieces() throws {
        let world = try VirtualWorld()
        let client = try world.join()
        let text = String(repeating: "a", count: 100_000)
        client.wire.perform(.send(world.request(1, "/api/v1/goals", body: #"{"title":"\#(text)"}"#)))
        world.network.settle()
        #expect(answers(client.wire.takeInputs()).map(\.number) == [1])
    }

    @Test("Frames that an engine call triggers arrive immediately")
    func asked() async throws {
        let world = try VirtualWorld()
        let client = try chat(in: world)
        let (name, end) = (world.access.id, world.access.now.advanced(byNanoseconds: 60_000_000_000))
        try await world.network.perform { engine, now in engine.advanceWorld(name, to: end, at: now) }
        #expect(client.wire.takeInputs().count > 3)
    }

    @Test("The client notices immediately when the server has finished sending")
    func finished() async throws {
        let place = FaultPoint.Place.after(.webSocket, connection: 1, type: "connected", 1)
        let entries = try await Schedule("end-finish", at: place).play().entries
        let end = try #require(entries.first { $0.event.kind == .closed })
        let next = try #require(entries.first { $0.number > end.number && $0.event.request?.endpoint == .webSocket })
        let begin = try #require(next.event.request?.requestedAt)
        #expect(begin <= end.time.advanced(byNanoseconds: 5_000_000_000))
    }
}
