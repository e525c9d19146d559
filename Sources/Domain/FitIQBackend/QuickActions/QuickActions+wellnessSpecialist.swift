import FitIQAPI

extension QuickAction {
    /// Actions for the wellness specialist.
    static let wellnessSpecialist: [QuickAction] = [
        QuickAction(
            prompt: "Help me to sleep better",
            description: "An evening that makes falling asleep easier",
            contextType: .general, persona: .wellnessSpecialist, category: "sleep"),
        QuickAction(
            prompt: "Guide me through a breathing exercise",
            description: "Two minutes, wherever you are",
            contextType: .general, persona: .wellnessSpecialist, category: "mindfulness"),
        QuickAction(
            prompt: "How do I build a calm morning routine?",
            description: "Light, water, movement",
            contextType: .goal, persona: .wellnessSpecialist, category: "habits"),
        QuickAction(
            prompt: "I want to spend less time on my phone",
            description: "Gentle ways to scroll less",
            contextType: .goal, persona: .wellnessSpecialist, category: "digital_balance"),
        QuickAction(
            prompt: "Why is my energy low in the afternoon?",
            description: "Find the nearest door first",
            contextType: .insight, persona: .wellnessSpecialist, category: "understanding"),
        QuickAction(
            prompt: "What does my sleep say about my stress?",
            description: nil,
            contextType: .insight, persona: .wellnessSpecialist, category: "sleep"),
        QuickAction(
            prompt: "I feel overwhelmed",
            description: "Sort out what you can influence today",
            contextType: .mood, persona: .wellnessSpecialist, category: "mood"),
        QuickAction(
            prompt: "I'm happy today and want to remember it",
            description: nil,
            contextType: .mood, persona: .wellnessSpecialist, category: "gratitude"),
        QuickAction(
            prompt: "Give me three prompts to write about",
            description: "For a page that stays empty",
            contextType: .journal, persona: .wellnessSpecialist, category: "reflection"),
        QuickAction(
            prompt: "I wrote that I feel lonely",
            description: nil,
            contextType: .journal, persona: .wellnessSpecialist, category: nil),
    ]
}
