import FitIQAPI
import HTTPTypes
import JSON
import Scenarios
import TestSupport
import Testing

@testable import MockServer

/// Goals in the format that the apps send and read, alongside the guide's format.
@Suite("The apps' goals") struct AppGoalTests {
    private static let walk = """
        {"title":"Walk","description":"After meals","start_date":"2025-01-20","target_date":"2025-03-01",\
        "goal_type":"activity","target_value":8000,"target_unit":"steps","id":"mine","user_id":"bert",\
        "created_at":"2000-01-01T00:00:00Z"}
        """

    private func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil, as user: String = TestUser.anna,
        on network: VirtualNetwork
    ) throws -> Response {
        let fields = [Request.bearer(Request.token(for: user)), Request.apiKey]
        let request = Request(method: method, target: "/api/v1/goals" + path, fields: fields)
        return try network.exchange(body.map(request.json) ?? request)
    }

    private func created(on network: VirtualNetwork, _ body: String = walk) throws -> JSONValue {
        let response = try send(.post, "", body, on: network)
        #expect(response.status == 201, "\(response.text)")
        return try #require(response.json?["data"])
    }

    @Test("A body's target_date or targetDate selects the form of the answer")
    func twoForms() throws {
        let network = VirtualNetwork()
        let goal = try created(on: network)
        let id = try #require(goal["id"]?.string)
        #expect(ResourceID(id) != nil && goal["user_id"]?.string == TestUser.anna)
        #expect(goal["status"] == "active" && goal["created_at"] == "2025-01-29T10:30:00Z")
        #expect(goal["start_date"] == "2025-01-20" && goal["target_date"] == "2025-03-01T00:00:00Z")
        #expect(goal["target_value"] == 8000 && goal["current_value"] == 0 && goal["days_remaining"] == 31)

        let guide = try send(.get, "/\(id)", on: network).json
        #expect(guide?["status"] == "not_started" && guide?["targetDate"] == "2025-03-01T00:00:00Z")
        #expect(guide?["data"]?["status"] == "not_started" && guide?["data"]?["target_unit"] == "steps")

        let body = #"{"title":"Sleep","description":"","targetDate":"2025-01-30T00:00:00Z"}"#
        let other = try send(.post, "", body, on: network).json
        #expect(other?["status"] == "not_started" && other?["data"]?["is_overdue"] == nil)

        network.advance(by: .seconds(86_400))
        let list = try #require(try send(.get, "", on: network).json)
        #expect(list["goals"]?.array?.map { $0["status"] } == ["not_started", "not_started"])
        let data = try #require(list["data"])
        #expect(data.object?.keys == ["goals", "total", "total_count", "limit", "offset", "has_more"])
        #expect(data["goals"]?[0]?.object?.keys == goal.object?.keys)
        #expect(data["goals"]?.array?.map { $0["status"] } == ["active", "active"])
        #expect(data["goals"]?.array?.map { $0["is_overdue"] } == [false, true])
        #expect(data["goals"]?.array?.map { $0["days_remaining"] } == [30, 0])
        #expect(data["goals"]?[1]?["target_unit"] == "percent" && data["goals"]?[1]?["target_value"] == 100)
    }

    @Test("A goal's target must be above 0", arguments: ["0.0005", "1e-9", "5e-324", "1000000000"])
    func targets(_ target: String) throws {
        let network = VirtualNetwork()
        let body = #"{"title":"T","target_date":"2025-03-01","target_value":\#(target),"current_value":0}"#
        let goal = try created(on: network, body)
        #expect(goal["target_value"]?.double == Double(target) && goal["progress"] == 0)
        let id = try #require(goal["id"]?.string)
        let reached = try send(.put, "/\(id)", #"{"current_value":1000000000}"#, on: network).json?["data"]
        #expect(reached?["progress"] == 1 && reached?["target_value"]?.double == Double(target))
        // The goal survives export and import.
        let copy = VirtualNetwork()
        #expect(try copy.admin(.put, "state", network.admin(.get, "state").text).status == 200)
        #expect(try send(.get, "", on: copy).json?["data"]?["goals"]?[0]?["target_value"]?.double == Double(target))
    }

    @Test("PUT changes the guide's members, and PATCH changes the apps' members")
    func change() throws {
        let network = VirtualNetwork()
        let id = try #require(try created(on: network)["id"]?.string)
        let paused = try send(
            .put, "/\(id)", #"{"status":"paused","progress":0.5,"user_id":"bert","id":"x"}"#, on: network)
        #expect(paused.status == 200 && paused.json?.object?.keys == ["success", "data"])
        #expect(paused.json?["data"]?["status"] == "paused" && paused.json?["data"]?["current_value"] == 4000)
        #expect(paused.json?["data"]?["user_id"]?.string == TestUser.anna && paused.json?["data"]?["id"]?.string == id)
        #expect(try send(.get, "/\(id)", on: network).json?["status"] == "in_progress")
        func found(_ status: String) throws -> Int? {
            try send(.get, "?status=\(status)", on: network).json?["totalCount"]?.int
        }
        #expect(try ["paused", "active", "in_progress"].map(found) == [1, 0, 0])
        let resumed = try send(.patch, "/\(id)", #"{"status":"in_progress"}"#, on: network)
        #expect(resumed.json?["status"] == "in_progress" && resumed.json?["data"]?["current_value"] == 4000)
        #expect(try ["paused", "active", "in_progress"].map(found) == [0, 1, 1])
    }

    @Test("The form of a PATCH determines the form of its answer")
    func patch() throws {
        let network = VirtualNetwork()
        let id = try #require(try created(on: network)["id"]?.string)
        let changed = try send(
            .patch, "/\(id)", #"{"target_date":"2028-01-01","goal_type":"sleep","status":"paused"}"#, on: network)
        #expect(changed.status == 200 && changed.json?.object?.keys == ["success", "data"])
        #expect(changed.json?["data"]?["target_date"] == "2028-01-01T00:00:00Z")
        #expect(changed.json?["data"]?["goal_type"] == "sleep" && changed.json?["data"]?["status"] == "paused")
        let guide = try send(.patch, "/\(id)", #"{"targetDate":"2029-01-01T00:00:00Z","goal_type":"x"}"#, on: network)
        #expect(guide.json?["status"] == "in_progress" && guide.json?["data"]?["goal_type"] == "sleep")
        #expect(try send(.patch, "/\(id)", #"{"status":"paused"}"#, on: network).status == 400)
    }

    @Test("PUT checks the id before the media type and the body")
    func refusals() throws {
        let network = VirtualNetwork()
        let id = try #require(try created(on: network)["id"]?.string)
        let unknown = "00000000-0000-4000-8000-000000000000"
        for (path, user) in [(unknown, TestUser.anna), (id, TestUser.ben), ("suggestions", TestUser.anna)] {
            let put = try send(.put, "/\(path)", "x", as: user, on: network)
            #expect(put.status == (path == "suggestions" ? 405 : 404))
            for part in ["tips", "suggestions", "analysis"] {
                let response = try send(.get, "/\(path)/\(part)", as: user, on: network)
                #expect(response.status == 404 && response.errorCode == "GOAL_NOT_FOUND")
                #expect(response.json?["message"]?.string == response.message)
            }
        }
        var request = Request.authorized(.put, "/api/v1/goals/\(id)", as: TestUser.anna)
        request.body = Array("x".utf8)
        #expect(try network.exchange(request.with("Content-Type: text/plain")).status == 415)
        #expect(try send(.put, "/\(id)", "x", on: network).errorCode == "INVALID_JSON")
        let refused = try send(.put, "/\(id)", #"{"title":"New","status":"done"}"#, on: network)
        #expect(refused.status == 400 && refused.json?["message"]?.string == refused.message)
        #expect(try send(.get, "/\(id)", on: network).json?["title"] == "Walk")
    }

    @Test("Tips, suggestions and the analysis match the goal and are the same each time")
    func advice() throws {
        let network = VirtualNetwork()
        let id = try #require(try created(on: network)["id"]?.string)
        let tips = try send(.get, "/\(id)/tips", on: network)
        let data = try #require(tips.json?["data"])
        #expect(tips.status == 200 && data["goal_id"]?.string == id && data["count"] == 3)
        #expect(Set(try texts(data["tips"])).count == 3)
        #expect(try send(.get, "/\(id)/tips", on: network).body == tips.body)
        let sleep = try created(on: network, #"{"title":"Walk","target_date":"2025-03-01","category":"sleep"}"#)
        let others = try send(.get, "/\(try #require(sleep["id"]?.string))/tips", on: network).json?["data"]?["tips"]
        #expect(Set(try texts(others)).isDisjoint(with: try texts(data["tips"])))

        let steps = try #require(try send(.get, "/\(id)/suggestions", on: network).json?["data"])
        #expect(try texts(steps["suggestions"]).count == 3 && texts(steps["next_steps"]).count == 3)
        #expect(steps["motivational_message"]?.string != nil && steps["generated_at"] == "2025-01-29T10:30:00Z")

        func analysis() throws -> JSONValue {
            try #require(try send(.get, "/\(id)/analysis", on: network).json?["data"])
        }
        let new = try analysis()
        #expect(new["current_progress"] == 0 && new["projected_completion"] == JSONValue.null)
        #expect(new["analysis"]?.string?.contains("\"Walk\"") == true)
        for list in ["recommendations", "strengths", "challenges"] { #expect(!(try texts(new[list]).isEmpty)) }
        network.advance(by: .seconds(86_400))
        _ = try send(.put, "/\(id)", #"{"progress":0.25}"#, on: network)
        let later = try analysis()
        #expect(later["current_progress"]?.double == 0.25 && later["analysis"]?.string?.contains("25 %") == true)
        #expect(later["projected_completion"] == "2025-02-02T10:30:00Z")
        _ = try send(.put, "/\(id)", #"{"progress":5e-324}"#, on: network)
        #expect(try analysis()["projected_completion"] == JSONValue.null)
    }

    private func texts(_ value: JSONValue?) throws -> [String] {
        try #require(value?.array).map { try #require($0.string) }
    }

    @Test("GET and POST suggest the same goals: at most five that the user does not have yet")
    func suggestions() throws {
        let network = VirtualNetwork()
        let response = try send(.get, "/suggestions", on: network)
        let data = try #require(response.json?["data"])
        #expect(response.status == 200 && data["count"] == 5 && data["suggestions"]?.array?.count == 5)
        let first = try #require(data["suggestions"]?[0])
        for name in ["title", "description", "goal_type", "rationale"] { #expect(first[name]?.string != nil) }
        #expect((1...5).contains(try #require(first["difficulty"]?.int)))
        #expect(try send(.post, "/suggestions", on: network).body == response.body)

        let title = try #require(first["title"]?.string)
        _ = try created(on: network, #"{"title":"\#(title)","target_date":"2025-03-01"}"#)
        let next = try #require(try send(.get, "/suggestions", on: network).json?["data"]?["suggestions"]?.array)
        #expect(next.count == 5 && !next.contains { $0["title"]?.string == title })
        #expect(try send(.get, "/suggestions", as: TestUser.ben, on: network).json?["data"]?["count"] == 5)
    }

    @Test("Guide modes do not have the apps' goal endpoints", arguments: GuideMode.guides)
    func absent(mode: GuideMode) throws {
        let network = VirtualNetwork(mode)
        let hasGoals = mode.serves(.showGoal)
        let id = "00000000-0000-4000-8000-000000000000"
        #expect(try send(.put, "/\(id)", "{}", on: network).status == (hasGoals ? 405 : 404))
        #expect(try send(.get, "/\(id)/tips", on: network).errorCode == "NOT_FOUND")
        let suggestions = try send(.get, "/suggestions", on: network)
        #expect(suggestions.errorCode == (hasGoals ? "GOAL_NOT_FOUND" : "NOT_FOUND"))
        guard hasGoals else { return }
        let refused = try send(.post, "", Self.walk, on: network)
        #expect(refused.status == 400 && refused.message.contains("'targetDate' is required"))
    }

    @Test(
        "A scenario accepts the apps' goal members in any mode, and an export repeats them",
        arguments: [GuideMode.union, .goalLinking])
    func scenario(mode: GuideMode) throws {
        let text = """
            name: goals
            clock: manual
            users:
              - id: \(TestUser.anna)
                goals:
                  - {title: Walk, status: paused, progress: 0.5, start_date: 2025-01-20, goal_type: activity,
                     target_value: 8000, target_unit: steps, current_value: 3000}
            """
        let scenario = try Scenario.read(text)
        let network = VirtualNetwork {
            $0.adopt(scenario)
            $0.mode = mode
        }
        let list = try #require(try send(.get, "", on: network).json)
        #expect(list["goals"]?[0]?["status"] == "in_progress")
        let shown = list["data"]?["goals"]?[0]
        #expect((shown != nil) == mode.servesApps)
        if let shown {
            #expect(shown["status"] == "paused" && shown["start_date"] == "2025-01-20")
            #expect(shown["goal_type"] == "activity" && shown["target_value"] == 8000)
            #expect(shown["target_unit"] == "steps" && shown["current_value"] == 3000)
        }
        let export = try network.exchange(Request(method: .get, target: "/__admin/state"))
        let goal = try #require(try JSON.parse(export.body)["users"]?[0]?["goals"]?[0])
        #expect(goal["status"] == "paused" && goal["start_date"] == "2025-01-20" && goal["goal_type"] == "activity")
        #expect(goal["target_value"] == 8000 && goal["target_unit"] == "steps" && goal["current_value"] == 3000)
    }
}
