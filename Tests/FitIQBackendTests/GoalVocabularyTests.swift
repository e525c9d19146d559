import FitIQAPI
import JSON
import TestSupport
import Testing

@testable import FitIQBackend

/// A goal in two vocabularies; whatever is written in one can be read in the other.
@Suite("Goals in two vocabularies") struct GoalVocabularyTests {
    @Test("A goal's guide form and apps' form agree after every change and after an export", arguments: UInt64(1)...40)
    func oneState(seed: UInt64) throws {
        var test = try Walk(seed: seed)
        for _ in 0..<30 {
            test.world.pass(milliseconds: Int64(test.draw.below(3000)))
            switch test.plain.isEmpty ? test.draw.below(2) : test.draw.below(8) {
            case 0: try test.createInGuidesWords()
            case 1: try test.createInAppsWords()
            case 2...4: try test.patch()
            default: try test.put()
            }
            try test.check(test.world.backend)
            #expect(Invariants.deepViolations(of: test.world) == [])
        }
        let copy = try test.world.replanted(seed: seed)
        try test.check(copy.backend)
        #expect(copy.data == test.world.data)
    }
}

/// Random changes to one user's goals in both forms, and a plain model of the goals.
private struct Walk {
    /// A goal as the documentation describes it.
    struct Plain {
        var title = ""
        var description = ""
        var category: JSONValue = .null
        var date = ""
        var start = "2025-01-29"
        var type: JSONValue = .null
        var (target, unit) = (100.0, "percent")
        var progress = 0.0
        /// The value from the apps, until the progress is changed without it.
        var current: Double?
        var status = "not_started"

        var guideStatus: String { status == "paused" ? "in_progress" : status }
        var appStatus: String { ["not_started", "in_progress"].contains(status) ? "active" : status }
        var shownCurrent: Double { current ?? target * progress }

        mutating func setProgress(_ value: Double, current given: Double?) {
            if value != progress { current = nil }
            progress = value
            current = given ?? current
        }
    }

    var world: World
    var draw: Draw
    private(set) var plain: [Plain] = []
    private var ids: [String] = []
    private let user: UserID

    init(seed: UInt64) throws {
        (world, draw) = (World(seed: seed), Draw(seed: seed))
        user = try world.backend.user("anna")
    }

    private static let dates = ["2025-01-28T00:00:00Z", "2025-01-30T00:00:00Z", "2030-06-01T12:00:00Z"]
    private static let titles = ["Run", "Sleep \"well\"", "Größe", "🏃"]
    private static let parts = [0, 0.25, 0.29, 0.5, 1]

    mutating func pick<Value>(_ values: [Value]) -> Value { values[draw.below(values.count)] }
    mutating func isDrawn() -> Bool { draw.below(2) == 0 }

    /// The fields of both forms, in the vocabulary of one form.
    mutating func common(_ goal: inout Plain, date dateName: String, all: Bool) -> JSONObject {
        var body: JSONObject = ["id": "mine", "user_id": "bert", "created_at": "2000-01-01T00:00:00Z"]
        if dateName == "targetDate" { body = ["id": "mine", "userId": "bert"] }
        let texts: [(String, WritableKeyPath<Plain, String>)] = [("title", \.title), ("description", \.description)]
        for (name, member) in texts where all || isDrawn() {
            goal[keyPath: member] = pick(Self.titles)
            body[name] = .string(goal[keyPath: member])
        }
        if all || isDrawn() {
            goal.date = pick(Self.dates)
            body[dateName] = .string(goal.date)
            // A date stands for its first second.
            if dateName == "target_date", isDrawn(), goal.date.hasSuffix("T00:00:00Z") {
                body[dateName] = .string(String(goal.date.prefix(10)))
            }
        }
        if isDrawn() {
            goal.category = .string(pick(["fitness", "sleep"]))
            body["category"] = goal.category
        }
        return body
    }

    /// Changes the fields that only the apps send.
    mutating func measure(_ goal: inout Plain, _ body: inout JSONObject) {
        let texts: [(String, WritableKeyPath<Plain, String>, [String])] = [
            ("start_date", \.start, ["2025-01-01", "2024-12-31"]), ("target_unit", \.unit, ["km", "steps"]),
        ]
        for (name, member, values) in texts where isDrawn() {
            goal[keyPath: member] = pick(values)
            body[name] = .string(goal[keyPath: member])
        }
        if isDrawn() {
            goal.type = .string(pick(["activity", "habit"]))
            body["goal_type"] = goal.type
        }
        if isDrawn() {
            goal.target = pick([10, 8000])
            body["target_value"] = .number(JSONNumber(goal.target))
        }
    }

    private mutating func create(_ body: JSONObject) throws -> JSONValue {
        let request = try CreateGoalRequest(body: JSONValue.object(body).encoded(), isForApps: true)
        return try JSON.parse(world.backend.createGoal(request, by: user, &world.turn))
    }

