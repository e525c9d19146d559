import Foundation
import GuideModels
import JSON
import Testing

@testable import FitIQAPI

/// Goals as JSON, byte by byte and through the guide's own models.
@Suite("Goal JSON") struct GoalTests {
    static let plain = Goal(
        id: .numbered(1), userID: "user-1", title: "Run", description: "", category: nil,
        targetDate: DateTime(secondsSinceEpoch: 1_740_787_200), createdAt: .example)

    static let full: Goal = {
        var goal = Goal(
            id: .numbered(2), userID: "Zoë \"😀\"", title: "A/B \\", description: "“odd”\n", category: "fitness",
            targetDate: DateTime(secondsSinceEpoch: .max), createdAt: .example)
        goal.state = .inProgress
        goal.progress = 0.45
        goal.conversationID = .numbered(7)
        goal.updatedAt = Timestamp.example.advanced(byNanoseconds: 5_999_999_999)
        return goal
    }()

    static let plainCamel =
        #"{"id":"00000000-0000-4000-8000-000000000001","userId":"user-1","title":"Run","description":"","#
        + #""status":"not_started","progress":0,"category":null,"targetDate":"2025-03-01T00:00:00Z","#
        + #""conversationId":null,"createdAt":"2025-01-29T10:30:00Z","updatedAt":"2025-01-29T10:30:00Z"}"#
    static let fullCamel =
        #"{"id":"00000000-0000-4000-8000-000000000002","userId":"Zoë \"😀\"","title":"A/B \\","#
        + #""description":"“odd”\n","status":"in_progress","progress":0.45,"category":"fitness","#
        + #""targetDate":"9999-12-31T23:59:59Z","conversationId":"00000000-0000-4000-8000-000000000007","#
        + #""createdAt":"2025-01-29T10:30:00Z","updatedAt":"2025-01-29T10:30:05Z"}"#

    /// The goal object with the other guides' names.
    private static func snake(_ camel: String) -> String {
        var text = camel
        for (old, new) in [
            ("userId", "user_id"), ("targetDate", "target_date"), ("conversationId", "conversation_id"),
            ("createdAt", "created_at"), ("updatedAt", "updated_at"),
        ] { text = text.replacingOccurrences(of: "\"\(old)\":", with: "\"\(new)\":") }
        return text
    }

    private static func envelope(_ camel: String) -> String {
        #"{"success":true,"data":\#(snake(camel)),\#(camel.dropFirst())"#
    }

    @Test("In goal-linking, the answer is the bare goal object", arguments: [(plain, plainCamel), (full, fullCamel)])
    func goalLinking(goal: Goal, json: String) {
        let encoded = goal.encoded(in: .goalLinking)
        #expect([encoded.body, encoded.camelCase, encoded.snakeCase].map(text) == [json, json, ""])
        #expect(encoded.byteCount == 2 * json.utf8.count)
    }

