import FitIQAPI
import HTTPTypes
import Scenarios
import TestSupport
import Testing

@testable import MockServer

/// Ids with upper-case letters are found only if the world allows it, and are judged in either case.
@Suite("ids: any-case") struct AnyCaseTests {
    private static let goal = "5d1f7a90-3c4e-4b5d-8f6a-1b2c3d4e5f60"
    private static let chat = "6e2f8b01-4d5f-4c6e-9a7b-2c3d4e5f6a71"
    private static let meal = "7f3a9c12-5e6a-4d7f-8b8c-3d4e5f6a7b82"
    private static let template = "9b5cbe34-7a8c-4f9b-8dad-5f6a7b8c9da4"
    private static let entry = "ac6dcf45-8b9d-4aac-9ebe-6a7b8c9daeb5"
    private static let mood = "bd7ed056-9cae-4bbd-8fcf-7b8c9daebfc6"
    private static let insight = "ce8fe167-adbf-4cce-9ada-8c9daebfcad7"

    private static func scenario(_ ids: String?) -> String {
        """
        name: cases
        clock: manual
        \(ids.map { "ids: \($0)" } ?? "")
        users:
          - id: \(TestUser.anna)
            goals: [{id: \(goal), title: Run}]
            consultations: [{id: \(chat), persona: nutritionist, messages: [{user: Hello}, {assistant: Hi}]}]
            meal_logs: [{id: \(meal), text: an egg, meal_type: breakfast}]
            documents:
              journal: [{id: \(entry), content: Tuesday, logged_at: 1d ago}]
              mood_entries: [{id: \(mood), valence: 1, logged_at: 1d ago}]
              insights: [{id: \(insight), insight_type: daily, title: a, content: b}]
              workout_templates: [{id: \(template), name: Legs, shared_with: [\(TestUser.ben)]}]
        """
    }

    private static func network(_ ids: String? = "any-case") throws -> VirtualNetwork { try .serving(scenario(ids)) }

