import Foundation

/// The data that the apps sync in the background: moods, journal and insights in Lume, the rest in FitIQ.
extension AppModels {
    /// A time as FitIQ reads it, and as Lume reads it outside insights; a fraction of a second makes decoding fail.
    package struct WholeSeconds: Decodable {
        package let date: Date

        package init(from decoder: any Decoder) throws { date = try AppModels.date(from: decoder, length: 20) }
    }

    /// A time as Lume's insights read it; a time without a fraction of a second is dropped.
    package struct Milliseconds: Decodable {
        package let date: Date

        package init(from decoder: any Decoder) throws { date = try AppModels.date(from: decoder, length: 24) }
    }

    private static func date(from decoder: any Decoder, length: Int) throws -> Date {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard text.utf8.count == length else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(text): \(length) bytes expected")
        }
        return try container.decode(Date.self)
    }

    package struct MoodEntry: Decodable {
        package let id, userId: String
        package let valence: Double
        package let labels, associations: [String]
        package let notes: String?
        package let loggedAt: WholeSeconds
        package let source: String
        package let sourceId: String?
        package let isHealthkit: Bool
        package let createdAt, updatedAt: WholeSeconds

        enum CodingKeys: String, CodingKey {
            case id, valence, labels, associations, notes, source
            case userId = "user_id", loggedAt = "logged_at", sourceId = "source_id", isHealthkit = "is_healthkit"
            case createdAt = "created_at", updatedAt = "updated_at"
        }
    }

    package struct JournalEntry: Decodable {
        package let id, userId: String
        package let title: String?
        package let content, contentFormat, entryType: String
        package let tags: [String]
        package let privacyLevel: String
        package let promptId, linkedMoodId, linkedGoalId: String?
        package let isFavorite: Bool
        package let loggedAt, createdAt, updatedAt: WholeSeconds

        enum CodingKeys: String, CodingKey {
            case id, title, content, tags
            case userId = "user_id", contentFormat = "content_format", entryType = "entry_type"
            case privacyLevel = "privacy_level", promptId = "prompt_id", linkedMoodId = "linked_mood_id"
            case linkedGoalId = "linked_goal_id", isFavorite = "is_favorite", loggedAt = "logged_at"
            case createdAt = "created_at", updatedAt = "updated_at"
        }
    }

    package struct Insight: Decodable {
        package let id, userId, insightType, title, content: String
        package let summary: String?
        package let periodStart, periodEnd: Milliseconds?
        package let metrics: [String: Int]?
        package let suggestions: [String]?
        package let isRead, isFavorite, isArchived: Bool
        package let createdAt, updatedAt: Milliseconds

        enum CodingKeys: String, CodingKey {
            case id, title, content, summary, metrics, suggestions
            case userId = "user_id", insightType = "insight_type", periodStart = "period_start"
            case periodEnd = "period_end", isRead = "is_read", isFavorite = "is_favorite", isArchived = "is_archived"
            case createdAt = "created_at", updatedAt = "updated_at"
        }
    }

    package struct ProgressEntry: Decodable {
        package let id, type: String
        package let quantity: Double
        package let date: WholeSeconds
        package let notes: String?
    }

    package struct SleepSession: Decodable {
        package let id, userId: String
        package let startTime, endTime: WholeSeconds
        package let timeInBedMinutes, totalSleepMinutes: Int
        package let sleepEfficiencyPercentage: Double
        package let awakeMinutes, remMinutes, coreMinutes, deepMinutes: Int
        package let source: String
        package let sourceId, notes: String?
        package let createdAt, updatedAt: WholeSeconds

        enum CodingKeys: String, CodingKey {
            case id, source, notes
            case userId = "user_id", startTime = "start_time", endTime = "end_time"
            case timeInBedMinutes = "time_in_bed_minutes", totalSleepMinutes = "total_sleep_minutes"
            case sleepEfficiencyPercentage = "sleep_efficiency_percentage", awakeMinutes = "awake_minutes"
            case remMinutes = "rem_minutes", coreMinutes = "core_minutes", deepMinutes = "deep_minutes"
            case sourceId = "source_id", createdAt = "created_at", updatedAt = "updated_at"
        }
    }

    package struct Workout: Decodable {
        package let id, userId, activityType: String
        package let title, notes: String?
        package let startedAt: WholeSeconds
        package let endedAt: WholeSeconds?
        package let durationMinutes, caloriesBurned: Int?
        package let distanceMeters: Double?
        package let intensity: Int?
        package let createdAt, updatedAt: WholeSeconds

        enum CodingKeys: String, CodingKey {
            case id, title, notes, intensity
            case userId = "user_id", activityType = "activity_type", startedAt = "started_at", endedAt = "ended_at"
            case durationMinutes = "duration_minutes", caloriesBurned = "calories_burned"
            case distanceMeters = "distance_meters", createdAt = "created_at", updatedAt = "updated_at"
        }
    }

    /// Profile metrics; their list is `data` itself.
    package struct ProfileMetrics: Decodable {
        package let id, userId: UUID
        package let recordedAt: WholeSeconds
        package let metrics: [Metric]

        package struct Metric: Decodable {
            package let metricType: Kind
            package let quantity: Double
            package let unit: String

            package enum Kind: String, Decodable { case weight, height, bodyFat = "body_fat_percentage", bmi }

            enum CodingKeys: String, CodingKey { case quantity, unit, metricType = "metric_type" }
        }

        enum CodingKeys: String, CodingKey { case id, metrics, userId = "user_id", recordedAt = "recorded_at" }
    }

    package struct WorkoutTemplate: Decodable {
        package let id: String
        package let userId: String?
        package let name: String
        package let description, category, difficultyLevel: String?
        package let estimatedDurationMinutes: Int?
        package let isPublic: Bool
        package let isSystem: Bool?
        package let status: String?
        package let exerciseCount: Int?
        package let exercises: [Exercise]?
        package let createdAt, updatedAt: WholeSeconds

        package struct Exercise: Decodable {
            package let id, templateId: String
            package let exerciseId, userExerciseId: String?
            package let exerciseName: String
            package let orderIndex: Int
            package let technique, tempo, notes: String?
            package let sets, reps, durationSeconds, restSeconds, rir: Int?
            package let weightKg: Double?
            package let createdAt: WholeSeconds

            enum CodingKeys: String, CodingKey {
                case id, technique, tempo, notes, sets, reps, rir
                case templateId = "template_id", exerciseId = "exercise_id", userExerciseId = "user_exercise_id"
                case exerciseName = "exercise_name", orderIndex = "order_index", durationSeconds = "duration_seconds"
                case restSeconds = "rest_seconds", weightKg = "weight_kg", createdAt = "created_at"
            }
        }

        enum CodingKeys: String, CodingKey {
            case id, name, description, category, status, exercises
            case userId = "user_id", difficultyLevel = "difficulty_level"
            case estimatedDurationMinutes = "estimated_duration_minutes", isPublic = "is_public", isSystem = "is_system"
            case exerciseCount = "exercise_count", createdAt = "created_at", updatedAt = "updated_at"
        }
    }
}
