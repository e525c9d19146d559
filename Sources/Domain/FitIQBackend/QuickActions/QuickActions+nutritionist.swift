import FitIQAPI

extension QuickAction {
    /// Actions for the nutritionist.
    static let nutritionist: [QuickAction] = [
        QuickAction(
            prompt: "What should I eat for breakfast?",
            description: "Ideas that keep you full until lunch",
            contextType: .general, persona: .nutritionist, category: "meals"),
        QuickAction(
            prompt: "Plan my meals for the week",
            description: "A simple plan with little cooking",
            contextType: .general, persona: .nutritionist, category: "meal_planning"),
        QuickAction(
            prompt: "How much protein do I need for my goal?",
            description: "An amount for each meal",
            contextType: .goal, persona: .nutritionist, category: "nutrition"),
        QuickAction(
            prompt: "How can I lose weight without counting everything?",
            description: "Slow changes that last",
            contextType: .goal, persona: .nutritionist, category: "nutrition"),
        QuickAction(
            prompt: "Why do I snack more on some days?",
            description: "What cravings may be telling you",
            contextType: .insight, persona: .nutritionist, category: "understanding"),
        QuickAction(
            prompt: "Am I drinking enough water?",
            description: nil,
            contextType: .insight, persona: .nutritionist, category: "hydration"),
        QuickAction(
            prompt: "Why do I crave sugar when I'm stressed?",
            description: "Food and mood, and what helps",
            contextType: .mood, persona: .nutritionist, category: "mood"),
        QuickAction(
            prompt: "What can I cook tonight that feels comforting?",
            description: nil,
            contextType: .mood, persona: .nutritionist, category: nil),
        QuickAction(
            prompt: "What does my food diary tell you?",
            description: "Patterns instead of single days",
            contextType: .journal, persona: .nutritionist, category: "reflection"),
        QuickAction(
            prompt: "Help me to log my meals more regularly",
            description: nil,
            contextType: .journal, persona: .nutritionist, category: "habits"),
    ]
}
