import Foundation

/// The models of the guide enhanced-consultations, field for field.
enum EnhancedConsultationsGuide {
    /// With the guide's dates, and without its `.convertFromSnakeCase`, which contradicts its own coding keys.
    static let decoder: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }()

    /// As the guide writes it.
    static let contradictoryDecoder: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }()

    struct Consultation: Codable, Identifiable {
        let id: String
        let userId: String
        let persona: Persona
        let contextType: ContextType
        let contextId: String?
        let title: String?
        let isActive: Bool
        let isArchived: Bool
        let messageCount: Int
        let lastMessageAt: Date?
        let createdAt: Date
        let updatedAt: Date

        enum CodingKeys: String, CodingKey {
            case id
            case userId = "user_id"
            case persona
            case contextType = "context_type"
            case contextId = "context_id"
            case title
            case isActive = "is_active"
            case isArchived = "is_archived"
            case messageCount = "message_count"
            case lastMessageAt = "last_message_at"
            case createdAt = "created_at"
            case updatedAt = "updated_at"
        }
    }

    enum Persona: String, Codable, CaseIterable {
        case nutritionist
        case fitnessCoach = "fitness_coach"
        case wellnessSpecialist = "wellness_specialist"
        case generalWellness = "general_wellness"
    }

    enum ContextType: String, Codable, CaseIterable {
        case general
        case goal
        case insight
        case mood
        case journal
    }

    struct Message: Codable, Identifiable {
        let id: String
        let consultationId: String
        let role: MessageRole
        let content: String
        let metadata: MessageMetadata?
        let createdAt: Date

        enum CodingKeys: String, CodingKey {
            case id
            case consultationId = "consultation_id"
            case role
            case content
            case metadata
            case createdAt = "created_at"
        }
    }

    enum MessageRole: String, Codable {
        case user
        case assistant
        case system
    }

    struct MessageMetadata: Codable {
        let templateCreated: TemplateReference?
        let functionCalled: String?
        let tokensUsed: Int?

        enum CodingKeys: String, CodingKey {
            case templateCreated = "template_created"
            case functionCalled = "function_called"
            case tokensUsed = "tokens_used"
        }
    }

    struct TemplateReference: Codable {
        let type: String
        let id: String
        let name: String
    }

    struct IncomingMessage: Codable {
        let type: String
        let content: String?
        let messageId: String?
        let error: String?
        let metadata: MessageMetadata?

        enum CodingKeys: String, CodingKey {
            case type
            case content
            case messageId = "message_id"
            case error
            case metadata
        }
    }

    enum WebSocketMessageType: String {
        case connected
        case userMessage = "user_message"
        case assistantMessageStart = "assistant_message_start"
        case assistantMessageChunk = "assistant_message_chunk"
        case assistantMessageEnd = "assistant_message_end"
        case templateCreated = "template_created"
        case error
    }

    struct QuickAction: Codable {
        let prompt: String
        let description: String?
        let contextType: ContextType
        let persona: Persona?
        let category: String?

        enum CodingKeys: String, CodingKey {
            case prompt
            case description
            case contextType = "context_type"
            case persona
            case category
        }
    }

    struct QuickActionsResponse: Codable {
        let success: Bool
        let data: QuickActionsData
    }

    struct QuickActionsData: Codable {
        let quickActions: [QuickAction]
        let count: Int

        enum CodingKeys: String, CodingKey {
            case quickActions = "quick_actions"
            case count
        }
    }

    struct ConsultationResponse: Codable {
        let success: Bool
        let data: Consultation
    }

    struct ConsultationsListResponse: Codable {
        let success: Bool
        let data: ConsultationsData
    }

    struct ConsultationsData: Codable {
        let consultations: [Consultation]
        let pagination: Pagination
    }

    struct MessagesResponse: Codable {
        let success: Bool
        let data: MessagesData
    }

    struct MessagesData: Codable {
        let messages: [Message]
        let pagination: Pagination
    }

    /// The guide uses this type and defines it nowhere; these are the fields of the contract.
    struct Pagination: Codable, Equatable {
        let page: Int
        let pageSize: Int
        let totalPages: Int
        let totalCount: Int
        let hasNext: Bool
        let hasPrev: Bool

        enum CodingKeys: String, CodingKey {
            case page
            case pageSize = "page_size"
            case totalPages = "total_pages"
            case totalCount = "total_count"
            case hasNext = "has_next"
            case hasPrev = "has_prev"
        }
    }

    /// Nor this one, which it decodes from the body of every failure.
    struct APIError: Codable {
        let error: Details

        struct Details: Codable {
            let message: String
            let code: String?
        }
    }
}
