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

    struct Row {
        let method: HTTPRequest.Method
        /// The path in two parts, with its parameters in braces, below `/api/v1` except for the apps' socket.
        let path: (String, String)
        var documents: DocumentCollection?

        init(_ method: HTTPRequest.Method, _ path: String, _ rest: String = "") {
            (self.method, self.path) = (method, (path, rest))
        }

        init(_ method: HTTPRequest.Method, _ collection: DocumentCollection, _ rest: String = "") {
            self.init(method, collection.row.path, rest)
            documents = collection
        }
    }

    private var row: Row {
        switch self {
        case .createConsultation: Row(.post, "/consultations")
        case .listConsultations: Row(.get, "/consultations")
        case .listQuickActions: Row(.get, "/consultations/quick-actions")
        case .chatAboutGoal: Row(.post, "/consultations/chat-about-goal")
        case .showConsultation: Row(.get, "/consultations/{id}")
        case .listMessages: Row(.get, "/consultations/{id}/messages")
        case .archiveConsultation: Row(.post, "/consultations/{id}/archive")
        case .webSocket: Row(.get, "/consultations/{id}/ws")
        case .createGoal: Row(.post, "/goals")
        case .listGoals: Row(.get, "/goals")
        case .showGoal: Row(.get, "/goals/{goalId}")
        case .updateGoal: Row(.patch, "/goals/{goalId}")
        case .replaceGoal: Row(.put, "/goals/{goalId}")
        case .listGoalTips: Row(.get, "/goals/{goalId}", "/tips")
        case .listGoalSuggestions: Row(.get, "/goals/{goalId}", "/suggestions")
        case .analyzeGoal: Row(.get, "/goals/{goalId}", "/analysis")
        case .listSuggestedGoals: Row(.get, "/goals/suggestions")
        case .suggestGoals: Row(.post, "/goals/suggestions")
        case .createMealLog: Row(.post, "/meal-logs/natural")
        case .listMealLogs: Row(.get, "/meal-logs")
        case .showMealLog: Row(.get, "/meal-logs/{id}")
        case .createMoodEntry: Row(.post, .moodEntries)
        case .listMoodEntries: Row(.get, .moodEntries)
        case .analyzeMoodEntries: Row(.get, .moodEntries, "/analytics")
        case .replaceMoodEntry: Row(.put, .moodEntries, "/{id}")
        case .deleteMoodEntry: Row(.delete, .moodEntries, "/{id}")
        case .createJournalEntry: Row(.post, .journal)
        case .listJournalEntries: Row(.get, .journal)
        case .searchJournal: Row(.get, .journal, "/search")
        case .replaceJournalEntry: Row(.put, .journal, "/{id}")
        case .deleteJournalEntry: Row(.delete, .journal, "/{id}")
        case .listInsights: Row(.get, .insights)
        case .countUnreadInsights: Row(.get, .insights, "/unread/count")
        case .generateInsights: Row(.post, .insights, "/generate/wellness")
        case .readInsight: Row(.post, .insights, "/{id}/read")
        case .favoriteInsight: Row(.post, .insights, "/{id}/favorite")
        case .archiveInsight: Row(.post, .insights, "/{id}/archive")
        case .unarchiveInsight: Row(.post, .insights, "/{id}/unarchive")
        case .deleteInsight: Row(.delete, .insights, "/{id}")
        case .createProgress: Row(.post, .progress)
        case .listProgress: Row(.get, .progress)
        case .createSleep: Row(.post, .sleep)
        case .listSleep: Row(.get, .sleep)
        case .createWorkout: Row(.post, .workouts)
        case .listWorkouts: Row(.get, .workouts)
        case .createProfileMetrics: Row(.post, .profileMetrics)
        case .listProfileMetrics: Row(.get, .profileMetrics)
        case .createWorkoutTemplate: Row(.post, .workoutTemplates)
        case .listWorkoutTemplates: Row(.get, .workoutTemplates)
        case .listPublicWorkoutTemplates: Row(.get, .workoutTemplates, "/public")
        case .listSharedWorkoutTemplates: Row(.get, .workoutTemplates, "/shared-with-me")
        case .showWorkoutTemplate: Row(.get, .workoutTemplates, "/{id}")
        case .replaceWorkoutTemplate: Row(.put, .workoutTemplates, "/{id}")
        case .deleteWorkoutTemplate: Row(.delete, .workoutTemplates, "/{id}")
        case .shareWorkoutTemplate: Row(.post, .workoutTemplates, "/{id}/share")
        case .unshareWorkoutTemplate: Row(.delete, .workoutTemplates, "/{id}/share/{userId}")
        case .copyWorkoutTemplate: Row(.post, .workoutTemplates, "/{id}/copy")
        case .updateConsultation: Row(.put, "/consultations/{id}")
        case .completeConsultation: Row(.post, "/consultations/{id}/complete")
        case .sendMessage: Row(.post, "/consultations/{id}/messages")
        case .suggestConsultationGoals: Row(.post, "/consultations/{id}/suggest-goals")
        case .mealSocket: Row(.get, "/ws/meal-logs")
        case .register: Row(.post, "/auth/register")
        case .logIn: Row(.post, "/auth/login")
        case .refreshTokens: Row(.post, "/auth/refresh")
        case .logOut: Row(.post, "/auth/logout")
        case .showProfile: Row(.get, "/users/me")
        case .createProfile: Row(.post, "/users/me")
        case .updateProfile: Row(.put, "/users/me")
        case .updatePhysicalProfile: Row(.patch, "/users/me/physical")
        case .showPreferences: Row(.get, "/users/me/preferences")
        case .updatePreferences: Row(.patch, "/users/me/preferences")
        case .deletePreferences: Row(.delete, "/users/me/preferences")
        case .deleteGoal: Row(.delete, "/goals/{goalId}")
        case .deleteConsultation: Row(.delete, "/consultations/{id}")
        case .deleteMealLog: Row(.delete, "/meal-logs/{id}")
        case .deleteUser: Row(.delete, "/users/me")
        case .createMealLogs: Row(.post, "/meal-logs/batch")
        case .updateMealLog: Row(.put, "/meal-logs/{id}")
        case .recognizeMealPhoto: Row(.post, "/meal-logs/photo")
        case .showMealPhoto: Row(.get, "/meal-logs/photo/{id}")
        case .confirmMealPhoto: Row(.patch, "/meal-logs/photo/{id}/confirm")
        case .deleteMealPhoto: Row(.delete, "/meal-logs/photo/{id}")
        }
    }

    public var method: HTTPRequest.Method { row.method }
    /// The path with its parameters in braces.
    public var template: String {
        let path = row.path
        return (self == .mealSocket ? "" : "/api/v1") + path.0 + path.1
    }
    /// The collection, if this is an operation on documents.
    public var documents: DocumentCollection? { row.documents }

    public var credentials: Credentials {
        switch self {
        case .register, .logIn, .refreshTokens, .logOut, .listPublicWorkoutTemplates: .key
        case .listProfileMetrics, .createProfileMetrics: .token
        default: .bearer
        }
    }

    public var body: Body {
        switch self {
        case .archiveConsultation, .completeConsultation, .suggestConsultationGoals, .logOut, .readInsight,
            .favoriteInsight, .archiveInsight, .unarchiveInsight, .copyWorkoutTemplate, .confirmMealPhoto:
            .optional
        case .recognizeMealPhoto: .form
        case .suggestGoals: .none
        default: method == .get || method == .delete ? .none : .required
        }
    }

    /// The query parameters that the endpoint supports in the union.
    public var parameters: [String] {
        switch self {
        case .listConsultations: ConsultationListQuery.parameters
        case .listMessages: MessageListQuery.parameters
        case .listQuickActions: QuickActionQuery.parameters
        case .listGoals: GoalListQuery.parameters
        case .listMealLogs: MealLogListQuery.parameters
        case .webSocket, .mealSocket: ["token"]
        default: documents.map { DocumentListQuery.parameters(of: self, in: $0) } ?? []
        }
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
    public var isOfGuides: Bool { GuideMode.guides.contains { $0.serves(self) } }

    /// Whether a guide documents the endpoint.
    var isDocumented: Bool { GuideMode.guides.contains { $0.provision(of: self) == .documented } }

    /// The guides that document the endpoint; if none does, the guides that presuppose it; empty for the apps'
    /// endpoints.
    public var guides: [GuideMode] {
        let documenting = GuideMode.guides.filter { $0.provision(of: self) == .documented }
        return documenting.isEmpty ? GuideMode.guides.filter { $0.serves(self) } : documenting
    }
}

