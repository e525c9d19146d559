import Foundation

/// What the apps sync in the background. The members of a document are the app's own, so only those that the server
/// sets are read.
extension AppModels {
    package struct Document: Decodable {
        package let id: UUID
        package let userId: String
        package let createdAt: Date
        package let updatedAt: Date

        enum CodingKeys: String, CodingKey {
            case id
            case userId = "user_id"
            case createdAt = "created_at"
            case updatedAt = "updated_at"
        }
    }

    /// A page of one of the lists.
    package struct DocumentPage: Decodable {
        package let moodEntries: [Document]?
        package let journal: [Document]?
        package let insights: [Document]?
        package let progress: [Document]?
        package let sleep: [Document]?
        package let workouts: [Document]?
        package let profileMetrics: [Document]?
        package let workoutTemplates: [Document]?
        package let total: Int
        package let totalCount: Int
        package let limit: Int
        package let offset: Int
        package let hasMore: Bool

        enum CodingKeys: String, CodingKey {
            case journal, insights, progress, sleep, workouts, total, limit, offset
            case moodEntries = "mood_entries"
            case profileMetrics = "profile_metrics"
            case workoutTemplates = "workout_templates"
            case totalCount = "total_count"
            case hasMore = "has_more"
        }
    }

    /// `GET /wellness/mood-entries/analytics`.
    package struct Analytics: Decodable {
        package let totalEntries: Int

        enum CodingKeys: String, CodingKey {
            case totalEntries = "total_entries"
        }
    }

    /// `GET /insights/unread/count`.
    package struct UnreadCount: Decodable {
        package let count: Int
    }

    /// `POST /insights/generate/wellness`.
    package struct GeneratedInsights: Decodable {
        package let insights: [Document]
        package let count: Int
    }

    /// `POST /workout-templates/{id}/share`.
    package struct SharedTemplate: Decodable {
        package let templateId: UUID
        package let sharedWith: [String]
        package let count: Int

        enum CodingKeys: String, CodingKey {
            case count
            case templateId = "template_id"
            case sharedWith = "shared_with"
        }
    }
}
