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
