import Foundation

extension AppModels {
    package enum ConsultationStatus: String, Decodable, CaseIterable {
        case pending, active, completed, abandoned, archived
    }

    package struct Consultation: Decodable {
        package let id: UUID
        package let userId, persona: String
        package let status: ConsultationStatus
        package let goalId: UUID?
        package let contextType, contextId, title: String?
        package let messageCount: Int
        package let isArchived: Bool?
        package let startedAt: Date
        package let completedAt, lastMessageAt: Date?
        package let createdAt, updatedAt: Date
        /// If this member is absent, the app shows no button; union mode always sends it.
        package let hasContextForGoalSuggestions: Bool

        enum CodingKeys: String, CodingKey {
            case id, persona, status, title
            case hasContextForGoalSuggestions = "has_context_for_goal_suggestions", userId = "user_id"
            case goalId = "goal_id", contextType = "context_type", contextId = "context_id"
            case messageCount = "message_count", isArchived = "is_archived", startedAt = "started_at"
            case completedAt = "completed_at", lastMessageAt = "last_message_at", createdAt = "created_at"
            case updatedAt = "updated_at"
        }
    }

    /// `GET /consultations`.
    package struct ConsultationList: Decodable {
        package let consultations: [Consultation]
        package let totalCount, limit, offset: Int

        enum CodingKeys: String, CodingKey { case consultations, limit, offset, totalCount = "total_count" }
    }

    package struct Message: Decodable {
        package let id, consultationId: UUID
        package let role, content: String
        package let createdAt: Date
        package let metadata: MessageMetadata?

        enum CodingKeys: String, CodingKey {
            case id, role, content, metadata, consultationId = "consultation_id", createdAt = "created_at"
        }
    }

    package struct MessageMetadata: Decodable {
        package let persona: String?
        package let tokens, processingTimeMs: Int?
        package let isStreaming: Bool?

        enum CodingKeys: String, CodingKey {
            case persona, tokens, processingTimeMs = "processing_time_ms", isStreaming = "is_streaming"
        }
    }

    /// `GET /consultations/{id}/messages`.
    package struct MessageList: Decodable {
        package let messages: [Message]
        package let total: Int
        package let totalCount, limit, offset: Int?
        package let hasMore: Bool

        enum CodingKeys: String, CodingKey {
            case messages, total, limit, offset, totalCount = "total_count", hasMore = "has_more"
        }
    }

    /// `POST /consultations/{id}/messages`; the response has no answer if the answer streams over an open socket.
    package struct SentMessage: Decodable {
        package let userMessage: Message
        package let assistantMessage: Message?

        enum CodingKeys: String, CodingKey { case userMessage = "user_message", assistantMessage = "assistant_message" }
    }

    /// A goal that the coach suggests; its duration is in days, and its difficulty is from 1 to 5.
    package struct SuggestedGoal: Decodable {
        package let title, description, goalType: String
        package let targetValue: Double?
        package let targetUnit: String?
        package let rationale: String
        package let estimatedDuration: Int?
        package let difficulty: Int

        enum CodingKeys: String, CodingKey {
            case title, description, rationale, difficulty
            case goalType = "goal_type", targetValue = "target_value", targetUnit = "target_unit"
            case estimatedDuration = "estimated_duration"
        }
    }

    /// `POST /consultations/{id}/suggest-goals` and `/goals/suggestions`.
    package struct SuggestedGoals: Decodable {
        package let suggestions: [SuggestedGoal]
        package let count: Int
        package let persona: String?
        package let consultationId: UUID?

        enum CodingKeys: String, CodingKey { case suggestions, count, persona, consultationId = "consultation_id" }
    }

    /// A frame on the chat socket.
    package struct ChatFrame: Decodable {
        package let type: String
        package let consultationId: UUID?
        package let userId, content: String?
        package let timestamp: Date?
        package let metadata: CompletionMetadata?

        enum CodingKeys: String, CodingKey {
            case type, content, timestamp, metadata, consultationId = "consultation_id", userId = "user_id"
        }
    }

    /// The answer's data in `stream_complete`.
    package struct CompletionMetadata: Decodable {
        package let tokensUsed, processingTimeMs: Int?
        package let functionCalls: [String]?

        enum CodingKeys: String, CodingKey {
            case tokensUsed = "tokens_used", processingTimeMs = "processing_time_ms", functionCalls = "function_calls"
        }
    }
}
