import FitIQAPI
import JSON
import Testing

@testable import FitIQBackend

@Suite("The question queue") struct ChatQueueTests {
    @Test("A question that arrives during an answer is acknowledged immediately and answered in turn")
    func queue() throws {
        var (world, user, id) = try World().chatting()
        let questions = ["Hello", "What about breakfast?", "And lunch?", "And dinner?"]
        for (number, question) in questions.enumerated() {
            world.message(question, from: 1)
            #expect(try world.messages(id, for: user)["messages"]?.all("content") == Array(questions[...number]))
        }
        #expect(world.takeEffects().texts(of: 1).count == 1 + questions.count)
        let effects = world.takeAnswers()
        #expect(effects.story(of: 1) == Array(repeating: ["stream_chunk", "stream_complete"], count: 4).flatMap { $0 })
        let answers = questions.enumerated().map { number, question in
            Coach.answer(persona: .nutritionist, context: .general, question: question, turn: number)
        }
        #expect(effects.streamed(to: 1) == answers.joined())
        #expect(try world.messages(id, for: user)["messages"]?.all("content") == questions + answers)
    }

    @Test("The seventeenth waiting question is rejected until an earlier question is answered")
    func queueLimit() throws {
        var (world, user, id) = try World().chatting()
        for number in 0...16 { world.message("Question \(number)", from: 1) }
        #expect(world.takeEffects().story(of: 1) == ["connected", "message_received"])
        for number in 0..<3 {
            world.message("One too many \(number)", from: 1)
            let frame = world.takeEffects().frames(of: 1)
            #expect(frame.map { $0["code"] } == ["TOO_MANY_WAITING_MESSAGES"])
            #expect(frame.first?["error"] == .string(FrameError.tooManyWaiting(limit: 16).message))
        }
        // The limit does not apply to pings or to frames that are rejected anyway.
        world.send(#"{"type":"ping"}"#, from: 1)
        world.message(" ", from: 1)
        #expect(world.takeEffects().frames(of: 1).map { $0["type"] } == ["pong", "error"])

        world.wait(milliseconds: 4000)
        world.message("Question 17", from: 1)
        world.waitForAllAnswers()
        let messages = try #require(try world.messages(id, for: user)["messages"]?.array)
        #expect(messages.count == 36)
        let asked = messages.filter { $0["role"] == "user" }.compactMap { $0["content"]?.string }
        #expect(asked == (0...17).map { "Question \($0)" })
    }
}
