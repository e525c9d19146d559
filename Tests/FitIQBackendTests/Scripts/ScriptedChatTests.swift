import FitIQAPI
import JSON
import Patterns
import Testing

@testable import FitIQBackend

/// Scripted answers in combination with queues, sockets, limits and archiving.
@Suite("Scripted answers") struct ScriptedChatTests {
    private static func rule(_ content: String, _ steps: AnswerScript.Step...) -> AnswerRule {
        AnswerRule(content: .contains(SoughtWords(content)), script: AnswerScript(steps: steps, timing: .even))
    }

    @Test(
        "The next question begins after an incomplete answer",
        arguments: [(.silence, []), (.error(message: "No.", code: "NO"), ["0.550 s error NO \"No.\""])]
            as [(AnswerScript.Step, [String])])
    func waiting(ending: AnswerScript.Step, told: [String]) throws {
        var stage = try Stage(
            Script(answers: [Self.rule("first", .chunk("a"), ending), Self.rule("second", .chunk("b"))]))
        try stage.open(1)
        for question in ["first", "second", "second"] { stage.ask(question) }
        expect(
            stage.lines(),
            are: Array(repeating: "0.000 s message_received", count: 3) + ["0.500 s stream_chunk \"a\""] + told + [
                "1.050 s stream_chunk \"b\"", "1.100 s stream_complete", "1.600 s stream_chunk \"b\"",
                "1.650 s stream_complete",
            ])
        expect(
            try stage.history(),
            are: ["user \"first\"", "user \"second\"", "user \"second\"", "assistant \"b\"", "assistant \"b\""])
        #expect(try stage.world.show(stage.id, for: stage.user)["message_count"] == 5)
    }

