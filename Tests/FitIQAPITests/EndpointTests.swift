import Testing

@testable import FitIQAPI

@Suite("An endpoint") struct EndpointTests {
    static let bodies: [(Endpoint, Endpoint.Body)] = [
        (.listGoals, .none), (.deleteGoal, .none), (.suggestGoals, .none), (.createGoal, .required),
        (.updateGoal, .required), (.replaceGoal, .required), (.readInsight, .optional), (.recognizeMealPhoto, .form),
    ]

    @Test("reads no body of a GET or a DELETE, and of most others JSON", arguments: bodies)
    func needs(endpoint: Endpoint, body: Endpoint.Body) { #expect(endpoint.body == body) }

    static let parameters: [(Endpoint, [String])] = [
        (.listJournalEntries, ["page", "limit", "offset", "from", "to", "status"]),
        (.searchJournal, ["page", "limit", "offset", "from", "to", "status", "q"]),
        (.analyzeMoodEntries, ["from", "to", "status"]), (.countUnreadInsights, []), (.showWorkoutTemplate, []),
        (.createJournalEntry, []), (.deleteJournalEntry, []), (.showProfile, []),
    ]

    @Test("of documents reads the parameters of a list where it lists them", arguments: parameters)
    func reads(endpoint: Endpoint, parameters: [String]) {
        #expect(endpoint.parameters == parameters)
        let query = (["page", "to", "x"] + ["x"]).map { (name: $0, value: "1") }
        #expect(endpoint.unknownParameters(in: query) == ["page", "to", "x"].filter { !parameters.contains($0) })
    }
}
