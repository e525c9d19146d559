import JSON

/// A conversation with a coach, as every guide sees it.
public struct Consultation: Equatable, Sendable {
    /// Issued by the backend.
    public var id: ResourceID
    /// The token's `sub`.
    public var userID: ExactString
    /// Fixed at creation.
    public var persona: Persona
    /// Fixed at creation: with the persona it decides what is a duplicate.
    public var context: ConsultationContext
    /// The goal it is linked with, whatever its context.
    public var goalID: ResourceID?
    /// As given at creation.
    public var title: String?
    /// Only an active one can be chatted in.
    public var status: ConsultationStatus
    /// When it was created.
    public var createdAt: Timestamp
    /// When it last changed, by a message or by archiving.
    public var updatedAt: Timestamp
    /// Messages stored, of all roles.
    public var messageCount: Int
    /// When the last message was stored.
    public var lastMessageAt: Timestamp?

    /// Makes a consultation that begins now and has no messages.
    public init(
        id: ResourceID, userID: ExactString, persona: Persona, context: ConsultationContext, goalID: ResourceID?,
        title: String?, createdAt: Timestamp
    ) {
        self.id = id
        self.userID = userID
        self.persona = persona
        self.context = context
        self.goalID = goalID
        self.title = title
        self.status = .active
        self.createdAt = createdAt
        self.updatedAt = createdAt
        self.messageCount = 0
    }

    /// Whether it can be chatted in and counts towards the limit of ten.
    public var isActive: Bool { status == .active }
    /// Whether the user has put it away.
    public var isArchived: Bool { status == .archived }
}

extension Consultation {
    /// The consultation as it stands in a list: the snake_case object alone.
    public func listItem(in mode: GuideMode) -> [UInt8] {
        object(in: mode.form(of: .listConsultations))
    }

    /// The body with which an endpoint answers with this consultation, in the form that a mode gives it.
    ///
    /// - Parameter origin: where the avatars are served, `http://127.0.0.1:8080`.
    public func body(answering endpoint: Endpoint, in mode: GuideMode, origin: String) -> [UInt8] {
        let form = mode.form(of: endpoint)
        var writer = JSONWriter(reserving: 1536)
        switch form {
        case .union:
            writeUnion(into: &writer, origin: origin)
        case .consultationWebSocket where endpoint == .createConsultation:
            writer.object { writer in
                writer.member("success", true)
                writer.object("data") { $0.member("consultation", raw: object(in: form)) }
            }
        case .consultationWebSocket, .enhancedConsultations:
            writer.object { writer in
                writer.member("success", true)
                writer.member("data", raw: object(in: form))
            }
        case .goalLinking:
            writer.object { writeCamelCase(into: &$0, origin: origin) }
        case .webSocketArchitecture:
            // All that the guide says of the answer is that it "returns consultation_id".
            writer.object { $0.member("consultation_id", id.description) }
        case .mealLogWebSocket:
            preconditionFailure("meal-log-websocket documents no endpoint that answers with a consultation.")
        }
        return writer.bytes
    }

    private func object(in form: GuideMode) -> [UInt8] {
        var writer = JSONWriter(reserving: 512)
        writer.object { writer in
            switch form {
            case .consultationWebSocket: writeConsultationWebSocket(into: &writer)
            case .enhancedConsultations: writeEnhancedConsultations(into: &writer)
            default: writeSnakeCase(into: &writer)
            }
        }
        return writer.bytes
    }
}

// MARK: The union

extension Consultation {
    /// The guides' objects side by side.
    ///
    /// enhanced-consultations reads `data`, consultation-websocket `data` or `data.consultation`, goal-linking the camelCase
    /// members beside them, websocket-architecture `consultation_id` (CONTRACT: consultations).
    private func writeUnion(into writer: inout JSONWriter, origin: String) {
        writer.object { writer in
            writer.member("success", true)
            writer.object("data") { writer in
                writeSnakeCase(into: &writer)
                writer.object("consultation", writeSnakeCase)
            }
            writer.member("consultation_id", id.description)
            writeCamelCase(into: &writer, origin: origin)
        }
    }

