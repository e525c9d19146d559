import FitIQAPI
import JSON
import Testing

@testable import FitIQBackend

@Suite("Links between goals and conversations") struct LinkTests {
    /// The links on both sides: the goal's conversation, and the conversation's goal.
    private func expectLinked(
        _ goal: String, _ conversation: String?, _ world: World, for user: UserID,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(try world.conversation(of: goal, for: user) == conversation, sourceLocation: sourceLocation)
        if let conversation {
            #expect(try world.goalID(of: conversation, for: user) == goal, sourceLocation: sourceLocation)
        }
        #expect(Invariants.deepViolations(of: world) == [], sourceLocation: sourceLocation)
    }

    // MARK: PATCH

    @Test("A link appears in both the goal and the conversation and updates their times")
    func link() throws {
        var (world, user) = try World().withUser()
        let (goal, id) = (try world.createGoal(by: user), try world.create(by: user))
        world.pass(milliseconds: 3000)
        try world.link(goal, with: id, by: user)
        try expectLinked(goal, id, world, for: user)
        #expect(try world.goal(goal, for: user)["updatedAt"] == "2025-01-29T10:30:03Z")
        let consultation = try world.show(id, for: user)
        #expect(consultation["updated_at"] == "2025-01-29T10:30:03Z")
        // Persona and context are fixed at creation.
        #expect(consultation["context_type"] == "general" && consultation["context_id"] == nil)
        #expect(refusal(try world.create(by: user))?.status.code == 409)

        let before = (try world.backend.goal(goal, for: user), try world.backend.consultation(id, for: user))
        world.pass(milliseconds: 3000)
        try world.link(goal, with: id, by: user)
        #expect(try world.backend.goal(goal, for: user) == before.0)
        #expect(try world.backend.consultation(id, for: user) == before.1)
    }

