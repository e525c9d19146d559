import HTTPTypes

/// A list of JSON objects of each user that the apps sync in the background.
///
/// No guide describes the objects, so they are stored as sent. The raw value is the name of the list in responses and in
/// scenario files.
public enum DocumentCollection: String, CaseIterable, Sendable, Hashable {
    case moodEntries = "mood_entries"
    case journal
    case insights
    case progress
    case sleep
    case workouts
    case profileMetrics = "profile_metrics"
    case workoutTemplates = "workout_templates"

    /// The path below `/api/v1`.
    var path: String {
        switch self {
        case .moodEntries: "/wellness/mood-entries"
        case .journal: "/journal"
        case .insights: "/insights"
        case .progress: "/progress"
        case .sleep: "/sleep"
        case .workouts: "/workouts"
        case .profileMetrics: "/profile/metrics"
        case .workoutTemplates: "/workout-templates"
        }
    }

    /// One of its documents, for messages.
    var item: String {
        switch self {
        case .moodEntries: "mood entry"
        case .journal: "journal entry"
        case .insights: "insight"
        case .progress: "progress entry"
        case .sleep: "sleep session"
        case .workouts: "workout"
        case .profileMetrics: "set of profile metrics"
        case .workoutTemplates: "workout template"
        }
    }

    /// The members that the world sets; those that a client sends count for nothing.
    public var reservedMembers: [String] {
        let members = ["id", "user_id", "created_at", "updated_at"]
        return self == .workoutTemplates ? members + ["shared_with"] : members
    }
}

/// What an operation does with the documents of a collection.
public enum DocumentAction: CaseIterable, Sendable, Hashable {
    case create, list, show, replace, delete
    // Mood entries and the journal.
    case analyze, search
    // Insights.
    case countUnread, generate, read, favorite, archive, unarchive
    // Workout templates.
    case listPublic, listShared, share, unshare, copy

    var method: HTTPRequest.Method {
        switch self {
        case .list, .show, .analyze, .search, .countUnread, .listPublic, .listShared: .get
        case .create, .generate, .read, .favorite, .archive, .unarchive, .share, .copy: .post
        case .replace: .put
        case .delete, .unshare: .delete
        }
    }

    /// The path below the collection's.
    var path: String {
        switch self {
        case .create, .list: ""
        case .show, .replace, .delete: "/{id}"
        case .analyze: "/analytics"
        case .search: "/search"
        case .countUnread: "/unread/count"
        case .generate: "/generate/wellness"
        case .read: "/{id}/read"
        case .favorite: "/{id}/favorite"
        case .archive: "/{id}/archive"
        case .unarchive: "/{id}/unarchive"
        case .listPublic: "/public"
        case .listShared: "/shared-with-me"
        case .share: "/{id}/share"
        case .unshare: "/{id}/share/{userId}"
        case .copy: "/{id}/copy"
        }
    }

    /// Whether it reads a page of documents, or the documents of a time.
    public var hasQuery: Bool { !parameters.isEmpty }
    var parameters: [String] {
        switch self {
        case .list, .listPublic, .listShared: DocumentListQuery.parameters
        case .search: DocumentListQuery.parameters + ["q"]
        case .analyze: DocumentListQuery.filters
        default: []
        }
    }
    public var needsBody: Bool { [.create, .replace, .share].contains(self) }
    /// Whether a body is read, or at least its media type.
    public var takesBody: Bool { method == .post || method == .put }
}

/// An operation on documents: what it does, and in which collection.
public struct DocumentOperation: Sendable, Hashable {
    public let action: DocumentAction
    public let collection: DocumentCollection
}
