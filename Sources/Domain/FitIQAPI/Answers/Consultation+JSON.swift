import JSON

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
