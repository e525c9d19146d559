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

    /// A row that sends a photo, as a form.
    static func photo(_ path: String, keeps: String) -> AppRow {
        let lines = [
            "--photo", #"Content-Disposition: form-data; name="image"; filename="lunch.jpg""#,
            "Content-Type: image/jpeg",
            "", "JFIF", "--photo--", "",
        ]
        var row = row(
            .post, path, lines.joined(separator: "\r\n"), status: 201, keeps: keeps,
            as: Answer<BothPhotos>.self)
        row.contentType = "multipart/form-data; boundary=photo"
        return row
    }

    /// A row whose answer has no content.
    static func gone(_ method: HTTPRequest.Method, _ path: String, _ body: String? = nil) -> AppRow {
        AppRow(method: method, path: path, body: body, status: 204, keeps: nil) { #expect($0.isEmpty) }
    }

    /// A row whose answer is an error.
    static func refused(
        _ status: Int, _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil
    ) -> AppRow {
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
    static let registration = row(
        .post, "/auth/register",
        #"{"email":"ada@example.com","password":"correct horse","name":"Ada","date_of_birth":"1990-05-17"}"#,
        status: 201, as: Answer<AppModels.Registration>.self)

    private static let accounts: [AppRow] = [
        .refused(400, .post, "/auth/register", #"{"email":"ada","password":"x","name":"","date_of_birth":"1990"}"#),
        .refused(409, .post, "/auth/register", registration.body),
        .row(
            .post, "/auth/login", #"{"email":"ada@example.com","password":"correct horse"}"#,
            as: Answer<AppModels.Tokens>.self),
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
        .row(
            .patch, "/users/me/preferences",
            #"{"allergies":["nuts"],"dietary_restrictions":["vegetarian"],"food_dislikes":[]}"#,
            as: Answer<AppModels.Preferences>.self),
        .row(.get, "/users/me/preferences", as: Answer<AppModels.Preferences>.self),
        .gone(.delete, "/users/me/preferences"),
        .gone(.post, "/auth/logout", #"{"refresh_token":"{refresh_token}"}"#),
        .refused(401, .post, "/auth/refresh", #"{"refresh_token":"{refresh_token}"}"#),
        .gone(.delete, "/users/me"),
        .refused(401, .get, "/users/me"),
    ]

    private static let chat: [AppRow] = [
        .row(
            .post, "/consultations", #"{"persona":"nutritionist"}"#, status: 201, keeps: "consultation",
            as: Answer<AppModels.Consultation>.self),
        .row(.get, "/consultations/{consultation}", as: Answer<AppModels.Consultation>.self),
        .row(.get, "/consultations?limit=5&offset=0&status=active", as: Answer<AppModels.ConsultationList>.self),
        .row(.get, "/consultations/{consultation}/messages?limit=5", as: Answer<AppModels.MessageList>.self),
        .refused(409, .post, "/consultations", #"{"persona":"nutritionist"}"#),
        .row(
            .post, "/consultations", #"{"persona":"fitness_coach","initial_message":"How often should I run?"}"#,
            status: 201, keeps: "other", as: Answer<AppModels.Consultation>.self),
        .row(
            .post, "/consultations",
            #"{"persona":"general_wellness","context_type":"goal","quick_action":"set_goal"}"#, status: 201,
            as: Answer<AppModels.Consultation>.self),
        .row(
            .put, "/consultations/{consultation}", #"{"title":"Breakfast","persona":"nutritionist"}"#,
            as: Answer<AppModels.Consultation>.self),
        .row(
            .post, "/consultations/{consultation}/messages", #"{"content":"What is a good breakfast?"}"#, status: 201,
            as: Answer<AppModels.SentMessage>.self),
        .row(.get, "/consultations/{consultation}/messages?limit=1&offset=1", as: Answer<AppModels.MessageList>.self),
        .row(.get, "/consultations/{other}/messages", as: Answer<AppModels.MessageList>.self),
        .row(
            .post, "/consultations/{consultation}/suggest-goals", #"{"max_suggestions":2}"#,
            as: Answer<AppModels.SuggestedGoals>.self),
        .row(.post, "/consultations/{consultation}/complete", as: Answer<AppModels.Consultation>.self),
        .row(.get, "/consultations?status=completed", as: Answer<AppModels.ConsultationList>.self),
        .gone(.delete, "/consultations/{consultation}"),
        .refused(404, .get, "/consultations/{consultation}"),
    ]

    private static let goals: [AppRow] = [
        .row(
            .post, "/goals",
            """
            {"title":"Run","description":"Every week","start_date":"2025-02-01","target_date":"2025-06-01",\
            "goal_type":"fitness","target_value":100,"target_unit":"km"}
            """, status: 201, keeps: "goal", as: Answer<AppModels.Goal>.self),
        .row(
            .get, "/goals?status=active&limit=5&offset=0",
            as: AppModels.Both<Answer<AppModels.GoalList>, GoalLinkingGuide.GoalsResponse>.self),
        .row(
            .put, "/goals/{goal}",
            """
            {"title":"Run","description":"Every day","target_date":"2025-07-01T00:00:00Z","progress":0.5,\
            "status":"paused","goal_type":"fitness","target_value":100,"target_unit":"km","current_value":50}
            """, as: Answer<AppModels.Goal>.self),
        .row(.get, "/goals/{goal}/tips", as: Answer<AppModels.GoalTips>.self),
        .row(.get, "/goals/{goal}/suggestions", as: Answer<AppModels.GoalSuggestions>.self),
        .row(.get, "/goals/{goal}/analysis", as: Answer<AppModels.GoalAnalysis>.self),
        .row(.get, "/goals/suggestions", as: Answer<AppModels.SuggestedGoals>.self),
        .row(.post, "/goals/suggestions", as: Answer<AppModels.SuggestedGoals>.self),
        .refused(400, .post, "/goals", #"{"title":"Run","target_date":"2025-06-01","target_value":0}"#),
        .gone(.delete, "/goals/{goal}"),
        .refused(404, .get, "/goals/{goal}"),
    ]

    private static let pie =
        #"{"food_name":"Pie","quantity":1,"unit":"slice","calories":300,"protein_g":4,"carbs_g":40,"fat_g":14.5}"#

    private static let meals: [AppRow] = [
        .row(
            .post, "/meal-logs/natural", #"{"raw_input":"a glass of water","meal_type":"water"}"#, status: 201,
            keeps: "meal", as: Answer<AppModels.MealLog>.self),
        .row(.get, "/meal-logs/{meal}", as: Answer<AppModels.MealLog>.self),
        .row(
            .post, "/meal-logs/batch",
            """
            {"meal_logs":[{"raw_input":"orange juice","meal_type":"drink"},\
            {"raw_input":"2 eggs","meal_type":"supplements"},{"raw_input":"qwertyuiop","meal_type":"other"}]}
            """, status: 201, as: Answer<AppModels.MealBatch>.self),
        .refused(400, .post, "/meal-logs/batch", #"{"meal_logs":[{"raw_input":"2 eggs","meal_type":"brunch"}]}"#),
        .row(
            .get, "/meal-logs?from=2025-01-01T00:00:00Z&to=2030-01-01T00:00:00Z&limit=5&offset=0",
            as: Answer<AppModels.MealList>.self),
        .row(.get, "/meal-logs?status=pending", as: Answer<AppModels.MealList>.self),
        .row(
            .put, "/meal-logs/{meal}",
            #"{"raw_input":"2 eggs","meal_type":"snack","logged_at":"2025-01-29T09:00:00Z","notes":"Soft"}"#,
            as: Answer<AppModels.MealLog>.self),
        .gone(.delete, "/meal-logs/{meal}"),
        .refused(404, .get, "/meal-logs/{meal}"),
        .photo("/meal-logs/photo", keeps: "photo"),
        .row(.get, "/meal-logs/photo/{photo}", as: Answer<BothPhotos>.self),
        .row(
            .patch, "/meal-logs/photo/{photo}/confirm",
            """
            {"confirmed_items":[{"name":"Soup","quantity":1,"unit":"bowl","calories":120,"protein_g":4,"carbs_g":15,\
            "fat_g":3,"fiber_g":2,"sugar_g":5}],"notes":"Hot"}
            """, as: Answer<AppModels.ConfirmedPhoto>.self),
        .refused(400, .patch, "/meal-logs/photo/{photo}/confirm", "{}"),
        .row(.get, "/meal-logs/photo/{photo}", as: Answer<BothPhotos>.self),
        .gone(.delete, "/meal-logs/photo/{photo}"),
        .row(
            .post, "/meal-logs/photo", #"{"image_data":"/9j/","meal_type":"lunch","notes":"Big"}"#, status: 201,
            keeps: "encoded", as: Answer<BothPhotos>.self),
        .row(
            .patch, "/meal-logs/photo/{encoded}/confirm", #"{"confirmed_items":[]}"#,
            as: Answer<AppModels.ConfirmedPhoto>.self),
        .row(
            .post, "/meal-logs/batch", #"{"meal_type":"lunch","items":[\#(pie)]}"#, status: 201, keeps: "manual",
            as: Answer<AppModels.MealLog>.self),
        .row(.put, "/meal-logs/{manual}", #"{"items":[\#(pie),\#(pie)]}"#, as: Answer<AppModels.MealLog>.self),
        .refused(400, .put, "/meal-logs/{manual}", #"{"items":[{"food_name":"Pie"}]}"#),
        .row(.get, "/meal-logs?status=manual", as: Answer<AppModels.MealList>.self),
        .photo("/meal-logs/photo", keeps: "second"),
        .gone(.delete, "/meal-logs/photo/{second}"),
        .refused(404, .get, "/meal-logs/photo/{second}"),
    ]

    private static let mood = #"{"valence":0.5,"labels":["calm"],"associations":["social"],"logged_at":"\#(time)"}"#
    private static let entry = #"{"content":"Slept well","logged_at":"\#(time)","is_favorite":true}"#
    /// The time has a fraction of a second, as one of the apps sends it.
    private static let time = "2025-01-29T10:30:00.123Z"
    private static let documents: [AppRow] = [
        .row(.post, "/wellness/mood-entries", mood, status: 201, keeps: "mood", as: Answer<AppModels.MoodEntry>.self),
        .row(
            .get, "/wellness/mood-entries?limit=5&from=2025-01-01",
            as: Page<AppModels.Entries<AppModels.MoodEntry>>.self),
        .row(.put, "/wellness/mood-entries/{mood}", mood, as: Answer<AppModels.MoodEntry>.self),
        .row(
            .get, "/wellness/mood-entries/analytics?from=2025-01-01&to=2025-01-31&include_daily_breakdown=true",
            as: Answer<AppModels.Analytics>.self),
        .refused(400, .get, "/wellness/mood-entries/analytics"),
        .gone(.delete, "/wellness/mood-entries/{mood}"),
        .refused(404, .delete, "/wellness/mood-entries/{mood}"),
        .row(.post, "/journal", entry, status: 201, keeps: "entry", as: Answer<AppModels.JournalEntry>.self),
        .row(.get, "/journal?favorites_only=true", as: Page<AppModels.Entries<AppModels.JournalEntry>>.self),
        .row(.get, "/journal/search?q=slept", as: Page<AppModels.Results>.self),
        .row(.put, "/journal/{entry}", entry, as: Answer<AppModels.JournalEntry>.self),
        .gone(.delete, "/journal/{entry}"),
        .row(
            .post, "/insights/generate/wellness", #"{"insight_type":"weekly"}"#, status: 201, keeps: "insight",
            as: Answer<AppModels.Insight>.self),
        .refused(400, .post, "/insights/generate/wellness", #"{"insight_type":"wellness"}"#),
        .row(.get, "/insights?sort_by=created_at&sort_order=desc", as: Page<AppModels.Insights>.self),
        .row(.get, "/insights/unread/count", as: Answer<AppModels.UnreadCount>.self),
        .row(.post, "/insights/{insight}/read", as: Answer<AppModels.InsightMark>.self),
        .row(.post, "/insights/{insight}/favorite", as: Answer<AppModels.InsightFavorite>.self),
        .row(.post, "/insights/{insight}/archive", as: Answer<AppModels.InsightMark>.self),
        .row(.post, "/insights/{insight}/unarchive", as: Answer<AppModels.InsightMark>.self),
        .gone(.delete, "/insights/{insight}"),
        .row(
            .post, "/progress", #"{"type":"weight","quantity":61}"#, status: 201,
            as: Answer<AppModels.ProgressEntry>.self),
        .refused(400, .post, "/progress", #"{"type":"weight_kg","quantity":61}"#),
        .row(.get, "/progress?type=weight", as: Page<AppModels.Entries<AppModels.ProgressEntry>>.self),
        .row(
            .post, "/sleep", SentDocuments.bodies[.sleep], status: 201, as: Answer<AppModels.SleepSession>.self),
        .row(.post, "/sleep", SentDocuments.bodies[.sleep], as: Answer<AppModels.SleepSession>.self),
        .row(.get, "/sleep?from=2025-01-01&to=2030-01-01", as: Page<AppModels.Sessions>.self),
        .row(
            .post, "/workouts", SentDocuments.bodies[.workouts], status: 201, as: Answer<AppModels.Workout>.self),
        .row(.get, "/workouts", as: Page<AppModels.Workouts>.self),
        .row(
            .post, "/profile/metrics", SentDocuments.bodies[.profileMetrics], status: 201,
            as: Answer<AppModels.ProfileMetrics>.self),
        .row(
            .get, "/profile/metrics?start_date=2025-01-01T00:00:00.000Z", as: Answer<[AppModels.ProfileMetrics]>.self),
        .row(
            .post, "/workout-templates", SentDocuments.bodies[.workoutTemplates], status: 201, keeps: "template",
            as: Answer<AppModels.WorkoutTemplate>.self),
        .row(.get, "/workout-templates", as: Page<AppModels.Templates<AppModels.WorkoutTemplate>>.self),
        .row(.get, "/workout-templates/public", as: Page<AppModels.Templates<AppModels.WorkoutTemplate>>.self),
        .row(
            .get, "/workout-templates/shared-with-me", as: Page<AppModels.Templates<AppModels.ReceivedTemplate>>.self),
        .row(.get, "/workout-templates/{template}", as: Answer<AppModels.WorkoutTemplate>.self),
        .row(
            .put, "/workout-templates/{template}", #"{"name":"Arms","is_public":true}"#,
            as: Answer<AppModels.WorkoutTemplate>.self),
        .row(
            .post, "/workout-templates/{template}/share",
            #"{"shared_with_user_ids":["{reader}"],"professional_type":"personal_trainer","notes":null}"#, status: 201,
            as: Answer<AppModels.SharedTemplate>.self),
        .row(
            .delete, "/workout-templates/{template}/share/{reader}", as: Answer<AppModels.RevokedShare>.self),
        .row(
            .post, "/workout-templates/{template}/copy", "{}", status: 201,
            as: Answer<AppModels.CopiedTemplate>.self),
        .gone(.delete, "/workout-templates/{template}"),
        .refused(404, .delete, "/workout-templates/{template}"),
    ]
}
