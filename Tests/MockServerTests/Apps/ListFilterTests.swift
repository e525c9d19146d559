import FitIQAPI
import JSON
import Scenarios
import TestSupport
import Testing

@testable import MockServer

/// The apps' filters; each works in union mode but is unknown in the guides' modes.
@Suite("The apps' filters and pages") struct ListFilterTests {
    private static let scenario = """
        name: lists
        clock: manual
        users:
          - id: \(TestUser.anna)
            goals:
              - {title: One, category: fitness}
              - {title: Two, status: in_progress}
              - {title: Three, status: completed, category: fitness}
            consultations:
              - persona: nutritionist
                messages: [{user: Hello}, {assistant: Hi}, {user: And now}]
              - {persona: fitness_coach, status: archived}
              - {persona: wellness_specialist, status: completed}
            meal_logs:
              - {text: an egg, meal_type: breakfast, created_at: 2025-01-27T08:00:00Z}
              - {text: toast, meal_type: lunch, created_at: 2025-01-28T12:00:00Z}
              - {text: soup, meal_type: dinner, created_at: 2025-01-29T08:00:00Z}
            documents:
              journal:
                - {content: a, logged_at: 2d ago, tags: [x]}
                - {content: b, logged_at: 1d ago, tags: [x, y], entry_type: gratitude}
                - {content: c, logged_at: 1h ago, is_favorite: true}
                - {content: old, logged_at: 31d ago}
        """

    private func network(_ mode: GuideMode = .union) throws -> VirtualNetwork {
        let scenario = try Scenario.read(Self.scenario)
        return VirtualNetwork {
            $0.adopt(scenario)
            $0.mode = mode
        }
    }

    private func get(_ path: String, on network: VirtualNetwork) throws -> Response {
        let fields = [Request.bearer(Request.token(for: TestUser.anna)), Request.apiKey]
        return try network.exchange(Request(method: .get, target: "/api/v1/" + path, fields: fields))
    }

    static let filters: [(path: String, list: String, member: String, found: [String])] = [
        ("goals", "goals", "title", ["One", "Two", "Three"]),
        ("goals?status=active", "goals", "title", ["One", "Two"]),
        ("goals?status=not_started", "goals", "title", ["One"]),
        ("goals?status=completed", "goals", "title", ["Three"]),
        ("goals?status=paused", "goals", "title", []),
        ("goals?category=fitness", "goals", "title", ["One", "Three"]),
        ("goals?category=Fitness", "goals", "title", []),
        ("goals?limit=2", "goals", "title", ["One", "Two"]),
        ("goals?limit=2&offset=2", "goals", "title", ["Three"]),
        ("goals?limit=2&page=2", "goals", "title", ["Three"]),
        ("goals?offset=1", "goals", "title", ["Two", "Three"]),
        ("goals?offset=3", "goals", "title", []),
        ("goals?offset=9223372036854775807&limit=100", "goals", "title", []),
        ("consultations?status=archived", "consultations", "persona", ["fitness_coach"]),
        ("consultations?status=completed", "consultations", "persona", ["wellness_specialist"]),
        ("consultations?status=active", "consultations", "persona", ["nutritionist"]),
        ("consultations?status=pending", "consultations", "persona", []),
        ("consultations?status=active&is_archived=true", "consultations", "persona", []),
        ("consultations?limit=1&offset=3", "consultations", "persona", []),
        ("meal-logs?from=2025-01-28T00:00:00Z", "meal_logs", "raw_input", ["soup", "toast"]),
        ("meal-logs?to=2025-01-28T11:59:59Z", "meal_logs", "raw_input", ["an egg"]),
        ("meal-logs?from=2025-01-28&to=2025-01-28", "meal_logs", "raw_input", ["toast"]),
        ("meal-logs?start_date=2025-01-27&from=2025-01-28&end_date=2025-01-28", "meal_logs", "raw_input", ["toast"]),
        ("meal-logs?status=pending", "meal_logs", "raw_input", []),
        ("meal-logs?status=manual", "meal_logs", "raw_input", []),
        ("meal-logs?limit=1&offset=1", "meal_logs", "raw_input", ["toast"]),
        ("goals?from=2025-01-29&to=2025-01-29", "goals", "title", ["One", "Two", "Three"]),
        ("goals?from=2025-01-30", "goals", "title", []), ("goals?to=2025-01-28", "goals", "title", []),
        ("consultations?status=active&from=2025-01-28", "consultations", "persona", ["nutritionist"]),
        ("consultations?from=2025-01-30", "consultations", "persona", []),
        ("consultations?to=2025-01-01", "consultations", "persona", []),
        ("journal", "entries", "content", ["c", "b", "a"]),
        ("journal?from=2025-01-30", "entries", "content", []),
        ("journal?to=2025-01-28", "entries", "content", ["b", "a", "old"]),
        ("journal?from=2024-12-29&to=2024-12-29", "entries", "content", ["old"]),
        ("journal?from=2024-12-29T10:30:01Z", "entries", "content", ["c", "b", "a"]),
        ("journal?tags=y,z", "entries", "content", ["b"]),
        ("journal?entry_type=gratitude", "entries", "content", ["b"]),
        ("journal?favorites_only=true", "entries", "content", ["c"]),
        ("journal/search?q=B", "results", "content", ["b"]),
    ]

