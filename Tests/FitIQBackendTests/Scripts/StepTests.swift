import FitIQAPI
import Testing

@testable import FitIQBackend

/// Each kind of step, as sockets in either protocol receive it, and the result that is stored.
@Suite("Script steps") struct StepTests {
    struct Story: CustomTestStringConvertible, Sendable {
        let name: String
        let steps: [AnswerScript.Step]
        let stream: [String]
        let assistantMessage: [String]
        /// The messages stored after the question.
        let stored: [String]

        var testDescription: String { name }

        /// Lines without the units of times and the protocols' prefixes: `0.500 chunk 'a' | 0.550 complete`.
        init(_ name: String, _ steps: [AnswerScript.Step], stream: String, assistantMessage: String, stored: [String]) {
            func lines(_ text: String, _ prefix: String) -> [String] {
                text.split(separator: " | ").map { line in
                    let (time, rest) = (line.prefix(5), line.dropFirst(6).replacing("'", with: "\""))
                    let isCommon = rest.hasPrefix("error") || rest.hasPrefix("template_created")
                    return "\(time) s \(isCommon ? "" : prefix)\(rest)"
                }
            }
            (self.name, self.steps, self.stored) = (name, steps, stored)
            self.stream = lines(stream, "stream_")
            self.assistantMessage = lines(assistantMessage, "assistant_message_")
        }
    }

