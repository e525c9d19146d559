import Foundation
import JSON
import Scenarios
import TestSupport
import Testing

@testable import MockServer

@Suite("Admin API: state") struct StateTests {
    private let network = VirtualNetwork()

    /// A world after many operations, and the paths of all its answers.
    private static func lived(_ network: VirtualNetwork) throws -> (world: WorldClient, paths: [String]) {
        let world = try network.world(#"{"scenario":"established-account","clock":"manual","seed":4}"#)
        let id = try world.consultation(#"{"persona":"general_wellness","context_type":"mood"}"#)
        let socket = try world.socket(on: id)
        socket.send(#"{"type":"message","content":"I feel low"}"#)
        try world.advance("20s")
        _ = try world.exchange(.post, "/api/v1/goals", WorldClient.goal.replacing("Run", with: #"Sleep \"more\" 😴"#))
        _ = try world.exchange(.post, "/api/v1/meal-logs/natural", #"{"raw_input":"2 eggs","meal_type":"lunch"}"#)
        try world.advance("30s")
        var paths = ["consultations?page_size=100", "goals", "meal-logs?limit=100"]
        for path in paths {
            let text = try world.exchange(.get, "/api/v1/" + path).text
            for part in text.components(separatedBy: "\"id\":\"").dropFirst() {
                let id = "/" + part.prefix(36)
                paths += ["consultations" + id, "consultations\(id)/messages", "goals" + id, "meal-logs" + id]
            }
        }
        return (world, paths.map { "/api/v1/" + $0 })
    }

    @Test("An exported script keeps its notation and forms a scenario with the state")
    func script() throws {
        let script =
            #""answers":[{"when":{"content":"tea"},"text":"No tea."}],"meals":[{"when":{"text":"egg"},"fail":"Cold."}]"#
        let world = try network.world(#"{"scenario":{"name":"mine","summary":"Few words.",\#(script)}}"#)
        let answer = try world.ask(.get, "script")
        #expect(answer.text == #"{"summary":"Few words.",\#(script)}"#, "\(answer.text)")
        // An import without scripts keeps the current script; an import with scripts replaces it.
        let state = try world.ask(.get, "state").text
        #expect(try world.ask(.put, "state", state).status == 200 && world.ask(.get, "script").text == answer.text)
        let again = state.dropLast(state.hasSuffix("\n") ? 2 : 1) + #","answers":[{"text":"Nothing."}]}"#
        #expect(try world.ask(.put, "state", String(again)).status == 200)
        let other = try world.ask(.get, "script")
        #expect(other.json?["answers"]?[0]?["text"] == "Nothing." && other.json?["meals"] == nil, "\(other.text)")
        #expect(try network.world().ask(.get, "script").json?["answers"] == nil)
    }

    @Test("A job writes a long script")
    func longScript() throws {
        let script = #""answers":[{"text":"\#(String(repeating: "a", count: 100_000))"}]"#
        let world = try network.world(#"{"scenario":{"name":"mine",\#(script)}}"#)
        let jobs = HeldJobs(network)
        let client = try world.send(.get, "script")
        #expect(jobs.count == 1 && client.wire.received.isEmpty)
        try jobs.runAll()
        #expect(try client.response().text == "{\(script)}")
    }

    @Test("A built-in scenario's script equals its file")
    func builtIn() throws {
        let answer = try network.admin(.get, "scenarios/conflict")
        #expect(answer.json?["name"] == "conflict", "\(answer.text)")
        let text = try #require(answer.json?["text"]?.string)
        #expect(try Scenario.read(text) == Scenario.builtIn(named: "conflict"))
        let missing = try network.admin(.get, "scenarios/conflit")
        #expect(missing.status == 404 && missing.text.contains("Did you mean 'conflict'?"), "\(missing.text)")
    }

    @Test("After export and import, a world sends the same bytes and exports the same state")
    func roundTrip() throws {
        let (world, paths) = try Self.lived(network)
        #expect(paths.count > 20)
        let state = try world.ask(.get, "state")
        let other = try network.world(#"{"scenario":"slow-coach"}"#)
        let answer = try other.ask(.put, "state", state.text)
        #expect(answer.status == 200 && answer.json?["clock"] == "manual", "\(answer.text)")
        #expect(try answer.json?["seed"] == "4" && other.ask(.get, "state").body == state.body)
        let theirs = try other.token(of: try #require(try world.ask(.post, "tokens").json?["user"]?.string))
        for path in paths {
            let (one, two) = (try world.exchange(.get, path), try other.exchange(.get, path, token: theirs))
            #expect(one.status == two.status && Self.plain(one, world) == Self.plain(two, other), "\(path)")
        }
        // Future events are also the same.
        for client in [world, other] { try client.advance("5s") }
        let made = try [(world, world.token), (other, theirs)].map {
            try $0.0.exchange(.post, "/api/v1/goals", WorldClient.goal, token: $0.1).text
        }
        #expect(made[0] == made[1])
    }

    /// The text without the prefix of the avatar's URL.
    private static func plain(_ response: Response, _ world: WorldClient) -> String {
        response.text.replacingOccurrences(of: world.prefix + "/", with: "/w/x/")
    }

    @Test(
        "A failed import leaves the world unchanged",
        arguments: [
            ("", "empty"), ("{", "not valid JSON"), ("[]", "scenario"), ("{}", "name"),
            (#"{"name":"a","users":[{"id":"a"},{"id":"a"}]}"#, "users[1]"),
            (#"{"name":"a","users":[{"id":"a","consultations":[{"persona":"nobody"}]}]}"#, "persona"),
        ])
    func failed(_ body: String, _ fragment: String) throws {
        let (world, _) = try Self.lived(network)
        let socket = try world.socket(
            on: try world.consultation(#"{"persona":"fitness_coach","context_type":"journal"}"#))
        func seen() throws -> [String] { try ["state", "journal"].map { try world.ask(.get, $0).text } }
        let before = try seen()
        let response = try world.ask(.put, "state", body.isEmpty ? nil : body)
        #expect(response.status == 400 && response.message.contains(fragment), "\(response.message)")
        #expect(try seen() == before && socket.closeCode == nil)
    }

    @Test("An import closes sockets with 1001, clears the journal and sets the state for later resets")
    func imported() throws {
        let world = try VirtualNetwork().world(#"{"scenario":"nanosecond-timestamps"}"#)
        let socket = try world.socket(on: try world.consultation())
        #expect(try world.ask(.post, "faults", #"{"name":"f","on":"any","status":503}"#).status == 201)
        let faults = try world.ask(.get, "faults").text
        let state = #"{"name":"b","users":[{"id":"ada","goals":[{"title":"Run"}]}]}"#
        #expect(try world.ask(.put, "state", state).json?["goals"]?.int == 1)
        #expect(socket.closeCode == .goingAway && socket.closeReason == "The world's state was replaced")
        #expect(try world.journal().isEmpty && world.ask(.get, "faults").text == faults)
        #expect(try world.ask(.post, "reset").json?["goals"]?.int == 1)
        let withFaults = #"{"name":"b","faults":[{"name":"g","on":"any","hang":true}]}"#
        #expect(try world.ask(.put, "state", withFaults).status == 200)
        #expect(try world.ask(.get, "faults").json?["faults"]?.array?.map { $0["name"]?.string } == ["g"])
    }

    @Test(
        "Only a permitted PUT of a state may exceed the usual body limit, up to its own limit",
        arguments: [false, true])
    func large(_ isChunked: Bool) throws {
        let network = VirtualNetwork { $0.limits.stateBody = 3 << 20 }
        func put(_ size: Int, _ path: String, method: String = "PUT", field: String = "X: y") throws -> Response {
            let state = Array(#"{"name":"large"}"#.utf8)
            let body = state + [UInt8](repeating: 0x20, count: size - state.count)
            let length = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(body.count)"
            let lines = [
                "\(method) \(path) HTTP/1.1", "Host: localhost", "Content-Type: application/json", field, length,
            ]
            let head = lines.joined(separator: "\r\n") + "\r\n\r\n"
            let client = try network.client()
            client.wire.send(Array(head.utf8) + (isChunked ? body.chunked(inPiecesOf: 1 << 16) : body))
            return try client.response()
        }
        let (mebibyte, limit, page) = (1 << 20, 3 << 20, "Origin: http://example.com")
        #expect(try put(limit, "/__admin/state").status == 200)
        #expect(try put(limit, "/__admin/worlds/default/state").status == 200)
        let refused = try put(limit + 1, "/__admin/state")
        #expect(refused.status == 413 && refused.message.contains("\(limit)"), "\(refused.message)")
        #expect(try put(mebibyte + 1, "/__admin/state", field: page).status == 413)
        #expect(try put(mebibyte, "/__admin/state", field: page).status == 403)
        #expect(try put(mebibyte + 1, "/__admin/reset", method: "POST").status == 413)
        for path in ["/__admin/clock", "/api/v1/goals"] {
            #expect(try put(mebibyte + 1, path).status == 413, "\(path)")
        }
        #expect(ServerLimits().stateBody == 320 << 20)
    }

    @Test("The request after a state upload has the usual body limit")
    func afterwards() throws {
        let client = try network.client()
        func large(_ request: Request, _ json: String) -> Request {
            var request = request.with("Expect: 100-continue").json(json)
            request.body? += [UInt8](repeating: 0x20, count: 2 << 20)
            return request
        }
        let response = try client.exchange(large(Request(method: .put, target: "/__admin/state"), #"{"name":"a"}"#))
        #expect(response.status == 200 && response.interim == [100])
        let goal = large(.authorized(.post, "/api/v1/goals"), "{}")
        client.wire.send(goal.head)
        let refused = try client.response(to: goal)
        #expect(refused.status == 413 && refused.interim.isEmpty)
    }

    @Test("The limit on held bytes also applies to states")
    func held() throws {
        let network = VirtualNetwork { $0.limits.heldBytes = 2 << 20 }
        let wire = try network.open()
        wire.send("PUT /__admin/state HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8000000\r\n\r\n")
        wire.send([UInt8](repeating: 0x20, count: 3 << 20))
        #expect(wire.received.starts(with: "HTTP/1.1 503".utf8))
    }
}
