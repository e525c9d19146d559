import Foundation

extension EnhancedConsultationsGuide {
    package struct MessagesResponse: Codable {
        package let success: Bool
        package let data: MessagesData
    }

    package struct MessagesData: Codable {
        package let messages: [Message]
        package let pagination: Pagination
    }

    package struct Message: Codable, Identifiable {
        package let id: String
        package let consultationId: String
        package let role: MessageRole
        package let content: String
        package let metadata: MessageMetadata?
        package let createdAt: Date

        enum CodingKeys: String, CodingKey {
            case id
            case consultationId = "consultation_id"
            case role
            case content
            case metadata
            case createdAt = "created_at"
        }
    }

    package enum MessageRole: String, Codable {
        case user
        case assistant
        case system
    }

    package struct MessageMetadata: Codable {
        package let templateCreated: TemplateReference?
        package let functionCalled: String?
        package let tokensUsed: Int?

        enum CodingKeys: String, CodingKey {
            case templateCreated = "template_created"
            case functionCalled = "function_called"
            case tokensUsed = "tokens_used"
        }
    }

    package struct TemplateReference: Codable {
        /// "wellness", "meal" or "workout".
        package let type: String
        package let id: String
        package let name: String
    }

    /// A frame from the client; the guide fixes its type.
    package struct OutgoingMessage: Encodable {
        package let type = "user_message"
        package let content: String
        package let metadata: [String: String]?

        package init(content: String, metadata: [String: String]? = nil) {
            self.content = content
            self.metadata = metadata
        }
    }

    /// A frame from the server.
    package struct IncomingMessage: Codable {
        package let type: String
        package let content: String?
        package let messageId: String?
        package let error: String?
        package let metadata: MessageMetadata?

        enum CodingKeys: String, CodingKey {
            case type
            case content
            case messageId = "message_id"
            case error
            case metadata
        }
    }

    package enum WebSocketMessageType: String, CaseIterable, Sendable {
        case connected
        case userMessage = "user_message"
        case assistantMessageStart = "assistant_message_start"
        case assistantMessageChunk = "assistant_message_chunk"
        case assistantMessageEnd = "assistant_message_end"
        case templateCreated = "template_created"
        case error
    }
}

// MARK: - Quick actions

extension EnhancedConsultationsGuide {
    package struct QuickActionsResponse: Codable {
        package let success: Bool
        package let data: QuickActionsData
    }

    package struct QuickActionsData: Codable {
        package let quickActions: [QuickAction]
        package let count: Int

        enum CodingKeys: String, CodingKey {
            case quickActions = "quick_actions"
            case count
        }
    }

    /// Without the guide's `id`, which the client generates itself.
    package struct QuickAction: Codable {
        package let prompt: String
        package let description: String?
        package let contextType: ContextType
        package let persona: Persona?
        package let category: String?

        enum CodingKeys: String, CodingKey {
            case prompt
            case description
            case contextType = "context_type"
            case persona
            case category
        }
    }
}
