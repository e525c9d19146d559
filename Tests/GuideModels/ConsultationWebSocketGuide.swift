import Foundation

/// The models of the consultation-websocket guide, field for field.
package enum ConsultationWebSocketGuide {
    /// A decoder like the one in the guide's `loadMessageHistory`; the guide's other REST decoders lack the date
    /// strategy.
    package static let decoder = JSONDecoder.iso8601()

    package struct CreateConsultationResponse: Codable {
        package let success: Bool
        package let data: ConsultationData

        package struct ConsultationData: Codable { package let consultation: Consultation }
    }

    package struct ConsultationResponse: Codable {
        package let success: Bool
        package let data: Consultation
    }

    package struct Consultation: Codable {
        package let id, userID, persona, status: String
        package let startedAt: Date
        package let messageCount: Int
        package let createdAt, updatedAt: Date
        package let goalID: String?

        enum CodingKeys: String, CodingKey {
            case id, userID = "user_id", persona, status, startedAt = "started_at", messageCount = "message_count"
            case createdAt = "created_at", updatedAt = "updated_at", goalID = "goal_id"
        }
    }

    package struct ConflictErrorResponse: Codable {
        package let success: Bool
        package let error: ErrorDetails

        package struct ErrorDetails: Codable {
            package let code, message: String
            package let details: ConflictDetails
        }

        package struct ConflictDetails: Codable {
            package let existingConsultationID, persona, status: String
            package let canContinue: Bool
            package let goalID: String?

            enum CodingKeys: String, CodingKey {
                case existingConsultationID = "existing_consultation_id", persona, status, canContinue = "can_continue"
                case goalID = "goal_id"
            }
        }
    }

    package struct MessagesResponse: Codable {
        package let success: Bool
        package let data: MessagesData

        package struct MessagesData: Codable { package let messages: [Message] }

        package struct Message: Codable {
            package let id, consultationID, role, content: String
            package let createdAt: Date

            enum CodingKeys: String, CodingKey {
                case id, consultationID = "consultation_id", role, content, createdAt = "created_at"
            }
        }
    }
}

// MARK: - The socket

extension ConsultationWebSocketGuide {
    package struct OutgoingMessage: Codable {
        package let type, content: String

        package init(type: String, content: String) { (self.type, self.content) = (type, content) }
    }

    package struct WebSocketMessage: Codable {
        package let type: String
        package let consultationID, content, error: String?
        package let timestamp: Date

        enum CodingKeys: String, CodingKey { case type, consultationID = "consultation_id", content, error, timestamp }
    }
}
