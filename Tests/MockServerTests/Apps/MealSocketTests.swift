import FitIQAPI
import JSON
import Replay
import Scenarios
import TestSupport
import Testing
import Traffic

@testable import MockServer

@Suite("The meal socket on the wire") struct MealSocketTests {
    private let network = VirtualNetwork()

    private static let path = "/ws/meal-logs"
    private static let token = Request.token(for: TestUser.anna)
    private static let meal = #"{"raw_input":"2 eggs","meal_type":"lunch"}"#

    private static func handshake(_ path: String = path, token: String = token) -> Request {
        .handshake(path + "?token=" + token)
    }

    private func socket(_ network: VirtualNetwork) throws -> VirtualSocket {
        try network.client().upgrade(Self.handshake())
    }

    private func logMeal(_ network: VirtualNetwork) throws {
        #expect(try network.call(.post, "meal-logs/natural", Self.meal).status == 201)
    }

    @Test("A token in the query or the headers opens the socket, and the socket then receives meals")
    func opens() throws {
        let ben = try network.client().upgrade(.handshake(Self.path, as: TestUser.ben))
        let anna = try socket(network)
        #expect(ben.takeFrames().first?["user_id"]?.string == TestUser.ben)
        #expect(anna.takeFrames().map { $0["type"] } == ["connected"])
        try logMeal(network)
        anna.send(#"{"type":"ping"}"#)
        anna.send("nonsense")
        #expect(anna.takeTypes() == ["meal_log.completed", "pong", "error"])
        #expect(ben.takeTypes().isEmpty)
        #expect(try socket(network).takeTypes() == ["connected"])
        #expect(anna.takeTypes().first == "error" && anna.closeCode?.rawValue == 1008)
        #expect(network.engine.defaultWorld.openSocketCount == 2)
    }

    @Test("The meal socket rejects bad handshakes in the same way as a consultation's socket")
    func refusals() throws {
        let plain = Request(method: .get, target: Self.path)
        for (request, status) in [
            (plain, 401), (plain.with(Request.bearer(Self.token)).with(Request.apiKey), 426),
            (Self.handshake(token: "x"), 401), (.handshake(Self.path).with(Request.bearer(Self.token)), 401),
            (Request(method: .post, target: Self.path), 405), (Request(method: .head, target: Self.path), 405),
        ] {
            #expect(try network.exchange(request).status == status, "\(request) \(request.fields)")
        }
        #expect(try network.exchange(.handshake("/api/v1" + Self.path)).message.contains("arrive at /ws/meal-logs"))
        for mode in GuideMode.guides {
            let answer = try VirtualNetwork(mode).exchange(Self.handshake())
            #expect(answer.status == 404 && answer.message.contains("each consultation has a socket of its own"))
            #expect(!answer.message.contains(Self.path))
        }
    }

    @Test("The socket's limits follow the world's clock, and control pings keep it open")
    func limits() throws {
        for _ in 1...10 { try socket(network).close() }
        let refused = try socket(network)
        #expect(refused.takeTypes().first == "error" && refused.closeCode?.rawValue == 1008)
        network.advance(by: .seconds(60))
        let kept = try socket(network)
        network.advance(by: .seconds(599))
        kept.ping("")
        network.advance(by: .seconds(599))
        #expect(kept.closeCode == nil)
        network.advance(by: .seconds(1))
        #expect(kept.closeCode == .normalClosure && network.engine.defaultWorld.openSocketCount == 0)
    }

    @Test("The meal socket ignores faults for consultation sockets")
    func faults() throws {
        let network = try VirtualNetwork.serving(
            """
            name: faults
            faults:
              - {name: chat, on: "socket /api/v1/consultations/{id}/ws", close: {code: 4001}}
              - {name: shake, on: handshake /ws/meal-logs, connections: 2, status: 503}
              - {name: lost, on: socket /ws/meal-logs, at: {type: meal_log.completed, n: 1}, lose: true}
              - {name: all, on: socket, at: {type: pong}, double: true}
            """)
        let chat = try network.socket(on: try network.consultation())
        #expect(chat.closeCode?.rawValue == 4001)
        let meals = try socket(network)
        #expect(try network.exchange(Self.handshake()).status == 503)
        for _ in 1...2 { try logMeal(network) }
        meals.send(#"{"type":"ping"}"#)
        #expect(meals.takeTypes() == ["connected", "meal_log.completed", "pong", "pong"])
        let written = try network.admin(.get, "faults").text
        for place in ["socket", "handshake"] { #expect(written.contains(#""on":"\#(place) /ws/meal-logs""#)) }
    }

    @Test("The journal names the meal socket and suggests it for a similar path")
    func journal() throws {
        let socket = try socket(network)
        socket.send(#"{"type":"ping"}"#)
        socket.close()
        _ = try network.exchange(Self.handshake("/ws/meal-log"))
        let entries: [JSONValue] = try network.admin(.get, "requests?order=asc").json?["entries"]?.array ?? []
        let opened = entries.first { $0["kind"] == "opened" }
        #expect(opened?["endpoint"] == "openMealSocket" && opened?["user"]?.string == TestUser.anna)
        let missed = try #require(entries.last { $0["kind"] == "exchange" })
        #expect("\(missed)".contains("openMealSocket"))
        #expect(try network.admin(.get, "requests?endpoint=openMealSocket").json?["entries"]?.array?.isEmpty == false)
    }

    @Test("A world under /w/{id} has its own socket, with its own token")
    func worlds() throws {
        let world = try network.world()
        let inWorld = try network.client().upgrade(Self.handshake(world.prefix + Self.path, token: world.token))
        let outside = try socket(network)
        _ = (inWorld.takeTypes(), outside.takeTypes())
        #expect(try world.exchange(.post, "/api/v1/meal-logs/natural", Self.meal).status == 201)
        network.advance(by: .seconds(6))
        #expect(inWorld.takeTypes() == ["meal_log.completed"] && outside.takeTypes().isEmpty)
        #expect(try network.admin(.delete, "worlds/\(world.id)").status == 204)
        #expect(inWorld.closeCode == .goingAway && outside.closeCode == nil)
    }

    @Test("A recorded meal socket replays from a journal and from a HAR file")
    func replay() throws {
        let network = VirtualNetwork { $0.pace = .human }
        var settings = SessionRecorder.Settings(creatorVersion: "test")
        settings.excludedPaths = ["/__admin"]
        let recorder = SessionRecorder(settings: settings)
        network.recorder = recorder
        func play(_ network: VirtualNetwork) throws -> [String] {
            let socket = try socket(network)
            try logMeal(network)
            network.advance(by: .seconds(6))
            socket.send(#"{"type":"ping"}"#)
            network.advance(by: .seconds(1))
            defer { socket.close() }
            return socket.takeTypes()
        }
        #expect(try play(network) == ["connected", "meal_log.completed", "pong"])
        let recording = try SessionReplay.Recording(readingHAR: recorder.file(at: network.now))
        #expect(recording.notes == [])
        var scenario = try Scenario.read("{name: take}")
        scenario.replay = SessionReplay(.plan(recording.plan), settings: ReplaySettings())
        let player = VirtualNetwork {
            $0.scenario = scenario
            $0.pace = .human
        }
        #expect(try play(player) == ["connected", "meal_log.completed", "pong"])
    }
}
