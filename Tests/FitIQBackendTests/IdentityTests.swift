import FitIQAPI
import JSON
import Testing

@testable import FitIQBackend

@Suite("Ids that are compared by bytes") struct IdentityTests {
    /// Texts that are equal as Swift strings.
    static let twins: [(ExactString, ExactString)] = [("jos\u{E9}", "jose\u{301}"), ("K", "\u{212A}")]

    @Test("Users with canonically equivalent ids have separate data", arguments: twins)
    func users(_ first: ExactString, _ second: ExactString) throws {
        var world = World()
        let (one, other) = (try world.backend.user(first), try world.backend.user(second))
        #expect(one != other && world.backend.userCount == 2)
        let id = try world.create(by: one)
        #expect(try world.show(id, for: one)["user_id"]?.exactString == first)
        #expect(refusal(try world.backend.consultation(id, for: other))?.status.code == 404)
        // The first user's consultation does not block the second user's.
        _ = try world.create(by: other)
        #expect(try world.backend.user(first) == one)
    }

    @Test("Contexts with canonically equivalent ids do not conflict", arguments: twins)
    func contexts(_ first: ExactString, _ second: ExactString) throws {
        var (world, user) = try World().withUser()
        _ = try world.create(.nutritionist, ConsultationContext(.mood, id: first), by: user)
        _ = try world.create(.nutritionist, ConsultationContext(.mood, id: second), by: user)
        let again = refusal(try world.create(.nutritionist, ConsultationContext(.mood, id: first), by: user))
        #expect(again?.status.code == 409)
    }

    @Test("A request with two canonically equivalent but different goal ids is rejected", arguments: twins)
    func goals(_ first: ExactString, _ second: ExactString) {
        let body = #"{"persona":"nutritionist","goal_id":"\#(first)","context_id":"\#(second)"}"#
        #expect(throws: APIError.self) { try CreateConsultationRequest(body: body.bytes, in: .union) }
    }

    @Test("Users and goals in a document may have canonically equivalent names", arguments: twins)
    func documents(_ first: ExactString, _ second: ExactString) throws {
        var world = World()
        let goals = [GoalData(name: first, title: "one"), GoalData(name: second, title: "other")]
        let talk = ConsultationData(persona: .nutritionist, contextType: .goal, contextGoal: .named(second))
        try world.plant(UserData(id: first, goals: goals, consultations: [talk]), UserData(id: second))
        #expect(world.backend.userCount == 2)
        let planted = world.backend.data(at: world.turn.now).users
        #expect(planted.map(\.id) == [first, second])
        let linked = try #require(planted[0].goals.first { $0.title == "other" }?.id)
        #expect(planted[0].consultations[0].contextGoal == .id(linked))
        #expect(throws: PlantError.self) { try world.plant(UserData(id: first), UserData(id: first)) }
    }
}
