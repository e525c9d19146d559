import JSON
import Testing

@testable import FitIQAPI

@Suite("Document list queries") struct DocumentListQueryTests {
    private static func query(
        _ endpoint: Endpoint, _ collection: DocumentCollection, _ query: Query
    ) throws(APIError) -> DocumentListQuery {
        try DocumentListQuery(query: query, of: endpoint, in: collection, at: .example)
    }

    private static func documents(in collection: DocumentCollection) throws -> Endpoint {
        try #require(Endpoint.allCases.first { $0.documents == collection && $0.method == .get })
    }

    static let sizes: [(DocumentCollection, Int)] = [
        (.moodEntries, 50), (.journal, 30), (.insights, 20), (.progress, 20), (.sleep, 30), (.workouts, 20),
        (.profileMetrics, 20), (.workoutTemplates, 20),
    ]

    @Test("The page size defaults to the collection's page size", arguments: sizes)
    func page(collection: DocumentCollection, size: Int) throws {
        let endpoint = try Self.documents(in: collection)
        #expect(try Self.query(endpoint, collection, []).page == Page(number: 1, size: size))
        #expect(try Self.query(endpoint, collection, [("limit", "100")]).page == Page(number: 1, size: 100))
        #expect(try Self.query(endpoint, collection, [("offset", "7")]).page == Page(offset: 7, size: size))
        for (name, value) in [("limit", "0"), ("limit", "101"), ("limit", "x"), ("offset", "-1"), ("page", "0")] {
            #expect(
                refusal(try Self.query(endpoint, collection, [(name, value)]))?.message
                    .hasPrefix("The parameter '\(name)' must be") == true)
        }
    }

    /// A range, and times just inside and just outside the range; the clock shows 2025-01-29T10:30:00Z.
    struct Span: Sendable {
        let query: Query
        let within: [String]
        let outside: [String]
    }

    static let spans = [
        Span(
            query: [("from", "2025-01-10T10:00:00Z")], within: ["2025-01-10T10:00:00Z", "2026-01-01T00:00:00Z"],
            outside: ["2025-01-10T09:59:59Z"]),
        Span(
            query: [("from", "2025-01-10"), ("to", "2025-01-11")],
            within: ["2025-01-10T00:00:00Z", "2025-01-11T23:59:59.9Z"],
            outside: ["2025-01-09T23:59:59Z", "2025-01-12T00:00:00Z"]),
        Span(
            query: [("from", "2000-01-01"), ("to", "2025-01-10T11:00:00.5+01:00")],
            within: ["2000-01-01T00:00:00Z", "2025-01-10T10:00:00Z"],
            outside: ["1999-12-31T23:59:59Z", "2025-01-10T10:00:01Z"]),
        Span(query: [("from", "2025-01-11"), ("to", "2025-01-10")], within: [], outside: ["2025-01-10T12:00:00Z"]),
    ]
    /// The start of a default range.
    static let lastDays = [
        Span(
            query: [], within: ["2024-12-30T00:00:00Z", "2025-01-29T10:34:00Z", "2026-01-01T00:00:00Z"],
            outside: ["2024-12-29T23:59:59Z", "2001-01-01T00:00:00Z"]),
        Span(
            query: [("to", "2025-01-20")], within: ["2024-12-21T00:00:00Z", "2025-01-20T23:59:59Z"],
            outside: ["2024-12-20T23:59:59Z", "2025-01-21T00:00:00Z"]),
    ]
    static let everything = [
        Span(query: [], within: ["2001-01-01T00:00:00Z", "2026-01-01T00:00:00Z"], outside: []),
        Span(query: [("to", "2025-01-20")], within: ["2001-01-01T00:00:00Z"], outside: ["2025-01-21T00:00:00Z"]),
    ]
    static let ranged: [(DocumentCollection, member: String, from: String, to: String, isOfLastDays: Bool)] = [
        (.moodEntries, "logged_at", "from", "to", true), (.journal, "logged_at", "from", "to", true),
        (.progress, "logged_at", "from", "to", true), (.sleep, "start_time", "from", "to", true),
        (.workouts, "started_at", "from", "to", false),
        (.profileMetrics, "recorded_at", "start_date", "end_date", false),
    ]

    @Test("A time range includes both ends and whole days and usually defaults to 30 days", arguments: ranged)
    func ranges(collection: DocumentCollection, member: String, from: String, to: String, isOfLastDays: Bool) throws {
        let endpoint = try Self.documents(in: collection)
        for span in Self.spans + (isOfLastDays ? Self.lastDays : Self.everything) {
            let renamed = span.query.map { (name: $0.name == "from" ? from : to, value: $0.value) }
            let query = try Self.query(endpoint, collection, renamed)
            for (times, isMatch) in [(span.within, true), (span.outside, false)] {
                for time in times {
                    let document = Document(collection, [member: .string(time)])
                    #expect(query.matches(document) == isMatch, "\(time) \(renamed)")
                }
            }
        }
        for (name, value) in [(from, "yesterday"), (to, "2025-02-30"), (from, "2025-01-29T10:30:00+0200"), (to, "")] {
            #expect(refusal(try Self.query(endpoint, collection, [(name, value)])) == .badDate(name, got: value))
        }
    }

    /// Parameters, and the indexes of the documents that they select.
    struct Filter: Sendable {
        let endpoint: Endpoint
        let documents: [JSONObject]
        let found: [(query: Query, places: [Int])]
    }

    private static let time: JSONValue = "2025-01-29T10:00:00Z"

    static let filters: KeyValuePairs<DocumentCollection, Filter> = [
        .moodEntries: Filter(
            endpoint: .listMoodEntries,
            documents: [["source": "manual", "logged_at": time], ["source": "healthkit", "logged_at": time]],
            found: [
                ([("source", "manual")], [0]), ([("source", "healthkit")], [1]), ([("source", "api")], []),
                ([("source", "manual"), ("to", "2025-01-28")], []), ([("entry_type", "x")], [0, 1]),
            ]),
        .journal: Filter(
            endpoint: .listJournalEntries,
            documents: [
                ["entry_type": "meal", "tags": ["a", "b"], "is_favorite": true],
                ["entry_type": "freeform", "tags": ["b", "c,d"], "is_favorite": false],
                ["entry_type": "meal", "tags": []],
            ],
            found: [
                ([("entry_type", "meal")], [0, 2]), ([("tags", "a")], [0]), ([("tags", "a,b")], [0, 1]),
                ([("tags", "c")], []), ([("tags", "A")], []), ([("tags", "x,c,b")], [0, 1]),
                ([("favorites_only", "true")], [0]), ([("favorites_only", "false")], [0, 1, 2]),
                ([("entry_type", "meal"), ("tags", "b")], [0]),
            ]),
        .insights: Filter(
            endpoint: .listInsights,
            documents: [
                [
                    "insight_type": "daily", "is_read": true, "is_favorite": true, "is_archived": false,
                    "period_start": "2025-01-10T00:00:00.000Z", "period_end": "2025-01-10T23:59:59.000Z",
                ],
                ["insight_type": "weekly", "is_read": false, "is_archived": true, "is_favorite": true],
                [
                    "insight_type": "weekly", "period_start": "2025-01-10T00:00:00.000Z",
                    "period_end": "2025-01-16T23:59:59.000Z",
                ],
            ],
            found: [
                ([], [0, 2]), ([("archived_status", "false")], [0, 2]), ([("archived_status", "true")], [1]),
                ([("insight_type", "weekly")], [2]), ([("insight_type", "monthly")], []),
                ([("insight_type", "weekly"), ("archived_status", "true")], [1]),
                ([("read_status", "true")], [0]), ([("read_status", "false")], [2]),
                ([("read_status", "false"), ("archived_status", "true")], [1]),
                ([("favorites_only", "true")], [0]), ([("favorites_only", "false")], [0, 2]),
                ([("period_from", "2025-01-10")], [0, 2]), ([("period_from", "2025-01-10T00:00:01Z")], []),
                ([("period_to", "2025-01-10")], [0]), ([("period_to", "2025-01-16T23:59:58.000Z")], [0]),
                ([("period_to", "2025-01-16T23:59:59.000Z")], [0, 2]),
            ]),
        .progress: Filter(
            endpoint: .listProgress, documents: [["type": "weight"], ["type": "bmi"], ["type": "weight_kg"]],
            found: [([("type", "weight")], [0]), ([], [0, 1, 2])]),
        .workoutTemplates: Filter(
            endpoint: .listWorkoutTemplates,
            documents: [
                ["category": "strength", "difficulty_level": "expert"], ["category": "Strength"],
                ["category": "strength", "difficulty_level": "beginner"],
            ],
            found: [
                ([("category", "strength")], [0, 2]), ([("category", "any text")], []),
                ([("difficulty", "expert")], [0]), ([("category", "strength"), ("difficulty", "beginner")], [2]),
            ]),
    ]

    @Test("Each collection has its own filters", arguments: filters)
    func selects(collection: DocumentCollection, filter: Filter) throws {
        let documents = filter.documents.map { Document(collection, $0) }
        for (query, places) in filter.found {
            let read = try Self.query(filter.endpoint, collection, query)
            #expect(documents.indices.filter { read.matches(documents[$0]) } == places, "\(query)")
        }
    }

    static let refused: [(Endpoint, DocumentCollection, name: String, value: String)] = [
        (.listMoodEntries, .moodEntries, "source", "watch"), (.listJournalEntries, .journal, "entry_type", "diary"),
        (.listJournalEntries, .journal, "favorites_only", "1"), (.listInsights, .insights, "insight_type", "wellness"),
        (.listInsights, .insights, "read_status", "all"), (.listInsights, .insights, "archived_status", "TRUE"),
        (.listInsights, .insights, "sort_by", "title"), (.listInsights, .insights, "sort_order", "up"),
        (.listInsights, .insights, "period_to", "soon"), (.listProgress, .progress, "type", "weight_kg"),
        (.listWorkoutTemplates, .workoutTemplates, "source", "public"),
        (.listWorkoutTemplates, .workoutTemplates, "include_public", "yes"),
        (.listWorkoutTemplates, .workoutTemplates, "difficulty", "easy"),
        (.listPublicWorkoutTemplates, .workoutTemplates, "difficulty", "easy"),
        (.listSharedWorkoutTemplates, .workoutTemplates, "professional_type", "doctor"),
        (.searchJournal, .journal, "q", ""), (.searchJournal, .journal, "q", " \t\n"),
        (.searchJournal, .journal, "q", "\""), (.searchJournal, .journal, "q", "\"\" \" \""),
    ]

    @Test("The error for an unknown value names the parameter", arguments: refused)
    func refuses(endpoint: Endpoint, collection: DocumentCollection, name: String, value: String) throws {
        let refusal = refusal(try Self.query(endpoint, collection, [(name, value)]))
        #expect(refusal?.status == .badRequest && refusal?.code == .validationFailed)
        #expect(refusal?.message.contains("'\(name)'") == true)
        // A different list ignores the parameter.
        #expect(refusal == nil || name == "type" || (try? Self.query(.listSleep, .sleep, [(name, value)])) != nil)
    }

    @Test("Insights can be sorted by any of three times in both directions")
    func sorting() throws {
        let usual = try Self.query(.listInsights, .insights, [])
        #expect(usual.sortedBy == nil && !usual.isAscending)
        for order in DocumentListQuery.InsightOrder.allCases {
            let query = try Self.query(.listInsights, .insights, [("sort_by", order.rawValue), ("sort_order", "asc")])
            #expect(query.sortedBy == order && query.isAscending)
        }
        let orders = DocumentListQuery.InsightOrder.allCases.map(\.rawValue)
        #expect(orders == ["created_at", "updated_at", "period_start"])
        #expect(try !Self.query(.listInsights, .insights, [("sort_order", "desc")]).isAscending)
    }

    static let searches: [(text: String, words: [String])] = [
        ("run", ["run"]), ("  in\tthe \n rain ", ["in", "the", "rain"]),
        (#"wet "in the rain" run"#, ["wet", "in the rain", "run"]), (#""a phrase""#, ["a phrase"]),
        (#"a"b c"d"#, ["a", "b c", "d"]), (#"run "not closed"#, ["run", "not closed"]), (#"a """#, ["a"]),
    ]

    @Test("A search splits its text into words and quoted phrases", arguments: searches)
    func words(text: String, words: [String]) throws {
        #expect(try Self.query(.searchJournal, .journal, [("q", text)]).words == words)
    }

    @Test("A search has at most twenty words and counts a phrase as one word")
    func wordLimit() throws {
        func refused(_ count: Int) -> APIError? {
            let text = #""a phrase" "# + Array(repeating: "x", count: count - 1).joined(separator: " ")
            return refusal(try Self.query(.searchJournal, .journal, [("q", text)]))
        }
        #expect(refused(20) == nil && refused(21) == .tooManyWords(limit: 20, got: 21))
        #expect(
            refusal(try Self.query(.searchJournal, .journal, []))?.message
                == "The parameter 'q' is required: the words to search for.")
    }

    @Test("A filter reads a document's members only if it needs them")
    func costs() throws {
        #expect(try !Self.query(.listMoodEntries, .moodEntries, [("to", "2025-01-29")]).readsMembers)
        #expect(try Self.query(.listMoodEntries, .moodEntries, [("source", "api")]).readsMembers)
        #expect(try Self.query(.searchJournal, .journal, [("q", "x")]).readsMembers)
        #expect(try Self.query(.listInsights, .insights, []).readsMembers)
    }
}
