import JSON

/// One turn of a conversation (enhanced-consultations, Message).
public struct Message: Equatable, Sendable {
    /// Issued by the backend; the socket's `message_id`.
    public var id: ResourceID
    /// Whose conversation it belongs to.
    public var consultationID: ResourceID
    /// Who wrote it.
    public var role: MessageRole
    /// Trimmed for users, exactly the sum of the chunks for assistants.
    public var content: String
    /// What the backend noted about it.
    public var metadata: MessageMetadata?
    /// When it was received, or complete.
    public var createdAt: Timestamp

    /// Makes a message.
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

    /// Writes the message as it stands in a history; consultation-websocket knows no metadata.
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

/// What the backend notes about a message (enhanced-consultations, MessageMetadata).
public struct MessageMetadata: Equatable, Sendable {
    /// A rough count of language-model tokens: four characters to one.
    public var tokensUsed: Int?

    /// What the coach made while it answered.
    public var templateCreated: CreatedTemplate?
    /// The function that the language model called.
    public var functionCalled: String?

    /// Makes metadata.
    public init(tokensUsed: Int? = nil, templateCreated: CreatedTemplate? = nil, functionCalled: String? = nil) {
        self.tokensUsed = tokensUsed
        self.templateCreated = templateCreated
        self.functionCalled = functionCalled
    }

    /// Writes the metadata as an object.
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
