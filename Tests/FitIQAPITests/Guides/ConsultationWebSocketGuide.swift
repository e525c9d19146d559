import Foundation

/// The models of the guide consultation-websocket, field for field.
enum ConsultationWebSocketGuide {
    /// As its `getConsultationHistory` sets it up; its other decoders forget the dates.
    static let decoder: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }()

    struct WebSocketMessage: Codable {
        let type: String
        let consultationID: String?
        let content: String?
        let error: String?
        let timestamp: Date

        enum CodingKeys: String, CodingKey {
            case type
            case consultationID = "consultation_id"
            case content
            case error
            case timestamp
        }
    }

    struct CreateConsultationResponse: Codable {
        let success: Bool
        let data: ConsultationData

        struct ConsultationData: Codable {
            let consultation: Consultation
        }
    }

    struct ConsultationResponse: Codable {
        let success: Bool
        let data: Consultation
    }

    struct Consultation: Codable {
        let id: String
        let userID: String
        let persona: String
        let status: String
        let startedAt: Date
        let messageCount: Int
        let createdAt: Date
        let updatedAt: Date
        let goalID: String?

        enum CodingKeys: String, CodingKey {
            case id
            case userID = "user_id"
            case persona
            case status
            case startedAt = "started_at"
            case messageCount = "message_count"
            case createdAt = "created_at"
            case updatedAt = "updated_at"
            case goalID = "goal_id"
        }
    }

    struct ConflictErrorResponse: Codable {
        let success: Bool
        let error: ErrorDetails

        struct ErrorDetails: Codable {
            let code: String
            let message: String
            let details: ConflictDetails
        }

        struct ConflictDetails: Codable {
            let existingConsultationID: String
            let persona: String
            let status: String
            let canContinue: Bool
            let goalID: String?

            enum CodingKeys: String, CodingKey {
                case existingConsultationID = "existing_consultation_id"
                case persona
                case status
                case canContinue = "can_continue"
                case goalID = "goal_id"
            }
        }
    }

    struct MessagesResponse: Codable {
        let success: Bool
        let data: MessagesData

        struct MessagesData: Codable {
            let messages: [Message]
        }

        struct Message: Codable {
            let id: String
            let consultationID: String
            let role: String
            let content: String
            let createdAt: Date

            enum CodingKeys: String, CodingKey {
                case id
                case consultationID = "consultation_id"
                case role
                case content
                case createdAt = "created_at"
            }
        }
    }
}
