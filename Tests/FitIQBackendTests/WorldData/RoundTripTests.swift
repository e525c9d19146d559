import FitIQAPI
import JSON
import Testing

@testable import FitIQBackend

@Suite("Export and planting") struct RoundTripTests {
    /// A world after many operations, with streaming answers, waiting questions and meals in processing.
    private func lived(_ seed: UInt64, mode: GuideMode = .union, operations: Int = 1200) throws -> World {
        var random = try RandomOperations(seed: seed, userCount: 5)
        random.world = World(seed: seed, mode: mode)
        for number in 0..<5 { _ = try random.world.backend.user("user-\(number)") }
        for step in 0..<operations {
            // The last operations follow each other closely, so that some work is in progress.
            let delay = step > operations - 60 ? random.below(20) : random.below(400)
            random.world.pass(milliseconds: Int64(delay))
            random.world.turn.now = random.world.turn.now.advanced(byNanoseconds: 137)
            _ = random.apply(random.draw())
            _ = random.takeEffects()
        }
        random.world.backend.advance(&random.world.turn)
        return random.world
    }

    /// The world without sockets, as the document describes it.
    private func settled(_ world: World) -> World {
        var settled = world
        settled.backend = world.backend.settled(at: world.turn.now)
        settled.turn.effects = []
        return settled
    }

    @Test("Planting an export reproduces the document and preserves the invariants", arguments: UInt64(1)...12)
    func document(seed: UInt64) throws {
        let world = try lived(seed)
        let data = world.data
        let copy = try world.replanted(seed: seed)
        let isSame = copy.data == data
        #expect(isSame, "seed \(seed)")
        #expect(Invariants.deepViolations(of: copy) == [], "seed \(seed)")
        #expect(copy.turn.identifiers.issuedCount == world.turn.identifiers.issuedCount)
    }

    @Test("The round trip covers everything that can be exported")
    func coverage() throws {
        var counts: [String: Int] = [:]
        for seed in UInt64(1)...12 {
            let world = try lived(seed)
            let consultations = world.data.users.flatMap(\.consultations)
            func note(_ what: String, _ count: Int) { counts[what, default: 0] += count }
            note("streams", world.backend.consultations.count { $0.answer != nil })
            note("waits", world.backend.consultations.count { !$0.waiting.isEmpty })
            note("is processed", world.backend.mealLogs.count { $0.log.status == .processing })
            note("failed", world.backend.mealLogs.count { $0.log.status == .failed })
            note("is unlinked", consultations.count { $0.isUnlinked })
            note("is linked otherwise", consultations.count { $0.linkedGoal != nil })
            note("is archived, about a goal", consultations.count { $0.status == .archived && $0.contextGoal != nil })
            note("is no goal's conversation", consultations.count { !$0.isGoalsConversation })
        }
        #expect(counts.count == 8)
        #expect(counts.filter { $0.value == 0 }.keys.sorted() == [])
    }

    @Test("A planted export answers every request in every mode with the same bytes", arguments: GuideMode.allCases)
    func answers(mode: GuideMode) throws {
        for seed in UInt64(20)...23 {
            let world = try lived(seed, mode: mode, operations: 600)
            let copy = try world.replanted(seed: seed)
            let (before, after) = (try settled(world).everything(), try copy.everything())
            #expect(before.count > 100)
            #expect(Set(before.keys) == Set(after.keys))
            let different = before.filter { after[$0.key] != $0.value }.keys.sorted()
            #expect(different == [], "seed \(seed)")
        }
    }

    @Test("A planted export continues like the original world", arguments: UInt64(30)...35)
    func future(seed: UInt64) throws {
        let world = try lived(seed)
        var (original, copy) = (settled(world), try world.replanted(seed: seed))
        var ids: Set<String> = []
        for number in 0..<5 {
            let user = Array(original.backend.users.ids)[number]
            let copied = Array(copy.backend.users.ids)[number]
            let goals = (try original.createGoal(by: user), try copy.createGoal(by: copied))
            #expect(goals.0 == goals.1)
            ids.insert(goals.0)
            // At the limit, one consultation must be archived first.
            let old = original.backend.users[user].active.min()
            if let old = old.map({ original.backend.consultations[$0].consultation.id.description }) {
                #expect(try original.archive(old, by: user) == copy.archive(old, by: copied))
            }
            let chats = try (original.chatAboutGoal(goals.0, by: user), copy.chatAboutGoal(goals.1, by: copied))
            #expect(chats.0 == chats.1)
            let meals = try (original.mealID(by: user), copy.mealID(by: copied))
            #expect(meals.0 == meals.1)
        }
        #expect(ids.count == 5)
        // The original still skips the steps of completed answers, so deadlines are not compared.
        original.waitForAllAnswers()
        copy.waitForAllAnswers()
        #expect(copy.backend.mealLogs.allSatisfy { $0.log.status != .processing })
        let (left, right) = (original.data, copy.data)
        let isSameData = left == right
        #expect(isSameData, "seed \(seed)")
        let isSame = try original.everything() == copy.everything()
        #expect(isSame, "seed \(seed)")
    }

    @Test("An export contains the full text of a streaming answer")
    func streaming() throws {
        var (world, _, id) = try World().chatting()
        world.message("What should I eat for breakfast?", from: 1)
        world.message("And for lunch?", from: 1)
        world.wait(milliseconds: 1000)
        let text = try #require(try world.record(id).answer).text
        let messages = world.data.users[0].consultations[0].messages
        #expect(messages.map(\.role) == [.user, .user, .assistant])
        #expect(messages.map(\.content) == ["What should I eat for breakfast?", "And for lunch?", text])
        #expect(messages[2].createdAt == .at(world.turn.now))
        // The world itself continues.
        #expect(try world.record(id).answer != nil && world.record(id).waiting.count == 1)
    }

    @Test("New questions continue the turn numbers of the imported messages")
    func turnNumbers() throws {
        let messages = [MessageData(role: .user, content: "xyzzy"), MessageData(role: .assistant, content: "Hm.")]
        var world = try World.holding(consultations: [ConsultationData(persona: .nutritionist, messages: messages)])
        let id = world.backend.consultations[0].consultation.id.description
        try world.open(1, on: id, by: world.firstUser)
        world.message("xyzzy", from: 1)
        let expected = Coach.answer(persona: .nutritionist, context: .general, question: "xyzzy", turn: 1)
        #expect(try world.record(id).answer?.text == expected)
        #expect(expected != Coach.answer(persona: .nutritionist, context: .general, question: "xyzzy", turn: 0))
    }
}
