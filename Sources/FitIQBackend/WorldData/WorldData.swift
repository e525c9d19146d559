import FitIQAPI

/// What a world holds, as a document: what a scenario starts from, and what an export says.
///
/// What is left out (ids, times) is made up where it is planted, in the order of the document.
public struct WorldData: Sendable, Equatable {
    /// The users, in the order in which they are made.
    public var users: [UserData]

    /// Makes data.
    public init(users: [UserData] = []) {
        self.users = users
    }
}

/// A user and what is theirs.
public struct UserData: Sendable, Equatable {
    /// The `sub` of their tokens.
    public var id: String
    /// Their goals, oldest first.
    public var goals: [GoalData]
    /// Their consultations, oldest first.
    public var consultations: [ConsultationData]
    /// As many active consultations as it takes to have this many in all, about topics that are free; nil for none.
    public var fillActiveConsultations: Int?
    /// Their meal logs, in the order in which they were created.
    public var mealLogs: [MealLogData]

    /// Makes a user.
    public init(
        id: String, goals: [GoalData] = [], consultations: [ConsultationData] = [],
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
    public var name: String?
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
    /// When it was created; nil for when the world begins.
    public var createdAt: DataTime?
    /// When it last changed; nil for when it was created.
    public var updatedAt: DataTime?

    /// Makes a goal.
    public init(
        id: ResourceID? = nil, name: String? = nil, title: String, description: String = "", category: String? = nil,
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

/// Which goal of the same user is meant.
public enum GoalReference: Sendable, Equatable {
    /// The one that the document calls so.
    case named(String)
    /// The one with this id.
    case id(ResourceID)
}

/// A consultation in a document.
public struct ConsultationData: Sendable, Equatable {
    /// Its id; nil has one issued.
    public var id: ResourceID?
    /// Who is asked.
    public var persona: Persona
    /// What it is about; `goal` goes with ``contextGoal``.
    public var contextType: ContextType
    /// The id of an insight, a mood or a journal entry.
    public var contextID: String?
    /// The goal that it is about.
    public var contextGoal: GoalReference?
    /// The goal that it is linked with, if other than ``contextGoal``; the goal's conversation too, while it is active and ``isGoalsConversation``.
    public var linkedGoal: GoalReference?
    /// Whether the linked goal (or the one that it is about) names this consultation as its conversation.
    public var isGoalsConversation: Bool
    /// Its title.
    public var title: String?
    /// Its status.
    public var status: ConsultationStatus
    /// Its messages, oldest first.
    public var messages: [MessageData]
    /// So many made-up messages before ``messages``, user and assistant in turn.
    public var madeUpMessages: Int
    /// When it was created; nil for when the world begins.
    public var createdAt: DataTime?
    /// When it last changed; nil for when its last message was stored, or it was created.
    public var updatedAt: DataTime?

    /// Makes a consultation.
    public init(
        id: ResourceID? = nil, persona: Persona, contextType: ContextType = .general, contextID: String? = nil,
        contextGoal: GoalReference? = nil, linkedGoal: GoalReference? = nil, isGoalsConversation: Bool = true,
        title: String? = nil, status: ConsultationStatus = .active, messages: [MessageData] = [],
        madeUpMessages: Int = 0, createdAt: DataTime? = nil, updatedAt: DataTime? = nil
    ) {
        self.id = id
        self.persona = persona
        self.contextType = contextType
        self.contextID = contextID
        self.contextGoal = contextGoal
        self.linkedGoal = linkedGoal
        self.isGoalsConversation = isGoalsConversation
        self.title = title
        self.status = status
        self.messages = messages
        self.madeUpMessages = madeUpMessages
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

/// A message in a document.
public struct MessageData: Sendable, Equatable {
    /// Its id; nil has one issued.
    public var id: ResourceID?
    /// Who wrote it.
    public var role: MessageRole
    /// What it says.
    public var content: String
    /// What the backend noted about it.
    public var metadata: MessageMetadata?
    /// When it was stored; nil for when the consultation was created.
    public var createdAt: DataTime?

    /// Makes a message.
    public init(
        id: ResourceID? = nil, role: MessageRole, content: String, metadata: MessageMetadata? = nil,
        createdAt: DataTime? = nil
    ) {
        self.id = id
        self.role = role
        self.content = content
        self.metadata = metadata
        self.createdAt = createdAt
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
    /// When it was created; nil for when the world begins.
    public var createdAt: DataTime?
    /// How far the backend has come.
    public var progress: Progress
    /// When processing ended; nil for when it was created.
    public var finishedAt: DataTime?

    /// How far the backend has come.
    public enum Progress: Sendable, Equatable {
        /// It is worked out when the world begins, and ends as a script or the built-in parser has it.
        case processing
        /// Worked out by the built-in parser already.
        case parsed
        /// Worked out, with these foods.
        case completed([MealLogItem])
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