    @Test("Each filter returns exactly the matching resources", arguments: filters)
    func honoured(_ row: (path: String, list: String, member: String, found: [String])) throws {
        let data = try #require(try get(row.path, on: network()).json?["data"])
        #expect(data[row.list]?.array?.compactMap { $0[row.member]?.string } == row.found)
    }

    @Test("Messages can be filtered by creation time, and page totals count only matches")
    func messages() throws {
        let network = try network()
        let id = try #require(
            try get("consultations?status=active", on: network).json?["data"]?["consultations"]?[0]?["id"]?.string)
        func found(_ query: String) throws -> JSONValue? {
            try get("consultations/\(id)/messages\(query)", on: network).json?["data"]
        }
        let all = try #require(try found("")?["messages"]?.array)
        let times = all.compactMap { $0["created_at"]?.string ?? $0["timestamp"]?.string }
        try #require(times.count == 3)
        let later = try #require(try found("?from=\(times[1])")?["messages"]?.array)
        #expect(later == zip(all, times).filter { $0.1 >= times[1] }.map(\.0))
        #expect(try found("?to=\(times[0])&limit=1")?["total_count"]?.int == times.count { $0 == times[0] })
        #expect(try found("?from=2025-01-30")?["messages"]?.array == [])
    }

    @Test("Pages by number and by offset have equal totals and show each item once")
    func totals() throws {
        let network = try network()
        let consultation = try #require(
            try get("consultations?status=active", on: network).json?["data"]?["consultations"]?[0]?["id"]?.string)
        let lists = [
            ("consultations", "page_size", "consultations"), ("goals", "limit", "goals"),
            ("meal-logs", "limit", "meal_logs"), ("consultations/\(consultation)/messages", "page_size", "messages"),
            ("journal", "limit", "entries"),
        ]
        for (path, size, list) in lists {
            let whole = try #require(try get("\(path)?limit=100", on: network).json?["data"])
            for length in 1...4 {
                var shown: [JSONValue] = []
                for page in 1...3 {
                    let offset = (page - 1) * length
                    let one = try #require(try get("\(path)?page=\(page)&\(size)=\(length)", on: network).json?["data"])
                    let other = try #require(
                        try get("\(path)?offset=\(offset)&limit=\(length)", on: network).json?["data"])
                    #expect(one == other)
                    // An offset overrides a page number.
                    #expect(
                        try get("\(path)?page=3&offset=\(offset)&limit=\(length)", on: network).json?["data"] == other)
                    #expect(one["total"] == 3 && one["total_count"] == 3)
                    #expect(one["limit"]?.int == length && one["offset"]?.int == offset)
                    #expect(one["has_more"] == .bool(offset + length < 3))
                    shown += one[list]?.array ?? []
                }
                #expect(shown == whole[list]?.array)
            }
        }
    }

    @Test(
        "The error for a bad query value names the parameter",
        arguments: [
            ("goals?limit=0", "'limit'"), ("goals?limit=101", "'limit'"), ("goals?offset=-1", "'offset'"),
            ("goals?status=done", "'status'"), ("consultations?status=open", "'status'"),
            ("consultations?limit=x", "'limit'"), ("meal-logs?from=yesterday", "'from'"),
            ("meal-logs?to=2025-13-01", "'to'"), ("goals?from=x", "'from'"), ("consultations?to=x", "'to'"),
            ("journal?page=0", "'page'"), ("meal-logs?offset=1.5", "'offset'"),
        ])
    func refused(path: String, parameter: String) throws {
        let response = try get(path, on: network())
        #expect(response.status == 400 && response.message.contains(parameter), "\(response.text)")
    }

    @Test("Guide modes ignore the apps' filters")
    func guides() throws {
        let goals = try network(.goalLinking)
        #expect(try get("goals?status=done&limit=0&offset=x", on: goals).body == get("goals", on: goals).body)
        let consultations = try network(.enhancedConsultations)
        #expect(
            try get("consultations?status=x&limit=0&offset=x", on: consultations).body
                == get("consultations", on: consultations).body)
    }
}
