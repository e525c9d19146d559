import FitIQAPI
import Testing

@testable import FitIQBackend

@Suite("The coach") struct CoachTests {
    static let questions: [(Persona, String, String)] = [
        (.nutritionist, "What should I eat for breakfast?", "For breakfast, I recommend "),
        (.nutritionist, "WHAT'S FOR BREAKFAST", "For breakfast, I recommend "),
        (.nutritionist, "brëakfàst!", "For breakfast, I recommend "),
        (.nutritionist, "Any ideas for dinner tonight?", "Keep dinner simple"),
        (.nutritionist, "I'm always hungry between meals", "Cravings often mean"),
        (.nutritionist, "How can I lose weight?", "Slow change lasts"),
        (.nutritionist, "What do I order in a cafe?", "At a restaurant or café"),
        (.nutritionist, "What do I order in a CAFÉ?", "At a restaurant or café"),
        (.nutritionist, "What do I order in a cafe\u{301}?", "At a restaurant or café"),
        (.nutritionist, "Hello! What about lunch?", "A lunch that holds"),
        (.fitnessCoach, "I've never exercised, where do I start?", "Welcome to the start!"),
        (.fitnessCoach, "How do I lose weight?", "Exercise helps with weight"),
        (.fitnessCoach, "Show me a home workout without equipment", "Your living room"),
        (.fitnessCoach, "my legs are sore", "Muscles grow while you rest"),
        (.wellnessSpecialist, "I can't sleep at night", "Good sleep begins in the morning"),
        (.wellnessSpecialist, "Work is so stressful", "That sounds like a lot"),
        (.wellnessSpecialist, "My friends moved away and I'm lonely", "Feeling alone is hard"),
        (.generalWellness, "Hello, I need help with my goals", "Let's make your goal so small"),
        (.generalWellness, "How do I track my progress?", "One number rarely"),
        (.generalWellness, "Hello", "Hello, it's good to hear from you!"),
        (.fitnessCoach, "good morning", "Hello, it's good to hear from you!"),
        (.nutritionist, "Thanks a lot", "You're very welcome!"),
        (.wellnessSpecialist, "thank you!!!", "You're very welcome!"),
        (.generalWellness, "What's the weather like?", "That one is outside my field"),
        (.nutritionist, "Who are you?", "I'm the built-in coach"),
        (.fitnessCoach, "I have an injury", "That's a question for a doctor"),
        (.wellnessSpecialist, "Goodbye", "Take care"),
        (.nutritionist, "After breakfast I want to hurt myself", "I'm really glad that you told me"),
        (.fitnessCoach, "My chest pain gets worse when I run", "That can be serious"),
    ]

    @Test("The coach answers each question with the expected text", arguments: questions)
    func answers(persona: Persona, question: String, beginning: String) {
        let answer = Coach.answer(persona: persona, context: .general, question: question, turn: 0)
        #expect(answer.hasPrefix(beginning))
    }

    @Test(
        "The coach matches only whole words",
        arguments: ["breakfastlike", "thanksgivings", "unlunched", "hello2", "", "?!", "😀"])
    func wholeWords(question: String) {
        let answer = Coach.answer(persona: .nutritionist, context: .general, question: question, turn: 1)
        #expect(answer == AnswerIndex.of(.nutritionist).general[1].text)
    }

    @Test("The coach suggests its own goals first and without duplicates")
    func suggestions() {
        for persona in Persona.allCases {
            let own = CoachBook.builtIn.suggestions[persona] ?? []
            #expect(own.count >= 5)
            let suggestions = Coach.suggestions(for: persona, seed: 7, limit: 10)
            #expect(suggestions.count == 10 && Set(suggestions.map(\.title)).count == 10)
            #expect(Set(suggestions.prefix(own.count).map(\.title)) == Set(own.map(\.title)))
            #expect(suggestions == Coach.suggestions(for: persona, seed: 7, limit: 10))
        }
        #expect(Coach.suggestions(seed: 1, limit: 3) != Coach.suggestions(seed: 2, limit: 3))
        #expect(Coach.suggestions(seed: 1, limit: 1000).count == CoachBook.builtIn.suggestions.values.joined().count)
    }

