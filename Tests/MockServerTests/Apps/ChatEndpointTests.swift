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

    private static func path(_ endpoint: Endpoint, _ id: String) -> String {
        endpoint.template.replacing("{id}", with: id)
    }

    private static func request(
        _ endpoint: Endpoint, _ id: String, _ body: String, as user: String = TestUser.anna
    ) -> Request {
        let request = Request.authorized(endpoint.method, path(endpoint, id), as: user)
        return body.isEmpty ? request : request.json(body)
    }

    private static func network(_ scenario: String = "seed: 1") throws -> VirtualNetwork {
        let read = try Scenario.read("{name: a, \(scenario)}")
        return VirtualNetwork {
            $0.adopt(read)
            $0.pace = .human
        }
    }

    @Test("Each operation needs credentials, accepts only the user's own ids and exists only in the union")
    func access() throws {
        for (endpoint, body) in Self.operations {
            let network = VirtualNetwork()
            let id = try network.consultation()
            let anonymous = Request(method: endpoint.method, target: Self.path(endpoint, id))
            #expect(try network.exchange(anonymous).status == 401)
            let before = try network.exchange(.authorized(.get, "/api/v1/consultations/\(id)", as: TestUser.anna)).body
            for (id, user) in [
                (id, TestUser.ben), (id.uppercased(), TestUser.anna), (Self.unknown, TestUser.anna), ("x", "anna"),
            ] {
                var request = Self.request(endpoint, id, body, as: user)
                #expect(try network.exchange(request).status == 404, "\(endpoint) \(id)")
                // The server looks up the id before it reads the body.
                request.fields.removeAll { $0.hasPrefix("Content-Type") }
                request = request.with("Content-Type: text/plain")
                request.body = Array("?".utf8)
                #expect(try network.exchange(request).status == 404, "\(endpoint) \(id)")
            }
            #expect(
                try network.exchange(.authorized(.get, "/api/v1/consultations/\(id)", as: TestUser.anna)).body == before
            )
            var typed = Self.request(endpoint, id, "").with("Content-Type: text/plain")
            typed.body = Array("{}".utf8)
            #expect(try network.exchange(typed).status == 415)
            #expect(try network.exchange(Self.request(endpoint, id, body)).status / 100 == 2)

            for mode in GuideMode.guides {
                let network = VirtualNetwork { $0.mode = mode }
                let answer = try network.exchange(Self.request(endpoint, Self.unknown, body))
                #expect([404, 405].contains(answer.status), "\(mode) \(endpoint)")
                let allowed = answer.fields[.allow]?.contains(endpoint.method.rawValue) ?? false
                #expect(!allowed, "\(mode) \(endpoint)")
            }
        }
    }

    @Test("The answer to an initial message streams over the socket")
    func initialMessage() throws {
        let network = try Self.network()
        let created = try network.exchange(
            .create(#"{"persona":"nutritionist","initial_message":"What about lunch?"}"#, as: TestUser.anna))
        #expect(created.status == 201 && created.json?["data"]?["message_count"] == 1)
        let id = try #require(created.json?["consultation_id"]?.string)
        let socket = try network.socket(on: id)
        network.advance(by: .seconds(10))
        let frames = socket.takeFrames()
        #expect(frames.first?["user_id"]?.string == TestUser.anna)
        #expect(frames.first?["type"] == "connected" && frames.last?["type"] == "stream_complete")
        let metadata = try #require(frames.last?["metadata"])
        #expect(metadata.object?.keys == ["tokens_used", "processing_time_ms"])
        #expect((300...4000).contains(metadata["processing_time_ms"]?.int ?? 0))
        socket.send(#"{"type":"message","conversationId":"\#(id)","content":"Hi","metadata":{"a":[1]}}"#)
        network.advance(by: .seconds(10))
        #expect(socket.takeTypes().last == "stream_complete")

        let history = try network.exchange(.authorized(.get, "/api/v1/consultations/\(id)/messages", as: TestUser.anna))
        let messages = try #require(history.json?["data"]?["messages"]?.array)
        #expect(messages.count == 4 && messages[0]["metadata"] == nil)
        #expect(
            messages[1]["metadata"]?.object?.keys == [
                "tokens_used", "persona", "tokens", "processing_time_ms", "is_streaming",
            ])
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
        let before = try network.exchange(.authorized(.get, "/api/v1/consultations/\(id)", as: TestUser.anna)).body
        let answer = try network.exchange(Self.request(.updateConsultation, id, body))
        #expect(answer.status == 200 && answer.body == before)
    }

    @Test("An export keeps per_topic, waiting questions and the apps' data")
    func export() throws {
        let network = try Self.network("clock: manual, consultations: {per_topic: many}")
        func create(_ more: String = "") throws -> Response {
            try network.exchange(.create(#"{"persona":"nutritionist"\#(more)}"#, as: TestUser.anna))
        }
        let ids = try [#","initial_message":"Hello""#, "", "", ""].map { more in
            try #require(try create(more).json?["consultation_id"]?.string)
        }
        _ = try network.exchange(
            Self.request(.sendMessage, ids[1], #"{"content":"\#(String(repeating: "a", count: 5000))"}"#))
        _ = try network.exchange(Self.request(.completeConsultation, ids[2], ""))
        _ = try network.exchange(Self.request(.updateConsultation, ids[3], #"{"persona":"fitness_coach"}"#))
        let state = try network.admin(.get, "state")
        #expect(state.status == 200 && state.json?["consultations"]?["per_topic"] == "many")
        let copy = try Self.network()
        #expect(try copy.admin(.put, "state", state.text).status == 200)
        #expect(try copy.admin(.get, "state").body == state.body)
        for id in ids {
            for path in ["", "/messages"] {
                let request = Request.authorized(.get, "/api/v1/consultations/\(id)\(path)", as: TestUser.anna)
                #expect(try copy.exchange(request).body == network.exchange(request).body)
            }
        }
        for _ in 0..<7 { #expect(try create().status == 201) }
        #expect(try create().status == 429)
    }

    @Test("A scenario that repeats a topic must set per_topic to many")
    func scenario() throws {
        let twice = "users: [{consultations: [{persona: nutritionist}, {persona: nutritionist}]}]"
        #expect(throws: ScenarioErrors.self) { try Self.network(twice) }
        #expect(throws: ScenarioErrors.self) { try Self.network("consultations: {per_topic: one}, " + twice) }
        _ = try Self.network("consultations: {per_topic: many}, " + twice)
        #expect(throws: ScenarioErrors.self) { try Self.network("consultations: {per_topic: some}") }
    }
}
