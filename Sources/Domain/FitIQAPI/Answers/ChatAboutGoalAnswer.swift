import JSON

/// The answer of `POST /api/v1/consultations/chat-about-goal` (goal-linking, ChatAboutGoalResponse).
public struct ChatAboutGoalAnswer: Equatable, Sendable {
    /// The consultation to go on with.
    public var conversationID: ResourceID
    /// The goal that it is about.
    public var goalID: ResourceID
    /// When the consultation was created, which may be long ago.
    public var createdAt: Timestamp
    /// The coach, shown with name and picture.
    public var persona: Persona

    /// Tells of a consultation and the goal that it is linked with.
    public init(_ consultation: Consultation, goalID: ResourceID) {
        conversationID = consultation.id
        self.goalID = goalID
        createdAt = consultation.createdAt
        persona = consultation.persona
    }

    /// The body: goal-linking's object, and beside it in the union `success` and `data` with the same in snake_case.
    ///
    /// - Parameters:
    ///   - form: `.goalLinking` or `.union`.
    ///   - origin: where the avatars are served, `http://127.0.0.1:8080`.
    public func body(in form: GuideMode, origin: String) -> [UInt8] {
        var writer = JSONWriter(reserving: 768)
        writer.object { writer in
            if form.hasEnvelopeOfGoals {
                writer.member("success", true)
                writer.object("data") { data in
                    data.member("conversation_id", conversationID.description)
                    data.member("goal_id", goalID.description)
                    data.member("created_at", createdAt.wireText)
                    data.object("persona") { persona.writeMembers(into: &$0, origin: origin) }
                }
            }
            writer.member("conversationId", conversationID.description)
            writer.member("goalId", goalID.description)
            writer.member("createdAt", createdAt.wireText)
            writer.object("persona") { persona.writeMembers(into: &$0, origin: origin) }
        }
        return writer.bytes
    }
}