    @Test("A new link removes both sides' previous links")
    func relink() throws {
        var (world, user) = try World().withUser()
        let goals = [try world.createGoal(by: user), try world.createGoal(by: user)]
        let ids = [try world.create(by: user), try world.create(.fitnessCoach, by: user)]
        try world.link(goals[0], with: ids[0], by: user)
        try world.link(goals[1], with: ids[1], by: user)
        world.pass(milliseconds: 4000)
        try world.link(goals[0], with: ids[1], by: user)
        try expectLinked(goals[0], ids[1], world, for: user)
        #expect(try world.conversation(of: goals[1], for: user) == nil && world.goalID(of: ids[0], for: user) == nil)
        for goal in goals { #expect(try world.goal(goal, for: user)["updatedAt"] == "2025-01-29T10:30:04Z") }
        for id in ids { #expect(try world.show(id, for: user)["updated_at"] == "2025-01-29T10:30:04Z") }
    }

    @Test("A null conversation id removes the link on both sides")
    func unlink() throws {
        var (world, user) = try World().withUser()
        let (goal, id) = (try world.createGoal(by: user), try world.create(by: user))
        try world.link(goal, with: id, by: user)
        world.pass(milliseconds: 4000)
        try world.update(goal, by: user) { ($0.conversation, $0.change.title) = (.unlink, "New") }
        try expectLinked(goal, nil, world, for: user)
        #expect(try world.goalID(of: id, for: user) == nil)
        #expect(try world.show(id, for: user)["updated_at"] == "2025-01-29T10:30:04Z")
        #expect(try world.goal(goal, for: user)["title"] == "New")
    }

    @Test("Linking to an unknown conversation gets 404 and changes nothing")
    func unknownConversation() throws {
        var (world, user) = try World().withUser()
        let stranger = try world.backend.user("user-2")
        let (goal, id) = (try world.createGoal(by: user), try world.create(by: user))
        let foreign = try world.create(by: stranger)
        try world.link(goal, with: id, by: user)
        let body = try world.backend.goal(goal, for: user)
        world.pass(milliseconds: 1000)
        for other in [foreign, id.uppercased(), goal, "", "null", "x"] {
            let refusal = refusal(
                try world.update(goal, by: user) { ($0.conversation, $0.change.title) = (.link(other), "New") })
            #expect(refusal == .unknownConsultation(other, field: "conversationId") && refusal?.status.code == 404)
            #expect(try world.backend.goal(goal, for: user) == body)
        }
        try expectLinked(goal, id, world, for: user)
    }

    @Test("Linking to an archived conversation gets 400 and changes nothing")
    func archivedConversation() throws {
        var (world, user) = try World().withUser()
        let (goal, id) = (try world.createGoal(by: user), try world.create(by: user))
        _ = try world.archive(id, by: user)
        let body = try world.backend.goal(goal, for: user)
        world.pass(milliseconds: 1000)
        let refusal = refusal(
            try world.update(goal, by: user) { ($0.conversation, $0.change.title) = (.link(id), "New") })
        #expect(refusal == .consultationNotActive(try #require(ResourceID(id)), status: .archived))
        #expect(try world.backend.goal(goal, for: user) == body)
    }

    // MARK: Archiving

    @Test("A conversation keeps its goal's id after archiving unlinks it")
    func archive() throws {
        var (world, user) = try World().withUser()
        let (goal, id) = (try world.createGoal(by: user), try world.create(by: user))
        try world.link(goal, with: id, by: user)
        world.pass(milliseconds: 4000)
        let body = try JSON.parse(try world.archive(id, by: user))
        #expect(body["data"]?["goal_id"] == .string(goal) && body["goalId"] == .string(goal))
        try expectLinked(goal, nil, world, for: user)
        #expect(try world.goal(goal, for: user)["updatedAt"] == "2025-01-29T10:30:04Z")
        #expect(try world.goalID(of: id, for: user) == goal)

        // The goal gets another conversation, and the history is kept.
        let next = try world.chatAboutGoal(goal, by: user)
        #expect(next != id)
        try expectLinked(goal, next, world, for: user)
        #expect(try world.goalID(of: id, for: user) == goal)
        _ = try world.archive(id, by: user)
        try expectLinked(goal, next, world, for: user)
    }

    @Test("Archiving another conversation about the goal keeps the link")
    func archiveOther() throws {
        var (world, user) = try World().withUser()
        let goal = try world.createGoal(by: user)
        let context = ConsultationContext(.goal, id: goal)
        let (first, second) = (
            try world.create(.nutritionist, context, by: user), try world.create(.fitnessCoach, context, by: user)
        )
        let body = try world.backend.goal(goal, for: user)
        world.pass(milliseconds: 4000)
        _ = try world.archive(second, by: user)
        #expect(try world.backend.goal(goal, for: user) == body)
        try expectLinked(goal, first, world, for: user)
    }

    // MARK: POST /consultations

    @Test("A new consultation about a goal is linked to the goal unless the goal has a conversation")
    func create() throws {
        var (world, user) = try World().withUser()
        let goal = try world.createGoal(by: user)
        let context = ConsultationContext(.goal, id: goal)
        world.pass(milliseconds: 2000)
        let first = try world.create(.nutritionist, context, by: user)
        try expectLinked(goal, first, world, for: user)
        #expect(try world.goal(goal, for: user)["updatedAt"] == "2025-01-29T10:30:02Z")
        let second = try world.create(.fitnessCoach, context, by: user)
        #expect(try world.goalID(of: second, for: user) == goal)
        try expectLinked(goal, first, world, for: user)

        let refusal = refusal(try world.create(.nutritionist, context, by: user))
        #expect(refusal?.status.code == 409 && refusal?.details?["goal_id"] == .string(goal))
    }

    // MARK: chat-about-goal

    @Test("A chat about a goal returns the same conversation until it is archived")
    func chatAboutGoal() throws {
        var (world, user) = try World().withUser()
        let goal = try world.createGoal("Run a marathon", by: user)
        world.pass(milliseconds: 2000)
        let body = try world.backend.chatAboutGoal(.init(goalID: goal), by: user, &world.turn)
        let consultation = try #require(world.backend.consultations.last).consultation
        let id = consultation.id.description
        #expect(
            body
                == consultation.body(
                    answeringChatAboutGoal: try #require(ResourceID(goal)), in: .union, origin: World.origin))
        #expect(consultation.persona == .generalWellness)
        #expect(consultation.context == ConsultationContext(.goal, id: goal))
        #expect(consultation.title == "Run a marathon")
        try expectLinked(goal, id, world, for: user)

        // A later answer is byte-identical, because `createdAt` is that of the conversation.
        world.pass(milliseconds: 60_000)
        let before = (try world.backend.goal(goal, for: user), try world.backend.consultation(id, for: user))
        #expect(try world.backend.chatAboutGoal(.init(goalID: goal), by: user, &world.turn) == body)
        #expect(try world.backend.goal(goal, for: user) == before.0)
        #expect(try world.backend.consultation(id, for: user) == before.1 && world.backend.consultationCount == 1)

        _ = try world.archive(id, by: user)
        #expect(try world.chatAboutGoal(goal, by: user) != id)
    }

    @Test("In goal-linking mode, the answer to chat-about-goal has its own form")
    func guideForm() throws {
        var (world, user) = try World(mode: .goalLinking).withUser()
        let goal = try world.createGoal(by: user)
        let body = try JSON.parse(try world.backend.chatAboutGoal(.init(goalID: goal), by: user, &world.turn))
        #expect(body.object?.keys == ["conversationId", "goalId", "createdAt", "persona"])
    }

    @Test("A chat continues the goal's conversation with any persona and context")
    func continueLinked() throws {
        var (world, user) = try World().withUser()
        let (goal, id) = (try world.createGoal(by: user), try world.create(.fitnessCoach, by: user))
        try world.link(goal, with: id, by: user)
        let body = try JSON.parse(try world.backend.chatAboutGoal(.init(goalID: goal), by: user, &world.turn))
        #expect(body["conversationId"] == .string(id) && body["persona"]?["name"] == "Fitness Coach")
        #expect(world.backend.consultationCount == 1)
    }

    @Test("A chat continues and relinks an unlinked conversation with the same persona and goal")
    func continueUnlinked() throws {
        var (world, user) = try World().withUser()
        let goal = try world.createGoal(by: user)
        let id = try world.chatAboutGoal(goal, by: user)
        try world.update(goal, by: user) { $0.conversation = .unlink }
        #expect(try world.goalID(of: id, for: user) == nil)
        #expect(try world.chatAboutGoal(goal, by: user) == id)
        try expectLinked(goal, id, world, for: user)
    }

    @Test("A chat takes back a conversation that is now linked to another goal")
    func continueTaken() throws {
        var (world, user) = try World().withUser()
        let (goal, other) = (try world.createGoal(by: user), try world.createGoal(by: user))
        let id = try world.chatAboutGoal(goal, by: user)
        try world.link(other, with: id, by: user)
        try expectLinked(goal, nil, world, for: user)
        #expect(try world.chatAboutGoal(goal, by: user) == id)
        try expectLinked(goal, id, world, for: user)
        try expectLinked(other, nil, world, for: user)
        #expect(world.backend.consultationCount == 1)
    }

    @Test("A chat does not continue a conversation with a different persona")
    func otherPersona() throws {
        var (world, user) = try World().withUser()
        let goal = try world.createGoal(by: user)
        let other = try world.create(.nutritionist, ConsultationContext(.goal, id: goal), by: user)
        try world.update(goal, by: user) { $0.conversation = .unlink }
        let id = try world.chatAboutGoal(goal, by: user)
        #expect(id != other)
        try expectLinked(goal, id, world, for: user)
    }

    @Test("A new chat beyond ten consultations gets 429")
    func limit() throws {
        var (world, user) = try World().withUser()
        var goals: [String] = []
        for _ in 0..<11 { goals.append(try world.createGoal(by: user)) }
        for goal in goals.prefix(10) { _ = try world.chatAboutGoal(goal, by: user) }
        let body = try world.backend.goal(goals[10], for: user)
        #expect(refusal(try world.chatAboutGoal(goals[10], by: user)) == .tooManyActiveConsultations(limit: 10))
        #expect(try world.backend.goal(goals[10], for: user) == body)
        let first = try #require(try world.conversation(of: goals[0], for: user))
        #expect(try world.chatAboutGoal(goals[0], by: user) == first)
        _ = try world.archive(first, by: user)
        #expect(refusal(try world.chatAboutGoal(goals[10], by: user)) == nil)
        #expect(Invariants.deepViolations(of: world) == [])
    }
}
