import FitIQAPI
import JSON

/// The contents of a world as a document: the start of a scenario, and the content of an export.
///
/// Missing values (ids, times) are generated at planting, in the order of the document. Entities are ordered by their
/// times where these contradict the order of their list.
public struct WorldData: Sendable, Equatable {
    /// In the order of creation.
    public var users: [UserData]
    /// The number of ids the world has issued, so that none repeats; nil if only the data itself can tell.
    public var issuedIDs: Int?

    public init(users: [UserData] = [], issuedIDs: Int? = nil) { (self.users, self.issuedIDs) = (users, issuedIDs) }
}

public struct UserData: Sendable, Equatable {
    /// The `sub` of the user's tokens.
    public var id: ExactString
    public var goals: [GoalData]
    public var consultations: [ConsultationData]
    /// The number of active consultations to reach with consultations about free topics; nil for none.
    public var fillActiveConsultations: Int?
    public var mealLogs: [MealLogData]
    /// What was recognized in photos: completed or failed.
    public var photos: [MealLogData] = []
    public var documents: [DocumentCollection: [DocumentData]]
    /// Nil for a user who cannot log in.
    public var account: AccountData?
    /// Nil for one that is made up.
    public var profile: UserRecordData<ProfileDetails>?
    public var preferences: UserRecordData<PreferenceLists>?

    public init(
        id: ExactString, goals: [GoalData] = [], consultations: [ConsultationData] = [],
        fillActiveConsultations: Int? = nil, mealLogs: [MealLogData] = [],
        documents: [DocumentCollection: [DocumentData]] = [:]
    ) {
        (self.id, self.goals, self.consultations) = (id, goals, consultations)
        (self.fillActiveConsultations, self.mealLogs) = (fillActiveConsultations, mealLogs)
        self.documents = documents
    }
}

public struct AccountData: Sendable, Equatable {
    public var email: String
    public var password: Password
    /// Oldest first.
    public var refreshTokens: [RefreshTicket]

    public enum Password: Sendable, Equatable {
        case plain(String)
        case hash(PasswordHash)
    }

    public init(email: String, password: Password, refreshTokens: [RefreshTicket] = []) {
        (self.email, self.password, self.refreshTokens) = (email, password, refreshTokens)
    }
}

/// A profile or preferences in a document.
public struct UserRecordData<Content: Sendable & Equatable>: Sendable, Equatable {
    public var id: ResourceID?
    public var content: Content
    /// Nil for the last change, or the world's start.
    public var createdAt: DataTime?
    /// Nil for the creation.
    public var updatedAt: DataTime?

    public init(
        id: ResourceID? = nil, _ content: Content, createdAt: DataTime? = nil, updatedAt: DataTime? = nil
    ) {
        (self.id, self.content, self.createdAt, self.updatedAt) = (id, content, createdAt, updatedAt)
    }

    init(_ record: UserRecord<Content>) {
        self.init(
            id: record.id, record.content, createdAt: .at(record.createdAt), updatedAt: .at(record.updatedAt))
    }
}

public enum DataTime: Sendable, Equatable {
    case at(Timestamp)
    /// Nanoseconds before the world's start.
    case before(Int64)
}

public struct GoalData: Sendable, Equatable {
    public var id: ResourceID?
    /// The document's name for references by consultations; nil if there are none.
    public var name: ExactString?
    public var title: String
    public var description: String
    public var category: String?
    /// Nil for 90 days after the world's start.
    public var targetDate: DateTime?
    public var status: GoalState
    /// From 0 to 1.
    public var progress: Double
    public var measure: GoalMeasure
    /// Nil for the last change, or the world's start.
    public var createdAt: DataTime?
    /// Nil for the creation.
    public var updatedAt: DataTime?

    public init(
        id: ResourceID? = nil, name: ExactString? = nil, title: String, description: String = "",
        category: String? = nil, targetDate: DateTime? = nil, status: GoalState = .notStarted, progress: Double = 0,
        measure: GoalMeasure = GoalMeasure(), createdAt: DataTime? = nil, updatedAt: DataTime? = nil
    ) {
        (self.id, self.name, self.title, self.description) = (id, name, title, description)
        (self.category, self.targetDate, self.status, self.measure) = (category, targetDate, status, measure)
        (self.progress, self.createdAt, self.updatedAt) = (progress, createdAt, updatedAt)
    }
}

public struct MealLogData: Sendable, Equatable {
    public var id: ResourceID?
    public var rawInput: String
    public var mealType: MealType
    /// Nil for the creation.
    public var loggedAt: DateTime?
    /// Nil for the end of processing, or the world's start.
    public var createdAt: DataTime?
    public var progress: Progress
    /// The start of processing; nil for the creation.
    public var startedAt: DataTime?
    /// The end of processing; nil for its start.
    public var finishedAt: DataTime?
    /// The last change by the client; nil for none.
    public var updatedAt: DataTime?
    public var notes: String?
    /// Whether the foods of a completed log were entered one by one.
    public var isManual = false
    /// The meal log that a photo became.
    public var mealLogID: ResourceID?

    public enum Progress: Sendable, Equatable {
        /// In processing since its creation; ends after the usual time, by a script or the parser.
        case processing
        /// Already processed by the built-in parser.
        case parsed
        case completed([MealItem])
        /// These foods; their ids derive from the log's.
        case foods([MealItem])
        case failed(MealLogFailure)
    }

    public init(
        id: ResourceID? = nil, rawInput: String, mealType: MealType, loggedAt: DateTime? = nil,
        createdAt: DataTime? = nil, progress: Progress = .parsed, finishedAt: DataTime? = nil
    ) {
        (self.id, self.rawInput, self.mealType, self.loggedAt) = (id, rawInput, mealType, loggedAt)
        (self.createdAt, self.progress, self.finishedAt) = (createdAt, progress, finishedAt)
    }
}

extension Timestamp {
    /// RFC 3339 in UTC with as many fraction digits as needed, none for whole seconds.
    ///
    /// For documents, which must keep the order of events within a second; the wire uses ``wireText``.
    public var preciseText: String {
        guard nanosecondsSinceEpoch != secondsSinceEpoch &* 1_000_000_000 else { return wireText }
        var text = nanosecondText.dropLast()
        while text.utf8.last == UInt8(ascii: "0") { text.removeLast() }
        return text + "Z"
    }
}