/// The form of the server's responses: one that all guides' clients understand, or the form of exactly one guide.
///
/// The raw values are the guides' short names. Rules, statuses and ids are the same in every mode.
public enum GuideMode: String, CaseIterable, Sendable, Hashable {
    /// Every response satisfies the models of all guides.
    case union
    /// Consultations, 409 and 429, chat with `stream_chunk`.
    case consultationWebSocket = "consultation-websocket"
    /// Personas, context types, quick actions, paging, chat with `assistant_message_chunk`.
    case enhancedConsultations = "enhanced-consultations"
    /// Goals and the chat about a goal, in camelCase and without an envelope.
    case goalLinking = "goal-linking"
    /// One socket for chat and meal events, with `?token=`.
    case webSocketArchitecture = "websocket-architecture"
    /// Meal logs with complete data in the notification.
    case mealLogWebSocket = "meal-log-websocket"

    /// The modes that follow one guide.
    public static let guides = allCases.filter { $0 != .union }

    /// Whether the mode adds the apps' endpoints and members to the guides'.
    public var servesApps: Bool { self == .union }

    /// Whether each REST request must carry an API key in `X-API-Key`.
    ///
    /// Two guides do not mention the key; their modes accept a missing key but reject a wrong key.
    public var requiresAPIKey: Bool { self != .goalLinking && self != .webSocketArchitecture }

