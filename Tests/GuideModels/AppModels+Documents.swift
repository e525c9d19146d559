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
            case userId = "user_id"
            case loggedAt = "logged_at"
            case sourceId = "source_id"
            case isHealthkit = "is_healthkit"
            case createdAt = "created_at"
            case updatedAt = "updated_at"
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
            case userId = "user_id"
            case contentFormat = "content_format"
            case entryType = "entry_type"
            case privacyLevel = "privacy_level"
            case promptId = "prompt_id"
            case linkedMoodId = "linked_mood_id"
            case linkedGoalId = "linked_goal_id"
            case isFavorite = "is_favorite"
            case loggedAt = "logged_at"
            case createdAt = "created_at"
            case updatedAt = "updated_at"
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
            case userId = "user_id"
            case insightType = "insight_type"
            case periodStart = "period_start"
            case periodEnd = "period_end"
            case isRead = "is_read"
            case isFavorite = "is_favorite"
            case isArchived = "is_archived"
            case createdAt = "created_at"
            case updatedAt = "updated_at"
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
            case userId = "user_id"
            case startTime = "start_time"
            case endTime = "end_time"
            case timeInBedMinutes = "time_in_bed_minutes"
            case totalSleepMinutes = "total_sleep_minutes"
            case sleepEfficiencyPercentage = "sleep_efficiency_percentage"
            case awakeMinutes = "awake_minutes"
            case remMinutes = "rem_minutes"
            case coreMinutes = "core_minutes"
            case deepMinutes = "deep_minutes"
            case sourceId = "source_id"
            case createdAt = "created_at"
            case updatedAt = "updated_at"
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
            case userId = "user_id"
            case activityType = "activity_type"
            case startedAt = "started_at"
            case endedAt = "ended_at"
            case durationMinutes = "duration_minutes"
            case caloriesBurned = "calories_burned"
            case distanceMeters = "distance_meters"
            case createdAt = "created_at"
            case updatedAt = "updated_at"
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

            enum CodingKeys: String, CodingKey {
                case quantity, unit
                case metricType = "metric_type"
            }
        }

        enum CodingKeys: String, CodingKey {
            case id, metrics
            case userId = "user_id"
            case recordedAt = "recorded_at"
        }
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
                case templateId = "template_id"
                case exerciseId = "exercise_id"
                case userExerciseId = "user_exercise_id"
                case exerciseName = "exercise_name"
                case orderIndex = "order_index"
                case durationSeconds = "duration_seconds"
                case restSeconds = "rest_seconds"
                case weightKg = "weight_kg"
                case createdAt = "created_at"
            }
        }

        enum CodingKeys: String, CodingKey {
            case id, name, description, category, status, exercises
            case userId = "user_id"
            case difficultyLevel = "difficulty_level"
            case estimatedDurationMinutes = "estimated_duration_minutes"
            case isPublic = "is_public"
            case isSystem = "is_system"
            case exerciseCount = "exercise_count"
            case createdAt = "created_at"
            case updatedAt = "updated_at"
        }
    }
}
