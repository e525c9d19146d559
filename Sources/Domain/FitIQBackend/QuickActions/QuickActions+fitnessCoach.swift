import FitIQAPI

extension QuickAction {
    /// Actions for the fitness coach.
    static let fitnessCoach: [QuickAction] = [
        QuickAction(
            prompt: "Give me a quick workout",
            description: "Ten minutes, no preparation",
            contextType: .general, persona: .fitnessCoach, category: "workouts"),
        QuickAction(
            prompt: "Make a training plan for this week",
            description: "Three sessions and enough rest",
            contextType: .general, persona: .fitnessCoach, category: "planning"),
        QuickAction(
            prompt: "How do I get stronger?",
            description: "Five movements and how to progress",
            contextType: .goal, persona: .fitnessCoach, category: "strength"),
        QuickAction(
            prompt: "How do I prepare for my first 5k?",
            description: "From walking to running, step by step",
            contextType: .goal, persona: .fitnessCoach, category: "running"),
        QuickAction(
            prompt: "Why has my progress stalled?",
            description: "What to change, and what to keep",
            contextType: .insight, persona: .fitnessCoach, category: "understanding"),
        QuickAction(
            prompt: "Am I taking enough rest days?",
            description: nil,
            contextType: .insight, persona: .fitnessCoach, category: "recovery"),
        QuickAction(
            prompt: "I have no motivation to train today",
            description: nil,
            contextType: .mood, persona: .fitnessCoach, category: "motivation"),
        QuickAction(
            prompt: "Is a walk enough when I feel flat?",
            description: "Gentle movement counts",
            contextType: .mood, persona: .fitnessCoach, category: "mood"),
        QuickAction(
            prompt: "Which stretches help after a day at the desk?",
            description: "For days that felt stiff",
            contextType: .journal, persona: .fitnessCoach, category: "mobility"),
        QuickAction(
            prompt: "How can I become more consistent?",
            description: nil,
            contextType: .journal, persona: .fitnessCoach, category: nil),
    ]
}
