import JSON

/// A conversation with a coach, with the fields of all guides.
public struct Consultation: Equatable, Sendable {
    public var id: ResourceID
    public var userID: ExactString
    public var persona: Persona
    /// Fixed at creation; together with the persona it identifies duplicates.
    public var context: ConsultationContext
    /// The linked goal, for any context type.
    public var goalID: ResourceID?
    public var title: String?
    /// Only active consultations accept chat.
    public var status = ConsultationStatus.active
    public var createdAt: Timestamp
    /// The time of the last message, or of a later change.
    public var updatedAt: Timestamp
    public var messageCount = 0
    public var lastMessageAt: Timestamp?
    /// The completion time, which only the apps use; it is kept when a completed consultation is archived.
    public var completedAt: Timestamp?
    /// The quick action sent at creation, which only the apps use.
    public var quickAction: String?
    /// Whether the coach has answered.
    public var isAnswered = false

    /// Creates a consultation that starts now and has no messages.
    public init(
        id: ResourceID, userID: ExactString, persona: Persona, context: ConsultationContext, goalID: ResourceID?,
        title: String?, createdAt: Timestamp
    ) {
        (self.id, self.userID, self.persona, self.context) = (id, userID, persona, context)
        (self.goalID, self.title) = (goalID, title)
        (self.createdAt, self.updatedAt) = (createdAt, createdAt)
    }

    /// The list filters.
    public struct Kind: Hashable, Sendable {
        public let status: ConsultationStatus
        public let persona: Persona
        public let contextType: ContextType
    }

    public var kind: Kind { Kind(status: status, persona: persona, contextType: context.type) }
    public var isActive: Bool { status == .active }
    public var isArchived: Bool { status == .archived }

    /// The consultation as a list item: only the snake_case object.
    public func listItem(in mode: GuideMode) -> [UInt8] {
        object(in: mode.form(of: .listConsultations), isForApps: mode.servesApps)
    }

    /// The body of an endpoint's response; the avatar URLs start with the origin, such as `http://127.0.0.1:8080`.
    ///
    /// - Parameter listItem: The current list item, if the caller has it; most bodies contain it.
    public func body(
        answering endpoint: Endpoint, in mode: GuideMode, origin: String, listItem: [UInt8]? = nil
    ) -> [UInt8] {
        let form = mode.form(of: endpoint)
        let listItem = form == mode.form(of: .listConsultations) ? listItem : nil
        var object: [UInt8] { listItem ?? self.object(in: form, isForApps: mode.servesApps) }
        switch form {
        case .union: return union(of: object, origin: origin)
        case .consultationWebSocket where endpoint == .createConsultation:
            return JSONWriter.success { $0.member("consultation", raw: object) }
        case .consultationWebSocket, .enhancedConsultations: return JSONWriter.success(data: object)
        case .goalLinking: return JSONWriter.object { writeCamelCase(into: &$0, origin: origin) }
        case .webSocketArchitecture:
            // The guide only says that the response "returns consultation_id".
            return JSONWriter.object { $0.member("consultation_id", id) }
        case .mealLogWebSocket: preconditionFailure("meal-log-websocket has no endpoint that returns a consultation.")
        }
    }

    private func object(in form: GuideMode, isForApps: Bool) -> [UInt8] {
        JSONWriter.object(reserving: 512) { writer in
            switch form {
            case .consultationWebSocket: writeConsultationWebSocket(into: &writer)
            case .enhancedConsultations: writeEnhancedConsultations(into: &writer)
            default: writeSnakeCase(into: &writer, isForApps: isForApps)
            }
        }
    }

    /// Writes the objects of all guides as a single object.
    ///
    /// enhanced-consultations reads `data`, consultation-websocket reads `data` or `data.consultation`, goal-linking
    /// reads camelCase members next to them, and websocket-architecture reads `consultation_id`.
    private func union(of object: [UInt8], origin: String) -> [UInt8] {
        JSONWriter.object(reserving: 1536) { writer in
            writer.member("success", true)
            writer.object("data") { writer in
                writer.members(of: object)
                writer.member("consultation", raw: object)
            }
            writer.member("consultation_id", id)
            writeCamelCase(into: &writer, origin: origin)
        }
    }

    /// Writes the members for the guides that use an envelope.
    private func writeSnakeCase(into writer: inout JSONWriter, isForApps: Bool) {
        writeConsultationWebSocket(into: &writer, isUnion: true)
        writeContext(into: &writer)
        writer.member("last_message_at", ifPresent: lastMessageAt)
        writer.member("completed_at", ifPresent: completedAt)
        guard isForApps else { return }
        writer.member("quick_action", ifPresent: quickAction)
        writer.member("has_context_for_goal_suggestions", goalID != nil || isAnswered)
    }

