extension EnhancedConsultationsGuide {
    package static let consultation = Shape.members([
        "id": .id, "user_id": .string, "persona": .persona, "context_type": .contextType, "context_id?": .string,
        "title?": .string, "is_active": .bool, "is_archived": .bool, "message_count": .integer,
        "last_message_at?": .timestamp, "created_at": .timestamp, "updated_at": .timestamp,
    ])

    static let pagination = Shape.members([
        "page": .integer, "page_size": .integer, "total_pages": .integer, "total_count": .integer, "has_next": .bool,
        "has_prev": .bool,
    ])

    static let metadata = Shape.members([
        "template_created?": .members(["type": .string, "id": .string, "name": .string]),
        "function_called?": .string, "tokens_used?": .integer,
    ])

    /// The answer to create, get and archive.
    package static let shown = Shape.enveloped(consultation)
    /// The answer to GET /consultations.
    package static let list = Shape.enveloped(
        .members(["consultations": .array(consultation), "pagination": pagination]))
    /// The answer to GET /consultations/{id}/messages.
    package static let messages = Shape.enveloped(
        .members([
            "messages": .array(
                .members([
                    "id": .id, "consultation_id": .id, "role": .role, "content": .string, "metadata?": metadata,
                    "created_at": .timestamp,
                ])),
            "pagination": pagination,
        ]))
    /// The answer to GET /consultations/quick-actions.
    package static let quickActions = Shape.enveloped(
        .members([
            "quick_actions": .array(
                .members([
                    "prompt": .string, "description?": .string, "context_type": .contextType, "persona?": .persona,
                    "category?": .string,
                ])),
            "count": .integer,
        ]))

    /// A server frame: the members that the guide's client reads from frames of that type.
    package static func frame(_ type: WebSocketMessageType) -> Shape {
        let name = Shape.oneOf([type.rawValue])
        return switch type {
        case .connected: .members(["type": name])
        case .userMessage, .assistantMessageChunk:
            .members(["type": name, "message_id": .id, "content": .string])
        case .assistantMessageStart: .members(["type": name, "message_id": .id])
        case .assistantMessageEnd: .members(["type": name, "message_id": .id, "metadata?": metadata])
        case .templateCreated: .members(["type": name, "metadata": metadata])
        case .error: .members(["type": name, "error": .string])
        }
    }
}
