import Foundation

/// The models of the consultation-websocket guide, field for field.
package enum ConsultationWebSocketGuide {
    /// A decoder like the one in the guide's `loadMessageHistory`; the guide's other REST decoders lack the date
    /// strategy.
    package static let decoder = JSONDecoder.iso8601()

    package struct CreateConsultationResponse: Codable {
        package let success: Bool
        package let data: ConsultationData

        package struct ConsultationData: Codable {
            package let consultation: Consultation
        }
    }

    package struct ConsultationResponse: Codable {
        package let success: Bool
        package let data: Consultation
    }

    package struct Consultation: Codable {
        package let id: String
        package let userID: String
        package let persona: String
        package let status: String
        package let startedAt: Date
        package let messageCount: Int
        package let createdAt: Date
        package let updatedAt: Date
        package let goalID: String?

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

    package struct ConflictErrorResponse: Codable {
        package let success: Bool
        package let error: ErrorDetails

        package struct ErrorDetails: Codable {
            package let code: String
            package let message: String
            package let details: ConflictDetails
        }

        package struct ConflictDetails: Codable {
            package let existingConsultationID: String
            package let persona: String
            package let status: String
            package let canContinue: Bool
            package let goalID: String?

            enum CodingKeys: String, CodingKey {
                case existingConsultationID = "existing_consultation_id"
                case persona
                case status
                case canContinue = "can_continue"
                case goalID = "goal_id"
            }
        }
    }

    package struct MessagesResponse: Codable {
        package let success: Bool
        package let data: MessagesData

        package struct MessagesData: Codable {
            package let messages: [Message]
        }

        package struct Message: Codable {
            package let id: String
            package let consultationID: String
            package let role: String
            package let content: String
            package let createdAt: Date

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

// MARK: - The socket

extension ConsultationWebSocketGuide {
    /// A frame from the client.
    package struct OutgoingMessage: Codable {
        package let type: String
        package let content: String

        package init(type: String, content: String) {
            self.type = type
            self.content = content
        }
    }

    /// A frame from the server.
    package struct WebSocketMessage: Codable {
        package let type: String
        package let consultationID: String?
        package let content: String?
        package let error: String?
        package let timestamp: Date

        enum CodingKeys: String, CodingKey {
            case type
            case consultationID = "consultation_id"
            case content
            case error
            case timestamp
        }
    }
}