    private func writeConsultationWebSocket(into writer: inout JSONWriter, isUnion: Bool = false) {
        let id = id.description
        writer.member("id", id)
        // websocket-architecture reads this name from the create response.
        if isUnion { writer.member("consultation_id", id) }
        writer.member("user_id", userID.text)
        writer.member("persona", persona.rawValue)
        writer.member("status", status.rawValue)
        writer.member("started_at", createdAt)
        writer.member("message_count", messageCount)
        writer.member("created_at", createdAt)
        writer.member("updated_at", updatedAt)
        writer.member("goal_id", ifPresent: goalID)
    }

    private func writeContext(into writer: inout JSONWriter) {
        writer.member("context_type", context.type.rawValue)
        if context == ConsultationContext(.goal) { writer.memberNull("context_id") }
        writer.member("context_id", ifPresent: context.id?.text)
        writer.member("title", ifPresent: title)
        writer.member("is_active", isActive)
        writer.member("is_archived", isArchived)
    }

    private func writeEnhancedConsultations(into writer: inout JSONWriter) {
        writer.member("id", id)
        writer.member("user_id", userID.text)
        writer.member("persona", persona.rawValue)
        writeContext(into: &writer)
        writer.member("message_count", messageCount)
        writer.member("last_message_at", ifPresent: lastMessageAt)
        writer.member("created_at", createdAt)
        writer.member("updated_at", updatedAt)
    }

    /// goal-linking, "Get Conversation Details".
    private func writeCamelCase(into writer: inout JSONWriter, origin: String) {
        writer.member("id", id)
        writer.member("userId", userID.text)
        writer.member("goalId", orNull: goalID)
        writer.object("persona") { persona.writeMembers(into: &$0, origin: origin) }
        writer.member("createdAt", createdAt)
        writer.member("updatedAt", updatedAt)
        writer.member("messageCount", messageCount)
        writer.member("lastMessageAt", orNull: lastMessageAt)
    }
}

/// A message in a conversation (enhanced-consultations, Message).
public struct Message: Equatable, Sendable {
    /// The socket's `message_id`.
    public var id: ResourceID
    public var consultationID: ResourceID
    public var role: MessageRole
    /// For a user, the trimmed text; for an assistant, the concatenated chunks.
    public var content: String
    public var metadata: MessageMetadata?
    /// When the message was received or completed.
    public var createdAt: Timestamp

    public init(
        id: ResourceID, consultationID: ResourceID, role: MessageRole, content: String,
        metadata: MessageMetadata? = nil, createdAt: Timestamp
    ) {
        (self.id, self.consultationID, self.role, self.content) = (id, consultationID, role, content)
        (self.metadata, self.createdAt) = (metadata, createdAt)
    }

    /// Writes the message as it appears in a history; consultation-websocket has no metadata.
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

    /// The body of `POST /api/v1/consultations/{id}/messages` with this question, `data: {user_message,
    /// assistant_message}`.
    ///
    /// - Parameter answer: The answer; nil if it streams over a socket or the coach does not answer.
    public func body(answeredBy answer: Message?) -> [UInt8] {
        JSONWriter.success(reserving: content.utf8.count + (answer?.content.utf8.count ?? 0) + 768) { writer in
            writer.key("user_message")
            write(into: &writer, in: .union)
            writer.key("assistant_message")
            if let answer { answer.write(into: &writer, in: .union) } else { writer.null() }
        }
    }
}

/// Message metadata (enhanced-consultations, MessageMetadata).
public struct MessageMetadata: Equatable, Sendable {
    /// An estimate: four characters per language-model token.
    public var tokensUsed: Int?
    public var templateCreated: CreatedTemplate?
    /// The function that the language model called.
    public var functionCalled: String?
    /// The coach that answered.
    ///
    /// Only the apps read this and the following members; they are nil in modes without the apps.
    public var persona: Persona?
    /// The duration of the answer in milliseconds.
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

    /// Writes the apps' members at the end of a stream.
    func writeStreamEnd(into writer: inout JSONWriter) {
        writer.object("metadata") { writer in
            writer.member("tokens_used", ifPresent: tokensUsed)
            writer.member("processing_time_ms", ifPresent: processingTime)
            if let functionCalled { writer.array("function_calls") { $0.value(functionCalled) } }
        }
    }
}

/// A template that the coach created while answering (enhanced-consultations, `template_created`).
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
