import FitIQAPI
import JSON

/// The contents of a world as a document: a scenario's start or an export's content.
///
/// Missing ids and times are generated in document order when a world is created. If an entity's time contradicts its
/// place in the list, the time takes precedence.
public struct WorldData: Sendable, Equatable {
    /// The users in creation order.
    public var users: [UserData]
    /// The number of issued ids, so that no id is repeated; nil derives it from the data.
    public var issuedIDs: Int?

    public init(users: [UserData] = [], issuedIDs: Int? = nil) { (self.users, self.issuedIDs) = (users, issuedIDs) }
}

public struct UserData: Sendable, Equatable {
    /// The `sub` of the user's tokens.
    public var id: ExactString
    public var goals: [GoalData] = []
    public var consultations: [ConsultationData] = []
    /// The number of active consultations to reach by adding some on free topics; nil adds none.
    public var fillActiveConsultations: Int?
    public var mealLogs: [MealLogData] = []
    /// The foods recognized in photos: completed or failed logs.
    public var photos: [MealLogData] = []
    public var documents: [DocumentCollection: [DocumentData]] = [:]
    /// The account; nil if the user cannot log in.
    public var account: AccountData?
    /// The profile; nil means a generated one.
    public var profile: UserRecordData<ProfileDetails>?
    public var preferences: UserRecordData<PreferenceLists>?
}

// Outside the structures, which keep Swift's internal initialisers with a parameter for each member.
extension UserData {
    public init(id: ExactString) { self.init(id: id, goals: []) }
}
extension GoalData {
    public init(title: String) { self.init(id: nil, title: title) }
}
extension ConsultationData {
    public init(persona: Persona) { self.init(id: nil, persona: persona) }
}
extension MessageData {
    public init(role: MessageRole, content: String) { self.init(id: nil, role: role, content: content) }
}
extension MealLogData {
    public init(rawInput: String, mealType: MealType) { self.init(id: nil, rawInput: rawInput, mealType: mealType) }
}

public struct AccountData: Sendable, Equatable {
    public var email: String
    public var password: Password
    /// The valid tokens, oldest first.
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
    /// The creation time; nil means the time of the last change or the world's start.
    public var createdAt: DataTime?
    /// The time of the last change; nil means the creation time.
    public var updatedAt: DataTime?

    public init(id: ResourceID? = nil, _ content: Content, createdAt: DataTime? = nil, updatedAt: DataTime? = nil) {
        (self.id, self.content, self.createdAt, self.updatedAt) = (id, content, createdAt, updatedAt)
    }

    init(_ record: UserRecord<Content>) {
        self.init(id: record.id, record.content, createdAt: .at(record.createdAt), updatedAt: .at(record.updatedAt))
    }
}

public enum DataTime: Sendable, Equatable {
    case at(Timestamp)
    /// Nanoseconds before the world's start.
    case before(Int64)
}

public struct GoalData: Sendable, Equatable {
    public var id: ResourceID?
    /// The name that the document's consultations use for the goal, if any.
    public var name: ExactString?
    public var title: String
    public var description = ""
    public var category: String?
    /// The target date; nil means 90 days after the world's start.
    public var targetDate: DateTime?
    public var status = GoalState.notStarted
    /// From 0 to 1.
    public var progress = 0.0
    public var measure = GoalMeasure()
    /// The creation time; nil means the time of the last change or the world's start.
    public var createdAt: DataTime?
    /// The time of the last change; nil means the creation time.
    public var updatedAt: DataTime?
}

public struct MealLogData: Sendable, Equatable {
    public var id: ResourceID?
    public var rawInput: String
    public var mealType: MealType
    /// The time of the meal; nil means the creation time.
    public var loggedAt: DateTime?
    /// The creation time; nil means the end of processing or the world's start.
    public var createdAt: DataTime?
    public var progress = Progress.parsed
    /// When processing started; nil means the creation time.
    public var startedAt: DataTime?
    /// When processing ended; nil means when it started.
    public var finishedAt: DataTime?
    /// The time of the last change by the client; nil if there was none.
    public var updatedAt: DataTime?
    public var notes: String?
    /// Whether the user entered the foods of a completed log individually.
    public var isManual = false
    /// The meal log created from a photo.
    public var mealLogID: ResourceID?

    public enum Progress: Sendable, Equatable {
        /// Processing started when the log was created; it ends after the usual time, with the script's or parser's
        /// result.
        case processing
        /// Already processed by the built-in parser.
        case parsed
        case completed([MealItem])
        /// These foods, with ids derived from the log's.
        case foods([MealItem])
        case failed(MealLogFailure)
    }
}

extension Timestamp {
    /// RFC 3339 in UTC with as few fractional digits as possible.
    ///
    /// Documents use this format to keep the order of events within a second; the API uses ``wireText``.
    public var preciseText: String {
        guard nanosecondsSinceEpoch != secondsSinceEpoch &* 1_000_000_000 else { return wireText }
        var text = nanosecondText.dropLast()
        while text.utf8.last == UInt8(ascii: "0") { text.removeLast() }
        return text + "Z"
    }
}

