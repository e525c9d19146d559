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
            $0.request(.updateGoal, Story.id(1), body: ["progress": 0.5], at: 0)
            $0.request(.chatAboutGoal, body: ["goalId": .string(Story.id(1))], status: 201, at: 0)
            $0.request(.createMealLog, body: ["raw_input": "2 eggs", "meal_type": "lunch"], status: 201, at: 0)
            $0.request(.listConsultations, query: "page=1&page_size=100&is_archived=true", at: 0)
            $0.request(.listMessages, Story.id(1), query: "page=2", at: 0)
            $0.request(.listQuickActions, query: "context_type=mood", at: 0)
            $0.request(.listMealLogs, query: "start_date=2025-01-29", at: 0)
        },
        Chapter("documents fit the rows of their collections", .kept(8)) {
            $0.request(
                .createSleep,
                body: ["id": 1, "start_time": "2025-01-28T22:00:00Z", "end_time": "2025-01-29T06:00:00Z", "x": 1],
                status: 201, at: 0)
            $0.request(.shareWorkoutTemplate, Story.id(1), body: ["user_id": "a"], status: 201, at: 0)
            $0.request(.copyWorkoutTemplate, Story.id(1), body: ["new_name": "b"], status: 201, at: 0)
            // The request does not change members that the body lacks.
            $0.request(.replaceWorkoutTemplate, Story.id(1), body: ["category": "c"], at: 0)
            $0.request(.generateInsights, body: ["insight_type": "weekly"], status: 201, at: 0)
            $0.request(.searchJournal, query: "q=a&limit=1&offset=0", at: 0)
            $0.request(.analyzeMoodEntries, query: "from=2025-01-01&to=2025-01-29", at: 0)
            $0.request(.listInsights, query: "archived_status=true", at: 0)
            $0.request(.copyWorkoutTemplate, Story.id(1), status: 201, at: 0)
            $0.request(.readInsight, Story.id(1), at: 0)
            $0.request(.deleteInsight, Story.id(1), status: 204, at: 0)
        },
        Chapter("meals of the apps: together, changed, confirmed", .kept(4)) {
            $0.request(
                .createMealLogs, body: ["meal_logs": [["raw_input": "tea", "meal_type": "drink"]]], status: 201, at: 0)
            $0.request(.createMealLog, body: ["raw_input": "tea", "meal_type": "drink"], status: 201, at: 0)
            $0.request(.updateMealLog, Story.id(1), body: ["notes": ""], at: 0)
            $0.request(
                .confirmMealPhoto, Story.id(1),
                body: [
                    "confirmed_items": [
                        [
                            "name": "Tea", "quantity": 1, "unit": "cups", "calories": 2, "protein_g": 0, "carbs_g": 0,
                            "fat_g": 0,
                        ]
                    ]
                ], at: 0)
            $0.request(.showMealPhoto, Story.id(1), at: 0)
            $0.request(.deleteMealPhoto, Story.id(1), status: 204, at: 0)
        },
        Chapter("a photo is a form", .kept()) {
            let body = "--x\r\nContent-Type: image/png\r\n\r\nPNG\r\n--x--\r\n"
            $0.request(
                "POST /api/v1/meal-logs/photo", endpoint: .recognizeMealPhoto, body: Array(body.utf8), status: 201,
                at: 0, fields: ["Content-Type: multipart/form-data; boundary=x"])
        },
        Chapter("what has nothing to read is not asked about", .notExercised) {
            $0.request(.archiveConsultation, Story.id(1), at: 0)
            $0.request(.listConsultations, at: 0)
            $0.request(.showGoal, Story.id(1), at: 0)
        },
        Chapter("a body that the journal did not keep is not asked about", .notExercised) {
            $0.request(
                "POST /api/v1/goals", endpoint: .createGoal, status: 201, at: 0,
                fields: ["Content-Type: application/json", "Content-Length: 9"])
        },
        Chapter("parameters that a guide does not know are allowed", .kept(), in: .enhancedConsultations) {
            $0.request(.showConsultation, Story.id(1), query: "page=x", at: 0)
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
                    message: "GET /api/v1/goals/\(Story.id(1)) ignores \"a\", \"b\": it reads none.", evidence: [3],
                    level: .should))
        ) {
            $0.request(.listGoals, query: "limit=2", at: 0)
            $0.request(.listGoals, query: "limit=2&sort=title&sort=id", at: 1)
            $0.request(.showGoal, Story.id(1), query: "a=1&b=2", at: 2)
        },
        Chapter("what is no endpoint is not asked about", .notExercised) {
            $0.request(
                "POST /api/v1/consultation", endpoint: nil, body: Array("{".utf8), status: 404, at: 0,
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
        let line: String
        let endpoint: Endpoint
        var body = ""
        var type: String? = "application/json"
        let told: String
        var testDescription: String { "\(line) \(body) \(type ?? "")" }
    }

    static let misfits: [Misfit] = [
        Misfit(
            line: "POST /api/v1/meal-logs/batch", endpoint: .createMealLogs,
            body: #"{"meal_logs":[{"raw_input":"tea","meal_type":"tea"}]}"#, told: "In meal_logs[0]"),
        Misfit(
            line: "POST /api/v1/meal-logs/photo", endpoint: .recognizeMealPhoto, body: "PNG", type: "image/png",
            told: "multipart/form-data"),
        Misfit(
            line: "POST /api/v1/consultations", endpoint: .createConsultation, body: #"{"persona":"coach"}"#,
            told: "POST /api/v1/consultations does not match the API: 'persona' must be one of "),
        Misfit(line: "POST /api/v1/consultations", endpoint: .createConsultation, told: "does not match the API: "),
        Misfit(line: "POST /api/v1/journal", endpoint: .createJournalEntry, body: "[]", told: "must be a JSON object"),
        Misfit(
            line: "POST /api/v1/workout-templates/\(Story.id(1))/share", endpoint: .shareWorkoutTemplate, body: "{}",
            told: "'shared_with_user_ids' is required"),
        Misfit(
            line: "POST /api/v1/workout-templates/\(Story.id(1))/copy", endpoint: .copyWorkoutTemplate,
            body: #"{"new_name":7}"#, told: "'new_name'"),
        Misfit(
            line: "PUT /api/v1/workout-templates/\(Story.id(1))", endpoint: .replaceWorkoutTemplate,
            body: #"{"status":"new"}"#, told: "'status' must be one of"),
        Misfit(
            line: "POST /api/v1/progress", endpoint: .createProgress, body: #"{"type":"weight_kg","quantity":61}"#,
            told: "POST /api/v1/progress does not match the API: 'type' must be one of"),
        Misfit(
            line: "POST /api/v1/sleep", endpoint: .createSleep,
            body: #"{"start_time":"2025-01-28T22:00:00Z","end_time":"2025-01-28T22:00:00Z"}"#, told: "'end_time'"),
        Misfit(
            line: "POST /api/v1/insights/generate/wellness", endpoint: .generateInsights,
            body: #"{"insight_type":"wellness"}"#, told: "'insight_type'"),
        Misfit(
            line: "GET /api/v1/wellness/mood-entries/analytics?from=2025-01-01", endpoint: .analyzeMoodEntries,
            told: "'to' is required"),
        Misfit(
            line: "GET /api/v1/insights?archived_status=maybe", endpoint: .listInsights, told: "'archived_status'"),
        Misfit(line: "GET /api/v1/journal/search?q=", endpoint: .searchJournal, told: "'q' is required"),
        Misfit(line: "GET /api/v1/sleep?limit=101", endpoint: .listSleep, told: "'limit'"),
        Misfit(line: "POST /api/v1/goals", endpoint: .createGoal, body: #"{"title":"Run"}"#, told: "'description'"),
        Misfit(
            line: "PATCH /api/v1/goals/\(Story.id(1))", endpoint: .updateGoal, body: #"{"progress":2}"#,
            told: "PATCH /api/v1/goals/\(Story.id(1)) does not match the API: The field 'progress'"),
        Misfit(
            line: "POST /api/v1/consultations/chat-about-goal", endpoint: .chatAboutGoal, body: #"{"goal_id":"a"}"#,
            told: "'goalId'"),
        Misfit(
            line: "POST /api/v1/meal-logs/natural", endpoint: .createMealLog, body: #"{"rawInput":"2 eggs"}"#,
            told: "'raw_input'"),
        Misfit(
            line: "POST /api/v1/meal-logs/natural", endpoint: .createMealLog,
            body: #"{"raw_input":"2 eggs","meal_type":"lunch"}"#, type: "text/plain", told: "text/plain"),
        Misfit(
            line: "POST /api/v1/meal-logs/natural", endpoint: .createMealLog,
            body: #"{"raw_input":"2 eggs","meal_type":"lunch"}"#, type: nil, told: "Content-Type"),
        Misfit(
            line: "POST /api/v1/meal-logs/natural", endpoint: .createMealLog,
            body: #"{"raw_input":"2 eggs","meal_type":"lunch"}"#,
            type: "application/json\r\nContent-Type: text/plain", told: "application/json, text/plain"),
        Misfit(
            line: "POST /api/v1/meal-logs/natural", endpoint: .createMealLog,
            body: #"{"raw_input":"2 eggs","meal_type":"lunch"}"#,
            type: "text/plain\r\nContent-Type: application/json", told: "text/plain, application/json"),
        Misfit(
            line: "POST /api/v1/consultations/\(Story.id(1))/archive", endpoint: .archiveConsultation, body: "x",
            type: "application/json; charset=latin1", told: "latin1"),
        Misfit(
            line: "GET /api/v1/consultations?page_size=101", endpoint: .listConsultations,
            told: "GET /api/v1/consultations does not match the API: The parameter 'page_size'"),
        Misfit(
            line: "GET /api/v1/consultations/\(Story.id(1))/messages?page=0", endpoint: .listMessages, told: "'page'"),
        Misfit(
            line: "GET /api/v1/consultations/quick-actions?persona=x", endpoint: .listQuickActions, told: "'persona'"),
        Misfit(line: "GET /api/v1/meal-logs?limit=0", endpoint: .listMealLogs, told: "'limit'"),
    ]

    @Test("The judge reports a malformed request with the API's reason regardless of the answer", arguments: misfits)
    func tells(_ misfit: Misfit) throws {
        for status in [nil, 200, 400, 503] as [Int?] {
            let story = Story {
                $0.request(
                    misfit.line, endpoint: misfit.endpoint, body: Array(misfit.body.utf8), status: status, at: 0,
                    fields: misfit.type.map { ["Content-Type: \($0)"] } ?? [])
            }
            let told = try #require(story.verdict("request/shape"))
            #expect(told.outcome == .broken)
            #expect(told.breaches.map(\.evidence) == [[1]])
            #expect(told.breaches.first?.message.contains(misfit.told) == true, "\(told)")
        }
    }
}