    @Test(
        "In the union, the answer wraps the goal object in an envelope",
        arguments: [(plain, plainCamel), (full, fullCamel)])
    func unionForm(goal: Goal, json: String) {
        let encoded = goal.encoded(in: .union)
        #expect(
            [encoded.body, encoded.camelCase, encoded.snakeCase].map(text)
                == [Self.envelope(json), json, Self.snake(json)])
        #expect(encoded.byteCount == encoded.body.count + encoded.camelCase.count + encoded.snakeCase.count)
    }

    @Test("Every goal status is written with its guide's name", arguments: GoalWord.guide)
    func status(status: GoalWord) throws {
        var goal = Self.plain
        goal.state = try #require(GoalState(rawValue: status.rawValue))
        let body = try JSON.parse(goal.encoded(in: .union).body)
        #expect(body["status"] == .string(status.rawValue) && body["data"]?["status"] == body["status"])
    }

    static let progress: [(Double, String)] = [
        (0, "0"), (1, "1"), (0.5, "0.5"), (1.0 / 3, "0.3333333333333333"), (.leastNonzeroMagnitude, "5e-324"),
        (0.1 + 0.2, "0.30000000000000004"),
    ]

    @Test("Progress is written with the fewest digits that represent it exactly", arguments: progress)
    func digits(value: Double, json: String) {
        var goal = Self.plain
        goal.progress = value
        #expect(text(goal.encoded(in: .goalLinking).body).contains("\"progress\":\(json),\"category\""))
    }

    // MARK: Lists

    @Test("A goal list contains the goals and their count")
    func list() {
        func list(_ goals: [Goal], _ form: GuideMode) -> String {
            text(ListAnswers.goals(goals.map { $0.encoded(in: form) }, total: goals.count, in: form))
        }
        func union(_ camel: String, _ count: Int) -> String {
            #"{"success":true,"data":{"goals":[\#(Self.snake(camel))],"total_count":\#(count)},"#
                + #""goals":[\#(camel)],"totalCount":\#(count)}"#
        }
        let lists: [([Goal], String)] = [([], ""), ([Self.plain, Self.full], "\(Self.plainCamel),\(Self.fullCamel)")]
        for (goals, camel) in lists {
            #expect(list(goals, .goalLinking) == #"{"goals":[\#(camel)],"totalCount":\#(goals.count)}"#)
            #expect(list(goals, .union) == union(camel, goals.count))
        }
    }

    // MARK: Chat about a goal

    private func chatAnswer(_ form: GuideMode) -> [UInt8] {
        AnswerTests.plain.body(answeringChatAboutGoal: .numbered(9), in: form, origin: "http://h")
    }

    @Test("A chat about a goal contains its persona, its time and both ids")
    func chatAboutGoal() {
        let persona =
            #""persona":{"id":"general_wellness","name":"Wellness Coach","avatar":"http://h/avatars/general_wellness.svg"}"#
        let (conversation, goal) = ("00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000009")
        let camel =
            #""conversationId":"\#(conversation)","goalId":"\#(goal)","createdAt":"2025-01-29T10:30:00Z",\#(persona)"#
        #expect(text(chatAnswer(.goalLinking)) == "{\(camel)}")
        #expect(
            text(chatAnswer(.union))
                == #"{"success":true,"data":{"conversation_id":"\#(conversation)","goal_id":"\#(goal)","#
                + #""created_at":"2025-01-29T10:30:00Z",\#(persona)},\#(camel)}"#)
    }

    // MARK: The guide's models

    @Test("The guide's Goal model decodes the JSON", arguments: [plain, full], [GuideMode.goalLinking, .union])
    func decodes(goal: Goal, form: GuideMode) throws {
        typealias Guide = GoalLinkingGuide
        let decoded = try Guide.decoder.decode(Guide.Goal.self, from: Data(goal.encoded(in: form).body))
        #expect(decoded.id.uuidString.lowercased() == goal.id.description)
        // This is the guide's own mistake: the backend's id becomes the local id.
        #expect(decoded.backendId == nil)
        #expect(
            (decoded.title, decoded.description, decoded.category, decoded.userId)
                == (goal.title, goal.description, goal.category, goal.userID.text))
        let targetDate = Date(timeIntervalSince1970: Double(goal.targetDate.secondsSinceEpoch))
        #expect((decoded.createdAt, decoded.targetDate) == (GuideTests.date, targetDate))
        #expect(
            (decoded.progress, decoded.status.rawValue, decoded.conversationId)
                == (goal.progress, goal.state.guideStatus.rawValue, goal.conversationID?.description))
    }

    @Test("The guide's chat-about-goal model decodes the answer", arguments: [GuideMode.goalLinking, .union])
    func decodesChatAboutGoal(form: GuideMode) throws {
        typealias Guide = GoalLinkingGuide
        let decoded = try Guide.decoder.decode(Guide.ChatAboutGoalResponse.self, from: Data(chatAnswer(form)))
        #expect(
            (decoded.conversationId, decoded.goalId, decoded.createdAt, decoded.persona.name) == (
                ResourceID.numbered(1).description, ResourceID.numbered(9).description, GuideTests.date,
                "Wellness Coach"
            ))
    }

    @Test("The guide's own requests are accepted")
    func requests() throws {
        typealias Guide = GoalLinkingGuide
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        let create = Guide.CreateGoalRequest(
            title: "T", description: "D", targetDate: GuideTests.date, category: "fitness")
        #expect(
            try CreateGoalRequest(body: Array(encoder.encode(create)))
                == CreateGoalRequest(title: "T", description: "D", targetDate: DateTime(.example), category: "fitness"))
        var expected = UpdateGoalRequest()
        expected.conversation = .link("c")
        #expect(
            try UpdateGoalRequest(body: Array(encoder.encode(Guide.UpdateGoalRequest(conversationId: "c")))) == expected
        )
        expected.conversation = .keep
        (expected.change.progress, expected.change.status) = (0.45, .inProgress)
        expected.change.targetDate = DateTime(.example)
        let update = Guide.UpdateGoalRequest(targetDate: GuideTests.date, progress: 0.45, status: "in_progress")
        #expect(try UpdateGoalRequest(body: Array(encoder.encode(update))) == expected)
        let id = ResourceID.numbered(9).description
        #expect(
            try ChatAboutGoalRequest(body: Array(encoder.encode(Guide.ChatAboutGoalRequest(goalId: id)))).goalID == id)
    }
}
