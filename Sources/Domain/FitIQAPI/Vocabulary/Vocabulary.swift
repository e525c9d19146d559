import JSON

/// Where a consultation is in its life; only an active one can be chatted in.
public enum ConsultationStatus: String, CaseIterable, Sendable, Hashable {
    /// Open for chat; counts towards the limit of ten.
    case active
    /// Ended by the backend; no endpoint of the guides leads here.
    case completed
    /// Put away by the user through the archive endpoint.
    case archived
}

/// What a consultation is about (enhanced-consultations, ContextType).
public enum ContextType: String, CaseIterable, Sendable, Hashable {
    /// Open-ended; counts as a context of its own when duplicates are looked for.
    case general
    /// A goal of the user.
    case goal
    /// An insight that the backend produced.
    case insight
    /// A mood entry.
    case mood
    /// A journal entry.
    case journal
}

/// Where a goal is in its life (goal-linking, GoalStatus).
public enum GoalStatus: String, CaseIterable, Sendable, Hashable {
    /// What every goal begins as.
    case notStarted = "not_started"
    /// Being worked on.
    case inProgress = "in_progress"
    /// Reached.
    case completed
    /// Put away.
    case archived
}

/// Where a meal log is in its life (meal-log-websocket, MealLogStatus).
public enum MealLogStatus: String, CaseIterable, Sendable, Hashable {
    /// The text is being worked out.
    case processing
    /// The foods are known.
    case completed
    /// No foods could be made of the text.
    case failed
    /// Entered food by food; no endpoint of the guides makes one, but lists can ask for it.
    case manual
}

/// Which meal of the day a log belongs to (meal-log-websocket, MealType).
public enum MealType: String, CaseIterable, Sendable, Hashable {
    case breakfast
    case lunch
    case dinner
    case snack
}

/// Who wrote a message of a consultation (enhanced-consultations, MessageRole).
public enum MessageRole: String, CaseIterable, Sendable, Hashable {
    /// The person using the app.
    case user
    /// The AI coach.
    case assistant
    /// The backend itself.
    case system
}

/// An AI coach that a consultation is held with (enhanced-consultations, Persona).
public enum Persona: String, CaseIterable, Sendable, Hashable {
    /// Nutrition, meal planning and dietary advice.
    case nutritionist
    /// Workouts, training programmes and exercise technique.
    case fitnessCoach = "fitness_coach"
    /// Stress, sleep, habits and lifestyle.
    case wellnessSpecialist = "wellness_specialist"
    /// All aspects of health and wellness; the coach of chat-about-goal.
    case generalWellness = "general_wellness"

    /// The name shown to people; `general_wellness` is the "Wellness Coach" that goal-linking prints.
    public var displayName: String {
        switch self {
        case .nutritionist: "Nutritionist"
        case .fitnessCoach: "Fitness Coach"
        case .wellnessSpecialist: "Wellness Specialist"
        case .generalWellness: "Wellness Coach"
        }
    }
}

extension Persona {
    /// The members of goal-linking's persona object: `id`, `name`, `avatar`.
    func writeMembers(into writer: inout JSONWriter, origin: String) {
        writer.member("id", rawValue)
        writer.member("name", displayName)
        writer.member("avatar", avatarURL(origin: origin))
    }

    /// Where the persona's picture is served.
    public func avatarURL(origin: String) -> String {
        "\(origin)/avatars/\(rawValue).svg"
    }
}
