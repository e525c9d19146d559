import Foundation

/// The models of the goal-linking guide, field for field, in camelCase and without an envelope.
package enum GoalLinkingGuide {
    package static let decoder = JSONDecoder.iso8601()

    /// The app's own goal; the guide also decodes answers as this type (erratum 5).
    package struct Goal: Identifiable, Codable {
        /// The id that the app's own store issued.
        package let id: UUID
        package let backendId: String?
        package var title, description: String
        package var createdAt, targetDate: Date
        package var progress: Double
        package var status: GoalStatus
        package var userId, conversationId, category: String?
    }

    package enum GoalStatus: String, Codable, CaseIterable {
        case notStarted = "not_started", inProgress = "in_progress", completed, archived
    }

    /// The goal endpoints' answer; the guide uses the type and prints its JSON, but never defines it.
    package struct BackendGoal: Codable {
        package let id, userId, title, description: String
        package let status: GoalStatus
        package let progress: Double
        package let category: String?
        package let targetDate: Date
        package let conversationId: String?
        package let createdAt, updatedAt: Date
    }

    /// `GET /goals`, which the guide calls without showing the answer.
    package struct GoalsResponse: Codable {
        package let goals: [BackendGoal]
        package let totalCount: Int
    }

    /// The guide uses this type without defining it; the members are the ones that its callers pass.
    package struct CreateGoalRequest: Codable {
        package let title, description: String
        package let targetDate: Date
        package let category: String?

        package init(title: String, description: String, targetDate: Date, category: String? = nil) {
            (self.title, self.description, self.targetDate, self.category) = (title, description, targetDate, category)
        }
    }

    /// The guide uses this type without defining it; the members are the ones that its callers pass.
    package struct UpdateGoalRequest: Codable {
        package var title, description: String?
        package var targetDate: Date?
        package var progress: Double?
        package var status, conversationId, category: String?

        package init(
            title: String? = nil, description: String? = nil, targetDate: Date? = nil, progress: Double? = nil,
            status: String? = nil, conversationId: String? = nil, category: String? = nil
        ) {
            (self.title, self.description, self.targetDate, self.progress) = (title, description, targetDate, progress)
            (self.status, self.conversationId, self.category) = (status, conversationId, category)
        }
    }

    package struct ChatAboutGoalRequest: Codable {
        package let goalId: String

        package init(goalId: String) { self.goalId = goalId }
    }

    package struct ChatAboutGoalResponse: Codable {
        package let conversationId, goalId: String
        package let createdAt: Date
        package let persona: PersonaInfo
    }

    package struct Conversation: Identifiable, Codable {
        package let id: UUID
        package let backendId: String?
        package var goalId: String?
        package let createdAt: Date
        package var updatedAt: Date
        package var persona: PersonaInfo
        package var messageCount: Int
        package var lastMessageAt: Date?
    }

    package struct PersonaInfo: Codable {
        package let id, name: String
        package let avatar: String?
    }
}
