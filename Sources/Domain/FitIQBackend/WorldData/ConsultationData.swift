import FitIQAPI
import JSON

/// Which goal of the same user is meant.
public enum GoalReference: Sendable, Equatable {
    /// The one that the document calls so.
    case named(ExactString)
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
    public var contextID: ExactString?
    /// The goal that it is about.
    public var contextGoal: GoalReference?
    /// The goal that it is linked with, if other than ``contextGoal``.
    public var linkedGoal: GoalReference?
    /// Whether the goal that it is linked with, or is about, may name it as its conversation, while it is active.
    ///
    /// Of several, a goal names the one with ``linkedGoal``, else the first.
    public var isGoalsConversation: Bool
    /// Whether it is linked with no goal, although it is about one; goes without ``linkedGoal``.
    public var isUnlinked: Bool
    /// Its title.
    public var title: String?
    /// Its status.
    public var status: ConsultationStatus
    /// Its messages, oldest first.
    public var messages: [MessageData]
    /// So many made-up messages before ``messages``, user and assistant in turn, spread evenly over the time.
    public var madeUpMessages: Int
    /// When it was created; nil for the first time given of a message, else when it last changed, or the world begins.
    public var createdAt: DataTime?
    /// When it last changed; nil for when its last message was stored, or it was created.
    public var updatedAt: DataTime?

    /// Makes a consultation.
    public init(
        id: ResourceID? = nil, persona: Persona, contextType: ContextType = .general, contextID: ExactString? = nil,
        contextGoal: GoalReference? = nil, linkedGoal: GoalReference? = nil, isGoalsConversation: Bool = true,
        title: String? = nil, status: ConsultationStatus = .active, messages: [MessageData] = [],
        madeUpMessages: Int = 0, createdAt: DataTime? = nil, updatedAt: DataTime? = nil,
        isUnlinked: Bool = false
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
        self.isUnlinked = isUnlinked
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
    /// What the backend noted about it; where an assistant's tokens are left out, they are counted, four bytes to one.
    public var metadata: MessageMetadata?
    /// When it was stored; nil for when the message before it was, or the consultation was created.
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
