import Foundation
import GuideModels
import HTTPTypes
import Testing

/// An operation that the apps use, and the model that reads its answer.
struct AppRow: Sendable, CustomStringConvertible {
    let method: HTTPRequest.Method
    /// The path below `/api/v1`; each parameter is replaced with the id that an earlier row stored under that name.
    let path: String
    let body: String?
    let status: Int
    /// The name that later rows use for the answer's id.
    let keeps: String?
    var contentType = "application/json"
    let read: @Sendable (Data) throws -> Void

    var description: String { "\(method) \(path) \(body ?? "")" }

    /// A row whose answer a model reads.
    static func row<Model: Decodable & SendableMetatype>(
        _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil, status: Int = 200, keeps: String? = nil,
        as model: Model.Type
    ) -> AppRow {
        AppRow(method: method, path: path, body: body, status: status, keeps: keeps) { data in
            _ = try AppModels.decoder.decode(model, from: data)
        }
    }

    /// A row whose answer has the usual envelope.
    static func answer<Model: Decodable & SendableMetatype>(
        _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil, as model: Model.Type
    ) -> AppRow {
        row(method, path, body, as: Answer<Model>.self)
    }

    /// A POST that creates what it answers with.
    static func created<Model: Decodable & SendableMetatype>(
        _ path: String, _ body: String? = nil, keeps: String? = nil, as model: Model.Type
    ) -> AppRow {
        row(.post, path, body, status: 201, keeps: keeps, as: Answer<Model>.self)
    }

    /// A row that sends a photo, as a form.
    static func photo(_ path: String, keeps: String) -> AppRow {
        let lines = [
            "--photo", #"Content-Disposition: form-data; name="image"; filename="lunch.jpg""#,
            "Content-Type: image/jpeg", "", "JFIF", "--photo--", "",
        ]
        var row = created(path, lines.joined(separator: "\r\n"), keeps: keeps, as: BothPhotos.self)
        row.contentType = "multipart/form-data; boundary=photo"
        return row
    }

    static func gone(_ method: HTTPRequest.Method, _ path: String, _ body: String? = nil) -> AppRow {
        AppRow(method: method, path: path, body: body, status: 204, keeps: nil) { #expect($0.isEmpty) }
    }

    static func refused(_ status: Int, _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil) -> AppRow {
        row(method, path, body, status: status, as: AppModels.Failure.self)
    }
}

/// The apps' operations, section by section.
extension AppRow {
    typealias Answer = AppModels.Answer
    typealias User = AppModels.Both<Answer<AppModels.User>, Answer<AppModels.FlatUser>>
    typealias Page<List: Decodable> = Answer<AppModels.Page<List>>
    typealias BothPhotos = AppModels.Both<AppModels.Photo, AppModels.PhotoRecognition>

    struct Section: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let rows: [AppRow]
    }

    static let sections = [
        Section(testDescription: "accounts", rows: accounts), Section(testDescription: "chat", rows: chat),
        Section(testDescription: "goals", rows: goals), Section(testDescription: "meals", rows: meals),
        Section(testDescription: "documents", rows: documents),
    ]

    /// The first rows of each section.
    static let registration = created(
        "/auth/register",
        #"{"email":"ada@example.com","password":"correct horse","name":"Ada","date_of_birth":"1990-05-17"}"#,
        as: AppModels.Registration.self)

