import Foundation

/// Lume's goals, in snake case.
extension AppModels {
    package enum GoalStatus: String, Decodable, CaseIterable {
        case active, completed, paused, archived
    }

    /// The start is a date, and the target is a date with a time.
    package struct Goal: Decodable {
        package let id: UUID
        package let userId: String
        package let title: String
        package let description: String
        package let createdAt: Date
        package let updatedAt: Date
        package let progress: Double
        package let status: GoalStatus
        package let targetValue: Double
        package let targetUnit: String
        package let currentValue: Double
        package let startDate: String?
        package let targetDate: Date?
        package let category: String?
        package let goalType: String?
        package let isOverdue: Bool?
        package let daysRemaining: Int?
        package let isRecurring: Bool?

        enum CodingKeys: String, CodingKey {
            case id, title, description, progress, status, category
            case userId = "user_id"
            case createdAt = "created_at"
            case updatedAt = "updated_at"
            case targetValue = "target_value"
            case targetUnit = "target_unit"
            case currentValue = "current_value"
            case startDate = "start_date"
            case targetDate = "target_date"
            case goalType = "goal_type"
            case isOverdue = "is_overdue"
            case daysRemaining = "days_remaining"
            case isRecurring = "is_recurring"
        }
    }

    /// `GET /goals`, in `data`.
    package struct GoalList: Decodable {
        package let goals: [Goal]
        package let total: Int
        package let limit: Int?
        package let offset: Int?
        package let hasMore: Bool?

        enum CodingKeys: String, CodingKey {
            case goals, total, limit, offset
            case hasMore = "has_more"
        }
    }

    /// `GET /goals/{id}/tips`.
    package struct GoalTips: Decodable {
        package let goalId: UUID
        package let tips: [String]
        package let count: Int

        enum CodingKeys: String, CodingKey {
            case tips, count
            case goalId = "goal_id"
        }
    }

    /// `GET /goals/{id}/suggestions`.
    package struct GoalSuggestions: Decodable {
        package let goalId: UUID
        package let suggestions: [String]
        package let nextSteps: [String]
        package let motivationalMessage: String?
        package let generatedAt: Date

        enum CodingKeys: String, CodingKey {
            case suggestions
            case goalId = "goal_id"
            case nextSteps = "next_steps"
            case motivationalMessage = "motivational_message"
            case generatedAt = "generated_at"
        }
    }

    /// `GET /goals/{id}/analysis`.
    package struct GoalAnalysis: Decodable {
        package let goalId: UUID
        package let currentProgress: Double
        package let projectedCompletion: String?
        package let analysis: String
        package let recommendations: [String]
        package let strengths: [String]
        package let challenges: [String]
        package let generatedAt: Date

        enum CodingKeys: String, CodingKey {
            case analysis, recommendations, strengths, challenges
            case goalId = "goal_id"
            case currentProgress = "current_progress"
            case projectedCompletion = "projected_completion"
            case generatedAt = "generated_at"
        }
    }
}
