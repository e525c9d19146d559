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

    /// The path below `/api/v1`, and one of its documents, for messages.
    private var row: (path: String, item: String) {
        switch self {
        case .moodEntries: ("/wellness/mood-entries", "mood entry")
        case .journal: ("/journal", "journal entry")
        case .insights: ("/insights", "insight")
        case .progress: ("/progress", "progress entry")
        case .sleep: ("/sleep", "sleep session")
        case .workouts: ("/workouts", "workout")
        case .profileMetrics: ("/profile/metrics", "set of profile metrics")
        case .workoutTemplates: ("/workout-templates", "workout template")
        }
    }

    var path: String { row.path }
    var item: String { row.item }

    /// The members that the world sets; those that a client sends count for nothing.
    public var reservedMembers: [String] {
        let members = ["id", "user_id", "created_at", "updated_at"]
        return self == .workoutTemplates ? members + ["shared_with"] : members
    }
}
