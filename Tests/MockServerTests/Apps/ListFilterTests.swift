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
        try .serving(Self.scenario) { $0.mode = mode }
    }

    private func consultation(on network: VirtualNetwork) throws -> String {
        let list = try network.call(.get, "consultations?status=active").json?["data"]?["consultations"]
        return try #require(list?[0]?["id"]?.string)
    }

    /// For each list and the member that names its items, the queries and the names of the items that they find.
    static let filters: KeyValuePairs<String, KeyValuePairs<String, [String]>> = [
        "goals.title": [
            "goals": ["One", "Two", "Three"], "goals?status=active": ["One", "Two"],
            "goals?status=not_started": ["One"], "goals?status=completed": ["Three"], "goals?status=paused": [],
            "goals?category=fitness": ["One", "Three"], "goals?category=Fitness": [],
            "goals?limit=2": ["One", "Two"], "goals?limit=2&offset=2": ["Three"], "goals?limit=2&page=2": ["Three"],
            "goals?offset=1": ["Two", "Three"], "goals?offset=3": [],
            "goals?offset=9223372036854775807&limit=100": [], "goals?from=2025-01-30": [], "goals?to=2025-01-28": [],
            "goals?from=2025-01-29&to=2025-01-29": ["One", "Two", "Three"],
        ],
        "consultations.persona": [
            "consultations?status=archived": ["fitness_coach"], "consultations?status=pending": [],
            "consultations?status=completed": ["wellness_specialist"],
            "consultations?status=active": ["nutritionist"], "consultations?limit=1&offset=3": [],
            "consultations?status=active&is_archived=true": [], "consultations?from=2025-01-30": [],
            "consultations?status=active&from=2025-01-28": ["nutritionist"], "consultations?to=2025-01-01": [],
        ],
        "meal_logs.raw_input": [
            "meal-logs?from=2025-01-28T00:00:00Z": ["soup", "toast"], "meal-logs?status=pending": [],
            "meal-logs?to=2025-01-28T11:59:59Z": ["an egg"], "meal-logs?from=2025-01-28&to=2025-01-28": ["toast"],
            "meal-logs?start_date=2025-01-27&from=2025-01-28&end_date=2025-01-28": ["toast"],
            "meal-logs?status=manual": [], "meal-logs?limit=1&offset=1": ["toast"],
        ],
        "entries.content": [
            "journal": ["c", "b", "a"], "journal?from=2025-01-30": [], "journal?to=2025-01-28": ["b", "a", "old"],
            "journal?from=2024-12-29&to=2024-12-29": ["old"], "journal?from=2024-12-29T10:30:01Z": ["c", "b", "a"],
            "journal?tags=y,z": ["b"], "journal?entry_type=gratitude": ["b"], "journal?favorites_only=true": ["c"],
        ],
        "results.content": ["journal/search?q=B": ["b"]],
    ]

    @Test("Each filter returns exactly the matching resources", arguments: filters.indices)
    func honoured(_ index: Int) throws {
        let network = try network()
        let (names, queries) = Self.filters[index]
        let path = names.split(separator: ".").map(String.init)
        for (query, found) in queries {
            let items = try network.call(.get, query).json?["data"]?[path[0]]?.array
            #expect(items?.compactMap { $0[path[1]]?.string } == found, "\(query)")
        }
    }

    @Test("Messages can be filtered by creation time, and page totals count only matches")
    func messages() throws {
        let network = try network()
        let id = try consultation(on: network)
        func found(_ query: String) throws -> JSONValue? {
            try network.call(.get, "consultations/\(id)/messages\(query)").json?["data"]
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
        let consultation = try consultation(on: network)
        let lists = [
            ("consultations", "page_size", "consultations"), ("goals", "limit", "goals"),
            ("meal-logs", "limit", "meal_logs"), ("consultations/\(consultation)/messages", "page_size", "messages"),
            ("journal", "limit", "entries"),
        ]
        for (path, size, list) in lists {
            func page(_ query: String) throws -> JSONValue {
                try #require(try network.call(.get, "\(path)?\(query)").json?["data"])
            }
            let whole = try page("limit=100")
            for length in 1...4 {
                var shown: [JSONValue] = []
                for number in 1...3 {
                    let offset = (number - 1) * length
                    let one = try page("page=\(number)&\(size)=\(length)")
                    #expect(try page("offset=\(offset)&limit=\(length)") == one)
                    // An offset overrides a page number.
                    #expect(try page("page=3&offset=\(offset)&limit=\(length)") == one)
                    let expected = [3, 3, length, offset]
                    #expect(["total", "total_count", "limit", "offset"].map { one[$0]?.int } == expected)
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
        let response = try network().call(.get, path)
        #expect(response.status == 400 && response.message.contains(parameter), "\(response.text)")
    }

    @Test("Guide modes ignore the apps' filters")
    func guides() throws {
        for (mode, path, query) in [
            (GuideMode.goalLinking, "goals", "?status=done&limit=0&offset=x"),
            (.enhancedConsultations, "consultations", "?status=x&limit=0&offset=x"),
        ] {
            let network = try network(mode)
            #expect(try network.call(.get, path + query).body == network.call(.get, path).body)
        }
    }
}
