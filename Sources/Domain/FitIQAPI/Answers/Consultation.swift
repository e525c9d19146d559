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