    private static let accounts: [AppRow] = [
        .refused(400, .post, "/auth/register", #"{"email":"ada","password":"x","name":"","date_of_birth":"1990"}"#),
        .refused(409, .post, "/auth/register", registration.body),
        .answer(
            .post, "/auth/login", #"{"email":"ada@example.com","password":"correct horse"}"#,
            as: AppModels.Tokens.self),
        .refused(401, .post, "/auth/login", #"{"email":"ada@example.com","password":"wrong horse"}"#),
        .row(.post, "/auth/refresh", #"{"refresh_token":"{refresh_token}"}"#, as: AppModels.Refreshed.self),
        .refused(400, .post, "/auth/refresh", #"{"refresh_token":"none of ours"}"#),
        .row(.get, "/users/me", as: User.self),
        .row(
            .post, "/users/me",
            """
            {"name":"Ada","preferred_unit_system":"metric","bio":"Counts","language_code":"en","date_of_birth":"1990-05-17"}
            """, status: 201, as: User.self),
        .refused(409, .post, "/users/me", #"{"name":"Ada","preferred_unit_system":"metric"}"#),
        .row(
            .put, "/users/me",
            """
            {"name":"Ada","preferred_unit_system":"imperial","gender":"female","height":170.5,"weight":61,\
            "activity_level":"light"}
            """, as: User.self),
        .row(
            .patch, "/users/me/physical",
            #"{"biological_sex":"female","height_cm":171.5,"date_of_birth":"1990-05-17"}"#, as: User.self),
        .refused(404, .get, "/users/me/preferences"),
        .answer(
            .patch, "/users/me/preferences",
            #"{"allergies":["nuts"],"dietary_restrictions":["vegetarian"],"food_dislikes":[]}"#,
            as: AppModels.Preferences.self),
        .answer(.get, "/users/me/preferences", as: AppModels.Preferences.self),
        .gone(.delete, "/users/me/preferences"),
        .gone(.post, "/auth/logout", #"{"refresh_token":"{refresh_token}"}"#),
        .refused(401, .post, "/auth/refresh", #"{"refresh_token":"{refresh_token}"}"#),
        .gone(.delete, "/users/me"),
        .refused(401, .get, "/users/me"),
    ]

    private static let chat: [AppRow] = [
        .created(
            "/consultations", #"{"persona":"nutritionist"}"#, keeps: "consultation", as: AppModels.Consultation.self),
        .answer(.get, "/consultations/{consultation}", as: AppModels.Consultation.self),
        .answer(.get, "/consultations?limit=5&offset=0&status=active", as: AppModels.ConsultationList.self),
        .answer(.get, "/consultations/{consultation}/messages?limit=5", as: AppModels.MessageList.self),
        .refused(409, .post, "/consultations", #"{"persona":"nutritionist"}"#),
        .created(
            "/consultations", #"{"persona":"fitness_coach","initial_message":"How often should I run?"}"#,
            keeps: "other", as: AppModels.Consultation.self),
        .created(
            "/consultations", #"{"persona":"general_wellness","context_type":"goal","quick_action":"set_goal"}"#,
            as: AppModels.Consultation.self),
        .answer(
            .put, "/consultations/{consultation}", #"{"title":"Breakfast","persona":"nutritionist"}"#,
            as: AppModels.Consultation.self),
        .created(
            "/consultations/{consultation}/messages", #"{"content":"What is a good breakfast?"}"#,
            as: AppModels.SentMessage.self),
        .answer(.get, "/consultations/{consultation}/messages?limit=1&offset=1", as: AppModels.MessageList.self),
        .answer(.get, "/consultations/{other}/messages", as: AppModels.MessageList.self),
        .answer(
            .post, "/consultations/{consultation}/suggest-goals", #"{"max_suggestions":2}"#,
            as: AppModels.SuggestedGoals.self),
        .answer(.post, "/consultations/{consultation}/complete", as: AppModels.Consultation.self),
        .answer(.get, "/consultations?status=completed", as: AppModels.ConsultationList.self),
        .gone(.delete, "/consultations/{consultation}"),
        .refused(404, .get, "/consultations/{consultation}"),
    ]

    private static let goals: [AppRow] = [
        .created(
            "/goals",
            """
            {"title":"Run","description":"Every week","start_date":"2025-02-01","target_date":"2025-06-01",\
            "goal_type":"fitness","target_value":100,"target_unit":"km"}
            """, keeps: "goal", as: AppModels.Goal.self),
        .row(
            .get, "/goals?status=active&limit=5&offset=0",
            as: AppModels.Both<Answer<AppModels.GoalList>, GoalLinkingGuide.GoalsResponse>.self),
        .answer(
            .put, "/goals/{goal}",
            """
            {"title":"Run","description":"Every day","target_date":"2025-07-01T00:00:00Z","progress":0.5,\
            "status":"paused","goal_type":"fitness","target_value":100,"target_unit":"km","current_value":50}
            """, as: AppModels.Goal.self),
        .answer(.get, "/goals/{goal}/tips", as: AppModels.GoalTips.self),
        .answer(.get, "/goals/{goal}/suggestions", as: AppModels.GoalSuggestions.self),
        .answer(.get, "/goals/{goal}/analysis", as: AppModels.GoalAnalysis.self),
        .answer(.get, "/goals/suggestions", as: AppModels.SuggestedGoals.self),
        .answer(.post, "/goals/suggestions", as: AppModels.SuggestedGoals.self),
        .refused(400, .post, "/goals", #"{"title":"Run","target_date":"2025-06-01","target_value":0}"#),
        .gone(.delete, "/goals/{goal}"),
        .refused(404, .get, "/goals/{goal}"),
    ]

    private static let pie =
        #"{"food_name":"Pie","quantity":1,"unit":"slice","calories":300,"protein_g":4,"carbs_g":40,"fat_g":14.5}"#

    private static let meals: [AppRow] = [
        .created(
            "/meal-logs/natural", #"{"raw_input":"a glass of water","meal_type":"water"}"#, keeps: "meal",
            as: AppModels.MealLog.self),
        .answer(.get, "/meal-logs/{meal}", as: AppModels.MealLog.self),
        .created(
            "/meal-logs/batch",
            """
            {"meal_logs":[{"raw_input":"orange juice","meal_type":"drink"},\
            {"raw_input":"2 eggs","meal_type":"supplements"},{"raw_input":"qwertyuiop","meal_type":"other"}]}
            """, as: AppModels.MealBatch.self),
        .refused(400, .post, "/meal-logs/batch", #"{"meal_logs":[{"raw_input":"2 eggs","meal_type":"brunch"}]}"#),
        .answer(
            .get, "/meal-logs?from=2025-01-01T00:00:00Z&to=2030-01-01T00:00:00Z&limit=5&offset=0",
            as: AppModels.MealList.self),
        .answer(.get, "/meal-logs?status=pending", as: AppModels.MealList.self),
        .answer(
            .put, "/meal-logs/{meal}",
            #"{"raw_input":"2 eggs","meal_type":"snack","logged_at":"2025-01-29T09:00:00Z","notes":"Soft"}"#,
            as: AppModels.MealLog.self),
        .gone(.delete, "/meal-logs/{meal}"),
        .refused(404, .get, "/meal-logs/{meal}"),
        .photo("/meal-logs/photo", keeps: "photo"),
        .answer(.get, "/meal-logs/photo/{photo}", as: BothPhotos.self),
        .answer(
            .patch, "/meal-logs/photo/{photo}/confirm",
            """
            {"confirmed_items":[{"name":"Soup","quantity":1,"unit":"bowl","calories":120,"protein_g":4,"carbs_g":15,\
            "fat_g":3,"fiber_g":2,"sugar_g":5}],"notes":"Hot"}
            """, as: AppModels.ConfirmedPhoto.self),
        .refused(400, .patch, "/meal-logs/photo/{photo}/confirm", "{}"),
        .answer(.get, "/meal-logs/photo/{photo}", as: BothPhotos.self),
        .gone(.delete, "/meal-logs/photo/{photo}"),
        .created(
            "/meal-logs/photo", #"{"image_data":"/9j/","meal_type":"lunch","notes":"Big"}"#, keeps: "encoded",
            as: BothPhotos.self),
        .answer(
            .patch, "/meal-logs/photo/{encoded}/confirm", #"{"confirmed_items":[]}"#,
            as: AppModels.ConfirmedPhoto.self),
        .created(
            "/meal-logs/batch", #"{"meal_type":"lunch","items":[\#(pie)]}"#, keeps: "manual",
            as: AppModels.MealLog.self),
        .answer(.put, "/meal-logs/{manual}", #"{"items":[\#(pie),\#(pie)]}"#, as: AppModels.MealLog.self),
        .refused(400, .put, "/meal-logs/{manual}", #"{"items":[{"food_name":"Pie"}]}"#),
        .answer(.get, "/meal-logs?status=manual", as: AppModels.MealList.self),
        .photo("/meal-logs/photo", keeps: "second"),
        .gone(.delete, "/meal-logs/photo/{second}"),
        .refused(404, .get, "/meal-logs/photo/{second}"),
    ]

    private static let mood = #"{"valence":0.5,"labels":["calm"],"associations":["social"],"logged_at":"\#(time)"}"#
    private static let entry = #"{"content":"Slept well","logged_at":"\#(time)","is_favorite":true}"#
    /// The time has a fraction of a second, as one of the apps sends it.
    private static let time = "2025-01-29T10:30:00.123Z"
    private static let documents: [AppRow] = [
        .created("/wellness/mood-entries", mood, keeps: "mood", as: AppModels.MoodEntry.self),
        .row(
            .get, "/wellness/mood-entries?limit=5&from=2025-01-01",
            as: Page<AppModels.Entries<AppModels.MoodEntry>>.self),
        .answer(.put, "/wellness/mood-entries/{mood}", mood, as: AppModels.MoodEntry.self),
        .answer(
            .get, "/wellness/mood-entries/analytics?from=2025-01-01&to=2025-01-31&include_daily_breakdown=true",
            as: AppModels.Analytics.self),
        .refused(400, .get, "/wellness/mood-entries/analytics"),
        .gone(.delete, "/wellness/mood-entries/{mood}"),
        .refused(404, .delete, "/wellness/mood-entries/{mood}"),
        .created("/journal", entry, keeps: "entry", as: AppModels.JournalEntry.self),
        .row(.get, "/journal?favorites_only=true", as: Page<AppModels.Entries<AppModels.JournalEntry>>.self),
        .row(.get, "/journal/search?q=slept", as: Page<AppModels.Results>.self),
        .answer(.put, "/journal/{entry}", entry, as: AppModels.JournalEntry.self),
        .gone(.delete, "/journal/{entry}"),
        .created(
            "/insights/generate/wellness", #"{"insight_type":"weekly"}"#, keeps: "insight", as: AppModels.Insight.self),
        .refused(400, .post, "/insights/generate/wellness", #"{"insight_type":"wellness"}"#),
        .row(.get, "/insights?sort_by=created_at&sort_order=desc", as: Page<AppModels.Insights>.self),
        .answer(.get, "/insights/unread/count", as: AppModels.UnreadCount.self),
        .answer(.post, "/insights/{insight}/read", as: AppModels.InsightMark.self),
        .answer(.post, "/insights/{insight}/favorite", as: AppModels.InsightFavorite.self),
        .answer(.post, "/insights/{insight}/archive", as: AppModels.InsightMark.self),
        .answer(.post, "/insights/{insight}/unarchive", as: AppModels.InsightMark.self),
        .gone(.delete, "/insights/{insight}"),
        .created("/progress", #"{"type":"weight","quantity":61}"#, as: AppModels.ProgressEntry.self),
        .refused(400, .post, "/progress", #"{"type":"weight_kg","quantity":61}"#),
        .row(.get, "/progress?type=weight", as: Page<AppModels.Entries<AppModels.ProgressEntry>>.self),
        .created("/sleep", SentDocuments.bodies[.sleep], as: AppModels.SleepSession.self),
        .answer(.post, "/sleep", SentDocuments.bodies[.sleep], as: AppModels.SleepSession.self),
        .row(.get, "/sleep?from=2025-01-01&to=2030-01-01", as: Page<AppModels.Sessions>.self),
        .created("/workouts", SentDocuments.bodies[.workouts], as: AppModels.Workout.self),
        .row(.get, "/workouts", as: Page<AppModels.Workouts>.self),
        .created("/profile/metrics", SentDocuments.bodies[.profileMetrics], as: AppModels.ProfileMetrics.self),
        .answer(.get, "/profile/metrics?start_date=2025-01-01T00:00:00.000Z", as: [AppModels.ProfileMetrics].self),
        .created(
            "/workout-templates", SentDocuments.bodies[.workoutTemplates], keeps: "template",
            as: AppModels.WorkoutTemplate.self),
        .row(.get, "/workout-templates", as: Page<AppModels.Templates<AppModels.WorkoutTemplate>>.self),
        .row(.get, "/workout-templates/public", as: Page<AppModels.Templates<AppModels.WorkoutTemplate>>.self),
        .row(.get, "/workout-templates/shared-with-me", as: Page<AppModels.Templates<AppModels.ReceivedTemplate>>.self),
        .answer(.get, "/workout-templates/{template}", as: AppModels.WorkoutTemplate.self),
        .answer(
            .put, "/workout-templates/{template}", #"{"name":"Arms","is_public":true}"#,
            as: AppModels.WorkoutTemplate.self),
        .created(
            "/workout-templates/{template}/share",
            #"{"shared_with_user_ids":["{reader}"],"professional_type":"personal_trainer","notes":null}"#,
            as: AppModels.SharedTemplate.self),
        .answer(.delete, "/workout-templates/{template}/share/{reader}", as: AppModels.RevokedShare.self),
        .created("/workout-templates/{template}/copy", "{}", as: AppModels.CopiedTemplate.self),
        .gone(.delete, "/workout-templates/{template}"),
        .refused(404, .delete, "/workout-templates/{template}"),
    ]
}
