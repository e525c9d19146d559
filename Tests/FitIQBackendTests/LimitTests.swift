import FitIQAPI
import JSON
import Testing

@testable import FitIQBackend

@Suite("Limits") struct LimitTests {
    @Test("The default limits are the documented limits")
    func defaults() {
        let limits = Limits()
        #expect(limits.activeConsultations == 10 && limits.users == 100_000 && limits.messages == 10_000)
        #expect(limits.waitingMessages == 16 && limits.storedBytes == 256 * 1024 * 1024)
        #expect(limits.goals == 1000 && limits.mealLogs == 10_000)
    }

    @Test("A new user beyond the limit gets 507, but existing users can continue")
    func users() throws {
        var (world, first) = try World(limits: .with { $0.users = 2 }).withUser()
        _ = try world.backend.user("user-2")
        for _ in 0..<2 {
            let refusal = refusal(try world.backend.user("user-3"))
            #expect(refusal == .storeFull("users", limit: 2) && refusal?.status.code == 507)
        }
        #expect(try world.backend.user("user-1") == first && world.backend.userCount == 2)
    }

    @Test("An active consultation beyond the limit gets 429", arguments: [0, 1, 3])
    func activeConsultations(limit: Int) throws {
        var (world, user) = try World(limits: .with { $0.activeConsultations = limit }).withUser()
        for persona in Persona.allCases.prefix(limit) { _ = try world.create(persona, by: user) }
        #expect(refusal(try world.create(.generalWellness, by: user)) == .tooManyActiveConsultations(limit: limit))
    }

    @Test("A message is stored only if its answer also fits", arguments: 0...9)
    func messages(limit: Int) throws {
        // Ask the questions one after another, and then all together.
        for isPatient in [true, false] {
            var (world, _, id) = try World(limits: .with { $0.messages = limit }).chatting()
            _ = world.takeEffects()
            for number in 0..<7 {
                world.message("Question \(number)", from: 1)
                let frame = try #require(world.takeEffects().frames(of: 1).first)
                let isStored = number < limit / 2
                #expect((frame["type"] == "message_received") == isStored)
                #expect((frame["code"] == "HISTORY_FULL") != isStored)
                #expect((frame["error"]?.string == FrameError.historyFull(limit: limit).message) != isStored)
                if isPatient { world.takeAnswers() }
            }
            world.waitForAllAnswers()
            #expect(try world.record(id).history.count == min(limit / 2, 7) * 2)
        }
    }

    @Test("The number of waiting messages is limited", arguments: [0, 1, 2])
    func waitingMessages(limit: Int) throws {
        var (world, _, _) = try World(limits: .with { $0.waitingMessages = limit }).chatting()
        for _ in 0..<5 { world.message("Hello", from: 1) }
        // The first message is answered immediately and does not wait.
        let types = world.takeEffects().frames(of: 1).dropFirst().compactMap { $0["type"]?.string }
        #expect(types == (0..<5).map { $0 <= limit ? "message_received" : "error" })
    }

    @Test("Reading and archiving still work when stored bytes reach the limit")
    func storedBytes() throws {
        var (world, user) = try World(limits: .with { $0.storedBytes = 700 }).withUser()
        // Work that began below the limit still finishes.
        let id = try world.create(by: user)
        let full = APIError.storeFull("bytes", limit: 700)
        #expect(refusal(try world.create(.fitnessCoach, by: user)) == full)
        #expect(full.status.code == 507)
        // The 409 for a duplicate still names the existing consultation.
        #expect(refusal(try world.create(by: user))?.status.code == 409)
        try world.open(1, on: id, by: user)
        world.message("Hello", from: 1)
        let frames = world.takeEffects().frames(of: 1)
        #expect(frames.map { $0["type"] } == ["connected", "error"] && frames.last?["code"] == "STORE_FULL")
        #expect(frames.last?["error"]?.string == FrameError.storeFull(limit: 700).message)
        #expect(try world.show(id, for: user)["message_count"] == 0)
        #expect(try world.list(for: user)["pagination"]?["total_count"] == 1)
        #expect(refusal(try world.archive(id, by: user)) == nil)
    }

    @Test("Stored bytes can reach the limit exactly")
    func lastByte() throws {
        var (world, user) = try World().withUser()
        let id = try world.create(title: "a", by: user)
        let goal = try world.createGoal("Run", by: user)
        let document = try #require(try world.post(["n": 1], by: user)["id"]?.string)
        try world.open(1, on: id, by: user)
        world.backend.storageRoom = StorageRoom(bytes: world.backend.storedBytes, limit: 7)
        let renamed = try UpdateConsultationRequest(body: #"{"title":"b"}"#.bytes)
        _ = try world.backend.updateConsultation(id, renamed, by: user, &world.turn)
        try world.update(goal, by: user) { $0.change.title = "Row" }
        _ = try world.replace(document, with: ["n": 2], in: .journal, by: user)
        #expect(try world.show(id, for: user)["title"] == "b" && world.goal(goal, for: user)["title"] == "Row")
        for (spare, type) in [(0, "error"), (1, "message_received")] {
            world.backend.storageRoom.bytes = world.backend.storedBytes + spare
            _ = world.takeEffects()
            world.message("Hello", from: 1)
            #expect(world.takeEffects().frames(of: 1).first?["type"]?.string == type)
        }
    }

    @Test("User ids count as stored bytes")
    func storedUsers() throws {
        var (world, first) = try World(limits: .with { $0.storedBytes = 2000 }).withUser()
        #expect(world.backend.storedBytes == 64 + 512 + 8)
        _ = try world.backend.user(ExactString(String(repeating: "\u{0}", count: 330)))
        #expect(world.backend.storedBytes == 2 * (64 + 512) + 8 + 2 + 6 * 330)
        #expect(refusal(try world.backend.user("user-3")) == .storeFull("bytes", limit: 2000))
        #expect(try world.backend.user("user-1") == first && world.backend.userCount == 2)
        #expect(Invariants.violationsOfBytes(in: world).isEmpty)
    }

    @Test("Stored bytes exceed the limit by at most one message and its answer per conversation")
    func storedBytesGrow() throws {
        var (world, _, id) = try World(pace: .instant, limits: .with { $0.storedBytes = 20_000 }).chatting()
        var stored = 0
        for _ in 0..<200 {
            world.message("Hello", from: 1)
            if world.takeAnswers().story(of: 1).last == "stream_complete" { stored += 1 }
        }
        #expect((10..<200).contains(stored))
        #expect((20_000..<22_000).contains(world.backend.storedBytes))
        #expect(try world.record(id).history.count == 2 * stored)
    }
}
