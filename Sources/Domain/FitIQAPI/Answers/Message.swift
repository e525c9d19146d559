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
        writer.member("id", id)
        writer.member("consultation_id", consultationID)
        writer.member("role", role.rawValue)
        writer.member("content", content)
        if form != .consultationWebSocket { writer.member("metadata", ifPresent: metadata) }
        writer.member("created_at", createdAt)
        writer.endObject()
    }

    /// The body of `POST /api/v1/consultations/{id}/messages` with this question: `data: {user_message,
    /// assistant_message}`.
    ///
    /// - Parameter answer: The answer; nil if it streams over a socket, or if the coach gives none.
    public func body(answeredBy answer: Message?) -> [UInt8] {
        JSONWriter.success(reserving: content.utf8.count + (answer?.content.utf8.count ?? 0) + 768) { writer in
            writer.key("user_message")
            write(into: &writer, in: .union)
            writer.key("assistant_message")
            if let answer { answer.write(into: &writer, in: .union) } else { writer.null() }
        }
    }
}

/// Metadata of a message (enhanced-consultations, MessageMetadata).
public struct MessageMetadata: Equatable, Sendable {
    /// An estimate: four characters per language-model token.
    public var tokensUsed: Int?
    public var templateCreated: CreatedTemplate?
    /// The function that the language model called.
    public var functionCalled: String?
    /// The coach that answered; nil where the apps are not served, which read this and what follows.
    public var persona: Persona?
    /// From the start of the answer to its end, in milliseconds.
    public var processingTime: Int?

    public init(
        tokensUsed: Int? = nil, templateCreated: CreatedTemplate? = nil, functionCalled: String? = nil,
        persona: Persona? = nil, processingTime: Int? = nil
    ) {
        (self.tokensUsed, self.templateCreated) = (tokensUsed, templateCreated)
        (self.functionCalled, self.persona, self.processingTime) = (functionCalled, persona, processingTime)
    }

    public func write(into writer: inout JSONWriter) {
        writer.beginObject()
        if let templateCreated {
            writer.key("template_created")
            templateCreated.write(into: &writer)
        }
        writer.member("function_called", ifPresent: functionCalled)
        writer.member("tokens_used", ifPresent: tokensUsed)
        if let persona {
            writer.member("persona", persona.rawValue)
            writer.member("tokens", ifPresent: tokensUsed)
            writer.member("processing_time_ms", ifPresent: processingTime)
            writer.member("is_streaming", false)
        }
        writer.endObject()
    }

    /// Writes what the apps read at the end of a stream.
    func writeStreamEnd(into writer: inout JSONWriter) {
        writer.object("metadata") { writer in
            writer.member("tokens_used", ifPresent: tokensUsed)
            writer.member("processing_time_ms", ifPresent: processingTime)
            if let functionCalled { writer.array("function_calls") { $0.value(functionCalled) } }
        }
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
