import HTTPTypes
import JSON

/// An API operation: a method on a path.
///
/// The raw value is its `operationId` in the OpenAPI description, and its name in journals.
public enum Endpoint: String, CaseIterable, Sendable, Hashable {
    case createConsultation, listConsultations, listQuickActions, chatAboutGoal
    case showConsultation = "getConsultation"
    case listMessages, archiveConsultation
    case webSocket = "openSocket"
    case createGoal, listGoals
    case showGoal = "getGoal"
    case updateGoal = "changeGoal"
    case replaceGoal
    case listGoalTips = "getGoalTips"
    case listGoalSuggestions = "getGoalSuggestions"
    case analyzeGoal = "getGoalAnalysis"
    case listSuggestedGoals = "getSuggestedGoals"
    case suggestGoals = "createSuggestedGoals"
    case createMealLog, listMealLogs
    case showMealLog = "getMealLog"
    case mealSocket = "openMealSocket"
    case register, logIn, refreshTokens, logOut
    case showProfile = "getProfile"
    case createProfile, updateProfile, updatePhysicalProfile
    case showPreferences = "getPreferences"
    case updatePreferences, deletePreferences
    case updateConsultation, completeConsultation, sendMessage, suggestConsultationGoals
    case deleteGoal, deleteConsultation, deleteMealLog, deleteUser
    case createMealLogs, updateMealLog, recognizeMealPhoto
    case showMealPhoto = "getMealPhoto"
    case confirmMealPhoto, deleteMealPhoto

    // The documents that the apps sync in the background; see ``DocumentCollection``.
    case listMoodEntries, createMoodEntry, analyzeMoodEntries, replaceMoodEntry, deleteMoodEntry
    case listJournalEntries, createJournalEntry, searchJournal, replaceJournalEntry, deleteJournalEntry
    case listInsights, countUnreadInsights, generateInsights, readInsight, favoriteInsight, archiveInsight
    case unarchiveInsight, deleteInsight
    case listProgress, createProgress, listSleep, createSleep, listWorkouts, createWorkout
    case listProfileMetrics, createProfileMetrics
    case listWorkoutTemplates, createWorkoutTemplate, listPublicWorkoutTemplates, listSharedWorkoutTemplates
    case showWorkoutTemplate = "getWorkoutTemplate"
    case replaceWorkoutTemplate, deleteWorkoutTemplate, shareWorkoutTemplate, unshareWorkoutTemplate
    case copyWorkoutTemplate

    public var name: String { rawValue }
    public init?(name: String) { self.init(rawValue: name) }

    /// The credentials of a request.
    public enum Credentials: Sendable {
        /// A bearer token, and the API key if the mode requires it.
        case bearer
        /// A bearer token; an API key is optional, but a wrong key is rejected.
        case token
        /// Only the API key: the client has no valid token, or the resource is public.
        case key
    }

    /// How an operation uses the request body.
    public enum Body: Sendable {
        case none
        /// JSON, or an empty body.
        case optional
        /// JSON.
        case required
        /// A form with a file.
        case form
    }

    /// What is fixed for an operation; handlers and forms of answers are elsewhere.
    struct Row {
        let method: HTTPRequest.Method
        /// The path with its parameters in braces, below `/api/v1` except for the apps' socket, and below the
        /// collection's path if there is one.
        let path: String
        let documents: DocumentCollection?
        let credentials: Credentials
        /// How the body is used if this does not follow from the method.
        let body: Body?
        let query: (any ListQuery.Type)?
        /// The guides that document the endpoint.
        let guides: Guides
        /// The guides that presuppose it.
        let support: Guides

        init(
            _ method: HTTPRequest.Method, in documents: DocumentCollection? = nil, _ path: String = "",
            needs credentials: Credentials = .bearer, body: Body? = nil, query: (any ListQuery.Type)? = nil,
            guides: Guides = [], support: Guides = []
        ) {
            (self.method, self.path, self.documents, self.credentials) = (method, path, documents, credentials)
            (self.body, self.query, self.guides, self.support) = (body, query, guides, support)
        }
    }

