import Foundation

/// The models of the enhanced-consultations guide, field for field.
package enum EnhancedConsultationsGuide {
    /// A decoder with the guide's dates, without its `.convertFromSnakeCase`, which contradicts its own coding keys.
    package static let decoder = JSONDecoder.iso8601()

    package static let contradictoryDecoder = JSONDecoder.iso8601(keys: .convertFromSnakeCase)

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
        package let id, userId: String
        package let persona: Persona
        package let contextType: ContextType
        package let contextId, title: String?
        package let isActive, isArchived: Bool
        package let messageCount: Int
        package let lastMessageAt: Date?
        package let createdAt, updatedAt: Date

        enum CodingKeys: String, CodingKey {
            case id, userId = "user_id", persona, contextType = "context_type", contextId = "context_id", title
            case isActive = "is_active", isArchived = "is_archived", messageCount = "message_count"
            case lastMessageAt = "last_message_at", createdAt = "created_at", updatedAt = "updated_at"
        }
    }

    package enum Persona: String, Codable, CaseIterable {
        case nutritionist, fitnessCoach = "fitness_coach", wellnessSpecialist = "wellness_specialist"
        case generalWellness = "general_wellness"
    }

    package enum ContextType: String, Codable, CaseIterable { case general, goal, insight, mood, journal }

    package struct CreateConsultationRequest: Codable {
        package let persona, contextType: String
        package let contextId, title: String?

        package init(persona: Persona, contextType: ContextType, contextId: String? = nil, title: String? = nil) {
            (self.persona, self.contextType) = (persona.rawValue, contextType.rawValue)
            (self.contextId, self.title) = (contextId, title)
        }

        enum CodingKeys: String, CodingKey {
            case persona, contextType = "context_type", contextId = "context_id", title
        }
    }

    /// The guide uses this type without defining it; these are the server's fields.
    package struct Pagination: Codable, Equatable {
        package let page, pageSize, totalPages, totalCount: Int
        package let hasNext, hasPrev: Bool

        package init(page: Int, pageSize: Int, totalPages: Int, totalCount: Int, hasNext: Bool, hasPrev: Bool) {
            (self.page, self.pageSize, self.totalPages) = (page, pageSize, totalPages)
            (self.totalCount, self.hasNext, self.hasPrev) = (totalCount, hasNext, hasPrev)
        }

        enum CodingKeys: String, CodingKey {
            case page
            case pageSize = "page_size", totalPages = "total_pages", totalCount = "total_count", hasNext = "has_next"
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
