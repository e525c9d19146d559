import Foundation
import GuideModels
import HTTPTypes
import Testing

/// An operation of the apps, and the model that reads its answer.
struct AppRow: Sendable, CustomStringConvertible {
    let method: HTTPRequest.Method
    /// Below `/api/v1`; a parameter is what an earlier row kept under its name.
    let path: String
    let body: String?
    let status: Int
    /// The name under which later rows find the id of the answer.
    let keeps: String?
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

    /// A row whose answer has nothing to read.
    static func gone(_ method: HTTPRequest.Method, _ path: String, _ body: String? = nil) -> AppRow {
        AppRow(method: method, path: path, body: body, status: 204, keeps: nil) { #expect($0.isEmpty) }
    }

    /// A row whose answer is a refusal.
    static func refused(
        _ status: Int, _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil
    ) -> AppRow {
        row(method, path, body, status: status, as: AppModels.Failure.self)
    }

    /// A row whose answer is a page of one list of documents.
    static func page(
        _ path: String, _ list: @escaping @Sendable (AppModels.DocumentPage) -> [AppModels.Document]?
    ) -> AppRow {
        AppRow(method: .get, path: path, body: nil, status: 200, keeps: nil) { data in
            let page = try AppModels.decoder.decode(AppModels.Answer<AppModels.DocumentPage>.self, from: data).data
            #expect(list(page) != nil, "\(path)")
        }
    }
}

/// What the apps call, section by section.
extension AppRow {
    typealias Answer = AppModels.Answer
    typealias User = AppModels.Both<Answer<AppModels.User>, Answer<AppModels.FlatUser>>
    typealias Document = Answer<AppModels.Document>

    struct Section: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let rows: [AppRow]
    }

    static let sections = [
        Section(testDescription: "accounts", rows: accounts), Section(testDescription: "chat", rows: chat),
        Section(testDescription: "documents", rows: documents),
    ]

    /// What each section begins with.
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
    ]

    private static let chat: [AppRow] = [
        .row(
            .post, "/consultations", #"{"persona":"nutritionist"}"#, status: 201, keeps: "consultation",
            as: Answer<AppModels.Consultation>.self),
        .row(.get, "/consultations/{consultation}", as: Answer<AppModels.Consultation>.self),
        .row(.get, "/consultations?limit=5&offset=0&status=active", as: Answer<AppModels.ConsultationList>.self),
        .row(.get, "/consultations/{consultation}/messages?limit=5", as: Answer<AppModels.MessageList>.self),
        .refused(409, .post, "/consultations", #"{"persona":"nutritionist"}"#),
    ]

    private static let documents: [AppRow] = [
        .row(.post, "/wellness/mood-entries", #"{"valence":0.5}"#, status: 201, keeps: "mood", as: Document.self),
        .page("/wellness/mood-entries?limit=5") { $0.moodEntries },
        .row(.put, "/wellness/mood-entries/{mood}", #"{"valence":-1}"#, as: Document.self),
        .row(.get, "/wellness/mood-entries/analytics", as: Answer<AppModels.Analytics>.self),
        .gone(.delete, "/wellness/mood-entries/{mood}"),
        .row(.post, "/journal", #"{"content":"Slept well"}"#, status: 201, keeps: "entry", as: Document.self),
        .page("/journal") { $0.journal },
        .page("/journal/search?q=slept") { $0.journal },
        .row(.put, "/journal/{entry}", #"{"content":"Slept badly"}"#, as: Document.self),
        .gone(.delete, "/journal/{entry}"),
        .row(
            .post, "/insights/generate/wellness", status: 201, keeps: "insight",
            as: Answer<AppModels.GeneratedInsights>.self),
        .page("/insights") { $0.insights },
        .row(.get, "/insights/unread/count", as: Answer<AppModels.UnreadCount>.self),
        .row(.post, "/insights/{insight}/read", as: Document.self),
        .row(.post, "/insights/{insight}/favorite", as: Document.self),
        .row(.post, "/insights/{insight}/archive", as: Document.self),
        .row(.post, "/insights/{insight}/unarchive", as: Document.self),
        .gone(.delete, "/insights/{insight}"),
        .row(.post, "/progress", #"{"type":"weight","value":61}"#, status: 201, as: Document.self),
        .page("/progress") { $0.progress },
        .row(.post, "/sleep", #"{"minutes":480}"#, status: 201, as: Document.self),
        .page("/sleep?from=2025-01-01&to=2030-01-01") { $0.sleep },
        .row(.post, "/workouts", #"{"activity_type":"running"}"#, status: 201, as: Document.self),
        .page("/workouts") { $0.workouts },
        .row(.post, "/profile/metrics", #"{"height_cm":171}"#, status: 201, as: Document.self),
        .page("/profile/metrics") { $0.profileMetrics },
        .row(
            .post, "/workout-templates", #"{"name":"Legs","is_public":true}"#, status: 201, keeps: "template",
            as: Document.self),
        .page("/workout-templates") { $0.workoutTemplates },
        .page("/workout-templates/public") { $0.workoutTemplates },
        .page("/workout-templates/shared-with-me") { $0.workoutTemplates },
        .row(.get, "/workout-templates/{template}", as: Document.self),
        .row(.put, "/workout-templates/{template}", #"{"name":"Arms"}"#, as: Document.self),
        .row(
            .post, "/workout-templates/{template}/share", #"{"user_ids":["ben"]}"#,
            as: Answer<AppModels.SharedTemplate>.self),
        .gone(.delete, "/workout-templates/{template}/share/ben"),
        .row(.post, "/workout-templates/{template}/copy", "{}", status: 201, as: Document.self),
        .gone(.delete, "/workout-templates/{template}"),
        .refused(404, .delete, "/workout-templates/{template}"),
    ]
}