    var row: Row {
        switch self {
        case .createConsultation: Row(.post, "/consultations", guides: [.chat, .personas, .sockets], support: [.meals])
        case .listConsultations: Row(.get, "/consultations", query: ConsultationListQuery.self, guides: [.personas])
        case .listQuickActions:
            Row(.get, "/consultations/quick-actions", query: QuickActionQuery.self, guides: [.personas])
        case .chatAboutGoal: Row(.post, "/consultations/chat-about-goal", guides: [.goals])
        case .showConsultation:
            Row(.get, "/consultations/{id}", guides: [.chat, .personas, .goals], support: [.sockets])
        case .listMessages:
            Row(
                .get, "/consultations/{id}/messages", query: MessageListQuery.self, guides: [.chat, .personas],
                support: [.goals, .sockets])
        case .archiveConsultation:
            Row(.post, "/consultations/{id}/archive", body: .optional, guides: [.personas], support: [.chat, .goals])
        case .webSocket:
            Row(.get, "/consultations/{id}/ws", guides: [.chat, .personas, .sockets, .meals], support: [.goals])
        case .createGoal: Row(.post, "/goals", guides: [.goals], support: [.chat, .personas])
        case .listGoals: Row(.get, "/goals", query: GoalListQuery.self, guides: [.goals], support: [.chat, .personas])
        case .showGoal: Row(.get, "/goals/{goalId}", guides: [.goals], support: [.chat, .personas])
        case .updateGoal: Row(.patch, "/goals/{goalId}", guides: [.goals], support: [.chat, .personas])
        case .replaceGoal: Row(.put, "/goals/{goalId}")
        case .listGoalTips: Row(.get, "/goals/{goalId}/tips")
        case .listGoalSuggestions: Row(.get, "/goals/{goalId}/suggestions")
        case .analyzeGoal: Row(.get, "/goals/{goalId}/analysis")
        case .listSuggestedGoals: Row(.get, "/goals/suggestions")
        case .suggestGoals: Row(.post, "/goals/suggestions", body: Body.none)
        case .createMealLog: Row(.post, "/meal-logs/natural", guides: [.meals], support: [.sockets])
        case .listMealLogs: Row(.get, "/meal-logs", query: MealLogListQuery.self, support: [.sockets, .meals])
        case .showMealLog: Row(.get, "/meal-logs/{id}", guides: [.meals], support: [.sockets])
        case .createMoodEntry: Row(.post, in: .moodEntries)
        case .listMoodEntries: Row(.get, in: .moodEntries)
        case .analyzeMoodEntries: Row(.get, in: .moodEntries, "/analytics")
        case .replaceMoodEntry: Row(.put, in: .moodEntries, "/{id}")
        case .deleteMoodEntry: Row(.delete, in: .moodEntries, "/{id}")
        case .createJournalEntry: Row(.post, in: .journal)
        case .listJournalEntries: Row(.get, in: .journal)
        case .searchJournal: Row(.get, in: .journal, "/search")
        case .replaceJournalEntry: Row(.put, in: .journal, "/{id}")
        case .deleteJournalEntry: Row(.delete, in: .journal, "/{id}")
        case .listInsights: Row(.get, in: .insights)
        case .countUnreadInsights: Row(.get, in: .insights, "/unread/count")
        case .generateInsights: Row(.post, in: .insights, "/generate/wellness")
        case .readInsight: Row(.post, in: .insights, "/{id}/read", body: .optional)
        case .favoriteInsight: Row(.post, in: .insights, "/{id}/favorite", body: .optional)
        case .archiveInsight: Row(.post, in: .insights, "/{id}/archive", body: .optional)
        case .unarchiveInsight: Row(.post, in: .insights, "/{id}/unarchive", body: .optional)
        case .deleteInsight: Row(.delete, in: .insights, "/{id}")
        case .createProgress: Row(.post, in: .progress)
        case .listProgress: Row(.get, in: .progress)
        case .createSleep: Row(.post, in: .sleep)
        case .listSleep: Row(.get, in: .sleep)
        case .createWorkout: Row(.post, in: .workouts)
        case .listWorkouts: Row(.get, in: .workouts)
        case .createProfileMetrics: Row(.post, in: .profileMetrics, needs: .token)
        case .listProfileMetrics: Row(.get, in: .profileMetrics, needs: .token)
        case .createWorkoutTemplate: Row(.post, in: .workoutTemplates)
        case .listWorkoutTemplates: Row(.get, in: .workoutTemplates)
        case .listPublicWorkoutTemplates: Row(.get, in: .workoutTemplates, "/public", needs: .key)
        case .listSharedWorkoutTemplates: Row(.get, in: .workoutTemplates, "/shared-with-me")
        case .showWorkoutTemplate: Row(.get, in: .workoutTemplates, "/{id}")
        case .replaceWorkoutTemplate: Row(.put, in: .workoutTemplates, "/{id}")
        case .deleteWorkoutTemplate: Row(.delete, in: .workoutTemplates, "/{id}")
        case .shareWorkoutTemplate: Row(.post, in: .workoutTemplates, "/{id}/share")
        case .unshareWorkoutTemplate: Row(.delete, in: .workoutTemplates, "/{id}/share/{userId}")
        case .copyWorkoutTemplate: Row(.post, in: .workoutTemplates, "/{id}/copy", body: .optional)
        case .updateConsultation: Row(.put, "/consultations/{id}")
        case .completeConsultation: Row(.post, "/consultations/{id}/complete", body: .optional)
        case .sendMessage: Row(.post, "/consultations/{id}/messages")
        case .suggestConsultationGoals: Row(.post, "/consultations/{id}/suggest-goals", body: .optional)
        case .mealSocket: Row(.get, "/ws/meal-logs")
        case .register: Row(.post, "/auth/register", needs: .key)
        case .logIn: Row(.post, "/auth/login", needs: .key)
        case .refreshTokens: Row(.post, "/auth/refresh", needs: .key)
        case .logOut: Row(.post, "/auth/logout", needs: .key, body: .optional)
        case .showProfile: Row(.get, "/users/me")
        case .createProfile: Row(.post, "/users/me")
        case .updateProfile: Row(.put, "/users/me")
        case .updatePhysicalProfile: Row(.patch, "/users/me/physical")
        case .showPreferences: Row(.get, "/users/me/preferences")
        case .updatePreferences: Row(.patch, "/users/me/preferences")
        case .deletePreferences: Row(.delete, "/users/me/preferences")
        // The guide describes how a client handles "Goal was deleted on backend" and "Conversation was deleted".
        case .deleteGoal: Row(.delete, "/goals/{goalId}", support: [.goals])
        case .deleteConsultation: Row(.delete, "/consultations/{id}", support: [.goals])
        case .deleteMealLog: Row(.delete, "/meal-logs/{id}")
        case .deleteUser: Row(.delete, "/users/me")
        case .createMealLogs: Row(.post, "/meal-logs/batch")
        case .updateMealLog: Row(.put, "/meal-logs/{id}")
        case .recognizeMealPhoto: Row(.post, "/meal-logs/photo", body: .form)
        case .showMealPhoto: Row(.get, "/meal-logs/photo/{id}")
        case .confirmMealPhoto: Row(.patch, "/meal-logs/photo/{id}/confirm", body: .optional)
        case .deleteMealPhoto: Row(.delete, "/meal-logs/photo/{id}")
        }
    }

