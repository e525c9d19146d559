import FitIQAPI
import JSON
import Scenarios
import TestSupport
import Testing

@testable import MockServer

@Suite("The apps' consultations over HTTP") struct ChatEndpointTests {
    private static let unknown = "00000000-0000-4000-8000-000000000000"
    private static let operations: [(endpoint: Endpoint, body: String)] = [
        (.updateConsultation, #"{"title":"T"}"#), (.completeConsultation, ""), (.sendMessage, #"{"content":"Hi"}"#),
        (.suggestConsultationGoals, ""),
    ]

    private static func request(
        _ endpoint: Endpoint, _ id: String, _ body: String, as user: String = TestUser.anna
    ) -> Request {
        let request = Request.authorized(endpoint.method, endpoint.template.replacing("{id}", with: id), as: user)
        return body.isEmpty ? request : request.json(body)
    }

    private static func plain(
        _ endpoint: Endpoint, _ id: String, _ text: String, as user: String = TestUser.anna
    ) -> Request {
        var request = request(endpoint, id, "", as: user).with("Content-Type: text/plain")
        request.body = Array(text.utf8)
        return request
    }

    private static func network(_ scenario: String = "seed: 1") throws -> VirtualNetwork {
        try .serving("{name: a, \(scenario)}") { $0.pace = .human }
    }

    @Test("Each operation needs credentials and accepts only the user's own ids")
    func access() throws {
        for (endpoint, body) in Self.operations {
            let network = VirtualNetwork()
            let id = try network.consultation()
            var anonymous = Self.request(endpoint, id, "")
            anonymous.fields = []
            #expect(try network.exchange(anonymous).status == 401)
            let before = try network.call(.get, "consultations/\(id)").body
            for (id, user) in [
                (id, TestUser.ben), (id.uppercased(), TestUser.anna), (Self.unknown, TestUser.anna), ("x", "anna"),
            ] {
                // The server looks up the id before it reads the body.
                for request in [Self.request(endpoint, id, body, as: user), Self.plain(endpoint, id, "?", as: user)] {
                    #expect(try network.exchange(request).status == 404, "\(endpoint) \(id)")
                }
            }
            #expect(try network.call(.get, "consultations/\(id)").body == before)
            #expect(try network.exchange(Self.plain(endpoint, id, "{}")).status == 415)
            #expect(try network.exchange(Self.request(endpoint, id, body)).status / 100 == 2)
        }
    }

    @Test("The answer to an initial message streams over the socket")
    func initialMessage() throws {
        let network = try Self.network()
        let created = try network.call(
            .post, "consultations", #"{"persona":"nutritionist","initial_message":"What about lunch?"}"#)
        #expect(created.status == 201 && created.json?["data"]?["message_count"] == 1)
        let id = try #require(created.json?["consultation_id"]?.string)
        let socket = try network.socket(on: id)
        network.advance(by: .seconds(10))
        let frames = socket.takeFrames()
        #expect(frames.first?.values(of: "type", "user_id") == ["connected", .string(TestUser.anna)])
        #expect(frames.last?["type"] == "stream_complete")
        let metadata = try #require(frames.last?["metadata"])
        #expect(metadata.object?.keys == ["tokens_used", "processing_time_ms"])
        #expect((300...4000).contains(metadata["processing_time_ms"]?.int ?? 0))
        socket.send(#"{"type":"message","conversationId":"\#(id)","content":"Hi","metadata":{"a":[1]}}"#)
        network.advance(by: .seconds(10))
        #expect(socket.takeTypes().last == "stream_complete")

        let messages = try #require(
            try network.call(.get, "consultations/\(id)/messages").json?["data"]?["messages"]?.array)
        #expect(messages.count == 4 && messages[0]["metadata"] == nil)
        let names = ["tokens_used", "persona", "tokens", "processing_time_ms", "is_streaming"]
        #expect(messages[1]["metadata"]?.object?.keys == names)
    }

    @Test("A message over REST is answered on the open socket, or else in the response")
    func messages() throws {
        let network = try Self.network()
        let id = try network.consultation()
        let ask = Self.request(.sendMessage, id, #"{"content":"What about lunch?","id":"x","role":"assistant"}"#)
        let whole = try network.exchange(ask)
        #expect(whole.status == 201)
        let data = try #require(whole.json?["data"])
        #expect(data["user_message"]?["role"] == "user" && data["user_message"]?["id"] != "x")
        #expect(data["assistant_message"]?["content"]?.string?.hasPrefix("A lunch that holds") == true)
        let socket = try network.socket(on: id)
        #expect(try network.exchange(ask).json?["data"]?["assistant_message"] == JSONValue.null)
        network.advance(by: .seconds(10))
        #expect(socket.takeTypes().last == "stream_complete")
        _ = try network.exchange(Self.request(.completeConsultation, id, ""))
        #expect(socket.takeTypes().first == "error" && socket.closeCode == .normalClosure)
        let refused = try network.exchange(ask)
        #expect(refused.status == 400 && refused.errorCode == "CONSULTATION_NOT_ACTIVE")
        #expect(try network.exchange(Self.request(.sendMessage, id, #"{"content":" "}"#)).status == 400)
    }

    @Test("A PATCH ignores members that a client cannot set")
    func massAssignment() throws {
        let network = try Self.network()
        let id = try network.consultation()
        let body = """
            {"id":"\(Self.unknown)","user_id":"ben","created_at":"2000-01-01T00:00:00Z","message_count":9,
            "status":"completed","completed_at":"2000-01-01T00:00:00Z","goal_id":"x","context_type":"mood"}
            """
        let before = try network.call(.get, "consultations/\(id)").body
        let answer = try network.exchange(Self.request(.updateConsultation, id, body))
        #expect(answer.status == 200 && answer.body == before)
    }

    @Test("An export keeps per_topic, waiting questions and the apps' data")
    func export() throws {
        let network = try Self.network("clock: manual, consultations: {per_topic: many}")
        func create(_ more: String = "") throws -> Response {
            try network.call(.post, "consultations", #"{"persona":"nutritionist"\#(more)}"#)
        }
        let ids = try [#","initial_message":"Hello""#, "", "", ""].map { more in
            try #require(try create(more).json?["consultation_id"]?.string)
        }
        for (endpoint, id, body) in [
            (.sendMessage, ids[1], #"{"content":"\#(String(repeating: "a", count: 5000))"}"#),
            (.completeConsultation, ids[2], ""), (.updateConsultation, ids[3], #"{"persona":"fitness_coach"}"#),
        ] as [(Endpoint, String, String)] {
            _ = try network.exchange(Self.request(endpoint, id, body))
        }
        #expect(try network.admin(.get, "state").json?["consultations"]?["per_topic"] == "many")
        let copy = try network.copied(to: Self.network())
        for path in ids.flatMap({ ["consultations/\($0)", "consultations/\($0)/messages"] }) {
            #expect(try copy.call(.get, path).body == network.call(.get, path).body)
        }
        for _ in 0..<7 { #expect(try create().status == 201) }
        #expect(try create().status == 429)
    }

    @Test("A scenario that repeats a topic must set per_topic to many")
    func scenario() throws {
        let twice = "users: [{consultations: [{persona: nutritionist}, {persona: nutritionist}]}]"
        for refused in [twice, "consultations: {per_topic: one}, " + twice, "consultations: {per_topic: some}"] {
            #expect(throws: ScenarioErrors.self, "\(refused)") { try Self.network(refused) }
        }
        _ = try Self.network("consultations: {per_topic: many}, " + twice)
    }
}
