import FitIQAPI
import JSON
import Testing

@testable import FitIQBackend

@Suite("Chat sockets") struct ChatTests {
    private static let breakfast = "What should I eat for breakfast?"

    private static func frame(_ type: String, _ id: String, _ members: String, _ offset: Int64 = 0) -> String {
        let time = World.start.advanced(byNanoseconds: offset).wireText
        return #"{"type":"\#(type)","consultation_id":"\#(id)",\#(members)"timestamp":"\#(time)"}"#
    }

    @Test("A new socket gets a greeting")
    func greeting() throws {
        var (world, _, id) = try World().chatting()
        #expect(world.takeEffects().texts(of: 1) == [Self.frame("connected", id, #""user_id":"user-1","#)])
        #expect(world.backend.nextDeadline == nil)
    }

    @Test("Only the socket that sends a ping gets a pong")
    func ping() throws {
        var (world, _, _) = try World().chatting(on: [1, 2])
        _ = world.takeEffects()
        world.pass(milliseconds: 61_999)
        world.send(#"{"type":"ping"}"#, from: 1)
        #expect(
            world.takeEffects() == [.send(SocketID(1), #"{"type":"pong","timestamp":"2025-01-29T10:31:01Z"}"#.bytes)])
    }

    @Test("A chat in the consultation-websocket protocol sends exactly the expected frames")
    func streamFrames() throws {
        var (world, user, id) = try World(seed: 11).chatting()
        world.message(Self.breakfast, from: 1)
        let answer = try #require(try world.record(id).answer)
        world.waitForAllAnswers()
        func frame(_ type: String, _ members: String, _ offset: Int64) -> String {
            Self.frame(type, id, members, offset)
        }
        var expected = [frame("connected", #""user_id":"user-1","#, 0), frame("message_received", "", 0)]
        let text = Coach.answer(persona: .nutritionist, context: .general, question: Self.breakfast, turn: 0)
        for (chunk, offset) in zip(Coach.chunks(of: text), answer.offsets) {
            expected.append(frame("stream_chunk", #""content":\#(JSONValue.string(chunk)),"#, offset))
        }
        let end = try #require(answer.offsets.last)
        let (tokens, time) = ((text.utf8.count + 3) / 4, end / 1_000_000)
        let metadata = #""metadata":{"tokens_used":\#(tokens),"processing_time_ms":\#(time)},"#
        expected.append(frame("stream_complete", metadata, end))
        #expect(world.takeEffects().texts(of: 1) == expected)
        #expect(try world.messages(id, for: user)["messages"]?[1]?["content"] == .string(text))
    }

    @Test("A chat in the enhanced-consultations protocol sends exactly the expected frames")
    func assistantMessageFrames() throws {
        var (world, user, id) = try World(seed: 12).chatting()
        var ids = ResourceIDSequence(seed: 12)
        let (consultationID, questionID, answerID) = (ids.next(), ids.next(), ids.next())
        #expect(consultationID.description == id)
        world.userMessage(#"\n What should I eat for breakfast?  "#, from: 1)
        let answer = try #require(try world.record(id).answer)
        world.waitForAllAnswers()
        func frame(_ type: String, _ members: String, _ offset: Int64) -> String {
            Self.frame(type, id, members, offset)
        }
        let text = Coach.answer(persona: .nutritionist, context: .general, question: Self.breakfast, turn: 0)
        var expected = [
            frame("connected", #""user_id":"user-1","#, 0),
            frame("user_message", #""message_id":"\#(questionID)","content":"What should I eat for breakfast?","#, 0),
            frame("assistant_message_start", #""message_id":"\#(answerID)","#, answer.offsets[0]),
        ]
        for (chunk, offset) in zip(Coach.chunks(of: text), answer.offsets) {
            expected.append(
                frame(
                    "assistant_message_chunk", #""message_id":"\#(answerID)","content":\#(JSONValue.string(chunk)),"#,
                    offset))
        }
        let end = try #require(answer.offsets.last)
        let tokens = (text.utf8.count + 3) / 4
        let metadata =
            #""metadata":{"tokens_used":\#(tokens),"persona":"nutritionist","tokens":\#(tokens),"#
            + #""processing_time_ms":\#(end / 1_000_000),"is_streaming":false},"#
        expected.append(frame("assistant_message_end", #""message_id":"\#(answerID)",\#(metadata)"#, end))
        #expect(world.takeEffects().texts(of: 1) == expected)
        let messages = try world.messages(id, for: user)["messages"]
        #expect(messages?.all("id") == [questionID.description, answerID.description])
    }

    @Test("Each active socket receives the other sockets' questions in its own protocol")
    func severalSockets() throws {
        var (world, user, id) = try World().chatting(on: [1, 2, 3, 4])
        world.message("Hello", from: 1)
        world.userMessage("Hello again", from: 2)
        world.send(#"{"type":"ping"}"#, from: 3)
        world.send(#"{"type":"message"}"#, from: 3)
        world.takeAnswers()

        world.message("What about lunch?", from: 1)
        let effects = world.takeAnswers()
        #expect(effects.story(of: 1) == ["message_received", "stream_chunk", "stream_complete"])
        #expect(
            effects.story(of: 2)
                == ["user_message", "assistant_message_start", "assistant_message_chunk", "assistant_message_end"])
        // Pings and rejected messages do not count as chat.
        #expect(effects.story(of: 3) == [] && effects.story(of: 4) == [])
        let stored = try world.messages(id, for: user)["messages"]?.array?.last?["content"]?.string
        #expect(effects.streamed(to: 1) == stored && effects.streamed(to: 2) == stored)
        #expect(effects.frames(of: 2).first?["content"] == "What about lunch?")
    }

    @Test("A socket that joins during an answer receives frames starting with the next answer")
    func joinsMidAnswer() throws {
        var (world, user, id) = try World().chatting()
        world.message("Hello", from: 1)
        world.wait(milliseconds: 1000)
        try world.open(2, on: id, by: user)
        world.userMessage("And lunch?", from: 2)
        let second = try #require(try world.record(id).waiting.first)
        let effects = world.takeAnswers()
        #expect(
            effects.story(of: 1) == [
                "connected", "message_received", "stream_chunk", "message_received", "stream_chunk", "stream_complete",
                "stream_chunk", "stream_complete",
            ])
        #expect(
            effects.story(of: 2) == [
                "connected", "user_message", "assistant_message_start", "assistant_message_chunk",
                "assistant_message_end",
            ])
        #expect(
            effects.frames(of: 2).dropFirst(2).allSatisfy { $0["message_id"]?.string == second.answerID.description })
    }

    @Test("A socket that changes its protocol during an answer receives that answer in the old protocol")
    func switchesMidAnswer() throws {
        var (world, _, _) = try World().chatting()
        world.message("Hello", from: 1)
        world.wait(milliseconds: 1000)
        world.userMessage("And lunch?", from: 1)
        world.waitForAllAnswers()
        world.message("Thanks", from: 1)
        world.waitForAllAnswers()
        #expect(
            world.takeEffects().story(of: 1) == [
                "connected", "message_received", "stream_chunk", "user_message", "stream_chunk", "stream_complete",
                "assistant_message_start", "assistant_message_chunk", "assistant_message_end", "message_received",
                "stream_chunk", "stream_complete",
            ])
    }

    @Test(
        "Closing one socket during an answer affects neither the answer nor the other sockets",
        arguments: [0, 1000, 1500])
    func closesMidAnswer(milliseconds: Int64) throws {
        var (world, user, id) = try World().chatting(on: [1, 2])
        world.userMessage("Hi", from: 2)
        world.waitForAllAnswers()
        world.message("What about dinner?", from: 1)
        world.wait(milliseconds: milliseconds)
        world.close(1)
        world.close(1)
        let (before, after) = (world.takeEffects(), world.takeAnswers())
        #expect(after.story(of: 1) == [])
        let messages = try #require(try world.messages(id, for: user)["messages"])
        #expect(messages.all("role") == ["user", "assistant", "user", "assistant"])
        #expect(messages[3]?["content"]?.string?.isEmpty == false)
        #expect((before + after).story(of: 2).last == "assistant_message_end")
        #expect((before + after).streamed(to: 2) == messages.all("content")[1] + messages.all("content")[3])
        #expect(world.backend.nextDeadline == nil)
    }

    @Test("The answer is stored even if the last socket closes")
    func everybodyGone() throws {
        var (world, user, id) = try World().chatting()
        world.message("What about dinner?", from: 1)
        let text = try #require(try world.record(id).answer?.text)
        world.close(1)
        _ = world.takeEffects()
        #expect(world.takeEffects(after: 10_000).isEmpty)
        #expect(try world.messages(id, for: user)["messages"]?[1]?["content"] == .string(text))
        // A returning user finds the answer and continues the chat.
        try world.open(2, on: id, by: user)
        world.message("Thanks", from: 2)
        world.waitForAllAnswers()
        #expect(try world.show(id, for: user)["message_count"] == 4)
    }

    static let refused: [(String, String)] = [
        ("x", "INVALID_JSON"), ("[]", "INVALID_JSON"), ("{}", "INVALID_MESSAGE_TYPE"),
        (#"{"type":"subscribe"}"#, "INVALID_MESSAGE_TYPE"), (#"{"type":"message"}"#, "INVALID_CONTENT"),
        (#"{"type":"message","content":" "}"#, "INVALID_CONTENT"),
        (#"{"type":"user_message","content":"\#(String(repeating: "a", count: 2001))"}"#, "INVALID_CONTENT"),
    ]

    @Test("Only the sender receives the error for a bad frame", arguments: refused)
    func refusedFrames(text: String, code: String) throws {
        var (world, user, id) = try World().chatting(on: [1, 2])
        world.message("Hello", from: 2)
        world.takeAnswers()
        world.send(text, from: 1)
        let effects = world.takeEffects()
        let frame = try #require(effects.frames(of: 1).first)
        #expect(
            effects.count == 1 && ["type", "code", "consultation_id"].map { frame[$0]?.string } == ["error", code, id])
        #expect(try world.show(id, for: user)["message_count"] == 2)
        // The socket has not chatted yet, so it receives no chat frames.
        world.message("Hello", from: 2)
        #expect(world.takeAnswers().story(of: 1) == [])
        world.message("Hello", from: 1)
        #expect(world.takeEffects().story(of: 1) == ["message_received"])
    }

    @Test("A binary frame gets an error frame")
    func binary() throws {
        var (world, _, id) = try World().chatting()
        _ = world.takeEffects()
        world.backend.receiveBinary(from: SocketID(1), &world.turn)
        let members = #""error":"A binary frame arrived; send JSON in text frames.","code":"UNSUPPORTED_DATA","#
        #expect(world.takeEffects().texts(of: 1) == [Self.frame("error", id, members)])
    }

    @Test("A socket receives nothing from other consultations, whichever user owns them")
    func otherConsultations() throws {
        var (world, user, _) = try World().chatting()
        let other = try world.backend.user("user-2")
        let (mine, theirs) = (try world.create(.fitnessCoach, by: user), try world.create(by: other))
        try world.open(2, on: mine, by: user)
        try world.open(3, on: theirs, by: other)
        for number in [UInt64(1), 2, 3] { world.message("Hello", from: number) }
        world.takeAnswers()
        world.message("Thanks", from: 2)
        let effects = world.takeAnswers()
        #expect(effects.story(of: 1) == [] && effects.story(of: 3) == [])
        #expect(effects.story(of: 2) == ["message_received", "stream_chunk", "stream_complete"])
    }

    @Test("The backend ignores input from a socket that was never opened")
    func unknownSocket() throws {
        var (world, _, _) = try World().chatting()
        _ = world.takeEffects()
        world.message("Hello", from: 7)
        world.backend.receiveBinary(from: SocketID(7), &world.turn)
        world.close(7)
        #expect(world.takeEffects().isEmpty)
    }

    @Test("Opening a second socket with the same number traps")
    func reusedNumber() async throws {
        var (world, user, id) = try World().chatting()
        world.close(1)
        try world.open(1, on: id, by: user)
        await #expect(processExitsWith: .failure) {
            var (world, user, id) = try World().chatting()
            try world.open(1, on: id, by: user)
        }
    }
}
