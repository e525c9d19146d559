import Foundation

/// The models of the guide goal-linking, field for field: camelCase, no envelope.
enum GoalLinkingGuide {
    static let decoder: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }()

    struct Conversation: Identifiable, Codable {
        let id: UUID
        let backendId: String?
        var goalId: String?
        let createdAt: Date
        var updatedAt: Date
        var persona: PersonaInfo
        var messageCount: Int
        var lastMessageAt: Date?
    }

    struct Goal: Identifiable, Codable {
        let id: UUID
        let backendId: String?
        var title: String
        var description: String
        var createdAt: Date
        var targetDate: Date
        var progress: Double
        var status: GoalStatus
        var userId: String?
        var conversationId: String?
        var category: String?
    }

    enum GoalStatus: String, Codable {
        case notStarted = "not_started"
        case inProgress = "in_progress"
        case completed = "completed"
        case archived = "archived"
    }

    struct ChatAboutGoalResponse: Codable {
        let conversationId: String
        let goalId: String
        let createdAt: Date
        let persona: PersonaInfo
    }

    /// Named and not declared by the guide; these are its memberwise calls.
    struct CreateGoalRequest: Codable {
        let title: String
        let description: String
        let targetDate: Date
        var category: String?
    }

    /// Named and not declared by the guide; these are its memberwise calls.
    struct UpdateGoalRequest: Codable {
        var title: String?
        var description: String?
        var targetDate: Date?
        var progress: Double?
        var status: String?
        var conversationId: String?
        var category: String?
    }

    struct ChatAboutGoalRequest: Codable {
        let goalId: String
    }

    struct PersonaInfo: Codable {
        let id: String
        let name: String
        let avatar: String?
    }
}

/// The models of the guide websocket-architecture.
enum WebSocketArchitectureGuide {
    /// "Returns consultation_id", its listing says of the answer to create.
    struct CreateConsultationResponse: Codable {
        let consultationID: String

        enum CodingKeys: String, CodingKey {
            case consultationID = "consultation_id"
        }
    }

    /// The same within an envelope.
    struct Enveloped: Codable {
        let data: CreateConsultationResponse
    }

    struct BaseMessage: Codable {
        let type: String
    }
}
