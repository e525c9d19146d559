import FitIQAPI
import HTTPTypes
import JSON
import TestSupport
import Testing

@testable import MockServer

/// Goals in the format that the apps send and read, alongside the guide's format.
@Suite("The apps' goals") struct AppGoalTests {
    private let network = VirtualNetwork()

    private static let walk = """
        {"title":"Walk","description":"After meals","start_date":"2025-01-20","target_date":"2025-03-01",\
        "goal_type":"activity","target_value":8000,"target_unit":"steps","id":"mine","user_id":"bert",\
        "created_at":"2000-01-01T00:00:00Z"}
        """

    private func send(
        _ method: HTTPRequest.Method, _ path: String = "", _ body: String? = nil, as user: String = TestUser.anna,
        on other: VirtualNetwork? = nil
    ) throws -> Response {
        try (other ?? network).call(method, "goals" + path, body, as: user)
    }

    /// Creates a goal; returns its data and its path.
    private func created(_ body: String = walk) throws -> (goal: JSONValue, path: String) {
        let response = try send(.post, "", body)
        #expect(response.status == 201, "\(response.text)")
        let goal = try #require(response.json?["data"])
        return (goal, "/" + (try #require(goal["id"]?.string)))
    }

    @Test("A body's target_date or targetDate selects the form of the answer")
    func twoForms() throws {
        let (goal, path) = try created()
        #expect(ResourceID(String(path.dropFirst())) != nil && goal["user_id"]?.string == TestUser.anna)
        #expect(
            goal.values(of: "status", "created_at", "start_date", "target_date")
                == ["active", "2025-01-29T10:30:00Z", "2025-01-20", "2025-03-01T00:00:00Z"])
        #expect(goal.values(of: "target_value", "current_value", "days_remaining") == [8000, 0, 31])

        let guide = try send(.get, path).json
        #expect(guide?.values(of: "status", "targetDate") == ["not_started", "2025-03-01T00:00:00Z"])
        #expect(guide?["data"]?.values(of: "status", "target_unit") == ["not_started", "steps"])

        let other = try send(.post, "", #"{"title":"Sleep","description":"","targetDate":"2025-01-30T00:00:00Z"}"#).json
        #expect(other?["status"] == "not_started" && other?["data"]?["is_overdue"] == nil)

        network.advance(by: .seconds(86_400))
        let list = try #require(try send(.get).json)
        #expect(list["goals"]?.array?.map { $0["status"] } == ["not_started", "not_started"])
        let data = try #require(list["data"])
        #expect(data.object?.keys == ["goals", "total", "total_count", "limit", "offset", "has_more"])
        let goals = try #require(data["goals"]?.array)
        #expect(goals[0].object?.keys == goal.object?.keys)
        let states = goals.map { $0.values(of: "status", "is_overdue", "days_remaining") }
        #expect(states == [["active", false, 30], ["active", true, 0]])
        #expect(goals[1].values(of: "target_unit", "target_value") == ["percent", 100])
    }

    @Test("A goal's target must be above 0", arguments: ["0.0005", "1e-9", "5e-324", "1000000000"])
    func targets(_ target: String) throws {
        let body = #"{"title":"T","target_date":"2025-03-01","target_value":\#(target),"current_value":0}"#
        let (goal, path) = try created(body)
        #expect(goal["target_value"]?.double == Double(target) && goal["progress"] == 0)
        let reached = try send(.put, path, #"{"current_value":1000000000}"#).json?["data"]
        #expect(reached?["progress"] == 1 && reached?["target_value"]?.double == Double(target))
        // The goal survives export and import.
        let copy = try network.copied()
        #expect(try send(.get, on: copy).json?["data"]?["goals"]?[0]?["target_value"]?.double == Double(target))
    }

    @Test("PUT changes the guide's members, and PATCH changes the apps' members")
    func change() throws {
        let (goal, path) = try created()
        let paused = try send(.put, path, #"{"status":"paused","progress":0.5,"user_id":"bert","id":"x"}"#)
        #expect(paused.status == 200 && paused.json?.object?.keys == ["success", "data"])
        #expect(
            paused.json?["data"]?.values(of: "status", "current_value", "user_id", "id")
                == ["paused", 4000, .string(TestUser.anna), goal["id"]])
        #expect(try send(.get, path).json?["status"] == "in_progress")
        func found(_ status: String) throws -> Int? { try send(.get, "?status=\(status)").json?["totalCount"]?.int }
        #expect(try ["paused", "active", "in_progress"].map(found) == [1, 0, 0])
        let resumed = try send(.patch, path, #"{"status":"in_progress"}"#)
        #expect(resumed.json?["status"] == "in_progress" && resumed.json?["data"]?["current_value"] == 4000)
        #expect(try ["paused", "active", "in_progress"].map(found) == [0, 1, 1])
    }

    @Test("The form of a PATCH determines the form of its answer")
    func patch() throws {
        let path = try created().path
        let changed = try send(.patch, path, #"{"target_date":"2028-01-01","goal_type":"sleep","status":"paused"}"#)
        #expect(changed.status == 200 && changed.json?.object?.keys == ["success", "data"])
        #expect(
            changed.json?["data"]?.values(of: "target_date", "goal_type", "status")
                == ["2028-01-01T00:00:00Z", "sleep", "paused"])
        let guide = try send(.patch, path, #"{"targetDate":"2029-01-01T00:00:00Z","goal_type":"x"}"#)
        #expect(guide.json?["status"] == "in_progress" && guide.json?["data"]?["goal_type"] == "sleep")
        #expect(try send(.patch, path, #"{"status":"paused"}"#).status == 400)
    }

    @Test("PUT checks the id before the media type and the body")
    func refusals() throws {
        let path = try created().path
        for (path, user, status) in [
            ("/00000000-0000-4000-8000-000000000000", TestUser.anna, 404), (path, TestUser.ben, 404),
            ("/suggestions", TestUser.anna, 405),
        ] {
            #expect(try send(.put, path, "x", as: user).status == status)
            for part in ["tips", "suggestions", "analysis"] {
                let response = try send(.get, "\(path)/\(part)", as: user)
                #expect(response.status == 404 && response.errorCode == "GOAL_NOT_FOUND")
                #expect(response.json?["message"]?.string == response.message)
            }
        }
        var request = Request.authorized(.put, "/api/v1/goals" + path, as: TestUser.anna)
        request.body = Array("x".utf8)
        #expect(try network.exchange(request.with("Content-Type: text/plain")).status == 415)
        #expect(try send(.put, path, "x").errorCode == "INVALID_JSON")
        let refused = try send(.put, path, #"{"title":"New","status":"done"}"#)
        #expect(refused.status == 400 && refused.json?["message"]?.string == refused.message)
        #expect(try send(.get, path).json?["title"] == "Walk")
    }

    @Test("Tips, suggestions and the analysis match the goal and are the same each time")
    func advice() throws {
        func texts(_ value: JSONValue?) throws -> [String] {
            try #require(value?.array).map { try #require($0.string) }
        }
        let (goal, path) = try created()
        let tips = try send(.get, path + "/tips")
        let data = try #require(tips.json?["data"])
        #expect(tips.status == 200 && data["goal_id"] == goal["id"] && data["count"] == 3)
        #expect(Set(try texts(data["tips"])).count == 3)
        #expect(try send(.get, path + "/tips").body == tips.body)
        let sleep = try created(#"{"title":"Walk","target_date":"2025-03-01","category":"sleep"}"#).path
        let others = try send(.get, sleep + "/tips").json?["data"]?["tips"]
        #expect(Set(try texts(others)).isDisjoint(with: try texts(data["tips"])))

        let steps = try #require(try send(.get, path + "/suggestions").json?["data"])
        #expect(try texts(steps["suggestions"]).count == 3 && texts(steps["next_steps"]).count == 3)
        #expect(steps["motivational_message"]?.string != nil && steps["generated_at"] == "2025-01-29T10:30:00Z")

        func analysis() throws -> JSONValue { try #require(try send(.get, path + "/analysis").json?["data"]) }
        let new = try analysis()
        #expect(new.values(of: "current_progress", "projected_completion") == [0, .null])
        #expect(new["analysis"]?.string?.contains("\"Walk\"") == true)
        for list in ["recommendations", "strengths", "challenges"] { #expect(!(try texts(new[list]).isEmpty)) }
        network.advance(by: .seconds(86_400))
        _ = try send(.put, path, #"{"progress":0.25}"#)
        let later = try analysis()
        #expect(later["current_progress"]?.double == 0.25 && later["analysis"]?.string?.contains("25 %") == true)
        #expect(later["projected_completion"] == "2025-02-02T10:30:00Z")
        _ = try send(.put, path, #"{"progress":5e-324}"#)
        #expect(try analysis()["projected_completion"] == JSONValue.null)
    }

    @Test("GET and POST suggest the same goals: at most five that the user does not have yet")
    func suggestions() throws {
        let response = try send(.get, "/suggestions")
        let data = try #require(response.json?["data"])
        #expect(response.status == 200 && data["count"] == 5 && data["suggestions"]?.array?.count == 5)
        let first = try #require(data["suggestions"]?[0])
        for name in ["title", "description", "goal_type", "rationale"] { #expect(first[name]?.string != nil) }
        #expect((1...5).contains(try #require(first["difficulty"]?.int)))
        #expect(try send(.post, "/suggestions").body == response.body)

        let title = try #require(first["title"]?.string)
        _ = try created(#"{"title":"\#(title)","target_date":"2025-03-01"}"#)
        let next = try #require(try send(.get, "/suggestions").json?["data"]?["suggestions"]?.array)
        #expect(next.count == 5 && !next.contains { $0["title"]?.string == title })
        #expect(try send(.get, "/suggestions", as: TestUser.ben).json?["data"]?["count"] == 5)
    }

    @Test("Guide modes do not have the apps' goal endpoints", arguments: GuideMode.guides)
    func absent(mode: GuideMode) throws {
        let guide = VirtualNetwork(mode)
        let hasGoals = mode.serves(.showGoal)
        let path = "/00000000-0000-4000-8000-000000000000"
        #expect(try send(.put, path, "{}", on: guide).status == (hasGoals ? 405 : 404))
        #expect(try send(.get, path + "/tips", on: guide).errorCode == "NOT_FOUND")
        #expect(try send(.get, "/suggestions", on: guide).errorCode == (hasGoals ? "GOAL_NOT_FOUND" : "NOT_FOUND"))
        guard hasGoals else { return }
        let refused = try send(.post, "", Self.walk, on: guide)
        #expect(refused.status == 400 && refused.message.contains("'targetDate' is required"))
    }

    @Test(
        "A scenario accepts the apps' goal members in any mode, and an export repeats them",
        arguments: [GuideMode.union, .goalLinking])
    func scenario(mode: GuideMode) throws {
        let goal = """
            {title: Walk, status: paused, progress: 0.5, start_date: 2025-01-20, goal_type: activity, \
            target_value: 8000, target_unit: steps, current_value: 3000}
            """
        let text = "{name: goals, clock: manual, users: [{id: \(TestUser.anna), goals: [\(goal)]}]}"
        let planted = try VirtualNetwork.serving(text) { $0.mode = mode }
        func members(_ goal: JSONValue?) -> [JSONValue?]? {
            goal?.values(of: "status", "start_date", "goal_type", "target_value", "target_unit", "current_value")
        }
        let expected: [JSONValue?] = ["paused", "2025-01-20", "activity", 8000, "steps", 3000]
        let list = try #require(try send(.get, on: planted).json)
        #expect(list["goals"]?[0]?["status"] == "in_progress")
        #expect(members(list["data"]?["goals"]?[0]) == (mode.servesApps ? expected : nil))
        #expect(members(try planted.admin(.get, "state").json?["users"]?[0]?["goals"]?[0]) == expected)
    }
}
