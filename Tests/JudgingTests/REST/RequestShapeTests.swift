import FitIQAPI
import JSON
import Testing

@testable import Judging

@Suite("request/shape")
struct RequestShapeTests {
    static let chapters: [Chapter] = [
        Chapter("what fits", .kept(9)) {
            $0.request(.createConsultation, body: ["persona": "nutritionist"], status: 201, at: 0)
            $0.request(
                .createGoal, body: ["title": "Run", "description": "", "targetDate": "2025-03-01T00:00:00Z"],
                status: 201, at: 0)
            $0.request(.updateGoal, uuid(1), body: ["progress": 0.5], at: 0)
            $0.request(.chatAboutGoal, body: ["goalId": .string(uuid(1))], status: 201, at: 0)
            $0.request(.createMealLog, body: ["raw_input": "2 eggs", "meal_type": "lunch"], status: 201, at: 0)
            $0.request(.listConsultations, query: "page=1&page_size=100&is_archived=true", at: 0)
            $0.request(.listMessages, uuid(1), query: "page=2", at: 0)
            $0.request(.listQuickActions, query: "context_type=mood", at: 0)
            $0.request(.listMealLogs, query: "start_date=2025-01-29", at: 0)
        },
        Chapter("documents fit the rows of their collections", .kept(8)) {
            $0.request(
                .createSleep,
                body: ["id": 1, "start_time": "2025-01-28T22:00:00Z", "end_time": "2025-01-29T06:00:00Z", "x": 1],
                status: 201, at: 0)
            $0.request(.shareWorkoutTemplate, uuid(1), body: ["user_id": "a"], status: 201, at: 0)
            $0.request(.copyWorkoutTemplate, uuid(1), body: ["new_name": "b"], status: 201, at: 0)
            // The request does not change members that the body lacks.
            $0.request(.replaceWorkoutTemplate, uuid(1), body: ["category": "c"], at: 0)
            $0.request(.generateInsights, body: ["insight_type": "weekly"], status: 201, at: 0)
            $0.request(.searchJournal, query: "q=a&limit=1&offset=0", at: 0)
            $0.request(.analyzeMoodEntries, query: "from=2025-01-01&to=2025-01-29", at: 0)
            $0.request(.listInsights, query: "archived_status=true", at: 0)
            $0.request(.copyWorkoutTemplate, uuid(1), status: 201, at: 0).request(.readInsight, uuid(1), at: 0)
            $0.request(.deleteInsight, uuid(1), status: 204, at: 0)
        },
        Chapter("meals of the apps: together, changed, confirmed", .kept(4)) {
            $0.request(
                .createMealLogs, body: ["meal_logs": [["raw_input": "tea", "meal_type": "drink"]]], status: 201, at: 0)
            $0.request(.createMealLog, body: ["raw_input": "tea", "meal_type": "drink"], status: 201, at: 0)
            $0.request(.updateMealLog, uuid(1), body: ["notes": ""], at: 0)
            $0.request(
                .confirmMealPhoto, uuid(1),
                body: [
                    "confirmed_items": [
                        [
                            "name": "Tea", "quantity": 1, "unit": "cups", "calories": 2, "protein_g": 0, "carbs_g": 0,
                            "fat_g": 0,
                        ]
                    ]
                ], at: 0)
            $0.request(.showMealPhoto, uuid(1), at: 0).request(.deleteMealPhoto, uuid(1), status: 204, at: 0)
        },
        Chapter("a photo is a form", .kept()) {
            let body = "--x\r\nContent-Type: image/png\r\n\r\nPNG\r\n--x--\r\n"
            $0.request(
                line: "POST /api/v1/meal-logs/photo", endpoint: .recognizeMealPhoto, body: Array(body.utf8),
                status: 201, at: 0, fields: ["Content-Type: multipart/form-data; boundary=x"])
        },
        Chapter("what has nothing to read is not asked about", .notExercised) {
            $0.request(.archiveConsultation, uuid(1), at: 0).request(.listConsultations, at: 0)
            $0.request(.showGoal, uuid(1), at: 0)
        },
        Chapter("a body that the journal did not keep is not asked about", .notExercised) {
            $0.request(
                line: "POST /api/v1/goals", endpoint: .createGoal, status: 201, at: 0,
                fields: ["Content-Type: application/json", "Content-Length: 9"])
        },
        Chapter("parameters that a guide does not know are allowed", .kept(), in: .enhancedConsultations) {
            $0.request(.showConsultation, uuid(1), query: "page=x", at: 0)
            $0.request(.listConsultations, query: "sort=title", at: 0)
        },
        Chapter("in goal-linking the list of goals has none", .notExercised, in: .goalLinking) {
            $0.request(.listGoals, query: "limit=x", at: 0)
        },
        Chapter(
            "a parameter that nothing reads is a hint",
            .broken(
                3,
                .init(
                    message:
                        "GET /api/v1/goals ignores \"sort\": it reads only page, limit, offset, status, category, from, to.",
                    evidence: [2], level: .should),
                .init(
                    message: "GET /api/v1/goals/\(uuid(1)) ignores \"a\", \"b\": it reads none.", evidence: [3],
                    level: .should))
        ) {
            $0.request(.listGoals, query: "limit=2", at: 0)
            $0.request(.listGoals, query: "limit=2&sort=title&sort=id", at: 1)
            $0.request(.showGoal, uuid(1), query: "a=1&b=2", at: 2)
        },
        Chapter("what is no endpoint is not asked about", .notExercised) {
            $0.request(
                line: "POST /api/v1/consultation", endpoint: nil, body: Array("{".utf8), status: 404, at: 0,
                unmatched: .unknownPath)
            $0.request(.createGoal, body: [:], status: 404, at: 0, unmatched: .notInGuide)
        },
        Chapter("a refusal of something that fits is a fault's", .kept()) {
            $0.request(.createConsultation, body: ["persona": "nutritionist"], status: 400, at: 0, faults: ["picky"])
        },
        Chapter("fields of other guides are unknown to one guide", .kept(), in: .consultationWebSocket) {
            $0.request(.createConsultation, body: ["persona": "nutritionist", "context_type": "weird"], at: 0)
        },
        Chapter("an id that is none belongs to ids/backend-goal-id", .kept()) {
            $0.request(.chatAboutGoal, body: ["goalId": "local"], status: 400, at: 0)
        },
    ]

