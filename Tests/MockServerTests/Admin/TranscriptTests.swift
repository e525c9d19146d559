import HTTPTypes
import JSON
import TestSupport
import Testing

@testable import MockServer

@Suite("Same scenario, seed and inputs: the same transcript") struct TranscriptTests {
    /// Everything in a session that clients can see.
    struct Transcript: Equatable {
        /// The exact bytes that each connection received, and how it ended.
        var connections: [[UInt8]] = []
        var endings: [VirtualClient.Ending] = []
        var journal = ""
        var state = ""
        var clock = ""

        /// The journal without clock moves and therefore without entry numbers.
        func eventsWithoutClock() throws -> [JSONValue] {
            try journal.split(separator: "\n").map { try JSON.parse(String($0)) }
                .filter { $0["kind"]?.string != "clock" }
                .map { entry in
                    var object = entry.object ?? [:]
                    object["number"] = nil
                    return .object(object)
                }
        }
    }

    static let scenario = #"""
        {"name": "everything", "token_lifetime": "70s", "pauses": {"thinking": "2s"},
         "users": [{"id": "ada", "goals": [{"title": "Run 5 km"}], "meal_logs": [{"text": "soup", "meal_type": "lunch", "status": "processing"}]}],
         "answers": [
           {"when": {"content": "protein"}, "text": "About 1.6 g per kg of body weight, spread over the day.",
            "timing": {"first_chunk": "500ms", "chunks_per_second": 3, "jitter": {"log_normal": 0.4}}, "tokens_used": 12},
           {"when": {"content": "/goal|plan/"},
            "steps": [{"text": "Let me think."}, {"pause": "thinking"}, {"template_created": {"type": "goal", "id": "1", "name": "Run"}},
              {"burst": ["a ", "b ", "c"]}, "another_answer", {"chunk": "Done.", "after": "1s"}]}],
         "meals": [{"when": {"text": "pizza"}, "after": "3s", "fail": "No pizza."}],
         "faults": [
           {"name": "flaky", "on": "GET /api/v1/goals", "requests": {"from": 1, "every": 2, "per_mille": 700}, "status": 503},
           {"name": "slow", "on": "GET /api/v1/consultations", "dribble": {"bytes": 100, "every": "700ms"}},
           {"name": "late", "on": "GET /api/v1/meal-logs", "delay": "4s"},
           {"name": "cut", "on": "GET /api/v1/meal-logs/{id}", "truncate": {"after": 40}},
           {"name": "quota", "on": "any", "quota": {"requests": 9, "per": "30s"}},
           {"name": "handshake", "on": "handshake", "connections": 2, "delay": "1500ms"},
           {"name": "double", "on": "socket", "at": {"chunk": {"from": 2, "every": 3}}, "double": true},
           {"name": "fragments", "on": "socket", "at": {"frame": 5}, "fragments": [7, 30]},
           {"name": "stutter", "on": "socket", "at": {"frame": 6}, "dribble": {"bytes": 20, "every": "300ms"}},
           {"name": "nanoseconds", "on": "socket", "at": {"type": "stream_complete"}, "nanosecond_timestamps": true}]}
        """#

    /// Plays a long session of REST, meals and sockets in its own world.
    ///
    /// - Parameter step: The milliseconds of each clock move; nil to make each move as long as possible.
    static func session(seed: Int = 7, step: Int? = nil, closes: Bool = false) throws -> Transcript {
        let network = VirtualNetwork { $0.pace = .human }
        let world = try network.world("{\"scenario\":\(scenario),\"seed\":\(seed),\"clock\":\"manual\"}")
        var wires: [VirtualClient] = []
        func client() throws -> HTTPClient<VirtualClient> {
            let client = try network.client()
            wires.append(client.wire)
            return client
        }
        func pass(_ seconds: Int) throws {
            let step = step ?? seconds * 1000
            for _ in 0..<(seconds * 1000 / step) { try world.advance("\(step)ms") }
        }
        func send(_ method: HTTPRequest.Method, _ path: String, _ json: String? = nil) throws {
            try client().wire.send(world.request(method, "/api/v1/" + path, json).bytes)
        }
        if closes {
            let rule = #"{"name":"close","on":"socket","connections":1,"at":{"chunk":4,"answer":2},"close":1011}"#
            #expect(try world.ask(.post, "faults", rule).status == 201)
        }
        for persona in ["nutritionist", "fitness_coach"] {
            let create = world.request(.post, "/api/v1/consultations", "{\"persona\":\"\(persona)\"}")
            let id = try #require(try client().exchange(create).json?["data"]?["id"]?.string)
            let opener = try client()
            opener.wire.send(world.handshake(on: id).bytes)
            try pass(2)
            let socket = try opener.acceptUpgrade(world.handshake(on: id))
            for content in ["How much protein?", "Make a plan", "Something else"] {
                socket.send("{\"type\":\"message\",\"content\":\"\(content)\"}")
            }
            socket.send(#"{"type":"ping"}"#)
            try send(.post, "meal-logs/natural", #"{"raw_input":"2 eggs and toast","meal_type":"lunch"}"#)
            try send(.post, "meal-logs/natural", #"{"raw_input":"pizza","meal_type":"dinner"}"#)
            for path in ["goals", "goals", "consultations", "meal-logs", "consultations/\(id)/messages", "nowhere"] {
                try send(.get, path)
            }
            try pass(26)
            socket.update()
            try pass(2)
            socket.send(#"{"type":"user_message","content":"How much protein?"}"#)
            try pass(4)
        }
        // The token has expired by now.
        try pass(26)
        try send(.get, "goals")
        let texts = try ["journal", "state", "clock"].map { try world.ask(.get, $0).text }
        return Transcript(
            connections: wires.map(\.received), endings: wires.map(\.ending), journal: texts[0], state: texts[1],
            clock: texts[2])
    }

    @Test("Two runs produce the same bytes", arguments: [nil, 1000], [false, true])
    func twice(_ step: Int?, _ closes: Bool) throws {
        let (one, two) = (try Self.session(step: step, closes: closes), try Self.session(step: step, closes: closes))
        #expect(one == two)
        #expect(one.connections.count > 20 && one.connections.allSatisfy { !$0.isEmpty })
        #expect(one.journal.contains("\"clock\"") && one.journal.contains("\"stutter\"") && one.journal.contains("401"))
    }

    @Test("Activity in other worlds does not change a world's journal")
    func amongOthers() throws {
        func journal(_ others: Int) throws -> String {
            let network = VirtualNetwork()
            let world = try network.world(#"{"clock":"manual"}"#)
            for _ in 0..<others { _ = try network.world(#"{"clock":"manual"}"#).consultation() }
            let socket = try world.socket(on: try world.consultation())
            socket.send(#"{"type":"ping"}"#)
            for _ in 0..<others { _ = try network.exchange(.authorized(.get, "/api/v1/goals")) }
            socket.close()
            return try world.ask(.get, "journal").text
        }
        #expect(try journal(0) == (try journal(5)))
    }

    @Test("A different seed produces a different transcript")
    func anotherSeed() throws {
        #expect(try Self.session(seed: 7).connections != (try Self.session(seed: 8)).connections)
    }

    @Test("Smaller or larger clock steps produce the same events at the same times", arguments: [2000, 1000, 250, 40])
    func otherSteps(_ step: Int) throws {
        let (one, other) = (try Self.session(), try Self.session(step: step))
        #expect(one.connections == other.connections && one.state == other.state && one.clock == other.clock)
        let (mine, theirs) = (try one.eventsWithoutClock(), try other.eventsWithoutClock())
        #expect(mine.count == theirs.count)
        if let (left, right) = zip(mine, theirs).first(where: { $0 != $1 }) {
            Issue.record("expected \(left)\nactual   \(right)")
        }
    }
}