    public var method: HTTPRequest.Method { row.method }
    /// The path with its parameters in braces.
    public var template: String {
        let row = row
        return (self == .mealSocket ? "" : "/api/v1") + (row.documents?.row.path ?? "") + row.path
    }
    /// The collection, if this is an operation on documents.
    public var documents: DocumentCollection? { row.documents }

    public var credentials: Credentials { row.credentials }
    public var body: Body {
        let row = row
        return row.body ?? (row.method == .get || row.method == .delete ? .none : .required)
    }

    /// The query parameters that the endpoint supports in the union.
    public var parameters: [String] {
        if isSocket { return ["token"] }
        let row = row
        return row.query?.parameters ?? row.documents.map { DocumentListQuery.parameters(of: self, in: $0) } ?? []
    }

    /// The distinct names in a query that are not in ``parameters``.
    public func unknownParameters(in query: [(name: String, value: String)]) -> [String] {
        var known = Set(parameters.map { ExactString($0) })
        return query.map(\.name).filter { known.insert(ExactString($0)).inserted }
    }

    /// The words of the endpoint's path, without parameters.
    var words: [ExactString] {
        template.split(separator: "/").filter { !$0.hasPrefix("{") }.map { ExactString($0) }
    }

    /// Whether the endpoint is a WebSocket handshake.
    public var isSocket: Bool { self == .webSocket || self == .mealSocket }
    /// Whether the endpoint also answers HEAD, as all GET endpoints except WebSocket handshakes do.
    var answersHead: Bool { method == .get && !isSocket }

    /// Whether a guide documents or presupposes the endpoint; otherwise only the two apps use it, and only the union
    /// serves it.
    public var isOfGuides: Bool { !row.guides.union(row.support).isEmpty }

    /// Whether a guide documents the endpoint.
    var isDocumented: Bool { !row.guides.isEmpty }

    /// The guides that document the endpoint; if none does, the guides that presuppose it; empty for the apps'
    /// endpoints.
    public var guides: [GuideMode] {
        let guides = isDocumented ? row.guides : row.support
        return GuideMode.guides.filter { guides.contains($0.asSet) }
    }
}

/// A set of guides.
struct Guides: OptionSet {
    let rawValue: UInt8

    static let chat = Self(rawValue: 1)
    static let personas = Self(rawValue: 2)
    static let goals = Self(rawValue: 4)
    static let sockets = Self(rawValue: 8)
    static let meals = Self(rawValue: 16)
}
