import Foundation

/// The models of the enhanced-consultations guide, field for field.
package enum EnhancedConsultationsGuide {
    /// A decoder with the guide's dates, without its `.convertFromSnakeCase`, which contradicts its own coding keys.
    package static let decoder = JSONDecoder.iso8601()

    /// The decoder as the guide writes it.
    package static let contradictoryDecoder: JSONDecoder = {
        let decoder = JSONDecoder.iso8601()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }()

    package struct ConsultationResponse: Codable {
        package let success: Bool
        package let data: Consultation
    }

    package struct ConsultationsListResponse: Codable {
        package let success: Bool
        package let data: ConsultationsData
    }

    package struct ConsultationsData: Codable {
        package let consultations: [Consultation]
        package let pagination: Pagination
    }

    package struct Consultation: Codable, Identifiable {
        package let id: String
        package let userId: String
        package let persona: Persona
        package let contextType: ContextType
        package let contextId: String?
        package let title: String?
        package let isActive: Bool
        package let isArchived: Bool
        package let messageCount: Int
        package let lastMessageAt: Date?
        package let createdAt: Date
        package let updatedAt: Date

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

    package enum Persona: String, Codable, CaseIterable {
        case nutritionist
        case fitnessCoach = "fitness_coach"
        case wellnessSpecialist = "wellness_specialist"
        case generalWellness = "general_wellness"
    }

    package enum ContextType: String, Codable, CaseIterable {
        case general
        case goal
        case insight
        case mood
        case journal
    }

    package struct CreateConsultationRequest: Codable {
        package let persona: String
        package let contextType: String
        package let contextId: String?
        package let title: String?

        package init(persona: Persona, contextType: ContextType, contextId: String? = nil, title: String? = nil) {
            self.persona = persona.rawValue
            self.contextType = contextType.rawValue
            self.contextId = contextId
            self.title = title
        }

        enum CodingKeys: String, CodingKey {
            case persona
            case contextType = "context_type"
            case contextId = "context_id"
            case title
        }
    }

    /// The guide uses this type without defining it; these are the server's fields.
    package struct Pagination: Codable, Equatable {
        package let page: Int
        package let pageSize: Int
        package let totalPages: Int
        package let totalCount: Int
        package let hasNext: Bool
        package let hasPrev: Bool

        package init(page: Int, pageSize: Int, totalPages: Int, totalCount: Int, hasNext: Bool, hasPrev: Bool) {
            self.page = page
            self.pageSize = pageSize
            self.totalPages = totalPages
            self.totalCount = totalCount
            self.hasNext = hasNext
            self.hasPrev = hasPrev
        }

        enum CodingKeys: String, CodingKey {
            case page
            case pageSize = "page_size"
            case totalPages = "total_pages"
            case totalCount = "total_count"
            case hasNext = "has_next"
            case hasPrev = "has_prev"
        }
    }

    /// The guide does not show a failure's body either; these members are the minimum that a client needs.
    package struct APIError: Codable {
        package let error: Details

        package struct Details: Codable {
            package let message: String
            package let code: String?
        }
    }
}
