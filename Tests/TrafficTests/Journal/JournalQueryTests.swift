import FitIQAPI
import HTTP1
import JSON
import Testing
import WebSocket

@testable import Traffic

@Suite("Journal queries")
struct JournalQueryTests {
    /// A journal with entries 1 to 15.
    static let journal: Journal = {
        var journal = Journal()
        func record(_ event: JournalEvent, _ connection: UInt64) {
            journal.record(event, at: JournalSample.time, connection: connection)
        }
        func get(_ target: String) -> JournalEvent {
            .exchange(JournalSample.exchange("GET \(target)", endpoint: .showGoal, user: "alice"))
        }
        record(get("/api/v1/goals/1"), 1)
        record(
            .exchange(JournalSample.exchange("POST /api/v1/goals", status: 201, endpoint: .createGoal, user: "bob")), 1)
        record(.exchange(JournalSample.exchange("GET /goals", status: 404, unmatched: .unknownPath)), 2)
        record(.exchange(JournalSample.exchange("GET /a%20b/goals", status: nil)), 2)
        func opening(_ user: ExactString) -> JournalEvent {
            .opened(
                RecordedOpening(
                    head: JournalSample.head("GET /api/v1/consultations/c/ws"), requestedAt: JournalSample.time,
                    endpoint: .webSocket, user: user))
        }
        record(opening("alice"), 3)
        record(.frame(JournalSample.frame(.server, #"{"type":"connected"}"#)), 3)
        record(.frame(JournalSample.frame(.client, #"{"type":"\u0070ing"}"#)), 3)
        record(.frame(JournalSample.frame(.client, "no JSON")), 3)
        record(.clock(advancedBy: 1), 0)
        record(opening("bob"), 4)
        record(.frame(JournalSample.frame(.server, #"{"type":"connected"}"#)), 4)
        record(.closed(RecordedClosing(by: .client, cause: .finish)), 3)
        record(get("/w/x/api/v1/goals/2"), 5)
        record(
            .held(
                RecordedHold(
                    breakpoint: "b", place: .frame, sender: .client, until: JournalSample.time, subject: "text ping")),
            4)
        record(.released(RecordedRelease(held: 14, breakpoint: "b", action: .dropped, due: JournalSample.time)), 4)
        return journal
    }()

    private func items(_ query: String) throws -> [(name: String, value: String)] {
        try RequestTarget(parsing: "/" + (query.isEmpty ? "" : "?" + query)).queryItems()
    }

    static let table: [(String, [Int])] = [
        ("", Array((1...15).reversed())), ("order=asc", Array(1...15)), ("order=desc&limit=2", [15, 14]),
        ("order=asc&limit=2", [1, 2]), ("since=11", [15, 14, 13, 12]), ("since=15", []), ("since=0&limit=1", [15]),
        ("since=99999", []), ("since=9223372036854775807", []), ("before=3", [2, 1]),
        ("since=2&before=5&order=asc", [3, 4]), ("before=1", []), ("kind=exchange&order=asc", [1, 2, 3, 4, 13]),
        ("kind=opened", [10, 5]), ("kind=frame", [11, 8, 7, 6]), ("kind=closed", [12]), ("kind=clock", [9]),
        ("kind=note", []), ("kind=fault", []), ("kind=held", [14]), ("kind=released", [15]),
        ("kind=held&user=bob", [14]), ("kind=released&user=alice", []), ("method=POST", [2]), ("method=post", [2]),
        ("method=GET&order=asc", [1, 3, 4, 5, 10, 13]), ("method=PUT", []), ("status=404", [3]),
        ("status=2xx&order=asc", [1, 2, 13]), ("status=4XX", [3]), ("status=101", [10, 5]), ("status=1xx", [10, 5]),
        ("status=599", []), ("status=500", []), ("endpoint=createGoal", [2]),
        ("endpoint=openSocket&order=asc", [5, 6, 7, 8, 10, 11, 12, 14, 15]),
        ("user=alice&order=asc", [1, 5, 6, 7, 8, 12, 13]), ("user=bob", [15, 14, 11, 10, 2]), ("user=carol", []),
        ("user=bob&kind=frame", [11]), ("connection=3", [12, 8, 7, 6, 5]), ("connection=99", []),
        ("path=/goals&order=asc", [1, 2, 3, 4, 13]), ("path=a%2520b", [4]), ("path=/ws&kind=frame&limit=1", [11]),
        ("connection=4", [15, 14, 11, 10]), ("path=%2Fapi%2Fv1%2Fgoals%2F%7BgoalId%7D", [13, 1]), ("path=/{x}", [3]),
        ("path=/{x}/goals", [4]), ("path=/a%20b/{y}", [4]), ("path=/api/v1/{x}", [2]), ("path=/nothing", []),
        ("direction=client_to_server", [14, 8, 7]), ("direction=server_to_client", [11, 6]),
        ("type=connected", [11, 6]), ("type=ping", [7]), ("type=pong", []), ("type=connected&user=alice", [6]),
        ("type=connected&method=GET", []), ("unmatched=true", [3]),
        ("unmatched=false&kind=exchange&order=asc", [1, 2, 4, 13]), ("unmatched=false&kind=opened", [10, 5]),
        ("direction=client_to_server&kind=closed", []), ("direction=client_to_server&kind=held", [14]),
        ("direction=server_to_client&kind=held", []), ("direction=client_to_server&kind=released", []),
        ("type=ping&kind=held", []), ("method=GET&kind=held", []), ("status=101&kind=released", []),
        ("unmatched=false&kind=held", []),
    ]

    @Test("A query returns its matches in the requested order", arguments: table)
    func finds(query: String, numbers: [Int]) throws {
        let query = try JournalQuery(query: items(query))
        #expect(Self.journal.entries(query).map(\.number) == numbers)
    }

    @Test("A query returns 100 entries by default and at most 1,000")
    func limits() throws {
        var journal = Journal()
        for _ in 1...1100 { journal.record(.note(""), at: JournalSample.time) }
        #expect(journal.entries(JournalQuery()).count == 100)
        #expect(try journal.entries(JournalQuery(query: items("limit=1000"))).count == 1000)
    }

    static let refusals: KeyValuePairs<String, String> = [
        "methd=GET":
            "The journal has no parameter \"methd\"; it has method, path, status, endpoint, user, trace, connection, kind, unmatched, since, before, direction, type, text, limit, order. Did you mean 'method'?",
        "limit=1&limit=1": "The parameter 'limit' occurs in the query more than once; send it only once.",
        "user=": "The parameter 'user' is empty; set a value or omit the parameter.",
        "path": "The parameter 'path' is empty; set a value or omit the parameter.",
        "limit=0": "The parameter 'limit' must be a whole number from 1 to 1000; got \"0\".",
        "limit=1001": "The parameter 'limit' must be a whole number from 1 to 1000; got \"1001\".",
        "limit=%2B5": "The parameter 'limit' must be a whole number from 1 to 1000; got \"+5\".",
        "since=-1": "The parameter 'since' must be a whole number of at least 0; got \"-1\".",
        "before=0": "The parameter 'before' must be a whole number of at least 1; got \"0\".",
        "connection=0": "The parameter 'connection' must be a whole number of at least 1; got \"0\".",
        "since=99999999999999999999":
            "The parameter 'since' must be a whole number of at least 0; got \"99999999999999999999\".",
        "order=up": "'order' must be one of \"asc\", \"desc\"; got \"up\".",
        "unmatched=1": "'unmatched' must be one of \"true\", \"false\"; got \"1\".",
        "kind=frames":
            "'kind' must be one of \"exchange\", \"opened\", \"frame\", \"closed\", \"fault\", \"clock\", \"note\", \"held\", \"released\"; got \"frames\". Did you mean \"frame\"?",
        "direction=in": "'direction' must be one of \"client_to_server\", \"server_to_client\"; got \"in\".",
        "endpoint=creategoal":
            "'endpoint' must be one of \(endpoints); got \"creategoal\". Did you mean \"createGoal\"?",
    ]

    private static let endpoints = Endpoint.allCases.map { "\"\($0.name)\"" }.joined(separator: ", ")

    @Test("The error for an invalid query lists the allowed values", arguments: refusals)
    func refuses(query: String, message: String) throws {
        let items = try items(query)
        #expect(throws: APIError(.badRequest, .validationFailed, message)) { try JournalQuery(query: items) }
    }

    @Test(
        "A query can match a status or a class of statuses",
        arguments: ["", "99", "600", "4x", "x04", "0xx", "6xx", "40x", "4xxx", "٤٠٤"])
    func statuses(value: String) { #expect(throws: APIError.self) { try JournalQuery(query: [("status", value)]) } }

    @Test("A status class matches exactly a hundred statuses")
    func classes() throws { #expect(try JournalQuery(query: [("status", "4xx")]).status == 400...499) }

    @Test(
        "Path templates distinguish empty segments and paths similar to a world's",
        arguments: [
            ("/a//{id}", "/a//1", true), ("/a//{id}", "/a/1", false), ("/a/{id}/", "/a/1/", true),
            ("/a/{id}/", "/a/1", false), ("/w/{id}", "/w/1", true), ("/{id}", "/w/a/1", true), ("/{id}", "/w/1", false),
        ])
    func segments(template: String, target: String, matches: Bool) throws {
        let pattern = try #require(PathPattern(template))
        #expect(try pattern.matches(RequestTarget(parsing: target)) == matches)
    }

    @Test("A path template matches exactly its paths", arguments: ["goals/{id}", "/{}", "/a{b}", "/{a", "/a}", "{"])
    func templates(value: String) {
        #expect(
            throws: APIError(
                .badRequest, .validationFailed,
                "The parameter 'path' must be part of a path, such as /messages, or a template that begins with a slash, such as /api/v1/goals/{goalId}; got \"\(value)\"."
            )
        ) { try JournalQuery(query: [("path", value)]) }
    }
}

@Suite("Journal lookouts")
struct JournalLookoutTests {
    /// The number of the entry that a lookout finds or, if there is none, the near misses.
    private static func look(_ query: String) throws -> (Int?, [(Int, [String])]) {
        let items = query.split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1)
            return (name: String(parts[0]), value: String(parts[1]))
        }
        var lookout = JournalLookout(try JournalQuery(query: items))
        while true {
            switch lookout.next(in: JournalQueryTests.journal) {
            case .found(let entry): return (entry.number, [])
            // Thousands of entries before the last one are near misses; only an error needs sentences about them.
            case .passed: #expect(lookout.nearMisses.allSatisfy { $0.differences.isEmpty })
            case nil: return (nil, lookout.nearMisses.map { ($0.entry.number, $0.differences) })
            }
        }
    }

    @Test(
        "A lookout finds the same first entry as a search from the oldest",
        arguments: [
            "method=POST", "status=404", "path=/a%20b", "user=bob", "type=connected", "type=connected&user=bob",
            "type=ping&path=/api/v1/consultations/{id}/ws", "kind=closed&user=alice", "unmatched=true", "connection=4",
            "endpoint=createGoal", "direction=client_to_server", "text=no JSON", "status=4xx&since=3", "since=7",
            "user=bob&since=2",
        ])
    func finds(_ text: String) throws {
        let items = text.split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1)
            return (name: String(parts[0]), value: String(parts[1]))
        }
        var query = try JournalQuery(query: items)
        query.isNewestFirst = false
        #expect(try Self.look(text).0 == JournalQueryTests.journal.entries(query).first?.number)
    }

    @Test("A lookout without a match returns the nearest entries, newest first")
    func misses() throws {
        let (found, misses) = try Self.look("kind=exchange&method=POST&status=404")
        #expect(found == nil && misses.count == JournalLookout.mostMisses)
        #expect(misses.map { $0.0 } == [3, 2, 13])
        let created = misses.first { $0.0 == 2 }
        #expect(created?.1 == ["status is 201, not 404"])
        #expect(misses.contains { $0.0 == 3 && $0.1 == ["method is GET, not POST"] })
    }

    @Test("A lookout skips dropped entries and ends in an emptied journal")
    func emptied() throws {
        var journal = JournalQueryTests.journal
        var lookout = JournalLookout(try JournalQuery(query: [("status", "503")]))
        journal.removeAll()
        guard case nil = lookout.next(in: journal) else { return #expect(Bool(false)) }
        #expect(lookout.checked == journal.lastNumber && lookout.nearMisses.isEmpty)
    }
}
