import JSON

extension Consultation {
    /// The snake_case object of the guides with an envelope, without its closing brace.
    private func writeMembers(into writer: inout JSONWriter) {
        let id = id.description
        writer.member("id", id)
        // websocket-architecture reads this name from the answer to create.
        writer.member("consultation_id", id)
        writer.member("user_id", userID)
        writer.member("persona", persona.rawValue)
        writer.member("status", status.rawValue)
        writer.member("started_at", createdAt.wireText)
        writer.member("message_count", messageCount)
        writer.member("created_at", createdAt.wireText)
        writer.member("updated_at", updatedAt.wireText)
        if let goalID { writer.member("goal_id", goalID.description) }
        writer.member("context_type", context.type.rawValue)
        if let contextID = context.id { writer.member("context_id", contextID) }
        if let title { writer.member("title", title) }
        writer.member("is_active", isActive)
        writer.member("is_archived", isArchived)
        if let lastMessageAt { writer.member("last_message_at", lastMessageAt.wireText) }
    }

    /// The consultation as it stands in a list: the snake_case object alone.
    public var listItem: [UInt8] {
        var writer = JSONWriter(reserving: 512)
        writer.beginObject()
        writeMembers(into: &writer)
        writer.endObject()
        return writer.bytes
    }

    /// The body of create, get and archive in the union of the guides.
    ///
    /// enhanced-consultations reads `data`, consultation-websocket `data` or `data.consultation`, goal-linking the camelCase
    /// members beside them, websocket-architecture `consultation_id` (CONTRACT: consultations).
    ///
    /// - Parameter origin: where the avatars are served, `http://127.0.0.1:8080`.
    public func unionBody(listItem: [UInt8], origin: String) -> [UInt8] {
        var writer = JSONWriter(reserving: 3 * listItem.count)
        writer.beginObject()
        writer.member("success", true)
        writer.key("data")
        writer.beginObject()
        writeMembers(into: &writer)
        writer.key("consultation")
        writer.raw(listItem)
        writer.endObject()

        let id = id.description
        writer.member("id", id)
        writer.member("consultation_id", id)
        writer.member("userId", userID)
        writer.key("goalId")
        if let goalID { writer.value(goalID.description) } else { writer.null() }
        writer.key("persona")
        writer.beginObject()
        writer.member("id", persona.rawValue)
        writer.member("name", persona.displayName)
        writer.member("avatar", persona.avatarURL(origin: origin))
        writer.endObject()
        writer.member("createdAt", createdAt.wireText)
        writer.member("updatedAt", updatedAt.wireText)
        writer.member("messageCount", messageCount)
        writer.key("lastMessageAt")
        if let lastMessageAt { writer.value(lastMessageAt.wireText) } else { writer.null() }
        writer.endObject()
        return writer.bytes
    }
}

extension Persona {
    /// Where the persona's picture is served.
    public func avatarURL(origin: String) -> String {
        "\(origin)/avatars/\(rawValue).svg"
    }
}
