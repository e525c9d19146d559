import Replay
import Testing
import Traffic

@Suite("Matching requests")
struct MatchTests {
    typealias Match = ReplaySettings.Match

    /// A list twice, a list of another page, and two consultations made.
    static func session() -> SessionBuilder {
        var builder = SessionBuilder()
        builder.exchange("GET", "/api/v1/goals?limit=2&offset=0", answer: "goals 1")
        builder.exchange("POST", "/api/v1/consultations", body: #"{"persona":"coach","n":1.0}"#, answer: "made 1")
        builder.exchange("POST", "/api/v1/consultations", body: #"{"persona":"nutritionist"}"#, answer: "made 2")
        builder.exchange("GET", "/api/v1/goals?limit=2&offset=0", answer: "goals 2")
        builder.exchange("GET", "/api/v1/goals?limit=2&offset=2", answer: "goals 3")
        return builder
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var match: Match
        /// `METHOD target body` and what it gets.
        var steps: [(request: String, answer: String)]

        var testDescription: String { "\(match.rawValue): \(name)" }

        init(_ match: Match, _ name: String, _ steps: [(request: String, answer: String)]) {
            (self.match, self.name, self.steps) = (match, name, steps)
        }
    }

    static let goals = "GET /api/v1/goals?limit=2&offset=0"
    static let page = "GET /api/v1/goals?limit=2&offset=2"
    static let coach = #"POST /api/v1/consultations {"persona":"coach","n":1.0}"#
    static let nutritionist = #"POST /api/v1/consultations {"persona":"nutritionist"}"#
    static let unknown = "unexpected: unknown"
    static let notItsTurn = "unexpected: notItsTurn"

    static let rows = [
        Row(.ordered, "in turn", [(goals, "goals 1"), (goals, "goals 2")]),
        Row(.ordered, "in any order", [(page, "goals 3"), (nutritionist, "made 2"), (coach, "made 1")]),
        Row(.ordered, "GET repeats the last", [(goals, "goals 1"), (goals, "goals 2"), (goals, "goals 2")]),
        Row(.ordered, "POST does not repeat", [(coach, "made 1"), (coach, "unexpected: runOut(1)")]),
        Row(
            .ordered, "the order of the query does not count",
            [("GET /api/v1/goals?offset=0&limit=2", "goals 1")]),
        Row(
            .ordered, "the form of the JSON does not count",
            [(#"POST /api/v1/consultations {"n": 1, "persona": "coach"}"#, "made 1")]),
        Row(.ordered, "escapes do not count", [("GET /api/v1/%67oals?limit=%32&offset=0", "goals 1")]),
        Row(.ordered, "a world's prefix does not count", [("GET /w/abc/api/v1/goals?limit=2&offset=2", "goals 3")]),
        Row(.ordered, "another query", [("GET /api/v1/goals?limit=3&offset=0", unknown)]),
        Row(.ordered, "a query more", [("GET /api/v1/goals?limit=2&offset=0&x=1", unknown)]),
        Row(.ordered, "another body", [(#"POST /api/v1/consultations {"persona":"x"}"#, unknown)]),
        Row(.ordered, "another method", [("DELETE /api/v1/goals?limit=2&offset=0", unknown)]),
        Row(.ordered, "another path", [("GET /api/v1/meal-logs", unknown)]),
        Row(
            .ordered, "HEAD looks at GET, whose turn stays",
            [
                ("HEAD /api/v1/goals?limit=2&offset=0", "goals 1"), (goals, "goals 1"),
                ("HEAD /api/v1/goals?limit=2&offset=0", "goals 2"),
            ]),
        Row(
            .strict, "in the recorded order",
            [
                (goals, "goals 1"), (coach, "made 1"), (nutritionist, "made 2"), (goals, "goals 2"), (page, "goals 3"),
                (page, "unexpected: over"),
            ]),
        Row(.strict, "not in another", [(coach, notItsTurn), (goals, "goals 1"), (nutritionist, notItsTurn)]),
        Row(.strict, "HEAD is no GET", [("HEAD /api/v1/goals?limit=2&offset=0", notItsTurn)]),
        Row(
            .route, "query and body do not count",
            [
                ("GET /api/v1/goals?x=1", "goals 1"), ("POST /api/v1/consultations no JSON", "made 1"),
                ("GET /api/v1/goals", "goals 2"), ("GET /api/v1/goals", "goals 3"),
            ]),
        Row(
            .route, "the last repeats, of any method",
            [
                (coach, "made 1"), (coach, "made 2"), (coach, "made 2"), (coach, "made 2"),
            ]),
        Row(.route, "HEAD looks at GET", [("HEAD /api/v1/goals", "goals 1"), ("GET /api/v1/goals", "goals 1")]),
        Row(.route, "another method", [("PUT /api/v1/goals", unknown)]),
        Row(.route, "another path", [("GET /api/v1/goal", unknown)]),
    ]

    @Test("HEAD for a recorded GET is no request made, a recorded HEAD is one", arguments: [Match.ordered, .route])
    func heads(match: Match) throws {
        var player = try Self.session().player(match)
        #expect(player.text("HEAD", "/api/v1/goals?limit=2&offset=0") == "goals 1")
        #expect(player.report.served == 0 && player.report.neverAskedCount == 5)
        var builder = SessionBuilder()
        builder.exchange("HEAD", "/a", status: 204)
        player = try builder.player(match)
        #expect(player.text("HEAD", "/a") == "204")
        #expect(player.report.served == 1)
    }

    @Test("A request gets what was recorded for it, or is unexpected", arguments: rows)
    func matches(row: Row) throws {
        var player = try Self.session().player(row.match)
        for (request, answer) in row.steps {
            let parts = request.split(separator: " ", maxSplits: 2).map(String.init)
            #expect(
                player.text(parts[0], parts[1], body: parts.count > 2 ? parts[2] : "") == answer, "\(request)")
        }
    }
}
