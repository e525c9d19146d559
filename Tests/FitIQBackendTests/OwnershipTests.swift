import FitIQAPI
import Testing

@testable import FitIQBackend

@Suite("Other users' consultations") struct OwnershipTests {
    private func attempts(_ world: World, _ id: String, by user: UserID) -> [APIError?] {
        var world = world
        return [
            refusal(try world.backend.consultation(id, for: user)), refusal(try world.history(id, for: user)),
            refusal(try world.archive(id, by: user)), refusal(try world.backend.checkSocket(on: id, by: user)),
            refusal(try world.open(9, on: id, by: user)),
        ]
    }

    @Test("A GET of another user's consultation returns 404", arguments: [false, true])
    func foreign(isArchived: Bool) throws {
        var (world, owner, stranger) = try World().withTwoUsers()
        let id = try world.create(by: owner)
        if isArchived { _ = try world.archive(id, by: owner) }

        let (empty, nobody) = try World().withUser("user-2")
        let refusals = attempts(world, id, by: stranger)
        #expect(refusals == attempts(empty, id, by: nobody))
        #expect(refusals.allSatisfy { $0 == .unknownConsultation(id) && $0?.status.code == 404 })
        #expect(attempts(world, id, by: owner).prefix(3).allSatisfy { $0 == nil })
    }

    @Test("A request with an id in a different case or format gets 404 with a message that says so")
    func shapes() throws {
        let (world, user, id) = try World().withConsultation()
        for other in [id.uppercased(), String(id.dropLast()), id + "0", " \(id)", "", "{id}", "null", "\(id)\u{301}"] {
            #expect(attempts(world, other, by: user) == Array(repeating: .unknownConsultation(other), count: 5))
        }
        let message = APIError.unknownConsultation(id.uppercased()).message
        #expect(message.contains("lower-case it to \"\(id)\""))
    }

    @Test("Looking up a user repeatedly returns the same user")
    func sameUser() throws {
        var (world, first, id) = try World().withConsultation()
        #expect(try world.backend.user("user-1") == first && world.backend.user("User-1") != first)
        #expect(try world.backend.user("user-1 ") != first && world.backend.userCount == 3)
        #expect(try world.backend.consultation(id, for: try world.backend.user("user-1")).isEmpty == false)
    }
}
