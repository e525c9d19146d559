import JSON

/// A consultation's state; only an active consultation accepts chat.
public enum ConsultationStatus: String, CaseIterable, Sendable, Hashable {
    /// Open for chat; counts towards the limit of ten.
    case active
    /// Completed by the apps; the guides have no endpoint for this.
    case completed
    /// Archived by the user through the archive endpoint.
    case archived
}

/// The kind of a consultation's context (enhanced-consultations, ContextType).
public enum ContextType: String, CaseIterable, Sendable, Hashable {
    /// Open-ended; a separate context in the search for duplicates.
    case general
    case goal, insight, mood, journal
}

/// The state of a goal, in the words of the guide (goal-linking, GoalStatus) or of the apps.
public enum GoalWord: String, CaseIterable, Sendable, Hashable {
    /// The initial status of every goal in the guide.
    case notStarted = "not_started"
    case inProgress = "in_progress"
    /// The initial status of every goal in the apps.
    case active
    case completed, paused, archived

    public static let guide: [GoalWord] = [.notStarted, .inProgress, .completed, .archived]
    public static let apps: [GoalWord] = [.active, .completed, .paused, .archived]
}

/// A goal's state; the guide and the apps use different words for it.
public enum GoalState: String, CaseIterable, Sendable, Hashable {
    case notStarted = "not_started"
    case inProgress = "in_progress"
    /// The guide has no word for a paused goal, so the goal appears as in progress.
    case paused
    case completed, archived

    /// The guide's name; a guide's client that sets a paused goal to `in_progress` resumes it.
    public var guideStatus: GoalWord { self == .paused ? .inProgress : word }
    /// The apps' name.
    public var appStatus: GoalWord { self == .notStarted || self == .inProgress ? .active : word }

    private var word: GoalWord {
        switch self {
        case .notStarted: .notStarted
        case .inProgress: .inProgress
        case .paused: .paused
        case .completed: .completed
        case .archived: .archived
        }
    }
}

/// The state of a meal log (meal-log-websocket, MealLogStatus).
public enum MealLogStatus: String, CaseIterable, Sendable, Hashable {
    case processing, completed, failed
    /// Entered as individual foods; the guides have no endpoint for this, but lists can filter by it.
    case manual
}

/// The meal of the day that a log belongs to (meal-log-websocket, MealType).
public enum MealType: String, CaseIterable, Sendable, Hashable {
    case breakfast, lunch, dinner, snack
    // Only the apps have these meal types.
    case drink, water, supplements, other

    /// The names that clients may send.
    public static func known(isForApps: Bool) -> [MealType] {
        isForApps ? allCases : [.breakfast, .lunch, .dinner, .snack]
    }
}

/// The apps' type of a food.
public enum FoodType: String, CaseIterable, Sendable, Hashable { case food, drink, water }

/// The author of a message in a consultation (enhanced-consultations, MessageRole).
public enum MessageRole: String, CaseIterable, Sendable, Hashable {
    case user, assistant
    /// The backend.
    case system
}

/// An AI coach in a consultation (enhanced-consultations, Persona).
public enum Persona: String, CaseIterable, Sendable, Hashable {
    /// Nutrition, meal planning and dietary advice.
    case nutritionist
    /// Workouts, training programmes and exercise technique.
    case fitnessCoach = "fitness_coach"
    /// Stress, sleep, habits and lifestyle.
    case wellnessSpecialist = "wellness_specialist"
    /// All aspects of health and wellness; the coach of chat-about-goal.
    case generalWellness = "general_wellness"

    /// The display name; `general_wellness` is the "Wellness Coach" that goal-linking prints.
    public var displayName: String {
        switch self {
        case .nutritionist: "Nutritionist"
        case .fitnessCoach: "Fitness Coach"
        case .wellnessSpecialist: "Wellness Specialist"
        case .generalWellness: "Wellness Coach"
        }
    }

    /// Writes the members of goal-linking's persona object: `id`, `name`, `avatar`.
    func writeMembers(into writer: inout JSONWriter, origin: String) {
        writer.member("id", rawValue)
        writer.member("name", displayName)
        writer.member("avatar", avatarURL(origin: origin))
    }

    public func avatarURL(origin: String) -> String { origin + "/avatars/" + rawValue + ".svg" }

    /// The persona's avatar: its initial on a coloured disc, as SVG.
    public var avatarImage: String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" role="img" aria-label="\(displayName)">\
        <circle cx="32" cy="32" r="32" fill="\(colour)"/>\
        <text x="32" y="42" font-family="sans-serif" font-size="28" fill="#fff" text-anchor="middle">\
        \(displayName.prefix(1))</text></svg>

        """
    }

    /// The persona colours in enhanced-consultations: green, blue, purple, orange.
    private var colour: String {
        switch self {
        case .nutritionist: "#34c759"
        case .fitnessCoach: "#007aff"
        case .wellnessSpecialist: "#af52de"
        case .generalWellness: "#ff9500"
        }
    }
}
