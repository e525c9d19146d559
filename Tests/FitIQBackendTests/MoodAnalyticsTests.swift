import FitIQAPI
import JSON
import Testing

@testable import FitIQBackend

@Suite("Mood analytics") struct MoodAnalyticsTests {
    /// Time, valence, labels and associations.
    private typealias Mood = (String, Double, String, String)

    private static func analyze(_ moods: [Mood], _ query: World.Query) throws -> JSONValue {
        var (world, user, other) = try World().withTwoUsers()
        func list(_ words: String) -> JSONValue { .array(words.split(separator: " ").map { .string(String($0)) }) }
        for (time, valence, labels, associations) in moods {
            _ = try world.post(
                [
                    "logged_at": .string(time), "valence": .number(JSONNumber(valence)), "labels": list(labels),
                    "associations": list(associations),
                ], in: .moodEntries, by: user)
        }
        _ = try world.post(["logged_at": "2025-01-06T00:00:00Z", "valence": 1], in: .moodEntries, by: other)
        return try world.data(world.backend.moodAnalytics(try MoodAnalyticsQuery(query: query), for: user).make())
    }

    /// A Sunday, a Monday and the next Monday within twelve days, and the seconds just before and after.
    private static let moods: [Mood] = [
        ("2025-01-13T08:00:00Z", 1, "happy", ""), ("2025-01-05T23:59:59Z", -0.5, "tired sad", "work"),
        ("2025-01-06T00:00:00Z", 0.25, "calm", "work family"),
        ("2025-01-06T12:00:00Z", 0.75, "calm happy calm", "family"),
        ("2025-01-04T23:59:59Z", -1, "out", "out"), ("2025-01-17T00:00:00Z", -1, "out", "out"),
    ]
    private static let range: World.Query = [("from", "2025-01-05"), ("to", "2025-01-16")]

    @Test("Mood analytics contain a period, a summary, trends and the most frequent labels")
    func parts() throws {
        let analytics = try Self.analyze(Self.moods, Self.range)
        let expected: JSONValue = [
            "period": ["start_date": "2025-01-05", "end_date": "2025-01-16", "total_days": 12],
            "summary": [
                "total_entries": 4, "average_valence": 0.375, "days_with_entries": 3, "logging_consistency": 0.25,
            ],
            "trends": [
                "trend_direction": "improving",
                "weekly_averages": [
                    ["week_start": "2024-12-30", "average_valence": -0.5],
                    ["week_start": "2025-01-06", "average_valence": 0.5],
                    ["week_start": "2025-01-13", "average_valence": 1],
                ],
            ],
            "top_labels": [
                ["label": "calm", "count": 2, "percentage": 0.5], ["label": "happy", "count": 2, "percentage": 0.5],
                ["label": "sad", "count": 1, "percentage": 0.25], ["label": "tired", "count": 1, "percentage": 0.25],
            ],
            "top_associations": [
                ["association": "family", "count": 2, "percentage": 0.5, "average_valence": 0.5],
                ["association": "work", "count": 2, "percentage": 0.5, "average_valence": -0.125],
            ],
        ]
        #expect(analytics == expected)
    }

    @Test("On request, mood analytics contain each day with entries")
    func days() throws {
        let analytics = try Self.analyze(Self.moods, Self.range + [("include_daily_breakdown", "true")])
        let expected: JSONValue = [
            [
                "date": "2025-01-05", "entry_count": 1, "average_valence": -0.5, "min_valence": -0.5,
                "max_valence": -0.5,
                "most_common_labels": [["label": "sad", "count": 1], ["label": "tired", "count": 1]],
                "most_common_associations": [["association": "work", "count": 1]],
            ],
            [
                "date": "2025-01-06", "entry_count": 2, "average_valence": 0.5, "min_valence": 0.25,
                "max_valence": 0.75,
                "most_common_labels": [["label": "calm", "count": 2], ["label": "happy", "count": 1]],
                "most_common_associations": [
                    ["association": "family", "count": 2], ["association": "work", "count": 1],
                ],
            ],
            [
                "date": "2025-01-13", "entry_count": 1, "average_valence": 1, "min_valence": 1, "max_valence": 1,
                "most_common_labels": [["label": "happy", "count": 1]], "most_common_associations": [],
            ],
        ]
        #expect(analytics["daily_aggregates"] == expected)
    }

    @Test("Mood analytics contain ten labels and ten associations or the requested number")
    func limits() throws {
        let few = try Self.analyze(
            Self.moods, Self.range + [("top_labels_limit", "3"), ("top_associations_limit", "1")])
        #expect(few.texts("top_labels", "label") == ["calm", "happy", "sad"])
        #expect(few.texts("top_associations", "association") == ["family"])
        let letters = "k j i h g f e d c b a"
        let many = try Self.analyze([("2025-01-06T00:00:00Z", 0, letters, letters)], Self.range)
        let first: [String?] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]
        #expect(many.texts("top_labels", "label") == first && many.texts("top_associations", "association") == first)
    }

    @Test("Mood analytics without entries contain zeros and empty lists")
    func empty() throws {
        let analytics = try Self.analyze(
            [], [("from", "2025-01-05T10:00:00Z"), ("to", "2025-01-05T11:00:00Z"), ("include_daily_breakdown", "true")])
        let expected: JSONValue = [
            "period": ["start_date": "2025-01-05", "end_date": "2025-01-05", "total_days": 1],
            "summary": ["total_entries": 0, "average_valence": 0, "days_with_entries": 0, "logging_consistency": 0],
            "trends": ["trend_direction": "insufficient_data", "weekly_averages": []], "top_labels": [],
            "top_associations": [], "daily_aggregates": [],
        ]
        #expect(analytics == expected)
    }

    static let trends: [(valences: [Double], trend: String)] = [
        ([0.5], "insufficient_data"), ([0, 0.1], "stable"), ([0, 0.11], "improving"), ([0.1, 0], "stable"),
        ([0.11, 0], "declining"), ([0.25, 0.25, 0.25], "stable"), ([0, 0, 0.5, 0.5], "improving"),
        // If the number of days is odd, the middle day belongs to the later half.
        ([1, 0, 1], "declining"), ([0, 1, 0], "improving"), ([-1, 1, -1, 1], "stable"),
    ]

    @Test("The trend is the mean of the later half minus the mean of the earlier half", arguments: trends)
    func trend(valences: [Double], trend: String) throws {
        let moods: [Mood] = valences.enumerated().map { day, valence in
            ("2025-01-\(day + 10)T08:00:00Z", valence, "", "")
        }
        let analytics = try Self.analyze(moods, Self.range)
        #expect(analytics["trends"]?["trend_direction"]?.string == trend)
        // Entries of the same day count as one day.
        let together: [Mood] = valences.map { ("2025-01-10T08:00:00Z", $0, "", "") }
        #expect(try Self.analyze(together, Self.range)["trends"]?["trend_direction"] == "insufficient_data")
    }

    @Test("A stored valence outside the bounds counts as the nearest bound")
    func saved() throws {
        let moods: [Mood] = [("2025-01-06T00:00:00Z", 1e308, "", ""), ("2025-01-06T01:00:00Z", 1e308, "", "")]
        #expect(try Self.analyze(moods, Self.range)["summary"]?["average_valence"] == 1)
    }
}
