import JSON
import Testing

@testable import FitIQAPI

@Suite("Goals in the apps' form") struct AppGoalTests {
    private static let data =
        #"{"id":"00000000-0000-4000-8000-000000000001","user_id":"user-1","title":"Run","description":"","#
        + #""status":"active","progress":0.29,"category":null,"target_date":"2025-03-01T00:00:00Z","#
        + #""conversation_id":null,"created_at":"2025-01-29T10:30:00Z","updated_at":"2025-01-29T10:30:00Z","#
        + #""start_date":"2025-01-29","goal_type":null,"target_value":100,"target_unit":"percent","#
        + #""current_value":29,"is_recurring":false,"is_overdue":"#

    @Test("An app goal has every member and uses defaults for unset members")
    func object() {
        var goal = GoalTests.plain
        goal.progress = 0.29
        let encoded = goal.encoded(in: .union, forApps: true)
        func object(at time: Timestamp) -> String {
            var writer = JSONWriter()
            encoded.writeForApps(into: &writer, at: time)
            return text(writer.bytes)
        }
        let end = Timestamp(secondsSinceEpoch: goal.targetDate.secondsSinceEpoch)
        let late = end.advanced(byNanoseconds: 1_000_000_000)
        for (time, rest) in [
            (Timestamp.example, #"false,"days_remaining":31}"#), (end, #"false,"days_remaining":0}"#),
            (end.advanced(byNanoseconds: -1), #"false,"days_remaining":1}"#), (late, #"true,"days_remaining":0}"#),
        ] { #expect(object(at: time) == Self.data + rest) }
        #expect(text(encoded.appBody(at: late)) == #"{"success":true,"data":"# + object(at: late) + "}")
        #expect(encoded.byteCount == encoded.body.count + encoded.camelCase.count + encoded.snakeCase.count)
        #expect(!goal.isOverdue(at: end) && goal.isOverdue(at: late))
        for state in [GoalState.completed, .archived] {
            goal.state = state
            #expect(!goal.isOverdue(at: late))
        }
    }

    @Test("The app form adds members to data and leaves the rest of the guide's answer unchanged")
    func guide() throws {
        var goal = GoalTests.full
        goal.state = .paused
        let (before, after) = try (
            JSON.parse(goal.encoded(in: .union).body), JSON.parse(goal.encoded(in: .union, forApps: true).body)
        )
        #expect(after.object?.keys == before.object?.keys && after["status"] == "in_progress")
        for (name, value) in before["data"]?.object ?? [:] { #expect(after["data"]?[name] == value, "\(name)") }
        let added = ["start_date", "goal_type", "target_value", "target_unit", "current_value", "is_recurring"]
        #expect(after["data"]?.object?.keys == (before["data"]?.object?.keys ?? []) + added)
    }

    @Test("Values from a scenario count as stored bytes in every mode")
    func bytes() {
        var goal = GoalTests.plain
        let before = goal.encoded(in: .goalLinking)
        goal.measure.type = String(repeating: "\u{1}", count: 100)
        let after = goal.encoded(in: .goalLinking)
        #expect(after.body == before.body && after.byteCount > before.byteCount + 600)
    }

    @Test("Every goal state has an app name", arguments: GoalState.allCases)
    func state(state: GoalState) {
        let expected: (String, String) =
            switch state {
            case .notStarted: ("not_started", "active")
            case .inProgress: ("in_progress", "active")
            case .paused: ("in_progress", "paused")
            case .completed: ("completed", "completed")
            case .archived: ("archived", "archived")
            }
        #expect((state.guideStatus.rawValue, state.appStatus.rawValue) == expected)
    }

    static let forms: KeyValuePairs<String, Bool> = [
        #"{"title":"T","description":"D","targetDate":"2025-03-01T00:00:00Z"}"#: false,
        #"{"title":"T","description":"D","targetDate":"2025-03-01T00:00:00Z","target_value":5}"#: false,
        #"{"title":"T","description":"D","targetDate":"2025-03-01T00:00:00Z","target_date":"x"}"#: false,
        #"{"title":"T","description":"D","target_date":"2025-03-01"}"#: true,
        #"{"title":"T","target_date":"2025-03-01T00:00:00Z"}"#: true,
    ]

    @Test("A snake_case field marks a goal request as an app request", arguments: forms)
    func form(body: String, isOfApps: Bool) throws {
        let request = try CreateGoalRequest(body: body.bytes, isForApps: true)
        #expect((request.app != nil) == isOfApps)
        #expect(request.title == "T" && request.targetDate.wireText == "2025-03-01T00:00:00Z")
        if isOfApps { #expect(refusal(try CreateGoalRequest(body: body.bytes)) != nil) }
    }

    static let refused: KeyValuePairs<String, String> = [
        #"{"goal_type":"a"}"#: "The field 'title' is required: a string of 1 to 200 characters.",
        #"{"title":"T","goal_type":"a"}"#:
            "The field 'target_date' is required: a date such as \"2025-03-01\", or an ISO 8601 date-time such as \"2025-03-01T00:00:00Z\".",
        #"{"title":"T"}"#: "The field 'description' is required: a string of 0 to 2000 characters.",
        #"{"title":"T","target_date":"2025-03-01","target_value":0}"#:
            "The field 'target_value' must be a number above 0, up to 1000000000; got a number: 0.",
        #"{"title":"T","target_date":"2025-03-01","target_value":-1e-9}"#:
            "The field 'target_value' must be a number above 0, up to 1000000000; got a number: -1e-9.",
        #"{"title":"T","target_date":"2025-03-01","target_value":"5"}"#:
            "The field 'target_value' must be a number above 0, up to 1000000000; got a string: \"5\".",
        #"{"title":"T","target_date":"2025-03-01","current_value":-1}"#:
            "The field 'current_value' must be a number from 0 to 1000000000; got a number: -1.",
        #"{"title":"T","target_date":"2025-03-01","target_unit":""}"#:
            "The field 'target_unit' must have 1 to 50 characters; it has 0.",
        #"{"title":"T","target_date":"2025-03-01","status":"not_started"}"#:
            #"'status' must be one of "active", "completed", "paused", "archived"; got "not_started"."#,
        #"{"title":"T","target_date":"2025-02-30"}"#:
            "The field 'target_date' must be a date such as \"2025-03-01\", or an ISO 8601 date-time such as "
            + "\"2025-03-01T00:00:00Z\"; got a string: \"2025-02-30\". Month 2 of 2025 has 28 days, so there is "
            + "no day 30.",
    ]

    @Test("An error message names the field and the allowed values", arguments: refused)
    func refusals(body: String, message: String) {
        let refusal = refusal(try CreateGoalRequest(body: body.bytes, isForApps: true))
        #expect(refusal?.message == message && refusal?.status == .badRequest)
    }

    private func applying(_ body: String, to goal: Goal) throws -> Goal {
        var goal = goal
        try AppGoalRequest(body: body.bytes).apply(to: &goal)
        return goal
    }

    @Test("Progress and the current value stay in sync unless the request sets both")
    func follow() throws {
        let half = try applying(#"{"current_value":4000,"target_value":8000}"#, to: GoalTests.plain)
        #expect(half.progress == 0.5 && half.currentValue == 4000)
        let most = try applying(#"{"progress":0.75}"#, to: half)
        #expect(most.progress == 0.75 && most.currentValue == 6000)
        let both = try applying(#"{"progress":0.3,"current_value":80,"target_value":70}"#, to: most)
        #expect(both.progress == 0.3 && both.currentValue == 80)
        #expect(try applying(#"{"progress":0.3}"#, to: both) == both)
        #expect(try applying(#"{"current_value":100}"#, to: both).progress == 1)
        #expect(try applying("{}", to: both) == both)
    }

    @Test("A goal starts at the beginning of a day even if the request has a time")
    func start() throws {
        for start in ["2025-02-01", "2025-02-01T12:34:56Z"] {
            let goal = try applying(#"{"start_date":"\#(start)"}"#, to: GoalTests.plain)
            #expect(goal.measure.startDate?.wireText == "2025-02-01T00:00:00Z")
        }
    }

    @Test("The status 'active' reactivates a goal")
    func activation() throws {
        var goal = GoalTests.plain
        #expect(try applying(#"{"status":"active"}"#, to: goal).state == .notStarted)
        #expect(try applying(#"{"status":"active","progress":0.1}"#, to: goal).state == .inProgress)
        for state in [GoalState.paused, .completed, .archived, .inProgress] {
            goal.state = state
            #expect(try applying(#"{"status":"active"}"#, to: goal).state == .inProgress)
            #expect(try applying(#"{"title":"New"}"#, to: goal).state == state)
        }
    }
}
