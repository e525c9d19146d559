import FitIQAPI

extension QuickAction {
    /// Actions that fit every persona.
    static let shared: [QuickAction] = [
        QuickAction(
            prompt: "How can I build a habit that lasts?",
            description: "Small steps that survive a busy week",
            contextType: .general, persona: nil, category: "habits"),
        QuickAction(
            prompt: "What can you do for me?",
            description: nil,
            contextType: .general, persona: nil, category: nil),
        QuickAction(
            prompt: "What is a good first step towards my goal?",
            description: "Turn the goal into something for today",
            contextType: .goal, persona: nil, category: "planning"),
        QuickAction(
            prompt: "How do I stay motivated?",
            description: nil,
            contextType: .goal, persona: nil, category: "motivation"),
        QuickAction(
            prompt: "What does this insight mean for my week?",
            description: "An insight in everyday words",
            contextType: .insight, persona: nil, category: "understanding"),
        QuickAction(
            prompt: "Which trend should I watch?",
            description: nil,
            contextType: .insight, persona: nil, category: nil),
        QuickAction(
            prompt: "What could lift my mood today?",
            description: "One small thing for the next hour",
            contextType: .mood, persona: nil, category: "mood"),
        QuickAction(
            prompt: "I had a bad day",
            description: nil,
            contextType: .mood, persona: nil, category: "mood"),
        QuickAction(
            prompt: "What pattern do you see in my journal?",
            description: "Look back over the last entries",
            contextType: .journal, persona: nil, category: "reflection"),
        QuickAction(
            prompt: "Give me something to reflect on",
            description: nil,
            contextType: .journal, persona: nil, category: nil),
    ]
}
