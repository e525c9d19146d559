import JSON

/// A user's goal (goal-linking, Goal Entity, without the app's local id).
public struct Goal: Equatable, Sendable {
    /// The guide's `backendId`.
    public var id: ResourceID
    public var userID: ExactString
    /// 1 to 200 characters.
    public var title: String
    /// 0 to 2,000 characters.
    public var description: String
    /// Only PATCH changes it; it does not follow ``progress``.
    public var status: GoalStatus
    /// From 0 to 1.
    public var progress: Double
    /// 1 to 100 characters of free text.
    public var category: String?
    /// May lie in the past.
    public var targetDate: DateTime
    /// The active consultation about this goal; its ``Consultation/goalID`` is this goal.
    public var conversationID: ResourceID?
    public var createdAt: Timestamp
    public var updatedAt: Timestamp

    /// Creates a goal that is not started and has no conversation.
    public init(
        id: ResourceID, userID: ExactString, title: String, description: String, category: String?,
        targetDate: DateTime, createdAt: Timestamp
    ) {
        (self.id, self.userID, self.title, self.description) = (id, userID, title, description)
        (self.status, self.progress) = (.notStarted, 0)
        (self.category, self.targetDate, self.createdAt) = (category, targetDate, createdAt)
        self.updatedAt = createdAt
    }
}

/// A goal as JSON in the form of one mode, encoded once per change.
public struct EncodedGoal: Equatable, Sendable {
    /// The body of the create, get and update responses.
    public let body: [UInt8]
    /// The camelCase object of lists.
    public let camelCase: [UInt8]
    /// The snake_case object of lists; empty in the form of goal-linking, which has none.
    public let snakeCase: [UInt8]

    public var byteCount: Int { body.count + camelCase.count + snakeCase.count }
}

extension Goal {
    /// Encodes the goal as goal-linking prints it or as the union of the guides; no other guide documents goals.
    ///
    /// goal-linking has the camelCase object without an envelope. The union adds `success` and `data`, which holds the
    /// same fields in snake_case.
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
    /// Whether goal responses have the union's envelope in addition to goal-linking's members.
    var hasEnvelopeOfGoals: Bool {
        switch self {
        case .union: true
        case .goalLinking: false
        default: preconditionFailure("\(rawValue) documents no goals: ask form(of:) for the form.")
        }
    }
}

extension Consultation {
    /// The body of `POST /api/v1/consultations/chat-about-goal` (goal-linking, ChatAboutGoalResponse).
    ///
    /// The form is `.goalLinking` or `.union`, which adds `success` and `data` with the same fields in snake_case.
    public func body(answeringChatAboutGoal goalID: ResourceID, in form: GuideMode, origin: String) -> [UInt8] {
        var writer = JSONWriter(reserving: 768)
        writer.object { writer in
            if form.hasEnvelopeOfGoals {
                writer.member("success", true)
                writer.object("data") { data in
                    data.member("conversation_id", id.description)
                    data.member("goal_id", goalID.description)
                    data.member("created_at", createdAt.wireText)
                    data.object("persona") { persona.writeMembers(into: &$0, origin: origin) }
                }
            }
            writer.member("conversationId", id.description)
            writer.member("goalId", goalID.description)
            writer.member("createdAt", createdAt.wireText)
            writer.object("persona") { persona.writeMembers(into: &$0, origin: origin) }
        }
        return writer.bytes
    }
}
