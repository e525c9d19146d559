import FitIQAPI
import FitIQBackend
import JSON
import Testing

@testable import Scenarios

/// Documents in files: relative times, shares in both forms, and each collection's rules.
@Suite("Documents in scenarios")
struct DocumentTests {
    private static func documents(_ text: String) throws -> [DocumentCollection: [DocumentData]] {
        let scenario = try Scenario.read("{name: a, users: [{id: u, documents: {\(text)}}]}")
        return try PlantingTests.export(scenario.data).users[0].documents
    }

    private static func members(_ data: DocumentData?) -> JSONValue? {
        data.flatMap { try? JSON.parse(Array("{".utf8) + $0.members + Array("}".utf8)) }
    }

    @Test(
        "Relative times count back from the world's start and have the collection's format",
        arguments: [
            ("mood_entries: [{valence: 0.5, logged_at: 3d ago}]", .moodEntries, "logged_at", "2025-01-26T10:30:00Z"),
            ("journal: [{content: a, logged_at: 90m ago}]", .journal, "logged_at", "2025-01-29T09:00:00Z"),
            (
                "insights: [{insight_type: daily, title: a, content: b, period_start: 1d ago}]", .insights,
                "period_start", "2025-01-28T10:30:00.000Z"
            ),
            (
                "progress: [{type: weight, quantity: 1, logged_at: 1h ago}]", .progress, "logged_at",
                "2025-01-29T09:30:00Z"
            ),
            ("progress: [{type: weight, quantity: 1}]", .progress, "logged_at", "2025-01-29T10:30:00Z"),
            ("sleep: [{start_time: 9h ago, end_time: 1h ago}]", .sleep, "start_time", "2025-01-29T01:30:00Z"),
            (
                "workouts: [{activity_type: Running, started_at: 0s ago}]", .workouts, "started_at",
                "2025-01-29T10:30:00Z"
            ),
            (
                "profile_metrics: [{recorded_at: 2025-01-02T00:00:00+01:00, "
                    + "metrics: [{metric_type: bmi, quantity: 22, unit: \"%\"}]}]", .profileMetrics, "recorded_at",
                "2025-01-01T23:00:00Z"
            ),
        ] as [(String, DocumentCollection, String, String)])
    func times(_ text: String, collection: DocumentCollection, member: String, time: String) throws {
        let planted = try #require(try Self.documents(text)[collection]?.first)
        #expect(Self.members(planted)?[member]?.string == time)
    }

    @Test("Sleep stages also accept relative times")
    func stages() throws {
        let text =
            "sleep: [{start_time: 9h ago, end_time: 1h ago, stages: [{stage: deep, start_time: 8h ago, "
            + "end_time: 6h ago}]}]"
        let session = Self.members(try Self.documents(text)[.sleep]?.first)
        #expect(session?["stages"]?[0]?["end_time"] == "2025-01-29T04:30:00Z")
    }

    @Test("A share is a user's id or a mapping")
    func shares() throws {
        let text = """
            workout_templates: [{name: Legs, updated_at: 1d ago, created_at: 2d ago, shared_with: [ben, \
            {user_id: carl, professional_type: nutritionist, notes: a, created_at: 1h ago}, ben]}]
            """
        let shares = try #require(try Self.documents(text)[.workoutTemplates]?.first?.shares)
        #expect(shares.map(\.user) == ["ben", "carl"])
        #expect(shares.map(\.professionalType) == ["personal_trainer", "nutritionist"])
        #expect(shares.map(\.notes) == [nil, "a"])
        let times = ["2025-01-28T10:30:00Z", "2025-01-29T09:30:00Z"]
        #expect(
            shares.map(\.createdAt)
                == times.map { DateTime($0).map { .at(Timestamp(secondsSinceEpoch: $0.secondsSinceEpoch)) } })
        #expect(shares.allSatisfy { $0.id != nil })
    }

    @Test(
        "The reader rejects an invalid document with the same message that a request would get",
        arguments: [
            ("mood_entries: [{valence: 2, logged_at: 1d ago}]", "mood_entries[0]", "'valence'"),
            ("mood_entries: [{valence: 0}]", "mood_entries[0]", "'logged_at'"),
            ("journal: [{content: a, logged_at: 1d ago}, {content: a, logged_at: soon}]", "journal[1]", "'logged_at'"),
            ("insights: [{insight_type: wellness, title: a, content: b}]", "insights[0]", "'insight_type'"),
            ("progress: [{type: weight_kg, quantity: 1}]", "progress[0]", "'type'"),
            ("sleep: [{start_time: 1h ago, end_time: 2h ago}]", "sleep[0]", "'end_time'"),
            ("workouts: [{activity_type: Running}]", "workouts[0]", "'started_at'"),
            ("profile_metrics: [{recorded_at: 1d ago, metrics: []}]", "profile_metrics[0]", "'metrics'"),
            ("workout_templates: [{name: a, exercises: [{order_index: 0}]}]", "workout_templates[0]", "exercise_id"),
        ])
    func rules(_ text: String, path: String, words: String) throws {
        let error = try #require(throws: PlantError.self) { try Self.documents(text) }
        #expect(error.path == "users[0].documents.\(path)" && error.message.contains(words), "\(error)")
    }
}
