import JSON

/// A goal as JSON in the form of one mode: made when the goal changes, sent as often as it is read.
public struct EncodedGoal: Equatable, Sendable {
    /// The body of create, get and update.
    public let body: [UInt8]
    /// The object in camelCase, as lists have it.
    public let camelCase: [UInt8]
    /// The object in snake_case, as lists have it; empty in the form of goal-linking, which knows none.
    public let snakeCase: [UInt8]

    /// The bytes of all three.
    public var byteCount: Int { body.count + camelCase.count + snakeCase.count }
}

extension Goal {
    /// The goal as JSON: as goal-linking prints it, or as the union of the guides.
    ///
    /// goal-linking has the camelCase object without an envelope; the union puts it beside `success` and `data`, which holds
    /// the same in snake_case (CONTRACT: goals).
    ///
    /// - Parameter form: `.goalLinking` or `.union`; no other guide documents goals.
    public func encoded(in form: GuideMode) -> EncodedGoal {
        var camelCase = JSONWriter(reserving: 512)
        camelCase.object(writeCamelCaseMembers)
        guard form.hasEnvelopeOfGoals else {
            return EncodedGoal(body: camelCase.bytes, camelCase: camelCase.bytes, snakeCase: [])
        }
        var snakeCase = JSONWriter(reserving: 512)
        snakeCase.object(writeSnakeCaseMembers)
        var body = JSONWriter(reserving: camelCase.bytes.count + snakeCase.bytes.count + 32)
        body.object { body in
            body.member("success", true)
            body.member("data", raw: snakeCase.bytes)
            writeCamelCaseMembers(into: &body)
        }
        return EncodedGoal(body: body.bytes, camelCase: camelCase.bytes, snakeCase: snakeCase.bytes)
    }

    private func writeCamelCaseMembers(into writer: inout JSONWriter) {
        writer.member("id", id.description)
        writer.member("userId", userID.text)
        writer.member("title", title)
        writer.member("description", description)
        writer.member("status", status.rawValue)
        writer.member("progress", progress)
        writer.member("category", orNull: category)
        writer.member("targetDate", targetDate.wireText)
        writer.member("conversationId", orNull: conversationID?.description)
        writer.member("createdAt", createdAt.wireText)
        writer.member("updatedAt", updatedAt.wireText)
    }

    private func writeSnakeCaseMembers(into writer: inout JSONWriter) {
        writer.member("id", id.description)
        writer.member("user_id", userID.text)
        writer.member("title", title)
        writer.member("description", description)
        writer.member("status", status.rawValue)
        writer.member("progress", progress)
        writer.member("category", orNull: category)
        writer.member("target_date", targetDate.wireText)
        writer.member("conversation_id", orNull: conversationID?.description)
        writer.member("created_at", createdAt.wireText)
        writer.member("updated_at", updatedAt.wireText)
    }
}

extension GuideMode {
    /// Whether answers about goals have the union's envelope beside goal-linking's members.
    var hasEnvelopeOfGoals: Bool {
        switch self {
        case .union: true
        case .goalLinking: false
        case .consultationWebSocket, .enhancedConsultations, .webSocketArchitecture, .mealLogWebSocket:
            preconditionFailure("\(rawValue) documents no goals: ask form(of:) for the form.")
        }
    }
}
