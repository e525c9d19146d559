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
        (self.id, self.consultationID, self.role, self.content) = (id, consultationID, role, content)
        (self.metadata, self.createdAt) = (metadata, createdAt)
    }

    /// Writes the message as in a history; consultation-websocket has no metadata.
    public func write(into writer: inout JSONWriter, in form: GuideMode) {
        writer.beginObject()
        writer.member("id", id.description)
        writer.member("consultation_id", consultationID.description)
        writer.member("role", role.rawValue)
        writer.member("content", content)
        if form != .consultationWebSocket { writer.member("metadata", ifPresent: metadata) }
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
        (self.tokensUsed, self.templateCreated) = (tokensUsed, templateCreated)
        self.functionCalled = functionCalled
    }

    public func write(into writer: inout JSONWriter) {
        writer.beginObject()
        if let templateCreated {
            writer.key("template_created")
            templateCreated.write(into: &writer)
        }
        writer.member("function_called", ifPresent: functionCalled)
        writer.member("tokens_used", ifPresent: tokensUsed)
        writer.endObject()
    }
}

/// Something the coach created while it answered (enhanced-consultations, `template_created`).
public struct CreatedTemplate: Equatable, Sendable {
    public var type: String
    public var id: String
    public var name: String

    public init(type: String, id: String, name: String) { (self.type, self.id, self.name) = (type, id, name) }

    public func write(into writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("type", type)
            writer.member("id", id)
            writer.member("name", name)
        }
    }
}

extension JSONWriter {
    mutating func member(_ name: StaticString, ifPresent metadata: MessageMetadata?) {
        guard let metadata else { return }
        key(name)
        metadata.write(into: &self)
    }
}
