import FitIQAPI
import JSON

/// A goal in a document.
public struct GoalData: Sendable, Equatable {
    /// Its id; nil has one issued.
    public var id: ResourceID?
    /// What consultations of the document call it; nil where none refers to it by name.
    public var name: ExactString?
    /// As in requests.
    public var title: String
    /// As in requests.
    public var description: String
    /// As in requests.
    public var category: String?
    /// When it is to be reached; nil for 90 days after the world begins.
    public var targetDate: DateTime?
    /// Its status.
    public var status: GoalStatus
    /// From 0 to 1.
    public var progress: Double
    /// When it was created; nil for when it last changed, or the world begins.
    public var createdAt: DataTime?
    /// When it last changed; nil for when it was created.
    public var updatedAt: DataTime?

    /// Makes a goal.
    public init(
        id: ResourceID? = nil, name: ExactString? = nil, title: String, description: String = "",
        category: String? = nil,
        targetDate: DateTime? = nil, status: GoalStatus = .notStarted, progress: Double = 0,
        createdAt: DataTime? = nil, updatedAt: DataTime? = nil
    ) {
        self.id = id
        self.name = name
        self.title = title
        self.description = description
        self.category = category
        self.targetDate = targetDate
        self.status = status
        self.progress = progress
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}
