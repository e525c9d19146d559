import FitIQAPI
import JSON
import SQLite
import TestSupport
import Testing

@testable import MockServer

/// Exports, imports and saves documents of every kind.
@Suite("Stored documents") struct DocumentStateTests {
    private static func fill(_ world: WorldClient) throws {
        for endpoint in SentDocuments.operations where endpoint.method == .post && !endpoint.template.contains("{") {
            let made = try world.exchange(.post, SentDocuments.target(of: endpoint), SentDocuments.body(of: endpoint))
            #expect(made.status == 201, "\(made.text)")
            let id = made.json?["data"]?["id"]?.string ?? ""
            if endpoint == .generateInsights {
                #expect(try world.exchange(.post, "/api/v1/insights/\(id)/favorite").status == 200)
            } else if endpoint == .createWorkoutTemplate {
                let path = SentDocuments.target(of: .shareWorkoutTemplate, id)
                #expect(try world.exchange(.post, path, SentDocuments.body(of: .shareWorkoutTemplate)).status == 201)
            }
        }
    }

    /// The answers to each operation without an id, and the answers to the user with whom the template is shared.
    private static func shown(_ world: WorldClient, secret: String) throws -> [String] {
        let own = try SentDocuments.operations.filter { $0.method == .get && !$0.template.contains("{") }
            .map { try world.exchange(.get, SentDocuments.target(of: $0)).text }
        let bert = Request.token(for: "bert", secret: secret)
        let shared = try world.exchange(.get, "/api/v1/workout-templates/shared-with-me", token: bert)
        #expect(shared.json?["data"]?["total"] == 1, "\(shared.text)")
        return own + [shared.text]
    }

    @Test("A world with an imported state sends the same answers and the same export")
    func exports() throws {
        let network = VirtualNetwork.manual()
        let (first, second) = (try network.world(#"{"clock":"manual"}"#), try network.world(#"{"clock":"manual"}"#))
        try Self.fill(first)
        let state = try first.ask(.get, "state").text
        let planted = try second.ask(.put, "state", state)
        #expect(planted.status == 200, "\(planted.text)")
        #expect(try second.ask(.get, "state").text == state)
        func secret(_ world: WorldClient) -> String {
            network.engine.worlds[ExactString(world.id)]?.settings.jwtSecret ?? ""
        }
        #expect(try Self.shown(second, secret: secret(second)) == Self.shown(first, secret: secret(first)))
    }

    @Test("A state file preserves documents across a restart")
    func stateFile() throws {
        let network = try SavingTests.network(try StateFile(":memory:"))
        let world = try network.plainWorld()
        try Self.fill(world)
        let before = try Self.shown(world, secret: DevelopmentCredentials.jwtSecret)
        let later = try SavingTests.next(network)
        let again = try later.plainWorld()
        #expect(try Self.shown(again, secret: DevelopmentCredentials.jwtSecret) == before)
        #expect(try again.ask(.get, "state").text == world.ask(.get, "state").text)
    }

    @Test("A server keeps stored documents that break newer rules and lists them by creation")
    func beforeRules() throws {
        try ScratchFolder.lend { folder in
            let path = folder + "/state.db"
            do {
                let database = try Database(path: path)
                try database.run(script: textOfPackage("Fixtures/state/v1.sql"))
                let times = #""created_at":"2025-01-29T10:30:10Z","updated_at":"2025-01-29T10:30:10Z""#
                let rows: [(DocumentCollection, String)] = [
                    (.moodEntries, #""score":4"#), (.insights, #""type":"wellness""#),
                    (.progress, #""type":"weight_kg","value":61"#),
                    (.sleep, #""minutes":480"#), (.workouts, #""activity_type":"running""#),
                    (.profileMetrics, #""height_cm":171"#),
                    (.workoutTemplates, #""shared_with":["anna"],"name":"Legs","exercises":[{"name":"Squat"}]"#),
                ]
                for (number, row) in rows.enumerated() {
                    let id = SentDocuments.id(row.0)
                    try database.run(
                        script: """
                            INSERT INTO entity VALUES(\(20 + number), 'default', 'documents.\(row.0.rawValue)',
                            '491718de-357e-4da8-8b43-5c8e74616796', '\(id)', '{"id":"\(id)",\(times),\(row.1)}');
                            """)
                }
            }
            let network = try SavingTests.network(try StateFile(path))
            let ben = Request.token(for: "491718de-357e-4da8-8b43-5c8e74616796")
            let world = try network.plainWorld()
            func data(_ path: String, as token: String = ben) throws -> JSONValue? {
                let answer = try world.exchange(.get, "/api/v1/" + path, token: token)
                #expect(answer.status == 200, "\(answer.text)")
                return answer.json?["data"]
            }
            #expect(try data("wellness/mood-entries")?["entries"]?[0]?["score"] == 4)
            let analytics = try data("wellness/mood-entries/analytics?from=2025-01-29&to=2025-01-29")
            #expect(analytics?["summary"]?["total_entries"] == 1)
            #expect(try data("insights")?["insights"]?[0]?["type"] == "wellness")
            #expect(try data("progress")?["entries"]?[0]?["date"] == "2025-01-29T10:30:10Z")
            #expect(try data("sleep")?["sessions"]?[0]?["time_in_bed_minutes"] == 0)
            #expect(try data("workouts")?["workouts"]?[0]?["activity_type"] == "running")
            #expect(try data("profile/metrics")?[0]?["height_cm"] == 171)
            #expect(try data("workout-templates")?["templates"]?[0]?["exercises"]?[0]?["name"] == "Squat")
            let shared = try data("workout-templates/shared-with-me", as: Request.token(for: "anna"))
            #expect(shared?["templates"]?[0]?["professional_type"] == "personal_trainer")
            // The error for importing such an export names the broken rule.
            let state = try world.ask(.get, "state").text
            let refused = try network.world(#"{"clock":"manual"}"#).ask(.put, "state", state)
            #expect(refused.status == 400 && refused.message.contains("documents.mood_entries[0]"), "\(refused.text)")
        }
    }
}
