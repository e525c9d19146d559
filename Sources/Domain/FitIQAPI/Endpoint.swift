import HTTPTypes
import JSON

/// One operation of the API: a method on a path.
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

    // What the apps sync in the background: see ``DocumentOperation``.
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
}

extension Endpoint {
    /// What documents an operation.
    public enum Origin: Sendable {
        case guides
        /// Only the two apps use it, so only the union has it.
        case apps
    }

    /// What a request has to carry.
    public enum Credentials: Sendable {
        /// A bearer token, and the API key where the mode requires one.
        case bearer
        /// The API key alone: there is no token yet, or it has expired.
        case key
    }

    /// What is fixed about an operation.
    struct Row {
        let method: HTTPRequest.Method
        /// The path with its parameters in braces, in two parts; below `/api/v1`, except for the apps' socket.
        let path: (String, String)
        let origin: Origin
        let credentials: Credentials
        var documents: DocumentOperation?

        init(
            _ method: HTTPRequest.Method, _ path: String, _ rest: String = "", from origin: Origin = .guides,
            credentials: Credentials = .bearer
        ) {
            (self.method, self.path, self.origin, self.credentials) = (method, (path, rest), origin, credentials)
        }

        /// An operation on documents.
        init(_ action: DocumentAction, _ collection: DocumentCollection) {
            self.init(action.method, collection.path, action.path, from: .apps)
            documents = DocumentOperation(action: action, collection: collection)
        }
    }

    /// The table of operations.
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
        case .replaceGoal: Row(.put, "/goals/{goalId}", from: .apps)
        case .listGoalTips: Row(.get, "/goals/{goalId}", "/tips", from: .apps)
        case .listGoalSuggestions: Row(.get, "/goals/{goalId}", "/suggestions", from: .apps)
        case .analyzeGoal: Row(.get, "/goals/{goalId}", "/analysis", from: .apps)
        case .listSuggestedGoals: Row(.get, "/goals/suggestions", from: .apps)
        case .suggestGoals: Row(.post, "/goals/suggestions", from: .apps)
        case .createMealLog: Row(.post, "/meal-logs/natural")
        case .listMealLogs: Row(.get, "/meal-logs")
        case .showMealLog: Row(.get, "/meal-logs/{id}")
        case .createMoodEntry: Row(.create, .moodEntries)
        case .listMoodEntries: Row(.list, .moodEntries)
        case .analyzeMoodEntries: Row(.analyze, .moodEntries)
        case .replaceMoodEntry: Row(.replace, .moodEntries)
        case .deleteMoodEntry: Row(.delete, .moodEntries)
        case .createJournalEntry: Row(.create, .journal)
        case .listJournalEntries: Row(.list, .journal)
        case .searchJournal: Row(.search, .journal)
        case .replaceJournalEntry: Row(.replace, .journal)
        case .deleteJournalEntry: Row(.delete, .journal)
        case .listInsights: Row(.list, .insights)
        case .countUnreadInsights: Row(.countUnread, .insights)
        case .generateInsights: Row(.generate, .insights)
        case .readInsight: Row(.read, .insights)
        case .favoriteInsight: Row(.favorite, .insights)
        case .archiveInsight: Row(.archive, .insights)
        case .unarchiveInsight: Row(.unarchive, .insights)
        case .deleteInsight: Row(.delete, .insights)
        case .createProgress: Row(.create, .progress)
        case .listProgress: Row(.list, .progress)
        case .createSleep: Row(.create, .sleep)
        case .listSleep: Row(.list, .sleep)
        case .createWorkout: Row(.create, .workouts)
        case .listWorkouts: Row(.list, .workouts)
        case .createProfileMetrics: Row(.create, .profileMetrics)
        case .listProfileMetrics: Row(.list, .profileMetrics)
        case .createWorkoutTemplate: Row(.create, .workoutTemplates)
        case .listWorkoutTemplates: Row(.list, .workoutTemplates)
        case .listPublicWorkoutTemplates: Row(.listPublic, .workoutTemplates)
        case .listSharedWorkoutTemplates: Row(.listShared, .workoutTemplates)
        case .showWorkoutTemplate: Row(.show, .workoutTemplates)
        case .replaceWorkoutTemplate: Row(.replace, .workoutTemplates)
        case .deleteWorkoutTemplate: Row(.delete, .workoutTemplates)
        case .shareWorkoutTemplate: Row(.share, .workoutTemplates)
        case .unshareWorkoutTemplate: Row(.unshare, .workoutTemplates)
        case .copyWorkoutTemplate: Row(.copy, .workoutTemplates)
        case .updateConsultation: Row(.put, "/consultations/{id}", from: .apps)
        case .completeConsultation: Row(.post, "/consultations/{id}/complete", from: .apps)
        case .sendMessage: Row(.post, "/consultations/{id}/messages", from: .apps)
        case .suggestConsultationGoals: Row(.post, "/consultations/{id}/suggest-goals", from: .apps)
        case .mealSocket: Row(.get, "/ws/meal-logs", from: .apps)
        case .register: Row(.post, "/auth/register", from: .apps, credentials: .key)
        case .logIn: Row(.post, "/auth/login", from: .apps, credentials: .key)
        case .refreshTokens: Row(.post, "/auth/refresh", from: .apps, credentials: .key)
        case .logOut: Row(.post, "/auth/logout", from: .apps, credentials: .key)
        case .showProfile: Row(.get, "/users/me", from: .apps)
        case .createProfile: Row(.post, "/users/me", from: .apps)
        case .updateProfile: Row(.put, "/users/me", from: .apps)
        case .updatePhysicalProfile: Row(.patch, "/users/me/physical", from: .apps)
        case .showPreferences: Row(.get, "/users/me/preferences", from: .apps)
        case .updatePreferences: Row(.patch, "/users/me/preferences", from: .apps)
        case .deletePreferences: Row(.delete, "/users/me/preferences", from: .apps)
        case .deleteGoal: Row(.delete, "/goals/{goalId}", from: .apps)
        case .deleteConsultation: Row(.delete, "/consultations/{id}", from: .apps)
        case .deleteMealLog: Row(.delete, "/meal-logs/{id}", from: .apps)
        case .deleteUser: Row(.delete, "/users/me", from: .apps)
        case .createMealLogs: Row(.post, "/meal-logs/batch", from: .apps)
        case .updateMealLog: Row(.put, "/meal-logs/{id}", from: .apps)
        case .recognizeMealPhoto: Row(.post, "/meal-logs/photo", from: .apps)
        case .showMealPhoto: Row(.get, "/meal-logs/photo/{id}", from: .apps)
        case .confirmMealPhoto: Row(.patch, "/meal-logs/photo/{id}/confirm", from: .apps)
        case .deleteMealPhoto: Row(.delete, "/meal-logs/photo/{id}", from: .apps)
        }
    }

    public var method: HTTPRequest.Method { row.method }
    /// The path with its parameters in braces.
    public var template: String {
        let path = row.path
        return (self == .mealSocket ? "" : "/api/v1") + path.0 + path.1
    }
    public var origin: Origin { row.origin }
    public var credentials: Credentials { row.credentials }
    /// The action and the collection, if this is an operation on documents.
    public var documents: DocumentOperation? { row.documents }

    /// The parameters of its query that it reads, in the union.
    public var parameters: [String] {
        if let documents { return documents.action.parameters }
        return switch self {
        case .listConsultations: ConsultationListQuery.parameters
        case .listMessages: MessageListQuery.parameters
        case .listQuickActions: QuickActionQuery.parameters
        case .listGoals: GoalListQuery.parameters
        case .listMealLogs: MealLogListQuery.parameters
        case .webSocket, .mealSocket: ["token"]
        default: []
        }
    }

    /// The names in a query that are none of ``parameters``, each once.
    public func unknownParameters(in query: [(name: String, value: String)]) -> [String] {
        var known = Set(parameters.map { ExactString($0) })
        return query.map(\.name).filter { known.insert(ExactString($0)).inserted }
    }

    /// The words of its path, without parameters.
    var words: [ExactString] {
        template.split(separator: "/").filter { !$0.hasPrefix("{") }.map { ExactString($0) }
    }

    /// Whether it is a WebSocket handshake.
    public var isSocket: Bool { self == .webSocket || self == .mealSocket }
    /// Whether HEAD is answered too: a WebSocket handshake is a GET without a HEAD counterpart.
    var answersHead: Bool { method == .get && !isSocket }

    /// The guides that document the endpoint; if none does, the guides that presuppose it; empty for the apps' own.
    public var guides: [GuideMode] {
        let documenting = GuideMode.guides.filter { $0.provision(of: self) == .documented }
        return documenting.isEmpty ? GuideMode.guides.filter { $0.serves(self) } : documenting
    }
}

