import FitIQAPI

extension ContractCase {
    /// Every case of the suite, by topic.
    public static let all =
        consultationCases + limitCases + authCases + chatCases + deliveryCases + interruptionCases + socketCases
        + goalCases + mealCases + guideCases
}

/// Short forms, so that cases read as stories.
extension Step {
    static func start(_ persona: Persona) -> Step { .perform(.startConsultation(persona: persona)) }
    static func open(_ id: String) -> Step { .perform(.openConsultation(id: id)) }
    static func send(_ text: String) -> Step { .perform(.send(text: text)) }
    static func createGoal(_ title: String) -> Step {
        .perform(.createGoal(title: title, description: "Without walking, before summer."))
    }
    static func logMeal(_ text: String, _ type: MealType = .breakfast) -> Step {
        .perform(.logMeal(text: text, type: type))
    }
    static let archive = Step.perform(.archive)
    static let disconnect = Step.perform(.disconnect)
    static let loadGoals = Step.perform(.loadGoals)
    /// Waits for the chat to be open and quiet.
    static let untilReady = Step.until(.ready, within: .seconds(30))
    /// Waits for so many answers in all, with nothing under way.
    static func untilAnswered(_ count: Int, within limit: Duration = .seconds(60)) -> Step {
        .until(.answered(count), within: limit)
    }
}

/// Ids that scenarios written here give to what exists.
enum KnownID {
    static let consultation = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
    static let goal = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
    /// What no world has.
    static let nothing = "00000000-0000-4000-8000-00000000dead"
}

extension Duration {
    static func minutes(_ count: Int) -> Duration { .seconds(60 * count) }
    static func hours(_ count: Int) -> Duration { .seconds(3600 * count) }
}
