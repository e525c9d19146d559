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
