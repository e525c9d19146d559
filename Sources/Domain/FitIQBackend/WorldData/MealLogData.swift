import FitIQAPI

/// A meal log in a document.
public struct MealLogData: Sendable, Equatable {
    /// Its id; nil has one issued.
    public var id: ResourceID?
    /// As in requests.
    public var rawInput: String
    /// As in requests.
    public var mealType: MealType
    /// As in requests; nil for when it was created.
    public var loggedAt: DateTime?
    /// When it was created; nil for when processing ended, or the world begins.
    public var createdAt: DataTime?
    /// How far the backend has come.
    public var progress: Progress
    /// When processing ended; nil for when it was created.
    public var finishedAt: DataTime?

    /// How far the backend has come.
    public enum Progress: Sendable, Equatable {
        /// It is being worked out since it was created, and ends after the usual time, as a script or the parser has it.
        case processing
        /// Worked out by the built-in parser already.
        case parsed
        /// Worked out, with these foods.
        case completed([MealLogItem])
        /// Worked out, with these foods; their ids are made from the log's.
        case foods([MealRule.Item])
        /// Failed.
        case failed(MealLogFailure)
    }

    /// Makes a meal log.
    public init(
        id: ResourceID? = nil, rawInput: String, mealType: MealType, loggedAt: DateTime? = nil,
        createdAt: DataTime? = nil, progress: Progress = .parsed, finishedAt: DataTime? = nil
    ) {
        self.id = id
        self.rawInput = rawInput
        self.mealType = mealType
        self.loggedAt = loggedAt
        self.createdAt = createdAt
        self.progress = progress
        self.finishedAt = finishedAt
    }
}
