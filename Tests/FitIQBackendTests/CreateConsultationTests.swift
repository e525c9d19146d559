import FitIQAPI
import JSON
import Testing

@testable import FitIQBackend

@Suite("Creating a consultation") struct CreateConsultationTests {
    /// One of each kind: `general` counts as a context, and a context with an id differs from one without an id.
    static let contexts: [ConsultationContext] = [
        .general, ConsultationContext(.insight), ConsultationContext(.insight, id: "a"),
        ConsultationContext(.insight, id: "A"), ConsultationContext(.insight, id: "a "), ConsultationContext(.mood),
        ConsultationContext(.mood, id: "a"), ConsultationContext(.journal), ConsultationContext(.journal, id: "a"),
    ]

    @Test("A create request gets 409 only for the same persona and context", arguments: Persona.allCases)
    func duplicates(persona: Persona) throws {
        for (number, context) in Self.contexts.enumerated() {
            var (world, user) = try World().withUser()
            let id = try world.create(persona, context, title: "T", by: user)
            let existing = try world.record(id).consultation

            for (otherNumber, other) in Self.contexts.enumerated() {
                for otherPersona in Persona.allCases {
                    var copy = world
                    let refusal = refusal(try copy.create(otherPersona, other, by: user))
                    let isSame = otherPersona == persona && otherNumber == number
                    #expect(refusal == (isSame ? .consultationExists(existing) : nil), "\(context) \(other)")
                }
            }
        }
    }

    @Test("The 409 answer contains the existing consultation's id")
    func conflictDetails() throws {
        var (world, user) = try World().withUser()
        let id = try world.create(.fitnessCoach, by: user)
        let conflict = try #require(refusal(try world.create(.fitnessCoach, by: user)))
        #expect(conflict.status.code == 409 && conflict.details?["existing_consultation_id"] == .string(id))
        #expect(conflict.details?["can_continue"] == true)
        #expect(world.backend.consultationCount == 1)
    }

    @Test("Other users' consultations do not cause conflicts")
    func otherUsers() throws {
        var (world, first, second) = try World().withTwoUsers()
        let ids = [try world.create(by: first), try world.create(by: second)]
        #expect(Set(ids).count == 2)
    }

    /// Fills a user's ten slots with all personas and with contexts that have no ids.
    private func fill(_ world: inout World, _ user: UserID, count: Int = 10) throws -> [String] {
        var ids: [String] = []
        for context in [ConsultationContext.general, ConsultationContext(.insight), ConsultationContext(.mood)] {
            for persona in Persona.allCases where ids.count < count {
                ids.append(try world.create(persona, context, by: user))
            }
        }
        return ids
    }

    @Test("A create request gets 429 when the user already has ten active consultations")
    func limit() throws {
        var (world, user, other) = try World().withTwoUsers()
        _ = try fill(&world, user)
        let journal = ConsultationContext(.journal)
        #expect(refusal(try world.create(.nutritionist, journal, by: user)) == .tooManyActiveConsultations(limit: 10))
        #expect(world.backend.consultationCount == 10)
        #expect(refusal(try world.create(.nutritionist, journal, by: other)) == nil)
    }

    @Test("A 404 takes precedence over a 409, which takes precedence over a 429")
    func order() throws {
        var (world, user) = try World().withUser()
        let ids = try fill(&world, user)
        let first = try world.record(ids[0]).consultation
        #expect(refusal(try world.create(first.persona, first.context, by: user)) == .consultationExists(first))
        #expect(
            refusal(try world.create(first.persona, ConsultationContext(.goal, id: ids[0]), by: user))
                == .unknownGoal(ids[0], field: "context_id"))
    }

    @Test("Archiving a consultation frees its slot and its topic", arguments: 0..<10)
    func freed(position: Int) throws {
        var (world, user) = try World().withUser()
        let ids = try fill(&world, user)
        let old = try world.record(ids[position]).consultation
        _ = try world.archive(ids[position], by: user)
        let new = try world.create(old.persona, old.context, by: user)
        #expect(!ids.contains(new))
        // The slots are full again.
        #expect(
            refusal(try world.create(.nutritionist, ConsultationContext(.journal), by: user))
                == .tooManyActiveConsultations(limit: 10))
        // Archiving the old consultation again does not free a slot.
        _ = try world.archive(ids[position], by: user)
        #expect(
            refusal(try world.create(old.persona, old.context, by: user))
                == .consultationExists(try world.record(new).consultation))
    }

    static let goals = ["6f1c2d3e-4a5b-4c6d-8e7f-0123456789ab", "6F1C2D3E-4A5B-4C6D-8E7F-0123456789AB", "goal-1"]

    @Test("An unknown goal gets 404 with the field's name", arguments: goals)
    func unknownGoals(id: String) throws {
        for (body, field) in [
            (#"{"persona":"nutritionist","goal_id":"\#(id)"}"#, "goal_id"),
            (#"{"persona":"nutritionist","context_type":"goal","context_id":"\#(id)"}"#, "context_id"),
            (#"{"persona":"nutritionist","goal_id":"\#(id)","context_id":"\#(id)"}"#, "goal_id"),
        ] {
            var (world, user) = try World().withUser()
            let request = try CreateConsultationRequest(body: body.bytes, in: .union)
            let refusal = refusal(try world.backend.createConsultation(request, by: user, &world.turn))
            #expect(refusal == .unknownGoal(id, field: field))
            #expect(world.backend.consultationCount == 0)
        }
    }

    @Test("The answers to create and get requests contain the same consultation byte for byte")
    func answer() throws {
        var (world, user) = try World(seed: 5).withUser()
        var ids = ResourceIDSequence(seed: 5)
        let request = CreateConsultationRequest(
            persona: .wellnessSpecialist, context: ConsultationContext(.mood, id: "m"), title: "T")
        let body = try world.backend.createConsultation(request, by: user, &world.turn)
        let expected = Consultation(
            id: ids.next(), userID: "user-1", persona: .wellnessSpecialist,
            context: ConsultationContext(.mood, id: "m"), goalID: nil, title: "T", createdAt: World.start)
        #expect(body == expected.body(answering: .createConsultation, in: .union, origin: World.origin))
        #expect(try world.backend.consultation(expected.id.description, for: user) == body)
        #expect(world.takeEffects().isEmpty && world.backend.nextDeadline == nil)
    }

    @Test("A rejected create request changes nothing")
    func refusedChangesNothing() throws {
        var (world, user) = try World().withUser()
        let ids = try fill(&world, user)
        let before = (world.backend.storedBytes, try world.list(for: user), world.turn.identifiers)
        for context in [
            ConsultationContext.general, ConsultationContext(.journal), ConsultationContext(.goal, id: "x"),
        ] { #expect(refusal(try world.create(.nutritionist, context, by: user)) != nil) }
        #expect(try world.backend.storedBytes == before.0 && world.list(for: user) == before.1)
        var (left, right) = (before.2, world.turn.identifiers)
        #expect(left.next() == right.next())
        #expect(world.backend.consultationCount == ids.count)
    }
}