    mutating func createInGuidesWords() throws {
        var goal = Plain()
        let body = common(&goal, date: "targetDate", all: true)
        let answer = try create(body)
        ids.append(try #require(answer["id"]?.string))
        plain.append(goal)
        checkGuide(answer, goal)
    }

    mutating func createInAppsWords() throws {
        var goal = Plain()
        var body = common(&goal, date: "target_date", all: true)
        measure(&goal, &body)
        body["status"] = "completed"
        let answer = try create(body)
        ids.append(try #require(answer["data"]?["id"]?.string))
        plain.append(goal)
        #expect(answer.object?.keys == ["success", "data"])
        checkApp(try #require(answer["data"]), goal)
    }

    mutating func patch() throws {
        let index = draw.below(plain.count)
        var goal = plain[index]
        var body = common(&goal, date: "targetDate", all: false)
        if isDrawn() {
            let progress = pick(Self.parts)
            goal.setProgress(progress, current: nil)
            body["progress"] = .number(JSONNumber(progress))
        }
        if isDrawn() {
            goal.status = pick(["not_started", "in_progress", "completed", "archived"])
            body["status"] = .string(goal.status)
        }
        let request = try UpdateGoalRequest(body: JSONValue.object(body).encoded())
        let answer = try JSON.parse(world.backend.updateGoal(ids[index], request, by: user, &world.turn))
        plain[index] = goal
        checkGuide(answer, goal)
    }

    mutating func put() throws {
        let index = draw.below(plain.count)
        var goal = plain[index]
        var body = common(&goal, date: "target_date", all: false)
        measure(&goal, &body)
        let (progress, current) = (isDrawn() ? pick(Self.parts) : nil, isDrawn() ? pick([0.0, 5, 100]) : nil)
        if let progress { body["progress"] = .number(JSONNumber(progress)) }
        if let current { body["current_value"] = .number(JSONNumber(current)) }
        if let progress = progress ?? current.map({ min(1, $0 / goal.target) }) {
            goal.setProgress(progress, current: current)
        }
        if isDrawn() {
            let status = pick(["active", "completed", "paused", "archived"])
            body["status"] = .string(status)
            let isUntouched = goal.status == "not_started" && goal.progress == 0
            goal.status = status != "active" ? status : isUntouched ? "not_started" : "in_progress"
        }
        let request = try AppGoalRequest(body: JSONValue.object(body).encoded())
        let answer = try JSON.parse(world.backend.replaceGoal(ids[index], request, by: user, &world.turn))
        plain[index] = goal
        checkApp(try #require(answer["data"]), goal)
    }

    func checkGuide(_ answer: JSONValue, _ goal: Plain) {
        let data = answer["data"]
        for shown in [answer, data] {
            #expect(shown?["title"]?.string == goal.title && shown?["description"]?.string == goal.description)
            #expect(shown?["status"]?.string == goal.guideStatus && shown?["progress"]?.double == goal.progress)
            #expect(shown?["category"] == goal.category)
        }
        #expect(answer["targetDate"]?.string == goal.date && data?["target_date"]?.string == goal.date)
        #expect(answer["userId"] == "anna" && data?["user_id"] == "anna")
        if let data { checkMeasure(data, goal) }
    }

    func checkApp(_ shown: JSONValue, _ goal: Plain) {
        #expect(shown["title"]?.string == goal.title && shown["description"]?.string == goal.description)
        #expect(shown["status"]?.string == goal.appStatus && shown["progress"]?.double == goal.progress)
        #expect(shown["category"] == goal.category && shown["target_date"]?.string == goal.date)
        #expect(shown["user_id"] == "anna")
        checkMeasure(shown, goal)
        // The clock is in January 2025.
        let isOpen = goal.status != "completed" && goal.status != "archived"
        #expect(shown["is_overdue"]?.bool == (isOpen && goal.date < "2025-01-29"))
        let days = goal.date < "2025-01-29" ? 0 : goal.date < "2025-01-31" ? 1 : 1950
        #expect(shown["days_remaining"]?.int == days)
    }

    func checkMeasure(_ shown: JSONValue, _ goal: Plain) {
        #expect(shown["start_date"]?.string == goal.start && shown["goal_type"] == goal.type)
        #expect(shown["target_value"]?.double == goal.target && shown["target_unit"]?.string == goal.unit)
        #expect(abs((shown["current_value"]?.double ?? -1) - goal.shownCurrent) < 1e-5)
        #expect(shown["is_recurring"] == false)
    }

    /// Compares every goal, in both lists and in the guide's own answer, with the model.
    func check(_ backend: Backend) throws {
        let list = try JSON.parse(backend.goals(for: user, at: world.turn.now).make())
        let (guide, app) = (list["goals"]?.array ?? [], list["data"]?["goals"]?.array ?? [])
        #expect(guide.count == plain.count && app.count == plain.count)
        for (index, goal) in plain.enumerated() {
            #expect(guide[index]["id"]?.string == ids[index] && app[index]["id"]?.string == ids[index])
            #expect(guide[index]["status"]?.string == goal.guideStatus && guide[index]["title"]?.string == goal.title)
            #expect(guide[index]["progress"]?.double == goal.progress)
            checkApp(app[index], goal)
            checkGuide(try JSON.parse(backend.goal(ids[index], for: user)), goal)
        }
    }
}
