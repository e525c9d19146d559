import FitIQAPI
import JSON
import TestSupport
import Testing

@testable import FitIQBackend

@Suite("Insights") struct InsightTests {
    private static func json(_ number: Int, _ more: String = "") -> String {
        #"{"insight_type":"daily","title":"t","content":"c","n":\#(number)\#(more)}"#
    }

    private static func numbers(_ page: JSONValue) -> [Int?] { (page["insights"]?.array ?? []).map { $0["n"]?.int } }

    @Test("Insights can be sorted by creation, change or period in both directions")
    func sorting() throws {
        var (world, user) = try World().withUser()
        var ids: [String] = []
        for (number, start) in [(1, "09"), (2, "11"), (3, "10")] {
            ids.append(
                try world.id(
                    of: Self.json(number, #","period_start":"2025-01-\#(start)T00:00:00Z""#), in: .insights, by: user))
            world.pass(milliseconds: 1000)
        }
        // This insight has no period, so it comes before all insights with a period.
        ids.append(try world.id(of: Self.json(4), in: .insights, by: user))
        world.pass(milliseconds: 1000)
        _ = try world.mark(ids[1], "is_favorite", as: nil, by: user)
        let orders: [(World.Query, [Int])] = [
            ([], [4, 3, 2, 1]), ([("sort_order", "asc")], [4, 3, 2, 1].reversed()),
            ([("sort_by", "created_at")], [4, 3, 2, 1]), ([("sort_by", "updated_at")], [2, 4, 3, 1]),
            ([("sort_by", "updated_at"), ("sort_order", "asc")], [1, 3, 4, 2]),
            ([("sort_by", "period_start")], [2, 3, 1, 4]),
            ([("sort_by", "period_start"), ("sort_order", "asc")], [4, 1, 3, 2]),
        ]
        for (query, numbers) in orders {
            #expect(Self.numbers(try world.documents(.insights, query, for: user)) == numbers, "\(query)")
        }
    }

    @Test("Insights are listed in pages, and archived insights are listed only on request")
    func pages() throws {
        var (world, user) = try World().withUser()
        #expect(try world.documents(.insights, for: user)["total_pages"] == 0)
        for number in 1...5 { try world.send(Self.json(number), to: .insights, by: user) }
        try world.send(Self.json(6, #","is_archived":true"#), to: .insights, by: user)
        for (limit, pages) in [(1, 5), (2, 3), (4, 2), (5, 1), (6, 1)] {
            let page = try world.documents(.insights, [("limit", "\(limit)")], for: user)
            #expect(page["total_pages"]?.int == pages && page["total"] == 5, "\(limit)")
        }
        let second = try world.documents(.insights, [("limit", "2"), ("offset", "2")], for: user)
        #expect(Self.numbers(second) == [3, 2] && second["has_more"] == true)
        #expect(Self.numbers(try world.documents(.insights, [("archived_status", "true")], for: user)) == [6])
    }

    @Test("The unread count excludes read and archived insights")
    func marks() throws {
        var (world, user, other) = try World().withTwoUsers()
        let id = try world.id(of: Self.json(1), in: .insights, by: user)
        try world.send(Self.json(2), to: .insights, by: user)
        let steps: [(String, Bool?, isNow: Bool, message: String, unread: Int)] = [
            ("is_favorite", nil, true, "The insight is a favorite.", 2),
            ("is_favorite", nil, false, "The insight is not a favorite.", 2),
            ("is_archived", true, true, "The insight is archived.", 1),
            ("is_archived", true, true, "The insight is archived.", 1),
            ("is_archived", false, false, "The insight is not archived.", 2),
            ("is_archived", false, false, "The insight is not archived.", 2),
            ("is_read", true, true, "The insight is read.", 1), ("is_read", true, true, "The insight is read.", 1),
            ("is_archived", true, true, "The insight is archived.", 1),
        ]
        func insight() throws -> JSONValue { try world.data(try world.backend.document(id, in: .insights, for: user)) }
        for (member, value, isNow, message, unread) in steps {
            let before = try insight()
            world.pass(milliseconds: 1000)
            let answer = try world.data(try world.mark(id, member, as: value, by: user))
            let after = try insight()
            #expect(answer["message"]?.string == message && answer[member] == .bool(isNow))
            #expect(answer["id"]?.string == id && after[member] == .bool(isNow))
            // Repeating a mark changes nothing.
            #expect((before["updated_at"] == after["updated_at"]) == (before[member] == after[member]), "\(member)")
            #expect(try world.data(world.backend.unreadInsights(of: user))["count"]?.int == unread)
        }
        #expect(try world.data(world.backend.unreadInsights(of: other))["count"] == 0)
        for (id, user) in [(id, other), ("none", user)] {
            #expect(refusal(try world.mark(id, "is_read", as: true, by: user)) == .unknownDocument(id, in: .insights))
        }
        try world.backend.deleteDocument(id, in: .insights, by: user)
        #expect(refusal(try world.mark(id, "is_read", as: true, by: user))?.status == .notFound)
    }

    /// The types, each with the first day of its period and the number of times since then that have moods and entries,
    /// which are at the ends of days.
    static let types: [(type: String, first: String, count: Int)] = [
        ("daily", "2025-01-29", 1), ("weekly", "2025-01-23", 3), ("pattern", "2025-01-16", 5),
        ("monthly", "2024-12-31", 7), ("milestone", "2024-12-31", 7),
    ]

    @Test("A generated insight summarizes the records in its type's period", arguments: types)
    func generated(type: String, first: String, count: Int) throws {
        var (world, user) = try World().withUser()
        for time in [
            "2024-12-30T23:59:59Z", "2024-12-31T00:00:00Z", "2025-01-15T23:59:59Z", "2025-01-16T00:00:00Z",
            "2025-01-22T23:59:59Z", "2025-01-23T00:00:00Z", "2025-01-28T23:59:59Z", "2025-01-29T00:00:00Z",
        ] {
            try world.send(#"{"valence":0,"logged_at":"\#(time)"}"#, to: .moodEntries, by: user)
            for _ in 0..<2 { try world.send(#"{"content":"c","logged_at":"\#(time)"}"#, to: .journal, by: user) }
        }
        for _ in 0..<3 { _ = try world.createGoal(by: user) }
        let done = try world.createGoal(by: user)
        try world.update(done, by: user) { $0.change.status = .completed }
        let insight = try world.data(try world.generate(#"{"insight_type":"\#(type)"}"#, by: user))
        #expect(insight["insight_type"]?.string == type)
        #expect(insight["period_start"]?.string == "\(first)T00:00:00.000Z")
        #expect(insight["period_end"] == "2025-01-29T23:59:59.000Z")
        let metrics: JSONValue = [
            "mood_entries_count": .number(JSONNumber(count)), "journal_entries_count": .number(JSONNumber(2 * count)),
            "goals_active": 3, "goals_completed": 1,
        ]
        #expect(insight["metrics"] == metrics)
        for mark in ["is_read", "is_favorite", "is_archived"] { #expect(insight[mark] == false) }
        for text in ["title", "content", "summary"] { #expect(insight[text]?.string?.isEmpty == false) }
        #expect(insight["created_at"] == "2025-01-29T10:30:00.000Z" && insight["user_id"] == "user-1")
        // The list shows the created insight in the form that a request may use.
        #expect(try world.documents(.insights, for: user)["insights"]?[0] == insight)
        let read = try DocumentRequest.object(insight.encoded(), for: .insights, at: world.turn.date)
        for (name, value) in read { #expect(insight[name] == value, "\(name)") }
    }

    @Test("A requested period includes both its start and its end")
    func period() throws {
        var (world, user) = try World().withUser()
        for second in 8...13 {
            let time = "2025-01-10T10:00:\(second < 10 ? "0" : "")\(second)Z"
            try world.send(#"{"valence":0,"logged_at":"\#(time)"}"#, to: .moodEntries, by: user)
        }
        let insight = try world.data(
            try world.generate(
                """
                {"insight_type":"daily","period_start":"2025-01-10T10:00:09Z","period_end":"2025-01-10T10:00:12.9Z"}
                """, by: user))
        #expect(insight["metrics"]?["mood_entries_count"] == 4)
        #expect(insight["period_end"] == "2025-01-10T10:00:12.000Z")
    }
}