    /// Every member of the guides with an envelope.
    private func writeSnakeCase(into writer: inout JSONWriter) {
        let id = id.description
        writer.member("id", id)
        // websocket-architecture reads this name from the answer to create.
        writer.member("consultation_id", id)
        writer.member("user_id", userID.text)
        writer.member("persona", persona.rawValue)
        writer.member("status", status.rawValue)
        writer.member("started_at", createdAt.wireText)
        writer.member("message_count", messageCount)
        writer.member("created_at", createdAt.wireText)
        writer.member("updated_at", updatedAt.wireText)
        writer.member("goal_id", ifPresent: goalID?.description)
        writer.member("context_type", context.type.rawValue)
        writer.member("context_id", ifPresent: context.id?.text)
        writer.member("title", ifPresent: title)
        writer.member("is_active", isActive)
        writer.member("is_archived", isArchived)
        writer.member("last_message_at", ifPresent: lastMessageAt?.wireText)
    }
}

// MARK: One guide

extension Consultation {
    /// consultation-websocket, `Consultation`.
    private func writeConsultationWebSocket(into writer: inout JSONWriter) {
        writer.member("id", id.description)
        writer.member("user_id", userID.text)
        writer.member("persona", persona.rawValue)
        writer.member("status", status.rawValue)
        writer.member("started_at", createdAt.wireText)
        writer.member("message_count", messageCount)
        writer.member("created_at", createdAt.wireText)
        writer.member("updated_at", updatedAt.wireText)
        writer.member("goal_id", ifPresent: goalID?.description)
    }

    /// enhanced-consultations, `Consultation`.
    private func writeEnhancedConsultations(into writer: inout JSONWriter) {
        writer.member("id", id.description)
        writer.member("user_id", userID.text)
        writer.member("persona", persona.rawValue)
        writer.member("context_type", context.type.rawValue)
        writer.member("context_id", ifPresent: context.id?.text)
        writer.member("title", ifPresent: title)
        writer.member("is_active", isActive)
        writer.member("is_archived", isArchived)
        writer.member("message_count", messageCount)
        writer.member("last_message_at", ifPresent: lastMessageAt?.wireText)
        writer.member("created_at", createdAt.wireText)
        writer.member("updated_at", updatedAt.wireText)
    }

    /// goal-linking, "Get Conversation Details".
    private func writeCamelCase(into writer: inout JSONWriter, origin: String) {
        writer.member("id", id.description)
        writer.member("userId", userID.text)
        writer.member("goalId", orNull: goalID?.description)
        writer.object("persona") { persona.writeMembers(into: &$0, origin: origin) }
        writer.member("createdAt", createdAt.wireText)
        writer.member("updatedAt", updatedAt.wireText)
        writer.member("messageCount", messageCount)
        writer.member("lastMessageAt", orNull: lastMessageAt?.wireText)
    }
}

/// Something that the coach made while it answered (enhanced-consultations, `template_created`).
public struct CreatedTemplate: Equatable, Sendable {
    /// `workout`, `meal_plan`, `goal`: a word of the backend's.
    public var type: String
    /// The id of what was made.
    public var id: String
    /// What it is called.
    public var name: String

    /// Names something.
    public init(type: String, id: String, name: String) {
        self.type = type
        self.id = id
        self.name = name
    }

    /// Writes it as an object.
    public func write(into writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("type", type)
            writer.member("id", id)
            writer.member("name", name)
        }
    }
}

extension Persona {
    /// The persona's picture: its initial on a coloured disc, as SVG.
    public var avatarImage: String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" role="img" aria-label="\(displayName)">\
        <circle cx="32" cy="32" r="32" fill="\(colour)"/>\
        <text x="32" y="42" font-family="sans-serif" font-size="28" fill="#fff" text-anchor="middle">\
        \(displayName.prefix(1))</text></svg>

        """
    }

    /// The colours that enhanced-consultations gives its personas: green, blue, purple, orange.
    private var colour: String {
        switch self {
        case .nutritionist: "#34c759"
        case .fitnessCoach: "#007aff"
        case .wellnessSpecialist: "#af52de"
        case .generalWellness: "#ff9500"
        }
    }
}
