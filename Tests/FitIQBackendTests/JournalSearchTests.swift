import FitIQAPI
import JSON
import Testing

@testable import FitIQBackend

@Suite("Journal search") struct JournalSearchTests {
    private static let entries = [
        #"{"n":"a","title":"Running in the Rain","content":"Two kilometres","tags":["sport"],"logged_at":"2025-01-20T08:00:00Z"}"#,
        #"{"n":"b","content":"I was running, then rain, then Überraschung","logged_at":"2025-01-21T08:00:00Z"}"#,
        #"{"n":"c","title":"Rest","content":"Not today","tags":["no","Running"],"logged_at":"2025-01-22T08:00:00Z"}"#,
        #"{"n":"d","title":"Old","content":"rain in the attic","logged_at":"2001-01-01T08:00:00Z"}"#,
    ]

    static let table: [(words: String, found: [String], relevance: [Double])] = [
        ("running", ["a", "c", "b"], [1, 0.75, 0.5]), ("RUNNING", ["a", "c", "b"], [1, 0.75, 0.5]),
        ("running rain", ["a", "b"], [1, 0.5]), ("rain running", ["a", "b"], [1, 0.5]),
        ("running two", ["a"], [0.75]), ("\"in the rain\"", ["a"], [1]), ("\"rain in the\"", ["d"], [0.5]),
        ("rain in the", ["a", "b", "d"], [1, 0.5, 0.5]), ("überRASCHUNG", ["b"], [0.5]), ("sport", ["a"], [0.75]),
        ("rain \"not today\"", [], []), ("freeform", [], []), ("unn", ["a", "c", "b"], [1, 0.75, 0.5]),
        // Among entries of equal relevance, the newest comes first.
        ("then", ["b"], [0.5]), ("o", ["d", "c", "a"], [1, 0.75, 0.75]),
    ]

    @Test("A search finds the entries that contain all words and phrases and sorts them by relevance", arguments: table)
    func finds(words: String, found: [String], relevance: [Double]) throws {
        var (world, user, other) = try World().withTwoUsers()
        for entry in Self.entries { try world.send(entry, to: .journal, by: user) }
        try world.send(Self.entries[0], to: .journal, by: other)
        let results = try world.search(words, for: user)
        #expect(results.texts("results", "n") == found)
        #expect(results["results"]?.array?.map { $0["relevance_score"]?.double } == relevance)
        #expect(results["total"]?.int == found.count && results["entries"] == nil)
    }

    @Test("A client cannot set an entry's relevance")
    func oneRelevance() throws {
        var (world, user) = try World().withUser()
        try world.send(
            #"{"content":"rain","logged_at":"2025-01-29T10:00:00Z","relevance_score":7}"#, to: .journal, by: user)
        let results = try #require(try world.search("rain", for: user)["results"]?[0]?.object)
        #expect(results["relevance_score"] == 0.5)
        #expect(try world.documents(for: user)["entries"]?[0]?["relevance_score"] == nil)
    }

    @Test("Search results are divided into pages")
    func paging() throws {
        var (world, user) = try World().withUser()
        for entry in Self.entries { try world.send(entry, to: .journal, by: user) }
        let page = try world.search("running", [("limit", "1"), ("offset", "1")], for: user)
        #expect(page.texts("results", "n") == ["c"])
        #expect(page["total"] == 3 && page["limit"] == 1 && page["offset"] == 1 && page["has_more"] == true)
        let all = try world.search("running", for: user)
        #expect(all["limit"] == 30 && all["has_more"] == false)
    }
}