    private static var index: AnswerIndex {
        AnswerIndex(
            urgent: [
                WrittenAnswer(keywords: ["pain"], text: "ask a doctor"),
                WrittenAnswer(keywords: ["chest pain", "pain"], text: "call help"),
            ],
            [
                WrittenAnswer(keywords: ["red"], text: "first"),
                WrittenAnswer(keywords: ["blue", "very blue sea", "red"], text: "second"),
                WrittenAnswer(keywords: ["blue", "green"], text: "third"),
            ])
    }

    static let scores: [(String, String?)] = [
        ("red", "first"), ("blue", "second"), ("red blue", "second"), ("a very blue sea", "second"),
        ("red red red", "first"), ("reds", "first"), ("blue red red", "second"), ("sea", nil), ("", nil),
        ("very blue", "second"), ("green", "third"), ("green red blue", "second"), ("green blue", "third"),
        ("pain, and very blue sea", "ask a doctor"), ("red pain", "ask a doctor"), ("chest pain", "call help"),
        ("very blue sea, pain, chest pain", "call help"), ("nothing", nil),
    ]

    @Test(
        "An urgent answer wins, then the answer with the most matching keywords, and the first answer wins a tie",
        arguments: scores)
    func best(question: String, expected: String?) {
        #expect(Self.index.best(for: Words.fold(question))?.text == expected)
    }

    @Test("A question with all of an answer's keywords gets that answer", arguments: Persona.allCases)
    func reachable(persona: Persona) {
        for answer in WrittenAnswer.own(of: persona) + WrittenAnswer.common + WrittenAnswer.urgent
        where !answer.keywords.isEmpty {
            let question = answer.keywords.joined(separator: ", ")
            let given = Coach.answer(persona: persona, context: .general, question: question, turn: 0)
            #expect(given == answer.text, "\(question)")
        }
    }

    @Test("Each keyword helps to select its answer", arguments: Persona.allCases)
    func keywords(persona: Persona) {
        for answer in WrittenAnswer.own(of: persona) + WrittenAnswer.common {
            for keyword in answer.keywords {
                let questions = [keyword] + answer.keywords.filter { $0 != keyword }.map { "\(keyword), \($0)" }
                let decides = questions.contains { question in
                    Coach.answer(persona: persona, context: .general, question: question, turn: 0) == answer.text
                }
                #expect(decides, "\(persona.rawValue): \(keyword)")
            }
        }
    }

    @Test("General answers alternate for questions without a match", arguments: Persona.allCases, ContextType.allCases)
    func rotation(persona: Persona, context: ContextType) {
        let general = AnswerIndex.of(persona).general
        #expect(general.count >= 3)
        for turn in 1...(3 * general.count) {
            let answer = Coach.answer(persona: persona, context: context, question: "Xyzzy", turn: turn)
            #expect(answer == general[turn % general.count].text)
        }
    }

    @Test(
        "The first answer begins with a sentence about the context", arguments: Persona.allCases, ContextType.allCases)
    func opening(persona: Persona, context: ContextType) {
        let opening = Coach.opening(of: context)
        #expect((opening == nil) == (context == .general))
        for question in ["Xyzzy", "How do I stay motivated?", "breakfast, sleep"] {
            let plain = Coach.answer(persona: persona, context: .general, question: question, turn: 0)
            let answer = Coach.answer(persona: persona, context: context, question: question, turn: 0)
            #expect(answer == (opening.map { $0 + " " } ?? "") + plain)
            #expect((25...60).contains(answer.split(whereSeparator: \.isWhitespace).count))
        }
        for question in ["Hello", "Thanks", "How is the weather?", "I want to hurt myself"] {
            let plain = Coach.answer(persona: persona, context: .general, question: question, turn: 0)
            #expect(Coach.answer(persona: persona, context: context, question: question, turn: 0) == plain)
        }
    }

