import JSON

/// Something that a user wants to reach (goal-linking, Goal Entity, without the app's local id).
public struct Goal: Equatable, Sendable {
    /// Issued by the backend: the guide's `backendId`.
    public var id: ResourceID
    /// The token's `sub`.
    public var userID: ExactString
    /// 1 to 200 characters.
    public var title: String
    /// 0 to 2,000 characters.
    public var description: String
    /// Only PATCH changes it: it does not follow ``progress``.
    public var status: GoalStatus
    /// From 0 to 1.
    public var progress: Double
    /// 1 to 100 characters, in the client's own words.
    public var category: String?
    /// When it is to be reached; may lie in the past.
    public var targetDate: DateTime
    /// The active consultation that it is talked about in; that one's ``Consultation/goalID`` is this goal.
    public var conversationID: ResourceID?
    /// When it was created.
    public var createdAt: Timestamp
    /// When a field of it last changed.
    public var updatedAt: Timestamp

    /// Makes a goal that was not started yet and has no conversation.
    public init(
        id: ResourceID, userID: ExactString, title: String, description: String, category: String?,
        targetDate: DateTime,
        createdAt: Timestamp
    ) {
        self.id = id
        self.userID = userID
        self.title = title
        self.description = description
        self.status = .notStarted
        self.progress = 0
        self.category = category
        self.targetDate = targetDate
        self.createdAt = createdAt
        self.updatedAt = createdAt
    }
}
