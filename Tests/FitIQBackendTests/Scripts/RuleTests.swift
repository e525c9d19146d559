import FitIQAPI
import Patterns
import Testing

@testable import FitIQBackend

@Suite("Script rules") struct RuleTests {
    /// Each rule answers with its own number.
    static func script() throws -> Script {
        let conditions: [AnswerRule] = [
            AnswerRule(personas: [.fitnessCoach], turns: 3...3, script: AnswerScript(steps: [])),
            AnswerRule(
                personas: [.nutritionist], contextTypes: [.goal], content: .contains("Protein"),
                script: AnswerScript(steps: [])),
            AnswerRule(content: .matches(try Pattern("^(hi|hello)\\b")), turns: 1...1, script: AnswerScript(steps: [])),
            AnswerRule(contextTypes: [.mood, .journal], script: AnswerScript(steps: [])),
            AnswerRule(
                personas: [.wellnessSpecialist, .generalWellness], content: .contains(""), turns: 5...Int.max,
                script: AnswerScript(steps: [])),
            AnswerRule(content: .matches(try Pattern("^SHOUT$", ignoresCase: false)), script: AnswerScript(steps: [])),
        ]
        return Script(
            answers: conditions.enumerated().map { number, rule in
                var rule = rule
                rule.script.steps = [.text("\(number)")]
                return rule
            })
    }

    static let questions: [(Persona, ContextType, String, Int, Int?)] = [
        (.fitnessCoach, .general, "Hello", 3, 0), (.fitnessCoach, .mood, "Hello", 3, 0),
        (.fitnessCoach, .general, "anything", 2, nil), (.fitnessCoach, .general, "anything", 4, nil),
        (.nutritionist, .goal, "How much pROTEIN?", 1, 1), (.nutritionist, .general, "How much protein?", 1, nil),
        (.fitnessCoach, .goal, "How much protein?", 1, nil), (.nutritionist, .goal, "How much fat?", 1, nil),
        (.nutritionist, .general, "HELLO there", 1, 2), (.nutritionist, .general, "Hellotoo", 1, nil),
        (.nutritionist, .general, "Hello there", 2, nil), (.nutritionist, .goal, "Hello, protein", 1, 1),
        (.nutritionist, .mood, "Hello", 1, 2), (.nutritionist, .mood, "x", 1, 3), (.nutritionist, .journal, "x", 99, 3),
        (.nutritionist, .insight, "x", 1, nil), (.generalWellness, .insight, "x", 4, nil),
        (.generalWellness, .insight, "x", 5, 4), (.wellnessSpecialist, .insight, "x", 10_000, 4),
        (.nutritionist, .insight, "x", 5, nil), (.nutritionist, .general, "SHOUT", 1, 5),
        (.nutritionist, .general, "shout", 1, nil),
    ]

    @Test("The first matching rule is used", arguments: questions)
    func choice(persona: Persona, context: ContextType, content: String, turn: Int, number: Int?) throws {
        let script = try Self.script()
        let answer = script.answer(to: content, turn: turn, persona: persona, contextType: context)
        #expect(answer == number.map { script.answers[$0].script })
    }

    @Test("Turns are counted from 1 and include questions without an answer")
    func turns() throws {
        let rules = (1...3).map { turn in
            AnswerRule(
                turns: turn...turn,
                script: AnswerScript(steps: turn == 1 ? [.silence] : [.chunk("\(turn)")], timing: .even))
        }
        var stage = try Stage(Script(answers: rules))
        try stage.open(1)
        // A rejected message does not count.
        stage.world.message(" ", from: 1)
        for _ in 0..<4 { stage.ask("Xyzzy") }
        stage.world.waitForAllAnswers()
        let builtIn = Coach.answer(persona: .nutritionist, context: .general, question: "Xyzzy", turn: 3)
        expect(try stage.history().suffix(3), are: ["assistant \"2\"", "assistant \"3\"", "assistant \"\(builtIn)\""])
    }

    @Test("A script without rules gives no answers")
    func none() {
        #expect(Script().answer(to: "x", turn: 1, persona: .nutritionist, contextType: .general) == nil)
        #expect(Script().meal("2 eggs", mealType: .dinner) == nil)
    }

    @Test("A rule may set zero tokens and a food without nutrients")
    func zeros() {
        let air = MealItem(name: "Air", quantity: 0, unit: "", nutrients: MealNutrients())
        let script = Script(
            answers: [AnswerRule(script: AnswerScript(steps: [], tokensUsed: 0))],
            meals: [MealRule(outcome: .completed([air]))])
        #expect(World(script: script).backend.script == script)
    }

    @Test("Invalid rules trap")
    func invariants() async {
        await #expect(processExitsWith: .failure) { World.refuse(AnswerScript(steps: [.chunk("")])) }
        await #expect(processExitsWith: .failure) { World.refuse(AnswerScript(steps: [.burst(["a", ""])])) }
        await #expect(processExitsWith: .failure) {
            World.refuse(AnswerScript(steps: [.chunk("a", after: AnswerScript.longestDuration + 1)]))
        }
        await #expect(processExitsWith: .failure) {
            World.refuse(AnswerScript(steps: [], timing: StreamTiming(rate: .chunksPerSecond(0))))
        }
        await #expect(processExitsWith: .failure) {
            World.refuse(AnswerScript(steps: [], timing: StreamTiming(jitter: .logNormal(sigma: .nan))))
        }
        await #expect(processExitsWith: .success) {
            World.refuse(
                AnswerScript(
                    steps: [.pause(AnswerScript.longestDuration), .burst([])],
                    timing: StreamTiming(rate: .tokensPerSecond(.leastNonzeroMagnitude), jitter: .logNormal(sigma: 10)))
            )
        }
    }
}

extension World {
    static func refuse(_ script: AnswerScript) { _ = World(script: Script(answers: [AnswerRule(script: script)])) }
}