    @Test("Well-formed requests keep the request shape obligation", arguments: chapters)
    func judges(_ chapter: Chapter) { chapter.check("request/shape") }

    /// A malformed request, and a part of its message.
    struct Misfit: Sendable, CustomTestStringConvertible {
        let endpoint: Endpoint
        let query, body: String
        let type: String?
        let told: String
        var testDescription: String { "\(endpoint.name) \(query) \(body) \(type ?? "")" }

        init(
            _ endpoint: Endpoint, query: String = "", body: String = "", type: String? = "application/json",
            told: String
        ) { (self.endpoint, self.query, self.body, self.type, self.told) = (endpoint, query, body, type, told) }
    }

    static let misfits: [Misfit] = [
        Misfit(
            .createMealLogs, body: #"{"meal_logs":[{"raw_input":"tea","meal_type":"tea"}]}"#, told: "In meal_logs[0]"),
        Misfit(.recognizeMealPhoto, body: "PNG", type: "image/png", told: "multipart/form-data"),
        Misfit(
            .createConsultation, body: #"{"persona":"coach"}"#,
            told: "POST /api/v1/consultations does not match the API: 'persona' must be one of "),
        Misfit(.createConsultation, told: "does not match the API: "),
        Misfit(.createJournalEntry, body: "[]", told: "must be a JSON object"),
        Misfit(.shareWorkoutTemplate, body: "{}", told: "'shared_with_user_ids' is required"),
        Misfit(.copyWorkoutTemplate, body: #"{"new_name":7}"#, told: "'new_name'"),
        Misfit(.replaceWorkoutTemplate, body: #"{"status":"new"}"#, told: "'status' must be one of"),
        Misfit(
            .createProgress, body: #"{"type":"weight_kg","quantity":61}"#,
            told: "POST /api/v1/progress does not match the API: 'type' must be one of"),
        Misfit(
            .createSleep, body: #"{"start_time":"2025-01-28T22:00:00Z","end_time":"2025-01-28T22:00:00Z"}"#,
            told: "'end_time'"),
        Misfit(.generateInsights, body: #"{"insight_type":"wellness"}"#, told: "'insight_type'"),
        Misfit(.analyzeMoodEntries, query: "from=2025-01-01", told: "'to' is required"),
        Misfit(.listInsights, query: "archived_status=maybe", told: "'archived_status'"),
        Misfit(.searchJournal, query: "q=", told: "'q' is required"),
        Misfit(.listSleep, query: "limit=101", told: "'limit'"),
        Misfit(.createGoal, body: #"{"title":"Run"}"#, told: "'description'"),
        Misfit(
            .updateGoal, body: #"{"progress":2}"#,
            told: "PATCH /api/v1/goals/\(uuid(1)) does not match the API: The field 'progress'"),
        Misfit(.chatAboutGoal, body: #"{"goal_id":"a"}"#, told: "'goalId'"),
        Misfit(.createMealLog, body: #"{"rawInput":"2 eggs"}"#, told: "'raw_input'"),
        Misfit(
            .createMealLog, body: #"{"raw_input":"2 eggs","meal_type":"lunch"}"#, type: "text/plain", told: "text/plain"
        ),
        Misfit(.createMealLog, body: #"{"raw_input":"2 eggs","meal_type":"lunch"}"#, type: nil, told: "Content-Type"),
        Misfit(
            .createMealLog, body: #"{"raw_input":"2 eggs","meal_type":"lunch"}"#,
            type: "application/json\r\nContent-Type: text/plain", told: "application/json, text/plain"),
        Misfit(
            .createMealLog, body: #"{"raw_input":"2 eggs","meal_type":"lunch"}"#,
            type: "text/plain\r\nContent-Type: application/json", told: "text/plain, application/json"),
        Misfit(.archiveConsultation, body: "x", type: "application/json; charset=latin1", told: "latin1"),
        Misfit(
            .listConsultations, query: "page_size=101",
            told: "GET /api/v1/consultations does not match the API: The parameter 'page_size'"),
        Misfit(.listMessages, query: "page=0", told: "'page'"),
        Misfit(.listQuickActions, query: "persona=x", told: "'persona'"),
        Misfit(.listMealLogs, query: "limit=0", told: "'limit'"),
    ]

    @Test("The judge reports a malformed request with the API's reason regardless of the answer", arguments: misfits)
    func tells(_ misfit: Misfit) throws {
        for status in [nil, 200, 400, 503] as [Int?] {
            let story = Story {
                $0.request(
                    line: Story.line(misfit.endpoint, uuid(1), query: misfit.query), endpoint: misfit.endpoint,
                    body: Array(misfit.body.utf8), status: status, at: 0,
                    fields: misfit.type.map { ["Content-Type: \($0)"] } ?? [])
            }
            let told = try #require(story.journal.verdict("request/shape"))
            #expect((told.outcome, told.breaches.map(\.evidence)) == (.broken, [[1]]))
            #expect(told.breaches.first?.message.contains(misfit.told) == true, "\(told)")
        }
    }
}
