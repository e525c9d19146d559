import FitIQAPI
import JSON
import TestSupport
import Testing

@testable import FitIQBackend

@Suite("Planted documents") struct PlantedDocumentTests {
    private static func data(
        _ object: JSONObject, in collection: DocumentCollection, shares: [ShareData] = []
    ) -> WorldData {
        let document = DocumentData(
            id: .numbered(1), object: object, in: collection, createdAt: .at(World.start), shares: shares)
        return WorldData(users: [UserData(id: "user-1", documents: [collection: [document]])])
    }

    /// Objects in a saved world that predate the collections' rules.
    static let old: [(DocumentCollection, JSONObject)] = [
        (.progress, ["type": "weight_kg", "quantity": 61.5]), (.progress, ["value": 61, "logged_at": "yesterday"]),
        (.moodEntries, ["valence": 4, "note": "n"]), (.moodEntries, ["valence": "good", "logged_at": 7]),
        (.sleep, ["minutes": 480]),
        (.sleep, ["start_time": "2025-01-29T06:00:00Z", "end_time": "2025-01-28T22:00:00Z"]),
        (.insights, ["insight_type": "wellness", "content": "c"]), (.workouts, ["activity_type": 7]),
        (.profileMetrics, ["height_cm": 171]), (.journal, [:]),
        (.workoutTemplates, ["exercises": ["x", ["order_index": "y"], [:]], "is_public": true]),
    ]

    @Test("A restored world accepts a document that a scenario may not contain", arguments: old)
    func restored(collection: DocumentCollection, object: JSONObject) throws {
        let world = try World(planting: Self.data(object, in: collection), isRestored: true)
        let planted = try #require(world.backend.users[world.firstUser].documents[collection]?.first)
        if collection != .workoutTemplates { #expect(planted.object == object) }
        #expect(planted.time == DateTime(World.start) || object["start_time"] != nil)
        let list = try world.documents(collection, for: world.firstUser)
        #expect(list["total"] == 1 || list.array?.count == 1)
        #expect(world.data.users[0].documents[collection]?.count == 1)
        let again = try World(planting: world.data, isRestored: true)
        #expect(again.backend.users[again.firstUser].documents[collection]?.first == planted)
        let query = try MoodAnalyticsQuery(query: [("from", "2025-01-29"), ("to", "2025-01-29")])
        let analytics = try world.data(world.backend.moodAnalytics(query, for: world.firstUser).make())
        #expect(analytics["summary"]?["total_entries"] == (collection == .moodEntries ? 1 : 0))
        let path = "users[0].documents.\(collection.rawValue)[0]"
        #expect { _ = try World(planting: Self.data(object, in: collection)) } throws: { error in
            guard let error = error as? PlantError else { return false }
            // The message is worded like a request's error.
            return error.path == path && error.message.contains("'")
        }
    }

    @Test("A document without a time gets its creation time")
    func creation() throws {
        let document = DocumentData(
            object: ["type": "bmi", "quantity": 20], in: .progress, createdAt: .before(3 * 86_400_000_000_000))
        let world = try World(planting: UserData(id: "user-1", documents: [.progress: [document]]))
        let entry = try world.documents(.progress, for: world.firstUser)["entries"]?[0]
        #expect(entry?["logged_at"] == "2025-01-26T10:30:00Z" && entry?["date"] == "2025-01-26T10:30:00Z")
    }

    @Test("A share with an uppercase UUID belongs to the user with the lowercase id")
    func upperCaseShare() throws {
        let reader = "7d3f2b60-5a52-4c1e-9a54-0f6f1c1d2e3a"
        let share = ShareData(user: ExactString(reader.uppercased()))
        var world = try World(planting: Self.data(["name": "Legs"], in: .workoutTemplates, shares: [share]))
        let user = try world.backend.user(ExactString(reader))
        #expect(try world.sharedTemplates(with: user)["total"] == 1)
        _ = try world.unshare("\(ResourceID.numbered(1))", with: reader.uppercased(), by: world.firstUser)
        #expect(try world.sharedTemplates(with: user)["total"] == 0)
    }

    @Test("The largest document that a request can create can be exported and planted")
    func largest() throws {
        var (world, user) = try World().withUser()
        func template(_ count: Int) -> String {
            let exercises = (0..<count).map { #"{"exercise_id":"squat","order_index":\#($0)}"# }
            return #"{"name":"Legs","exercises":[\#(exercises.joined(separator: ","))]}"#
        }
        // The server's additions to each exercise also count.
        let most = try (1..<1000).first { count in
            refusal(try world.send(template(count), to: .workoutTemplates, by: user)) != nil
        }
        #expect(try #require(most) > 100)
        let copy = try World(planting: world.data)
        #expect(copy.backend.users[copy.firstUser].documents == world.backend.users[user].documents)
    }

    @Test("A planted document may have relative times, defaults and members that a request cannot set")
    func times() throws {
        let mood = try World(planting: Self.data(["valence": 1, "logged_at": "3d ago"], in: .moodEntries))
        let entry = try #require(try mood.documents(.moodEntries, for: mood.firstUser)["entries"]?[0])
        #expect(entry["logged_at"] == "2025-01-26T10:30:00Z" && entry["labels"] == [] && entry["source"] == "manual")
        let progress = try World(planting: Self.data(["type": "bmi", "quantity": 20], in: .progress))
        let point = try progress.documents(.progress, for: progress.firstUser)["entries"]?[0]
        #expect(point?["date"] == "2025-01-29T10:30:00Z")
        let insight: JSONObject = ["insight_type": "daily", "title": "t", "content": "c", "period_start": "1d ago"]
        let insights = try World(planting: Self.data(insight, in: .insights))
        #expect(
            try insights.documents(.insights, for: insights.firstUser)["insights"]?[0]?["period_start"]
                == "2025-01-28T10:30:00.000Z")
        let system = try World(planting: Self.data(["name": "Legs", "is_system": true], in: .workoutTemplates))
        #expect(try system.publicTemplates().texts("templates", "name") == ["Legs"])
        // In scenarios, a mood may be in the future.
        _ = try World(planting: Self.data(["valence": 1, "logged_at": "2030-01-01T00:00:00Z"], in: .moodEntries))
    }

    @Test("A planted document has at most one share per user")
    func shares() throws {
        let template: JSONObject = ["name": "Legs"]
        let shares = [
            ShareData(id: .numbered(9), user: "bert", notes: "n", createdAt: .minutesAgo(1)), ShareData(user: "bert"),
            ShareData(user: "carl", professionalType: "sports_coach"),
        ]
        var world = try World(planting: Self.data(template, in: .workoutTemplates, shares: shares))
        let (bert, carl) = (try world.backend.user("bert"), try world.backend.user("carl"))
        let item = try world.sharedTemplates(with: bert)["templates"]?[0]
        #expect(item?["shared_at"] == "2025-01-29T10:29:00Z" && item?["notes"] == "n")
        #expect(try world.sharedTemplates(with: carl)["templates"]?[0]?["professional_type"] == "sports_coach")
        #expect(world.data.users[0].documents[.workoutTemplates]?[0].shares.map(\.user) == ["bert", "carl"])
        #expect(throws: PlantError.self) {
            try World(
                planting: Self.data(
                    template, in: .workoutTemplates, shares: [ShareData(user: "bert", professionalType: "doctor")]))
        }
        // Two documents with the same id.
        #expect(throws: PlantError.self) {
            try World(
                planting: Self.data(
                    template, in: .workoutTemplates, shares: [ShareData(id: .numbered(1), user: "bert")]))
        }
    }
}
