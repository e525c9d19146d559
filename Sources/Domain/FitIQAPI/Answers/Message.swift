import JSON

/// A message of a conversation (enhanced-consultations, Message).
public struct Message: Equatable, Sendable {
    /// The socket's `message_id`.
    public var id: ResourceID
    public var consultationID: ResourceID
    public var role: MessageRole
    /// Trimmed for users; exactly the sum of the chunks for assistants.
    public var content: String
    public var metadata: MessageMetadata?
    /// The time at which it was received or completed.
    public var createdAt: Timestamp

    public init(
        id: ResourceID, consultationID: ResourceID, role: MessageRole, content: String,
        metadata: MessageMetadata? = nil, createdAt: Timestamp
    ) {
        self.id = id
        self.consultationID = consultationID
        self.role = role
        self.content = content
        self.metadata = metadata
        self.createdAt = createdAt
    }

    /// Writes the message as in a history; consultation-websocket has no metadata.
    public func write(into writer: inout JSONWriter, in form: GuideMode) {
        writer.beginObject()
        writer.member("id", id.description)
        writer.member("consultation_id", consultationID.description)
        writer.member("role", role.rawValue)
        writer.member("content", content)
        if let metadata, form != .consultationWebSocket {
            writer.key("metadata")
            metadata.write(into: &writer)
        }
        writer.member("created_at", createdAt.wireText)
        writer.endObject()
    }
}

/// Metadata of a message (enhanced-consultations, MessageMetadata).
public struct MessageMetadata: Equatable, Sendable {
    /// An estimate: four characters per language-model token.
    public var tokensUsed: Int?

    public var templateCreated: CreatedTemplate?
    /// The function that the language model called.
    public var functionCalled: String?

    public init(tokensUsed: Int? = nil, templateCreated: CreatedTemplate? = nil, functionCalled: String? = nil) {
        self.tokensUsed = tokensUsed
        self.templateCreated = templateCreated
        self.functionCalled = functionCalled
    }

    public func write(into writer: inout JSONWriter) {
        writer.beginObject()
        if let templateCreated {
            writer.key("template_created")
            templateCreated.write(into: &writer)
        }
        if let functionCalled { writer.member("function_called", functionCalled) }
        if let tokensUsed { writer.member("tokens_used", tokensUsed) }
        writer.endObject()
    }
}