/// A reference to a goal of the same user.
public enum GoalReference: Sendable, Equatable {
    /// The goal with this name in the document.
    case named(ExactString)
    case id(ResourceID)
}

/// A consultation in a document.
public struct ConsultationData: Sendable, Equatable {
    public var id: ResourceID?
    public var persona: Persona
    /// `goal` requires ``contextGoal``, unless the goal was deleted or the mode serves the apps.
    public var contextType = ContextType.general
    /// The id of an insight, a mood, a journal entry or a deleted goal.
    public var contextID: ExactString?
    public var contextGoal: GoalReference?
    /// The linked goal, if it differs from ``contextGoal``.
    public var linkedGoal: GoalReference?
    /// Whether the consultation can be its goal's conversation while it is active.
    ///
    /// If several consultations qualify, the one with ``linkedGoal`` has priority, or else the first one.
    public var isGoalsConversation = true
    /// Whether the consultation is about a goal without being linked to it; excludes ``linkedGoal``.
    public var isUnlinked = false
    public var title: String?
    public var status = ConsultationStatus.active
    /// The messages, oldest first.
    public var messages: [MessageData] = []
    /// The number of generated messages before ``messages``, alternately from user and assistant, at even intervals.
    public var madeUpMessages = 0
    /// The creation time; nil means the time of the first message that has one, the time of the last change, or the
    /// world's start.
    public var createdAt: DataTime?
    /// The time of the last change; nil means the time of the last message or the creation time.
    public var updatedAt: DataTime?
    /// The completion time, which only the apps use; nil means the last change of a completed consultation.
    public var completedAt: DataTime?
    /// Whether the last message is a question that awaits an answer.
    ///
    /// The answer comes when a socket opens or a client reads the history. Only for the apps.
    public var awaitsAnswer = false
    /// The quick action, which only the apps use.
    public var quickAction: String?

    /// Whether the consultation is about a deleted goal, in a world with these id rules.
    public func namesDeletedGoal(_ ids: IDCase) -> Bool {
        contextType == .goal && contextGoal == nil && contextID.flatMap { ResourceID($0.text, as: ids) } != nil
    }
}

/// A message in a document.
public struct MessageData: Sendable, Equatable {
    public var id: ResourceID?
    public var role: MessageRole
    public var content: String
    /// Metadata; for an assistant, a missing token count means four bytes per token, and a missing persona means the
    /// consultation's.
    public var metadata: MessageMetadata?
    /// The creation time; nil means the previous message's or the consultation's creation time.
    public var createdAt: DataTime?
}

/// A generated conversation of any length, with the persona's quick actions as questions and the built-in coach's
/// answers.
///
/// The consultation's id is the seed, so a world has the same conversation in every run.
struct MadeUpConversation {
    private let persona: Persona
    private let context: ContextType
    private let prompts: [String]
    private var numbers: SplitMix64
    private var prompt = 0
    private var turn = 0
    private var isAnswerDue = false
    /// A cache of answers by prompt and general-answer index; thousands of messages need only a few dozen answers.
    private var answers: [Key: String] = [:]

    private struct Key: Hashable { let prompt, place: Int }

    init(_ consultation: Consultation) {
        persona = consultation.persona
        context = consultation.context.type
        prompts = QuickAction.matching(contextType: nil, persona: persona).map(\.prompt)
        numbers = SplitMix64(seed: consultation.id.seed)
    }

    mutating func next() -> (role: MessageRole, content: String) {
        defer { isAnswerDue.toggle() }
        guard isAnswerDue else {
            // Choose a different prompt than before.
            prompt = (prompt + 1 + Int(numbers.next(below: UInt64(prompts.count - 1)))) % prompts.count
            return (.user, prompts[prompt])
        }
        defer { turn += 1 }
        return (.assistant, answer())
    }

    private mutating func answer() -> String {
        // In the first turn, the answer may mention the context.
        let key = Key(prompt: prompt, place: turn == 0 ? -1 : turn % AnswerIndex.of(persona).general.count)
        if let answer = answers[key] { return answer }
        let answer = Coach.answer(persona: persona, context: context, question: prompts[prompt], turn: turn)
        answers[key] = answer
        return answer
    }

    /// The time of one message when messages are spread evenly from the start to the end.
    static func time(of index: Int, of count: Int, from start: Timestamp, to end: Timestamp) -> Timestamp {
        precondition(start <= end && index < count, "Messages must lie between a start and a later end.")
        guard count > 1 else { return start }
        // The span may exceed Int64, and the product may exceed 64 bits.
        let span = UInt64(bitPattern: end.nanosecondsSinceEpoch &- start.nanosecondsSinceEpoch)
        let (offset, _) = UInt64(count - 1).dividingFullWidth(span.multipliedFullWidth(by: UInt64(index)))
        return Timestamp(nanosecondsSinceEpoch: start.nanosecondsSinceEpoch &+ Int64(bitPattern: offset))
    }
}
