import FitIQAPI
import JSON
import Testing

@testable import FitIQBackend

@Suite("The consultation list") struct ListTests {
    @Test("The consultation list is sorted by last change and then by creation")
    func order() throws {
        var (world, user, first) = try World().withConsultation()
        let second = try world.create(.fitnessCoach, by: user)
        world.pass(milliseconds: 1)
        let third = try world.create(.wellnessSpecialist, by: user)
        #expect(try world.list(for: user)["consultations"]?.all("id") == [third, second, first])

        // A message counts as a change, and so does its answer.
        world.pass(milliseconds: 1)
        try world.open(1, on: first, by: user)
        #expect(try world.list(for: user)["consultations"]?.all("id") == [third, second, first])
        world.message("Hello", from: 1)
        #expect(try world.list(for: user)["consultations"]?.all("id") == [first, third, second])
        world.pass(milliseconds: 1)
        _ = try world.archive(second, by: user)
        #expect(try world.list(for: user)["consultations"]?.all("id") == [second, first, third])
        world.waitForAllAnswers()
        #expect(try world.list(for: user)["consultations"]?.all("id") == [first, second, third])
    }

    @Test("The consultation list shows each consultation exactly as a get request does")
    func items() throws {
        var (world, user) = try World().withUser()
        for persona in Persona.allCases { _ = try world.create(persona, title: persona.rawValue, by: user) }
        for item in try #require(try world.list(for: user)["consultations"]?.array) {
            let shown = try world.show(try #require(item["id"]?.string), for: user)
            #expect(shown["consultation"] == item)
        }
    }

    @Test("A user without consultations gets an empty list")
    func empty() throws {
        var (world, user, other) = try World().withTwoUsers()
        _ = try world.create(by: other)
        let list = try world.list(for: user)
        #expect(list["consultations"] == [] && list["pagination"]?["total_count"] == 0)
        #expect(list["pagination"]?["total_pages"] == 0)
    }

    /// Thirty-two consultations, nine of them active; each persona appears twice in each context that does not need a
    /// goal.
    private func populated() throws -> (World, UserID, [Consultation]) {
        var (world, user) = try World().withUser()
        for round in 0..<2 {
            for persona in Persona.allCases {
                for context in [ContextType.general, .insight, .mood, .journal] {
                    world.pass(milliseconds: 1500)
                    let id = try world.create(persona, ConsultationContext(context), by: user)
                    if round == 0 || world.backend.users[user].active.count == 10 {
                        _ = try world.archive(id, by: user)
                    }
                }
            }
        }
        let all = world.backend.consultations.map(\.consultation).reversed()
        return (world, user, Array(all))
    }

    @Test("Consultation lists are paged and filtered by archive flag, persona and context", arguments: [1, 3, 20, 100])
    func filters(size: Int) throws {
        let (world, user, all) = try populated()
        for archived in [nil, "true", "false"] {
            for persona in [nil] + Persona.allCases.map(Optional.some) {
                for context in [nil] + ContextType.allCases.map(Optional.some) {
                    let expected = all.filter {
                        (archived == nil || "\($0.isArchived)" == archived) && (persona == nil || $0.persona == persona)
                            && (context == nil || $0.context.type == context)
                    }.sorted { $0.updatedAt > $1.updatedAt }.map(\.id.description)
                    let filters = [
                        ("is_archived", archived), ("persona", persona?.rawValue), ("context_type", context?.rawValue),
                    ]
                    let query = filters.compactMap { name, value in value.map { (name: name, value: $0) } }
                    try expectPages(of: expected, size: size, query, world, user)
                }
            }
        }
    }

    private func expectPages(
        of ids: [String], size: Int, _ filters: [(name: String, value: String)], _ world: World, _ user: UserID
    ) throws {
        let pages = (ids.count + size - 1) / size
        var seen: [String] = []
        for number in 1...(pages + 1) {
            let list = try world.list(filters + [("page", "\(number)"), ("page_size", "\(size)")], for: user)
            seen += list["consultations"]?.all("id") ?? []
            let expected: JSONValue = [
                "page": .number(JSONNumber(number)), "page_size": .number(JSONNumber(size)),
                "total_pages": .number(JSONNumber(pages)), "total_count": .number(JSONNumber(ids.count)),
                "has_next": .bool(number < pages), "has_prev": .bool(number > 1),
            ]
            #expect(list["pagination"] == expected)
        }
        #expect(seen == ids)
    }
}
