import FitIQAPI

extension QuickAction {
    /// Actions for the wellness coach.
    static let generalWellness: [QuickAction] = [
        QuickAction(
            prompt: "Where do I begin?",
            description: "Pick one area and one small step",
            contextType: .general, persona: .generalWellness, category: "planning"),
        QuickAction(
            prompt: "How do I balance work and health?",
            description: "A look at the whole week",
            contextType: .general, persona: .generalWellness, category: "balance"),
        QuickAction(
            prompt: "Help me to make my goal realistic",
            description: "So small that it's hard to fail",
            contextType: .goal, persona: .generalWellness, category: "planning"),
        QuickAction(
            prompt: "How should I track my progress?",
            description: "What to note, and how often",
            contextType: .goal, persona: .generalWellness, category: "tracking"),
        QuickAction(
            prompt: "Explain this trend in my data",
            description: "The story behind the numbers",
            contextType: .insight, persona: .generalWellness, category: "understanding"),
        QuickAction(
            prompt: "What would improve my energy most?",
            description: nil,
            contextType: .insight, persona: .generalWellness, category: "energy"),
        QuickAction(
            prompt: "Why do I feel like this?",
            description: "Name it, and look at what came before",
            contextType: .mood, persona: .generalWellness, category: "mood"),
        QuickAction(
            prompt: "Help me to calm down",
            description: nil,
            contextType: .mood, persona: .generalWellness, category: "stress"),
        QuickAction(
            prompt: "Help me to reflect on my week",
            description: "A short look back on Sunday",
            contextType: .journal, persona: .generalWellness, category: "reflection"),
        QuickAction(
            prompt: "What lesson is in my last entry?",
            description: nil,
            contextType: .journal, persona: .generalWellness, category: nil),
    ]
}