    /// Where a WebSocket handshake carries its credentials.
    public enum WebSocketCredentials: Sendable {
        /// `Authorization` and, if the mode requires it, `X-API-Key`.
        case headers
        /// `?token=<JWT>` in the URL.
        case queryToken
        case either
    }

    /// Where the mode's WebSocket handshakes carry their credentials (openapi/DEVIATIONS.md).
    public var webSocketCredentials: WebSocketCredentials {
        switch self {
        case .union, .goalLinking: .either
        case .consultationWebSocket, .mealLogWebSocket: .headers
        case .enhancedConsultations, .webSocketArchitecture: .queryToken
        }
    }

    /// How a mode provides an endpoint.
    public enum Provision: Sendable {
        /// The guide documents the endpoint; fields, names, types and nesting must match it exactly.
        case documented
        /// The guide presupposes the endpoint without documenting it, so responses have the union's form.
        case support
        /// The guide does not contain the endpoint: 404.
        case absent
    }

    public func provision(of endpoint: Endpoint) -> Provision {
        switch self {
        case .union: .documented
        case .consultationWebSocket:
            switch endpoint {
            case .createConsultation, .showConsultation, .listMessages, .webSocket: .documented
            case .archiveConsultation, .createGoal, .listGoals, .showGoal, .updateGoal: .support
            default: .absent
            }
        case .enhancedConsultations:
            switch endpoint {
            case .createConsultation, .listConsultations, .listQuickActions, .showConsultation, .listMessages,
                .archiveConsultation, .webSocket:
                .documented
            case .createGoal, .listGoals, .showGoal, .updateGoal: .support
            default: .absent
            }
        case .goalLinking:
            switch endpoint {
            case .createGoal, .listGoals, .showGoal, .updateGoal, .chatAboutGoal, .showConsultation: .documented
            // The guides describe how clients handle "Goal was deleted on backend" and "Conversation was deleted".
            case .listMessages, .archiveConsultation, .deleteConsultation, .deleteGoal, .webSocket: .support
            default: .absent
            }
        case .webSocketArchitecture:
            switch endpoint {
            case .createConsultation, .webSocket: .documented
            case .showConsultation, .listMessages, .createMealLog, .listMealLogs, .showMealLog: .support
            default: .absent
            }
        case .mealLogWebSocket:
            switch endpoint {
            case .createMealLog, .showMealLog, .webSocket: .documented
            case .createConsultation, .listMealLogs: .support
            default: .absent
            }
        }
    }

    public func serves(_ endpoint: Endpoint) -> Bool { provision(of: endpoint) != .absent }
    /// The form of an endpoint's responses: the guide's if it documents the endpoint, otherwise the union's.
    public func form(of endpoint: Endpoint) -> GuideMode { provision(of: endpoint) == .documented ? self : .union }
}
