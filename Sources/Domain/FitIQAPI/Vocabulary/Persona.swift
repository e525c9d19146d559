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