    static let stories = [
        Story(
            "a text, word by word", [.text("About 1.6 g")],
            stream: "0.500 chunk 'About ' | 0.550 chunk '1.6 ' | 0.600 chunk 'g' | 0.650 complete",
            assistantMessage: "0.500 start #2 | 0.500 chunk #2 'About ' | 0.550 chunk #2 '1.6 ' | 0.600 chunk #2 'g' | "
                + "0.650 end #2 3 tokens", stored: ["About 1.6 g"]),
        Story(
            "chunks, one at a time of its own", [.chunk("Ab"), .chunk("out ", after: .seconds(2)), .chunk("that")],
            stream: "0.500 chunk 'Ab' | 2.500 chunk 'out ' | 2.550 chunk 'that' | 2.600 complete",
            assistantMessage: "0.500 start #2 | 0.500 chunk #2 'Ab' | 2.500 chunk #2 'out ' | 2.550 chunk #2 'that' | "
                + "2.600 end #2 3 tokens", stored: ["About that"]),
        Story(
            "a first chunk at a time of its own", [.chunk("a", after: 0), .chunk("b", after: 0)],
            stream: "0.000 chunk 'a' | 0.000 chunk 'b' | 0.050 complete",
            assistantMessage: "0.000 start #2 | 0.000 chunk #2 'a' | 0.000 chunk #2 'b' | 0.050 end #2 1 tokens",
            stored: ["ab"]),
        Story(
            "a burst", [.text("a "), .burst(["b ", "c ", "d "]), .text("e")],
            stream: "0.500 chunk 'a ' | 0.550 chunk 'b ' | 0.550 chunk 'c ' | 0.550 chunk 'd ' | 0.600 chunk 'e' | "
                + "0.650 complete",
            assistantMessage: "0.500 start #2 | 0.500 chunk #2 'a ' | 0.550 chunk #2 'b ' | 0.550 chunk #2 'c ' | "
                + "0.550 chunk #2 'd ' | 0.600 chunk #2 'e' | 0.650 end #2 3 tokens", stored: ["a b c d e"]),
        Story(
            "pauses, which add up",
            [
                .pause(.seconds(1)), .text("a b "), .pause(.seconds(2)), .pause(.seconds(3)), .chunk("c", after: 0),
                .pause(.seconds(1)),
            ],
            stream: "1.500 chunk 'a ' | 1.550 chunk 'b ' | 6.550 chunk 'c' | 7.600 complete",
            assistantMessage: "1.500 start #2 | 1.500 chunk #2 'a ' | 1.550 chunk #2 'b ' | 6.550 chunk #2 'c' | "
                + "7.600 end #2 2 tokens", stored: ["a b c"]),
        Story(
            "templates, for one protocol; the last one is stored",
            [.text("a "), .template(.run), .text("b"), .pause(.seconds(1)), .template(.swim)],
            stream: "0.500 chunk 'a ' | 0.550 chunk 'b' | 1.600 complete",
            assistantMessage: "0.500 start #2 | 0.500 chunk #2 'a ' | 0.500 template_created template 'Run 5 km' | "
                + "0.550 chunk #2 'b' | 1.550 template_created template 'Swim' | "
                + "1.600 end #2 template 'Swim' 1 tokens", stored: ["a b"]),
        Story(
            "a template before any text", [.template(.run), .text("a")], stream: "0.500 chunk 'a' | 0.550 complete",
            assistantMessage: "0.000 start #2 | 0.000 template_created template 'Run 5 km' | 0.500 chunk #2 'a' | "
                + "0.550 end #2 template 'Run 5 km' 1 tokens", stored: ["a"]),
        Story(
            "no text at all", [.template(.run)], stream: "0.500 complete",
            assistantMessage: "0.000 start #2 | 0.000 template_created template 'Run 5 km' | "
                + "0.500 end #2 template 'Run 5 km' 0 tokens", stored: [""]),
        Story(
            "an error between chunks", [.text("a "), .error(message: "Slow.", code: "COACH_SLOW"), .text("b")],
            stream: "0.500 chunk 'a ' | 0.500 error COACH_SLOW 'Slow.' | 0.550 chunk 'b' | 0.600 complete",
            assistantMessage:
                "0.500 start #2 | 0.500 chunk #2 'a ' | 0.500 error COACH_SLOW 'Slow.' | 0.550 chunk #2 'b' | "
                + "0.600 end #2 1 tokens", stored: ["a b"]),
        Story(
            "an error at the end", [.text("a b"), .pause(.seconds(1)), .error(message: "Gone.", code: nil)],
            stream: "0.500 chunk 'a ' | 0.550 chunk 'b' | 1.600 error COACH_ERROR 'Gone.'",
            assistantMessage:
                "0.500 start #2 | 0.500 chunk #2 'a ' | 0.550 chunk #2 'b' | 1.600 error COACH_ERROR 'Gone.'",
            stored: []),
        Story(
            "an error alone", [.error(message: "Overloaded.", code: "OVERLOADED")],
            stream: "0.500 error OVERLOADED 'Overloaded.'", assistantMessage: "0.500 error OVERLOADED 'Overloaded.'",
            stored: []), Story("silence alone", [.silence], stream: "", assistantMessage: "", stored: []),
        Story(
            "silence, and nothing behind it", [.text("a b"), .silence, .text("c"), .anotherAnswer],
            stream: "0.500 chunk 'a ' | 0.550 chunk 'b'",
            assistantMessage: "0.500 start #2 | 0.500 chunk #2 'a ' | 0.550 chunk #2 'b'", stored: []),
        Story(
            "another answer, and one that ends in silence",
            [.text("a"), .template(.run), .anotherAnswer, .text("b c"), .anotherAnswer, .text("d"), .silence],
            stream: "0.500 chunk 'a' | 0.550 complete | 1.050 chunk 'b ' | 1.100 chunk 'c' | 1.150 complete | "
                + "1.650 chunk 'd'",
            assistantMessage: "0.500 start #2 | 0.500 chunk #2 'a' | 0.500 template_created template 'Run 5 km' | "
                + "0.550 end #2 template 'Run 5 km' 1 tokens | 1.050 start #3 | 1.050 chunk #3 'b ' | "
                + "1.100 chunk #3 'c' | 1.150 end #3 1 tokens | 1.650 start #4 | 1.650 chunk #4 'd'",
            stored: ["a", "b c"]),
        Story(
            "another answer that is none", [.text("a"), .anotherAnswer], stream: "0.500 chunk 'a' | 0.550 complete",
            assistantMessage: "0.500 start #2 | 0.500 chunk #2 'a' | 0.550 end #2 1 tokens", stored: ["a"]),
        Story(
            "no steps", [], stream: "0.500 complete", assistantMessage: "0.500 start #2 | 0.500 end #2 0 tokens",
            stored: [""]),
    ]

