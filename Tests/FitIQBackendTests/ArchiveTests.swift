import FitIQAPI
import JSON
import Testing

@testable import FitIQBackend

@Suite("Archiving") struct ArchiveTests {
    @Test("Archiving changes the status and the time only once")
    func twice() throws {
        var (world, user) = try World().withUser()
        let id = try world.create(title: "T", by: user)
        world.pass(milliseconds: 5000)
        let body = try world.archive(id, by: user)
        let data = try #require(try JSON.parse(body)["data"])
        #expect(data["status"] == "archived" && data["is_active"] == false && data["is_archived"] == true)
        #expect(data["updated_at"] == "2025-01-29T10:30:05Z" && data["created_at"] == "2025-01-29T10:30:00Z")
        #expect(try world.backend.consultation(id, for: user) == body)

        for _ in 0..<3 {
            world.pass(milliseconds: 60_000)
            #expect(try world.archive(id, by: user) == body)
            #expect(try world.backend.consultation(id, for: user) == body)
        }
        #expect(world.takeEffects().isEmpty)
    }

    @Test("Archiving sends the reason to every socket and closes it with 1000")
    func sockets() throws {
        var (world, user) = try World().withUser()
        let (id, other) = (try world.create(by: user), try world.create(.fitnessCoach, by: user))
        for number in [UInt64(3), 1, 2] { try world.open(number, on: id, by: user) }
        try world.open(4, on: other, by: user)
        world.message("Hello", from: 1)
        world.userMessage("Hello", from: 2)
        world.close(3)
        _ = world.takeEffects()
        world.pass(milliseconds: 100)
        _ = try world.archive(id, by: user)
        let error =
            #"{"type":"error","consultation_id":"\#(id)","error":"Consultation is not active","#
            + #""code":"CONSULTATION_NOT_ACTIVE","timestamp":"2025-01-29T10:30:00Z"}"#
        let expected = [UInt64(1), 2].flatMap { number -> [Effect] in
            [
                .send(SocketID(number), error.bytes),
                .close(SocketID(number), code: 1000, reason: "Consultation is not active"),
            ]
        }
        #expect(world.takeEffects() == expected)

        // Frames from the archived consultation's sockets are ignored; the other consultation continues.
        world.message("Hello?", from: 1)
        world.send("x", from: 2)
        world.backend.receiveBinary(from: SocketID(1), &world.turn)
        world.close(1)
        #expect(world.takeAnswers().isEmpty)
        world.message("Hello", from: 4)
        #expect(world.takeAnswers().story(of: 4) == ["message_received", "stream_chunk", "stream_complete"])
    }

    @Test(
        "Archiving completes the streaming answer without frames and drops waiting questions",
        arguments: [0, 500, 1500])
    func streaming(milliseconds: Int64) throws {
        var (world, user, id) = try World().chatting()
        world.message("What about breakfast?", from: 1)
        world.message("And lunch?", from: 1)
        world.wait(milliseconds: milliseconds)
        let answer = try #require(try world.record(id).answer)
        _ = world.takeEffects()
        _ = try world.archive(id, by: user)
        #expect(world.takeEffects().story(of: 1) == ["error", "close 1000 Consultation is not active"])

        let messages = try #require(try world.messages(id, for: user)["messages"])
        #expect(messages.all("role") == ["user", "user", "assistant"])
        let now = world.turn.now.wireText
        let last = ["content", "id", "created_at"].map { messages[2]?[$0]?.string }
        #expect(last == [answer.text, answer.id.description, now])
        let shown = try world.show(id, for: user)
        #expect(shown["message_count"] == 3 && shown["last_message_at"]?.string == now)

        let body = try world.backend.consultation(id, for: user)
        #expect(world.takeAnswers().isEmpty)
        #expect(try world.backend.consultation(id, for: user) == body)
        #expect(try world.messages(id, for: user)["messages"] == messages)
    }

    @Test("Archiving first completes an answer that was already due")
    func answerDueBefore() throws {
        var (world, user, id) = try World().chatting()
        world.message("Hello", from: 1)
        // The loop has not served the deadlines that passed in the meantime.
        world.pass(milliseconds: 10_000)
        _ = try world.archive(id, by: user)
        #expect(
            world.takeEffects().story(of: 1) == [
                "connected", "message_received", "stream_chunk", "stream_complete", "error",
                "close 1000 Consultation is not active",
            ])
    }

    @Test("A socket for an archived consultation is rejected with 400 and the status")
    func noSocket() throws {
        var (world, user, id) = try World().withConsultation()
        _ = try world.archive(id, by: user)
        let expected = APIError.consultationNotActive(try #require(ResourceID(id)), status: .archived)
        #expect(refusal(try world.backend.checkSocket(on: id, by: user)) == expected && expected.status.code == 400)
        #expect(refusal(try world.open(1, on: id, by: user)) == expected)
        #expect(world.takeEffects().isEmpty)
    }
}