    /// Every operation that has an id in its path, with a valid body.
    private static let requests: [(HTTPRequest.Method, path: String, json: String?, status: Int)] = [
        (.get, "consultations/\(chat)", nil, 200), (.get, "consultations/\(chat)/messages", nil, 200),
        (.get, "goals/\(goal)", nil, 200),
        (.patch, "goals/\(goal)", #"{"conversationId":"\#(chat.uppercased())"}"#, 200),
        (.get, "meal-logs/\(meal)", nil, 200), (.get, "workout-templates/\(template)", nil, 200),
        (.put, "journal/\(entry)", #"{"content":"Wednesday","logged_at":"2025-01-29T10:00:00Z"}"#, 200),
        (.put, "wellness/mood-entries/\(mood)", #"{"valence":-1,"logged_at":"2025-01-29T10:00:00Z"}"#, 200),
        (.delete, "wellness/mood-entries/\(mood)", nil, 204),
        (.post, "insights/\(insight)/read", nil, 200), (.post, "insights/\(insight)/favorite", nil, 200),
        (.post, "insights/\(insight)/archive", nil, 200), (.post, "insights/\(insight)/unarchive", nil, 200),
        (.delete, "insights/\(insight)", nil, 204),
        (.put, "workout-templates/\(template)", #"{"name":"Arms"}"#, 200),
        (.post, "workout-templates/\(template)/share", #"{"user_ids":["\#(TestUser.ben)"]}"#, 201),
        (.post, "workout-templates/\(template)/copy", nil, 201),
        (.delete, "workout-templates/\(template)/share/\(TestUser.ben)", nil, 200),
        (.delete, "journal/\(entry)", nil, 204), (.post, "consultations/\(chat)/archive", nil, 200),
    ]

    private static func request(_ row: (HTTPRequest.Method, path: String, json: String?, status: Int)) -> Request {
        let path = row.path.split(separator: "/").map { ResourceID(String($0)) == nil ? "\($0)" : $0.uppercased() }
        let request = Request.authorized(row.0, "/api/v1/" + path.joined(separator: "/"), as: TestUser.anna)
        return row.json.map(request.json) ?? request
    }

    @Test("Each path accepts an upper-case id, and the answer contains the issued id")
    func paths() throws {
        let network = try Self.network()
        for row in Self.requests {
            let response = try network.exchange(Self.request(row))
            #expect(response.status == row.status, "\(row.path): \(response.text)")
            #expect(!response.text.contains(Self.goal.uppercased()) && !response.text.contains(Self.chat.uppercased()))
        }
    }

    @Test("Without the any-case option, an upper-case id returns 404 with a hint", arguments: [nil, "lower-case"])
    func unknown(ids: String?) throws {
        let network = try Self.network(ids)
        for row in Self.requests {
            let response = try network.exchange(Self.request(row))
            #expect(response.status == 404 && response.message.contains("lower-case it to"), "\(response.text)")
        }
        let handshake = Request.handshake("/api/v1/consultations/\(Self.chat.uppercased())/ws", as: TestUser.anna)
        #expect(try network.exchange(handshake).status == 404)
    }

    @Test("The any-case option does not give access to other users' or read-only resources")
    func others() throws {
        let network = try Self.network()
        for row in Self.requests {
            var request = Self.request(row)
            request.fields = Request.authorized(row.0, "/", as: TestUser.ben).fields
            if row.json != nil { request.fields.append("Content-Type: application/json") }
            let isTemplate = row.path.hasPrefix("workout-templates/")
            let isReading = row.0 == .get || row.path.hasSuffix("/copy")
            let expected = !isTemplate ? 404 : isReading ? row.status : 403
            #expect(try network.exchange(request).status == expected, "\(row.path)")
        }
    }

    @Test("An upper-case id in a body identifies the same goal or consultation")
    func bodies() throws {
        let network = try Self.network()
        func post(_ path: String, _ json: String) throws -> Response {
            try network.exchange(.authorized(.post, "/api/v1/consultations" + path, as: TestUser.anna).json(json))
        }
        let upper = Self.goal.uppercased()
        let made = try post("", #"{"persona":"general_wellness","context_type":"goal","context_id":"\#(upper)"}"#)
        #expect(made.status == 201 && made.json?["data"]?["context_id"]?.string == Self.goal, "\(made.text)")
        let id = try #require(made.json?["data"]?["id"]?.string)
        for id in [Self.goal, upper] {
            #expect(try post("", #"{"persona":"general_wellness","goal_id":"\#(id)"}"#).status == 409)
        }
        let linked = try post("/chat-about-goal", #"{"goalId":"\#(upper)"}"#)
        #expect(linked.status == 201 && linked.text.contains(id), "\(linked.text)")
    }

    @Test("An upper-case id opens the socket, and the judge reports only the upper case")
    func socketAndJudge() throws {
        let network = VirtualNetwork()
        let access = try network.engine.makeWorld(Scenario.read(Self.scenario("any-case")), at: network.now)
        let world = try WorldClient(network, network.admin(.get, "worlds/\(access.id)"))
        #expect(try world.exchange(.get, "/api/v1/consultations/\(Self.chat.uppercased())/messages").status == 200)
        let socket = try world.socket(on: Self.chat)
        socket.close()
        let verdicts = try #require(network.engine.judgement(ofWorld: world.id, at: network.now)).verdicts
        for verdict in verdicts where verdict.outcome == .broken {
            #expect(verdict.obligation.id == "ids/lowercase" && verdict.findingCount == 1, "\(verdict)")
        }
        #expect(verdicts.contains { $0.obligation.id == "ids/lowercase" && $0.outcome == .broken })
        #expect(verdicts.contains { $0.obligation.id == "consultation/history-before-connect" && $0.outcome == .kept })
        _ = try world.socket(on: Self.chat.uppercased())
    }

    @Test("Exports contain the any-case option, and an import without it keeps the world's option")
    func state() throws {
        let network = try Self.network()
        let state = try network.admin(.get, "state")
        #expect(state.text.contains(#""ids":"any-case""#))
        let other = try network.world(#"{"scenario":"empty-account"}"#)
        #expect(try other.ask(.put, "state", state.text.replacing(#""ids":"any-case","#, with: "")).status == 200)
        #expect(try other.ask(.get, "state").body == state.body)
        let copy = try network.copied(to: .manual())
        #expect(try copy.call(.get, "goals/\(Self.goal.uppercased())").status == 200)
    }
}