    @Test("A script's steps are streamed as written in both protocols", arguments: stories)
    func streams(story: Story) throws {
        var stage = try Stage(story.steps)
        try stage.open(1)
        stage.ask()
        let history = ["user \"Hello\""] + story.stored.map { "assistant \"\($0)\"" }
        expect(stage.lines(), are: ["0.000 s message_received"] + story.stream)
        expect(try stage.history(), are: history)

        stage = try Stage(story.steps)
        try stage.open(1)
        stage.ask(as: .assistantMessage)
        expect(stage.lines(), are: ["0.000 s user_message #1 \"Hello\""] + story.assistantMessage)
        expect(try stage.history(), are: history)
        #expect(try stage.world.backend.nextDeadline == nil && stage.world.record(stage.id).answer == nil)
    }

    /// The script's steps without any delay, frame for frame.
    @Test("With an instant pace, steps take no time", arguments: stories)
    func instant(story: Story) throws {
        var stage = try Stage(story.steps, pace: .instant)
        try stage.open(1)
        stage.ask(as: .assistantMessage)
        let lines = stage.lines()
        expect(
            lines,
            are: (["0.000 s user_message #1 \"Hello\""] + story.assistantMessage).map { "0.000 s" + $0.dropFirst(7) })
        #expect(stage.world.turn.now == World.start)
        expect(try stage.history(), are: ["user \"Hello\""] + story.stored.map { "assistant \"\($0)\"" })
    }

    @Test("A step can insert the built-in coach's answer")
    func builtIn() throws {
        var stage = try Stage([.text("Well. "), .builtInAnswer])
        try stage.open(1)
        stage.ask("What should I eat for breakfast?")
        let answer = Coach.answer(
            persona: .nutritionist, context: .general, question: "What should I eat for breakfast?", turn: 0)
        let chunks = ["Well. "] + Coach.chunks(of: answer)
        let expected = chunks.enumerated().map {
            "\(Lines.time(.seconds(0.5 + 0.05 * Double($0.offset)))) stream_chunk \"\($0.element)\""
        }
        let end = "\(Lines.time(.seconds(0.5 + 0.05 * Double(chunks.count)))) stream_complete"
        expect(stage.lines(), are: ["0.000 s message_received"] + expected + [end])
        #expect(try stage.history().last == "assistant \"Well. \(answer)\"")
    }

    @Test("The script sets each answer's metadata")
    func metadata() throws {
        let script = AnswerScript(
            steps: [.text("a"), .anotherAnswer, .text("b"), .template(.run)], timing: .even, tokensUsed: 1200,
            functionCalled: "create_goal")
        var stage = try Stage(Script(answers: [AnswerRule(script: script)]))
        try stage.open(1)
        stage.ask(as: .assistantMessage)
        let ends = stage.lines().filter { $0.contains("_end") }
        expect(
            ends,
            are: [
                "0.550 s assistant_message_end #2 function create_goal 1200 tokens",
                "1.100 s assistant_message_end #3 template \"Run 5 km\" function create_goal 1200 tokens",
            ])
        let stored = try #require(try stage.world.messages(stage.id, for: stage.user)["messages"]?.array)
        let usual = ["function_called", "tokens_used", "persona", "tokens", "processing_time_ms", "is_streaming"]
        #expect(stored[1]["metadata"]?.object?.keys == usual)
        #expect(stored[2]["metadata"]?.object?.keys == ["template_created"] + usual)
        #expect(stored[2]["metadata"]?["template_created"]?.object?.keys == ["type", "id", "name"])
        #expect(stored[2]["metadata"]?["template_created"]?["id"] == "run")
    }
}
