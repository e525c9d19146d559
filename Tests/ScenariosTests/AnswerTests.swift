import FitIQAPI
import FitIQBackend
import Patterns
import Testing

@testable import Scenarios

@Suite("Reading: answers")
struct AnswerTests {
    static func rules(_ answers: String) throws -> [AnswerRule] {
        try Scenario.read("name: a\npauses: {thinking: 2s}\nanswers:\n" + answers).script.answers
    }

    static let template = CreatedTemplate(type: "goal", id: "1", name: "Run")

    @Test(
        "The reader reads an answer's content",
        arguments: [
            "text: Hello": [.text("Hello")],
            #"chunks: ["a ", {text: b, after: 2s}]"#: [.chunk("a "), .chunk("b", after: 2_000_000_000)],
            "error: No": [.error(message: "No", code: nil)], "{error: No, code: C}": [.error(message: "No", code: "C")],
            "silence: true": [.silence], "tokens_used: 1": [.builtInAnswer],
            "{text: a, template_created: {type: goal, id: 1, name: Run}}": [.text("a"), .template(template)],
            "{error: No, template_created: {type: goal, id: 1, name: Run}}":
                [.template(template), .error(message: "No", code: nil)],
            "steps: [{text: a}, {pause: thinking}, {pause: 0.5s}, {chunk: b, after: 1ms}, {burst: [c, d]},"
                + " another_answer]":
                [
                    .text("a"), .pause(2_000_000_000), .pause(500_000_000), .chunk("b", after: 1_000_000),
                    .burst(["c", "d"]), .anotherAnswer,
                ],
            "steps: [built_in, {template_created: {type: goal, id: 1, name: Run}}, {error: x, code: y},"
                + " {chunk: z}, silence]":
                [.builtInAnswer, .template(template), .error(message: "x", code: "y"), .chunk("z"), .silence],
        ] as KeyValuePairs<String, [AnswerScript.Step]>)
    func steps(_ yaml: String, _ expected: [AnswerScript.Step]) throws {
        #expect(try Self.rules("  - \(yaml)").map(\.script.steps) == [expected])
    }

    @Test("Built-in answers count against the limit on an answer's bytes")
    func builtInAnswers() throws {
        let words = Array(repeating: "built_in", count: ScenarioLimits.answerBytes / ScenarioLimits.builtInAnswerBytes)
        #expect(try Self.rules("  - steps: [\(words.joined(separator: ","))]").count == 1)
        #expect(throws: ScenarioErrors.self) {
            try Self.rules("  - steps: [\((words + ["built_in"]).joined(separator: ","))]")
        }
    }

    @Test("The reader reads an answer's conditions")
    func conditions() throws {
        let rules = try Self.rules(
            """
              - when: {persona: nutritionist, context: [goal, general], content: protein, turn: 1}
                text: a
              - when: {persona: [fitness_coach, general_wellness], content: /a|b/, turn: 2..4}
              - when: {turn: 3..}
              - {text: b, tokens_used: 12, function_called: create_goal}
            """)
        #expect(
            rules == [
                AnswerRule(
                    personas: [.nutritionist], contextTypes: [.goal, .general], content: .contains("protein"),
                    turns: 1...1, script: AnswerScript(steps: [.text("a")])),
                AnswerRule(
                    personas: [.fitnessCoach, .generalWellness], content: .matches(try Pattern("a|b")), turns: 2...4,
                    script: AnswerScript(steps: [.builtInAnswer])),
                AnswerRule(turns: 3...Int.max, script: AnswerScript(steps: [.builtInAnswer])),
                AnswerRule(script: AnswerScript(steps: [.text("b")], tokensUsed: 12, functionCalled: "create_goal")),
            ])
    }

    @Test("Two slashes form an expression that matches any text, and a single slash is plain text")
    func slashes() throws {
        let rules = try Self.rules("  - {when: {content: //}, text: a}\n  - {when: {content: /}, text: b}")
        let empty = try Pattern("")
        #expect(rules.map(\.content) == [.matches(empty), .contains("/")])
    }

    @Test("A burst counts as one step, and each of its chunks counts as another step")
    func steps() throws {
        let burst = { "  - {steps: [{burst: [\(Array(repeating: "a", count: $0).joined(separator: ","))]}]}" }
        #expect(throws: Never.self) { try Self.rules(burst(ScenarioLimits.steps - 1)) }
        #expect { try Self.rules(burst(ScenarioLimits.steps)) } throws: {
            "\($0)".contains("has 10001 steps; an answer may have at most 10000, counting each chunk.")
        }
    }

    @Test(
        "The reader reads an answer's timing",
        arguments: [
            "human": .human, "instant": StreamTiming(firstChunk: 0, rate: .chunksPerSecond(1e9)),
            "{first_chunk: 500ms}": StreamTiming(firstChunk: 500_000_000),
            "{chunks_per_second: 20}": StreamTiming(rate: .chunksPerSecond(20)),
            "{tokens_per_second: 0.5, jitter: {uniform: 20ms}}":
                StreamTiming(rate: .tokensPerSecond(0.5), jitter: .uniform(20_000_000)),
            "{jitter: {log_normal: 0.4}}": StreamTiming(jitter: .logNormal(sigma: 0.4)),
            "{jitter: none}": StreamTiming(),
        ] as KeyValuePairs<String, StreamTiming>)
    func timing(_ yaml: String, _ expected: StreamTiming) throws {
        #expect(try Self.rules("  - {timing: \(yaml)}").map(\.script.timing) == [expected])
    }
}
