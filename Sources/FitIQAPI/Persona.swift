/// Who answers in a consultation.
public enum Persona: String, CaseIterable, Sendable {
    /// Nutrition, meal planning, dietary advice.
    case nutritionist
    /// Workouts, training programmes, exercise technique.
    case fitnessCoach = "fitness_coach"
    /// Holistic wellness, stress management, lifestyle.
    case wellnessSpecialist = "wellness_specialist"
    /// All aspects of health and wellness; the persona of chats about goals.
    case generalWellness = "general_wellness"

    /// The name that people are shown.
    public var displayName: String {
        switch self {
        case .nutritionist: "Nutritionist"
        case .fitnessCoach: "Fitness Coach"
        case .wellnessSpecialist: "Wellness Specialist"
        case .generalWellness: "Wellness Coach"
        }
    }
}