    @Test("An error reaches every active socket once")
    func errorAudience() throws {
        var stage = try Stage([.chunk("a"), .error(message: "No.", code: "NO")])
        for socket in [UInt64(1), 2, 3] { try stage.open(socket) }
        stage.ask("Hello", from: 2, as: .assistantMessage)
        stage.world.takeAnswers()
        stage.ask("Hello")
        let effects = stage.world.takeAnswers()
        #expect(effects.story(of: 1) == ["message_received", "stream_chunk", "error"])
        #expect(
            effects.story(of: 2) == ["user_message", "assistant_message_start", "assistant_message_chunk", "error"])
        #expect(effects.story(of: 3).isEmpty && effects.texts(of: 1).last == effects.texts(of: 2).last)
    }

    @Test("An error has a code only in the union", arguments: GuideMode.allCases.filter { $0.serves(.webSocket) })
    func codes(mode: GuideMode) throws {
        let chatProtocol: ChatProtocol = mode == .enhancedConsultations ? .assistantMessage : .stream
        guard mode != .mealLogWebSocket else { return }
        let script = Script(answers: [AnswerRule(script: AnswerScript(steps: [.error(message: "No.", code: "NO")]))])
        var stage = try Stage(script, pace: .instant, mode: mode)
        try stage.open(1)
        stage.ask(as: chatProtocol)
        stage.world.waitForAllAnswers()
        let frame = try #require(stage.world.takeEffects().frames(of: 1).last)
        #expect(frame["error"] == "No.")
        #expect((frame["code"] == "NO") == (mode.form(of: .webSocket) == .union))
        #expect(frame["code"] == nil || frame["code"] == "NO")
    }

    @Test("A second answer also reaches sockets that joined during the first answer")
    func anotherAnswer() throws {
        func ids(withOtherAnswers isBusy: Bool) throws -> [String] {
            var stage = try Stage([.text("a b"), .anotherAnswer, .chunk("c"), .anotherAnswer, .chunk("d")])
            try stage.open(1)
            let other = try stage.world.create(.fitnessCoach, by: stage.user)
            try stage.world.open(9, on: other, by: stage.user)
            stage.ask(as: .assistantMessage)
            #expect(stage.lines(until: .seconds(0.5)).count == 3)
            if isBusy { stage.world.message("Hello", from: 9) }
            try stage.open(2)
            // A socket that chats in the meantime receives the next answer.
            stage.ask("Hello?", from: 2)
            #expect(stage.world.takeEffects(after: 100).story(of: 2) == ["message_received"])
            #expect(stage.world.takeEffects(after: 2000).story(of: 2).prefix(2) == ["stream_chunk", "stream_complete"])
            let messages = try stage.world.record(stage.id).history.messages.filter { $0.role == .assistant }
            return messages.prefix(3).map { "\($0.id) \($0.content)" }
        }
        let quiet = try ids(withOtherAnswers: false)
        #expect(quiet.map { $0.split(separator: " ", maxSplits: 1)[1] } == ["a b", "c", "d"])
        #expect(Set(quiet.map { $0.prefix(36) }).count == 3)
        #expect(try ids(withOtherAnswers: true) == quiet)
        // The second answer's id is the first of the sequence seeded by the first answer's id.
        let first = try #require(ResourceID(String(quiet[0].prefix(36))))
        var sequence = ResourceIDSequence(seed: first.seed)
        #expect(quiet[1].hasPrefix(sequence.next().description) && quiet[2].hasPrefix(sequence.next().description))
    }

    /// A question is accepted only if the question and its answers, including pending answers, fit.
    @Test(
        "Each scripted answer counts towards the message limit",
        arguments: [("one", 2), ("three", 4), ("silent", 1), ("error", 1), ("two", 3)])
    func limit(content: String, count: Int) throws {
        let script = Script(answers: [
            Self.rule("one", .chunk("a")), Self.rule("silent", .chunk("a"), .silence),
            Self.rule("error", .error(message: "No.", code: nil)),
            Self.rule("two", .chunk("a"), .anotherAnswer, .chunk("b"), .anotherAnswer, .silence),
            Self.rule("three", .chunk("a"), .anotherAnswer, .chunk("b"), .anotherAnswer, .chunk("c")),
        ])
        for before in 0..<3 {
            for isRoom in [true, false] {
                var limits = Limits()
                // "two" comes first as often as expected; its answer is still streaming or waiting.
                limits.messages = before * 3 + count - (isRoom ? 0 : 1)
                var stage = try Stage(script, limits: limits)
                try stage.open(1)
                for _ in 0..<before { stage.ask("two") }
                _ = stage.world.takeEffects()
                if before > 0 { stage.world.wait(milliseconds: 600) }
                _ = stage.world.takeEffects()
                stage.ask(content)
                let told = stage.world.takeEffects().frames(of: 1)
                let error = told.first { $0["type"] == "error" }
                #expect((error == nil) == isRoom, "\(before) before")
                if !isRoom {
                    #expect(error?["error"]?.string == FrameError.historyFull(limit: limits.messages).message)
                }
                stage.world.waitForAllAnswers()
                #expect(try stage.history().count == before * 3 + (isRoom ? count : 0))
            }
        }
    }

    @Test(
        "Archiving at any time stores the same scripted answers",
        arguments: [
            (0, ["a b", "c"]), (520, ["a b", "c"]), (700, ["a b", "c"]), (1150, ["a b", "c"]), (5000, ["a b", "c"]),
        ] as [(Int64, [String])])
    func archive(milliseconds: Int64, stored: [String]) throws {
        var stage = try Stage([.text("a b"), .anotherAnswer, .chunk("c"), .anotherAnswer, .text("d e"), .silence])
        try stage.open(1)
        stage.ask()
        _ = stage.world.takeEffects(after: milliseconds)
        _ = try stage.world.archive(stage.id, by: stage.user)
        #expect(stage.world.takeEffects().story(of: 1) == ["error", "close 1000 Consultation is not active"])
        expect(try stage.history(), are: ["user \"Hello\""] + stored.map { "assistant \"\($0)\"" })
        let body = try stage.world.backend.consultation(stage.id, for: stage.user)
        stage.world.waitForAllAnswers()
        #expect(try stage.world.backend.consultation(stage.id, for: stage.user) == body)
        #expect(Invariants.deepViolations(of: stage.world) == [])
    }

    @Test("An answer follows the script that was active when the question arrived")
    func reload() throws {
        var stage = try Stage([.chunk("old")])
        try stage.open(1)
        stage.ask()
        stage.ask()
        let new = Script(answers: [AnswerRule(script: AnswerScript(steps: [.chunk("new")], timing: .even))])
        stage.world.backend.setScript(new)
        #expect(stage.world.backend.script == new)
        stage.ask()
        stage.world.backend.setScript(Script())
        stage.ask("Xyzzy")
        stage.world.waitForAllAnswers()
        let builtIn = Coach.answer(persona: .nutritionist, context: .general, question: "Xyzzy", turn: 3)
        #expect(try stage.history().suffix(4) == ["old", "old", "new", builtIn].map { "assistant \"\($0)\"" })
    }

    @Test("A scripted answer continues after the last socket closes")
    func unheard() throws {
        var stage = try Stage([.text("a b"), .error(message: "No.", code: nil), .anotherAnswer, .template(.run)])
        try stage.open(1)
        stage.ask()
        stage.world.close(1)
        _ = stage.world.takeEffects()
        #expect(stage.world.takeAnswers().isEmpty)
        expect(try stage.history(), are: ["user \"Hello\"", "assistant \"a b\"", "assistant \"\""])
    }

    @Test("A script sends the same bytes even if the loop serves its deadlines late")
    func late() throws {
        func texts(isLate: Bool) throws -> [String] {
            var stage = try Stage(
                [.text("a b"), .template(.run), .anotherAnswer, .burst(["c", "d"]), .silence],
                timing: StreamTiming(rate: .tokensPerSecond(3), jitter: .logNormal(sigma: 0.8)))
            try stage.open(1)
            stage.ask(as: .assistantMessage)
            stage.ask("Hello again", as: .assistantMessage)
            if isLate { stage.world.wait(milliseconds: 60_000) } else { stage.world.waitForAllAnswers() }
            return stage.world.takeEffects().texts(of: 1)
        }
        let texts = try (texts(isLate: true), texts(isLate: false))
        expect(texts.0, are: texts.1)
        #expect(texts.0.count > 15)
    }
}
