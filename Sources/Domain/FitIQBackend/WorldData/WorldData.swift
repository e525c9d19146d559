import FitIQAPI
import JSON

/// What a world holds, as a document: what a scenario starts from, and what an export says.
///
/// What is left out (ids, times) is made up where it is planted, in the order of the document.
public struct WorldData: Sendable, Equatable {
    /// The users, in the order in which they are made.
    public var users: [UserData]
    /// How many ids the world has issued, so that no later one repeats; nil where only the data itself can tell.
    public var issuedIDs: Int?

    /// Makes data.
    public init(users: [UserData] = [], issuedIDs: Int? = nil) {
        self.users = users
        self.issuedIDs = issuedIDs
    }
}

/// A user and what is theirs.
public struct UserData: Sendable, Equatable {
    /// The `sub` of their tokens.
    public var id: ExactString
    /// Their goals; where times say otherwise than the order, the times are followed.
    public var goals: [GoalData]
    /// Their consultations, in the order of their times as well.
    public var consultations: [ConsultationData]
    /// As many active consultations as it takes to have this many in all, about topics that are free; nil for none.
    public var fillActiveConsultations: Int?
    /// Their meal logs, in the order of their times as well.
    public var mealLogs: [MealLogData]

    /// Makes a user.
    public init(
        id: ExactString, goals: [GoalData] = [], consultations: [ConsultationData] = [],
        fillActiveConsultations: Int? = nil, mealLogs: [MealLogData] = []
    ) {
        self.id = id
        self.goals = goals
        self.consultations = consultations
        self.fillActiveConsultations = fillActiveConsultations
        self.mealLogs = mealLogs
    }
}

/// A time in a document.
public enum DataTime: Sendable, Equatable {
    /// A point in time.
    case at(Timestamp)
    /// So many nanoseconds before the world begins.
    case before(Int64)
}

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

extension Timestamp {
    /// RFC 3339 in UTC with as many digits of fraction as the nanoseconds need, none for whole seconds.
    ///
    /// For documents, which must not lose the order of what happened within a second; the wire has ``wireText``.
    public var preciseText: String {
        guard nanosecondsSinceEpoch != secondsSinceEpoch * 1_000_000_000 else { return wireText }
        var text = nanosecondText.dropLast()
        while text.utf8.last == UInt8(ascii: "0") { text.removeLast() }
        return text + "Z"
    }
}
