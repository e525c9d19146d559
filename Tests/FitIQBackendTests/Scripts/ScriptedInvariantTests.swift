import FitIQAPI
import Patterns
import Testing

@testable import FitIQBackend

/// The random operations in a world whose coaches and parser follow a script.
@Suite("Random scripts and invariants") struct ScriptedInvariantTests {
    /// A string that no stored message may contain.
    static let unsaid = "unsaid"

    static func script() throws -> Script {
        let uneven = StreamTiming(rate: .tokensPerSecond(30), jitter: .logNormal(sigma: 0.7))
        func rule(
            _ content: String, persona: Persona? = nil, _ steps: [AnswerScript.Step], _ timing: StreamTiming = .human
        ) -> AnswerRule {
            AnswerRule(
                personas: persona.map { [$0] } ?? [], content: .contains(SoughtWords(content)),
                script: AnswerScript(steps: steps, timing: timing))
        }
        return Script(
            answers: [
                rule("breakfast", persona: .nutritionist, [.text("\(unsaid), at length"), .silence], uneven),
                rule("sleep", [.silence]),
                rule("xyzzy", [.text("\(unsaid) as well"), .error(message: "Gone.", code: nil)], uneven),
                rule(
                    "thanks", [.text("One."), .anotherAnswer, .text("Two."), .template(.run), .anotherAnswer, .silence]),
                rule("motivated", [.text("Hm. "), .error(message: "Slow.", code: "SLOW"), .builtInAnswer], uneven),
                rule("odd", [.burst(["a ", "b ", "c"]), .pause(.seconds(1)), .chunk("d", after: 0)]),
                AnswerRule(
                    content: .matches(try Pattern("^hello$")), turns: 2...4,
                    script: AnswerScript(steps: [.text("Again?")])),
            ],
            meals: [
                MealRule(text: .contains("toast"), duration: .seconds(1), outcome: .completed([MealRuleTests.pizza])),
                MealRule(text: .contains("chicken"), outcome: .never),
            ])
    }

    @Test("Random scripts preserve the invariants", arguments: [UInt64(2026)])
    func rules(seed: UInt64) throws {
        var random = try RandomOperations(seed: seed, userCount: 10, script: try Self.script())
        var model = Model(userCount: 10, answersMayBreakOff: true)
        #expect(random.violations(in: 8000, model: &model) == [], "seed \(seed)")
        expectStored(in: random.world)
        #expect(
            model.seen.isSuperset(of: [
                "template_created", "error", "stream_complete", "assistant_message_end", "meal_log.completed", "close",
            ]))
    }

    /// Answers that do not complete are not stored; all other answers are stored in full.
    private func expectStored(in world: World) {
        let stored = world.backend.consultations.flatMap(\.history.messages).filter { $0.role == .assistant }
        #expect(!stored.contains { $0.content.contains(Self.unsaid) })
        let texts = Set(stored.map(\.content))
        #expect(texts.isSuperset(of: ["One.", "Two.", "a b cd", "Again?"]))
        #expect(stored.count { $0.content == "One." } == stored.count { $0.content == "Two." })
        #expect(stored.filter { $0.content == "Two." }.allSatisfy { $0.metadata?.templateCreated == .run })
        #expect(Set(stored.map(\.id)).count == stored.count)
        // A question is stored even if its scripted answer is never stored.
        let questions = world.backend.consultations.flatMap(\.history.messages).filter { $0.role == .user }
        #expect(questions.contains { $0.content == "Xyzzy" })
    }
}
