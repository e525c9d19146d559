import FitIQAPI
import Testing

@testable import FitIQBackend

@Suite("Made-up messages") struct MadeUpConversationTests {
    private func history(_ count: Int, persona: Persona = .nutritionist, seed: UInt64 = 1) throws -> [Message] {
        let data = ConsultationData(
            persona: persona, madeUpMessages: count, createdAt: .minutesAgo(100), updatedAt: .minutesAgo(1))
        let world = try World(planting: UserData(id: "user-1", consultations: [data]), seed: seed)
        #expect(Invariants.deepViolations(of: world) == [])
        return world.backend.consultations[0].history.messages
    }

    @Test("Made-up messages are quick-action prompts and the coach's answers", arguments: Persona.allCases)
    func contents(persona: Persona) throws {
        let messages = try history(41, persona: persona)
        let prompts = Set(QuickAction.matching(contextType: nil, persona: persona).map(\.prompt))
        for turn in 0..<20 {
            let (question, answer) = (messages[2 * turn], messages[2 * turn + 1])
            #expect(question.role == .user && prompts.contains(question.content))
            #expect(answer.role == .assistant)
            let expected = Coach.answer(persona: persona, context: .general, question: question.content, turn: turn)
            #expect(answer.content == expected)
            let metadata = MessageMetadata(tokensUsed: (expected.utf8.count + 3) / 4, persona: persona)
            #expect(answer.metadata == metadata)
            #expect(question.content != messages[2 * turn + 2].content)
        }
        #expect(Set(messages.map(\.content)).count > 10)
    }

    @Test("Each prompt can follow any prompt except itself")
    func steps() throws {
        let prompts = QuickAction.matching(contextType: nil, persona: .nutritionist).map(\.prompt)
        let asked = try history(4000).filter { $0.role == .user }.compactMap { prompts.firstIndex(of: $0.content) }
        let steps = zip(asked, asked.dropFirst()).map { ($1 - $0 + prompts.count) % prompts.count }
        #expect(steps.count == 1999 && Set(steps) == Set(1..<prompts.count))
    }

    @Test("The same seed gives the same made-up messages")
    func seeds() throws {
        let contents = try [1, 1, 2].map { try history(30, seed: $0).map(\.content) }
        #expect(contents[0] == contents[1] && contents[0] != contents[2])
    }

    @Test("Made-up messages are spread evenly over the period", arguments: [1, 2, 3, 100])
    func times(count: Int) throws {
        let times = try history(count).map(\.createdAt.nanosecondsSinceEpoch)
        #expect(times.first == World.start.minutesEarlier(100).nanosecondsSinceEpoch)
        guard count > 1 else { return }
        #expect(times.last == World.start.minutesEarlier(1).nanosecondsSinceEpoch)
        let gaps = zip(times, times.dropFirst()).map { $1 - $0 }
        #expect((gaps.max() ?? 0) - (gaps.min() ?? 0) <= 1)
    }

    @Test("Made-up messages precede written messages and end at the first given time")
    func before() throws {
        let world = try World.holding(consultations: [
            ConsultationData(
                persona: .nutritionist,
                messages: [MessageData(role: .user, content: "Hello", createdAt: .minutesAgo(10))], madeUpMessages: 4,
                createdAt: .minutesAgo(40))
        ])
        let messages = world.backend.consultations[0].history.messages
        #expect(messages.map(\.createdAt) == [40, 30, 20, 10, 10].map { World.start.minutesEarlier($0) })
        #expect(messages.last?.content == "Hello")
    }

    @Test("Made-up messages can span the whole available time")
    func longest() {
        let (start, end) = (Timestamp(nanosecondsSinceEpoch: .min), Timestamp(nanosecondsSinceEpoch: .max))
        let times = [0, 1, 2].map { MadeUpConversation.time(of: $0, of: 3, from: start, to: end) }
        #expect(times.map(\.nanosecondsSinceEpoch) == [.min, -1, .max])
    }

    @Test("A consultation can consist of the maximum number of made-up messages")
    func limit() throws { #expect(try history(10_000).count == 10_000) }

    @Test("Planning made-up messages that end before they start traps")
    func backwards() async {
        await #expect(processExitsWith: .failure) {
            _ = MadeUpConversation.time(
                of: 0, of: 1, from: Timestamp(nanosecondsSinceEpoch: 1), to: Timestamp(nanosecondsSinceEpoch: 0))
        }
    }
}
