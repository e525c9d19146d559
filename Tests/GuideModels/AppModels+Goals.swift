import Foundation

/// Lume's goals, in snake case.
extension AppModels {
    package enum GoalStatus: String, Decodable, CaseIterable { case active, completed, paused, archived }

    /// The start is a date, and the target is a date with a time.
    package struct Goal: Decodable {
        package let id: UUID
        package let userId, title, description: String
        package let createdAt, updatedAt: Date
        package let progress: Double
        package let status: GoalStatus
        package let targetValue: Double
        package let targetUnit: String
        package let currentValue: Double
        package let startDate: String?
        package let targetDate: Date?
        package let category, goalType: String?
        package let isOverdue: Bool?
        package let daysRemaining: Int?
        package let isRecurring: Bool?

        enum CodingKeys: String, CodingKey {
            case id, title, description, progress, status, category
            case userId = "user_id", createdAt = "created_at", updatedAt = "updated_at", targetValue = "target_value"
            case targetUnit = "target_unit", currentValue = "current_value", startDate = "start_date"
            case targetDate = "target_date", goalType = "goal_type", isOverdue = "is_overdue"
            case daysRemaining = "days_remaining", isRecurring = "is_recurring"
        }
    }

    /// `GET /goals`, in `data`.
    package struct GoalList: Decodable {
        package let goals: [Goal]
        package let total: Int
        package let limit, offset: Int?
        package let hasMore: Bool?

        enum CodingKeys: String, CodingKey { case goals, total, limit, offset, hasMore = "has_more" }
    }

    /// `GET /goals/{id}/tips`.
    package struct GoalTips: Decodable {
        package let goalId: UUID
        package let tips: [String]
        package let count: Int

        enum CodingKeys: String, CodingKey { case tips, count, goalId = "goal_id" }
    }

    /// `GET /goals/{id}/suggestions`.
    package struct GoalSuggestions: Decodable {
        package let goalId: UUID
        package let suggestions, nextSteps: [String]
        package let motivationalMessage: String?
        package let generatedAt: Date

        enum CodingKeys: String, CodingKey {
            case suggestions
            case goalId = "goal_id", nextSteps = "next_steps", motivationalMessage = "motivational_message"
            case generatedAt = "generated_at"
        }
    }

    /// `GET /goals/{id}/analysis`.
    package struct GoalAnalysis: Decodable {
        package let goalId: UUID
        package let currentProgress: Double
        package let projectedCompletion: String?
        package let analysis: String
        package let recommendations, strengths, challenges: [String]
        package let generatedAt: Date

        enum CodingKeys: String, CodingKey {
            case analysis, recommendations, strengths, challenges
            case goalId = "goal_id", currentProgress = "current_progress", projectedCompletion = "projected_completion"
            case generatedAt = "generated_at"
        }
    }
}
