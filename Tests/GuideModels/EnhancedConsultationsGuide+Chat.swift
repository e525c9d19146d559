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
        package let id, consultationId: String
        package let role: MessageRole
        package let content: String
        package let metadata: MessageMetadata?
        package let createdAt: Date

        enum CodingKeys: String, CodingKey {
            case id, consultationId = "consultation_id", role, content, metadata, createdAt = "created_at"
        }
    }

    package enum MessageRole: String, Codable { case user, assistant, system }

    package struct MessageMetadata: Codable {
        package let templateCreated: TemplateReference?
        package let functionCalled: String?
        package let tokensUsed: Int?

        enum CodingKeys: String, CodingKey {
            case templateCreated = "template_created", functionCalled = "function_called", tokensUsed = "tokens_used"
        }
    }

    package struct TemplateReference: Codable {
        /// "wellness", "meal" or "workout".
        package let type, id, name: String
    }

    /// A frame from the client; the guide fixes its type.
    package struct OutgoingMessage: Encodable {
        package let type = "user_message"
        package let content: String
        package let metadata: [String: String]?

        package init(content: String, metadata: [String: String]? = nil) {
            (self.content, self.metadata) = (content, metadata)
        }
    }

    package struct IncomingMessage: Codable {
        package let type: String
        package let content, messageId, error: String?
        package let metadata: MessageMetadata?

        enum CodingKeys: String, CodingKey { case type, content, messageId = "message_id", error, metadata }
    }

    package enum WebSocketMessageType: String, CaseIterable, Sendable {
        case connected, userMessage = "user_message", assistantMessageStart = "assistant_message_start"
        case assistantMessageChunk = "assistant_message_chunk", assistantMessageEnd = "assistant_message_end"
        case templateCreated = "template_created", error
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

        enum CodingKeys: String, CodingKey { case quickActions = "quick_actions", count }
    }

    /// Without the guide's `id`, which the client generates itself.
    package struct QuickAction: Codable {
        package let prompt: String
        package let description: String?
        package let contextType: ContextType
        package let persona: Persona?
        package let category: String?

        enum CodingKeys: String, CodingKey { case prompt, description, contextType = "context_type", persona, category }
    }
}