    @Test(
        "Equal questions get equal answers regardless of case and punctuation", arguments: Persona.allCases,
        ContextType.allCases)
    func deterministic(persona: Persona, context: ContextType) {
        for (_, question, _) in Self.questions {
            let first = Coach.answer(persona: persona, context: context, question: question, turn: 4)
            // Case and punctuation are not part of the question.
            let shouted = question.uppercased() + "!?"
            let second = Coach.answer(persona: persona, context: context, question: shouted, turn: 4)
            #expect(first == second)
        }
    }

    @Test("Matching a long question takes linear time")
    func longQuestion() {
        let question =
            String(repeating: "very blue between a workout ", count: 50_000) + "breakfast, morning meal, oats"
        let answer = Coach.answer(persona: .nutritionist, context: .general, question: question, turn: 0)
        #expect(answer.hasPrefix("For breakfast, I recommend "))
    }

    static let templateRequests: [(Persona, String, String?)] = [
        (.nutritionist, "Create a meal plan template", "meal"), (.fitnessCoach, "Build me a workout plan", "workout"),
        (.wellnessSpecialist, "Please create a wellness template.", "wellness"),
        (.generalWellness, "I need a workout template for the gym", "workout"),
        (.nutritionist, "Can you make a template for me?", "meal"), (.fitnessCoach, "create a template", "workout"),
        (.generalWellness, "CREATE AN EVENING ROUTINE", "wellness"),
        (.wellnessSpecialist, "Could you design a weekly dinner schedule?", "meal"),
        (.nutritionist, "How do I make a meal plan?", nil), (.nutritionist, "Is a meal plan worth it?", nil),
        (.fitnessCoach, "What is a workout template?", nil), (.generalWellness, "I want to write more", nil),
        (.nutritionist, "Hi! Please make me a weekly meal plan", "meal"),
        (.fitnessCoach, "Create workout plan", "workout"),
        (.generalWellness, "Can you help me build an evening routine?", "wellness"),
        (.fitnessCoach, "I want to make sure my schedule works", nil),
        (.fitnessCoach, "I don't need a template", nil), (.nutritionist, "Do not create a meal plan", nil),
        (.fitnessCoach, "I can't make it fit my schedule", nil),
        (.fitnessCoach, "Does it make sense to have a plan?", nil),
        (.wellnessSpecialist, "I want to make time for my evening routine", nil),
        (.nutritionist, "Should I create a meal plan?", nil), (.fitnessCoach, "Make my schedule work", nil),
        (.fitnessCoach, "I want to know what a workout template is", nil),
    ]

    @Test("The coach creates a template of the requested type or of its persona's type", arguments: templateRequests)
    func templates(persona: Persona, question: String, type: String?) {
        let speech = Coach.speech(persona: persona, context: .general, question: question, turn: 0)
        #expect(speech.template?.type == type)
        #expect(speech.template.map { !$0.name.isEmpty && speech.text.contains("template") } ?? true)
    }

    @Test("The coach creates no template in an emergency")
    func urgentTemplate() {
        let question = "Create a workout template, I have chest pain"
        let speech = Coach.speech(persona: .fitnessCoach, context: .general, question: question, turn: 0)
        #expect(speech.template == nil && speech.text.hasPrefix("That can be serious"))
    }

    @Test("The coach mentions the consultation's goal by its title")
    func goal() {
        let named = Coach.speech(persona: .fitnessCoach, context: .goal, goal: "Run 5 km", question: "Go?", turn: 0)
        #expect(named.text.hasPrefix("Thanks for sharing Run 5 km with me. ") && named.chunks.joined() == named.text)
        let unnamed = Coach.answer(persona: .fitnessCoach, context: .goal, question: "Go?", turn: 0)
        #expect(unnamed.hasPrefix("Thanks for sharing your goal with me. "))
    }

    @Test("A turn below 0 traps")
    func negativeTurn() async {
        await #expect(processExitsWith: .failure) {
            _ = Coach.answer(persona: .nutritionist, context: .general, question: "", turn: -1)
        }
    }
}
