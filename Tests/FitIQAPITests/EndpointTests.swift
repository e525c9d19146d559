import Foundation
import TestSupport
import Testing

@testable import FitIQAPI

@Suite("Endpoints") struct EndpointTests {
    static let bodies: [(Endpoint, Endpoint.Body)] = [
        (.listGoals, .none), (.deleteGoal, .none), (.suggestGoals, .none), (.createGoal, .required),
        (.updateGoal, .required), (.replaceGoal, .required), (.readInsight, .optional), (.recognizeMealPhoto, .form),
    ]

    @Test("Each endpoint declares whether its requests have a body", arguments: bodies)
    func needs(endpoint: Endpoint, body: Endpoint.Body) { #expect(endpoint.body == body) }

    private static let page = ["page", "limit", "offset"]

    static let parameters: KeyValuePairs<Endpoint, [String]> = [
        .listMoodEntries: page + ["from", "to", "source"],
        .listJournalEntries: page + ["from", "to", "entry_type", "tags", "favorites_only"],
        .searchJournal: page + ["q"],
        .listInsights: page + [
            "insight_type", "read_status", "favorites_only", "archived_status", "period_from", "period_to",
            "sort_by", "sort_order",
        ], .listProgress: page + ["type", "from", "to"], .listSleep: page + ["from", "to"],
        .listWorkouts: page + ["from", "to"], .listProfileMetrics: page + ["start_date", "end_date"],
        .listWorkoutTemplates: page + ["category", "difficulty", "source", "include_public"],
        .listPublicWorkoutTemplates: page + ["category", "difficulty"],
        .listSharedWorkoutTemplates: page + ["professional_type"],
        .analyzeMoodEntries: ["from", "to", "include_daily_breakdown", "top_labels_limit", "top_associations_limit"],
        .countUnreadInsights: [], .showWorkoutTemplate: [], .createJournalEntry: [],
        .deleteJournalEntry: [], .showProfile: [],
    ]

    @Test("A document endpoint reads exactly the parameters in its list", arguments: parameters)
    func reads(endpoint: Endpoint, parameters: [String]) {
        #expect(endpoint.parameters == parameters)
        let query = (["page", "to", "x"] + ["x"]).map { (name: $0, value: "1") }
        #expect(endpoint.unknownParameters(in: query) == ["page", "to", "x"].filter { !parameters.contains($0) })
    }

    @Test("No served endpoint is listed as unserved in docs/app.md")
    func notServed() throws {
        func pattern(_ path: some StringProtocol) -> String { String(path).replacing(#/{\w+}/#, with: "{}") }
        let served = Set(Endpoint.allCases.map { "\($0.method.rawValue) \(pattern($0.template))" })
        let sections = try textOfPackage("docs/app.md").components(separatedBy: "\n## ")
        let section = try #require(sections.first { $0.hasPrefix("Operations that are not served") })
        let parts = section.components(separatedBy: "Other API descriptions list").map { part in
            part.matches(of: #/`([A-Z ]+) (\/[^`]+)`/#).flatMap { match in
                match.output.1.split(separator: " ").map { "\($0) /api/v1\(pattern(match.output.2))" }
            }
        }
        #expect(parts.map(\.count) == [86, 13] && Set(parts.joined()).count == 99)
        #expect(served.isDisjoint(with: parts.joined()), "\(served.intersection(parts.joined()))")
    }
}