/// A path of which only the apps know, with its parameters in braces, and the operations on it.
///
/// There is one object for each path; a reference keeps every ``Route`` small, those of the guides too.
public final class AppPath: Sendable, Equatable {
    public let template: String
    /// In the order of ``Endpoint``'s cases.
    public let endpoints: [Endpoint]
    /// Nil for a parameter.
    private let segments: [String?]

    private init(_ template: String, _ endpoints: [Endpoint]) {
        (self.template, self.endpoints) = (template, endpoints)
        segments = template.split(separator: "/").map { $0.hasPrefix("{") ? nil : String($0) }
    }

    public static func == (left: AppPath, right: AppPath) -> Bool { left === right }

    /// Which of its segments are parameters.
    public var parameterPlaces: [Int] { segments.indices.filter { segments[$0] == nil } }

    /// The path with these percent-decoded segments, and its parameters; nil if the apps know none.
    ///
    /// A path whose word stands where another one has a parameter precedes it.
    static func matching(_ segments: [String]) -> (path: AppPath, parameters: [String])? {
        for path in all where path.segments.count == segments.count && path.matches(segments) {
            return (path, zip(path.segments, segments).filter { $0.0 == nil }.map(\.1))
        }
        return nil
    }

    private func matches(_ arrived: [String]) -> Bool {
        // From the last: most begin with the same two.
        arrived.indices.reversed().allSatisfy { segments[$0]?.isExactly(arrived[$0]) ?? !arrived[$0].isEmpty }
    }

    private static let all: [AppPath] = {
        let guided = Set(Endpoint.allCases.filter { $0.origin == .guides }.map { ExactString($0.template) })
        let apps = Endpoint.allCases.filter { !guided.contains(ExactString($0.template)) }
        let byTemplate = Dictionary(grouping: apps) { ExactString($0.template) }
        return byTemplate.map { AppPath($0.text, $1) }.sorted {
            let (left, right) = ($0.segments.count { $0 == nil }, $1.segments.count { $0 == nil })
            return (left, $0.template) < (right, $1.template)
        }
    }()
}
