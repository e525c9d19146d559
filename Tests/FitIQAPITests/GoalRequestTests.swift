import Testing

@testable import FitIQAPI

@Suite("Goal requests") struct GoalRequestTests {
    static let date = DateTime(secondsSinceEpoch: 1_740_787_200)
    private static let given = #""title":"T","description":"D","targetDate":"2025-03-01T00:00:00Z""#

    // MARK: Create

    static let created: KeyValuePairs<String, CreateGoalRequest> = [
        "{\(given)}": CreateGoalRequest(title: "T", description: "D", targetDate: date),
        "{\(given),\"category\":\"fitness\"}": CreateGoalRequest(
            title: "T", description: "D", targetDate: date, category: "fitness"),
        // null means absent; unknown fields are ignored, including fields that only PATCH sets.
        "{\(given),\"category\":null,\"id\":7,\"progress\":9,\"status\":\"x\",\"conversationId\":[]}":
            CreateGoalRequest(title: "T", description: "D", targetDate: date),
        #"{"title":" ","description":"","targetDate":"2025-03-01T01:00:00.999+01:00"}"#: CreateGoalRequest(
            title: " ", description: "", targetDate: date),
    ]

    @Test("A valid request to create a goal is accepted", arguments: created)
    func readCreate(body: String, expected: CreateGoalRequest) throws {
        #expect(try CreateGoalRequest(body: body.bytes) == expected)
    }

    private static let dateTime = #"an ISO 8601 date-time such as "2025-03-01T00:00:00Z""#

    static let refusedCreates: KeyValuePairs<String, String> = [
        "{}": "The field 'title' is required: a string of 1 to 200 characters.",
        #"{"title":null}"#: "The field 'title' is required: a string of 1 to 200 characters.",
        #"{"title":5}"#: "The field 'title' must be a string; got a number: 5.",
        #"{"title":""}"#: "The field 'title' must have 1 to 200 characters; it has 0.",
        #"{"title":"T"}"#: "The field 'description' is required: a string of 0 to 2000 characters.",
        #"{"title":"T","description":[]}"#: "The field 'description' must be a string; got an array: [].",
        #"{"title":"T","description":""}"#: "The field 'targetDate' is required: \(dateTime).",
        #"{"title":"T","description":"","target_date":"x"}"#: "The field 'targetDate' is required: \(dateTime).",
        #"{"title":"T","description":"","targetDate":762480000}"#:
            "The field 'targetDate' must be \(dateTime); got a number: 762480000. In Swift, set the JSONEncoder's dateEncodingStrategy to .iso8601.",
        #"{"title":"T","description":"","targetDate":"2025-02-29T00:00:00Z"}"#:
            #"The field 'targetDate' must be \#(dateTime); got a string: "2025-02-29T00:00:00Z". Month 2 of 2025 has 28 days, so there is no day 29."#,
        "{\(given),\"category\":\"\"}": "The field 'category' must have 1 to 100 characters; it has 0.",
        "{\(given),\"category\":1}": "The field 'category' must be a string; got a number: 1.",
        "[]": "The body must be a JSON object; it is an array: [].",
        "": "This endpoint needs a JSON object as its body, and the body is empty.",
    ]

    @Test("The error for an invalid new goal names the field", arguments: refusedCreates)
    func refusedCreate(body: String, message: String) {
        let refusal = refusal(try CreateGoalRequest(body: body.bytes))
        #expect(refusal?.message == message && refusal?.status == .badRequest)
    }

    @Test(
        "Character limits count characters as Swift does",
        arguments: [("title", 200), ("description", 2000), ("category", 100)])
    func lengths(field: String, limit: Int) {
        for (count, isAllowed) in [(limit, true), (limit + 1, false)] {
            for character in ["a", "é", "🇩🇪"] {
                let body = "{\(Self.given),\"\(field)\":\"\(String(repeating: character, count: count))\"}"
                let least = field == "description" ? 0 : 1
                let message = "The field '\(field)' must have \(least) to \(limit) characters; it has \(count)."
                for refusal in [
                    refusal(try CreateGoalRequest(body: body.bytes)), refusal(try UpdateGoalRequest(body: body.bytes)),
                ] { #expect(refusal?.message == (isAllowed ? nil : message)) }
            }
        }
        let marks = String(repeating: "\u{301}", count: 8192)
        let body = "{\(Self.given),\"\(field)\":\"e\(marks)\"}"
        #expect(
            refusal(try CreateGoalRequest(body: body.bytes))?.message
                == "The field '\(field)' must have at most 16384 bytes of UTF-8; it has 16385.")
    }

    // MARK: Update

    private static func update(_ change: (inout UpdateGoalRequest) -> Void) -> UpdateGoalRequest {
        var request = UpdateGoalRequest()
        change(&request)
        return request
    }

    static let updated: KeyValuePairs<String, UpdateGoalRequest> = [
        "{}": UpdateGoalRequest(),
        #"{"title":null,"description":null,"targetDate":null,"progress":null,"status":null,"category":null}"#:
            UpdateGoalRequest(), #"{"id":"x","userId":"y","createdAt":5}"#: UpdateGoalRequest(),
        #"{"title":"T"}"#: update { $0.change.title = "T" },
        #"{"description":""}"#: update { $0.change.description = "" },
        #"{"targetDate":"2025-03-01t00:00:00z"}"#: update { $0.change.targetDate = date },
        #"{"progress":0}"#: update { $0.change.progress = 0 }, #"{"progress":1.0}"#: update { $0.change.progress = 1 },
        #"{"progress":1e-400}"#: update { $0.change.progress = 0 },
        #"{"progress":45e-2}"#: update { $0.change.progress = 0.45 },
        #"{"status":"in_progress"}"#: update { $0.change.status = .inProgress },
        #"{"category":"c"}"#: update { $0.change.category = "c" },
        #"{"conversationId":null}"#: update { $0.conversation = .unlink },
        #"{"conversationId":"x","conversationId":null}"#: update { $0.conversation = .unlink },
        // Any value is accepted; the backend answers unknown ids with 404.
        #"{"conversationId":""}"#: update { $0.conversation = .link("") },
        #"{"conversationId":"null"}"#: update { $0.conversation = .link("null") },
    ]

    @Test("A null conversation id in an update unlinks the conversation", arguments: updated)
    func readUpdate(body: String, expected: UpdateGoalRequest) throws {
        #expect(try UpdateGoalRequest(body: body.bytes) == expected)
    }

    @Test("An update may be in the apps' form only if the server serves the apps")
    func formOfApps() throws {
        for (body, isServed, expected) in [
            (#"{"target_value":5}"#, true, true), (#"{"target_value":5}"#, false, false),
            (#"{"title":"T"}"#, true, false),
            (#"{"target_value":5,"targetDate":"2025-03-01T00:00:00Z"}"#, true, false),
        ] {
            let request = try UpdateGoalRequest(body: body.bytes, isForApps: isServed)
            #expect(request.hasFormOfApps == expected, "\(body)")
        }
        #expect(try !UpdateGoalRequest(body: #"{"target_value":5}"#.bytes).hasFormOfApps)
    }

    @Test("An update reads a progress of -0 as 0")
    func negativeZero() throws {
        let progress = try UpdateGoalRequest(body: #"{"progress":-0.0}"#.bytes).change.progress
        #expect(progress?.sign == .plus)
    }

    @Test("An update leaves absent members unchanged", arguments: updated)
    func apply(body: String, request: UpdateGoalRequest) {
        var goal = GoalTests.full
        request.change.apply(to: &goal)
        var expected = GoalTests.full
        expected.title = request.change.title ?? expected.title
        expected.description = request.change.description ?? expected.description
        expected.targetDate = request.change.targetDate ?? expected.targetDate
        expected.progress = request.change.progress ?? expected.progress
        expected.state = request.change.status.flatMap { GoalState(rawValue: $0.rawValue) } ?? expected.state
        expected.category = request.change.category ?? expected.category
        #expect(goal == expected)
    }

    static let refusedUpdates: KeyValuePairs<String, String> = [
        #"{"title":""}"#: "The field 'title' must have 1 to 200 characters; it has 0.",
        #"{"progress":"0.5"}"#: #"The field 'progress' must be a number from 0 to 1; got a string: "0.5"."#,
        #"{"progress":true}"#: "The field 'progress' must be a number from 0 to 1; got a boolean: true.",
        #"{"progress":45}"#: "The field 'progress' must be a number from 0 to 1; got a number: 45.",
        #"{"progress":1.0000000000000002}"#:
            "The field 'progress' must be a number from 0 to 1; got a number: 1.0000000000000002.",
        #"{"progress":-5e-324}"#: "The field 'progress' must be a number from 0 to 1; got a number: -5e-324.",
        #"{"progress":1e999}"#: "The field 'progress' must be a number from 0 to 1; got a number: 1e999.",
        #"{"status":"inProgress"}"#:
            #"'status' must be one of "not_started", "in_progress", "completed", "archived"; got "inProgress". Did you mean "in_progress"?"#,
        #"{"conversationId":5}"#:
            "The field 'conversationId' must be a consultation's id, or null to unlink; got a number: 5.",
        #"{"conversationId":["x"]}"#:
            #"The field 'conversationId' must be a consultation's id, or null to unlink; got an array: ["x"]."#,
        #"{"conversationId":"c","targetDate":"2025-03-01"}"#:
            #"The field 'targetDate' must be \#(dateTime); got a string: "2025-03-01"."#,
        "": "This endpoint needs a JSON object as its body, and the body is empty.",
    ]

    @Test("The error for an invalid update names the field", arguments: refusedUpdates)
    func refusedUpdate(body: String, message: String) {
        let refusal = refusal(try UpdateGoalRequest(body: body.bytes))
        #expect(refusal?.message == message && refusal?.status == .badRequest)
    }

    // MARK: Chat about a goal

    @Test(
        "A chat about a goal accepts a UUID in upper or lower case",
        arguments: [ResourceIDTests.text, ResourceIDTests.text.uppercased()])
    func chatAboutGoal(id: String) throws {
        #expect(try ChatAboutGoalRequest(body: #"{"goalId":"\#(id)"}"#.bytes).goalID == id)
    }

    private static let issued = "the id that POST /api/v1/goals answered with"
    private static let missing = APIError.missingField("goalId", expected: issued)

    static let refusedChats: KeyValuePairs<String, APIError> = [
        "{}": missing, #"{"goalId":null}"#: missing, #"{"goal_id":"x"}"#: missing,
        #"{"goalId":1}"#: .wrongType("goalId", expected: issued, got: 1),
        #"{"goalId":""}"#: .malformedGoalID("", field: "goalId"),
        #"{"goalId":"backend-123"}"#: .malformedGoalID("backend-123", field: "goalId"),
        #"{"goalId":" \#(ResourceIDTests.text)"}"#: .malformedGoalID(" \(ResourceIDTests.text)", field: "goalId"),
        "": .emptyBody,
    ]

    @Test("An invalid chat about a goal gets 400", arguments: refusedChats)
    func refusedChat(body: String, expected: APIError) {
        let refusal = refusal(try ChatAboutGoalRequest(body: body.bytes))
        #expect(refusal == expected && expected.status == .badRequest)
    }
}
