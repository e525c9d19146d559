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

/// A conversation of any length: the persona's quick actions as questions, the built-in coach's answers.
///
/// The consultation's id decides which, so the same world has the same conversation in every run.
struct MadeUpConversation {
    private let persona: Persona
    private let context: ContextType
    private let prompts: [String]
    private var numbers: SplitMix64
    private var prompt = 0
    private var turn = 0
    private var isAnswerDue = false
    /// Answers by prompt and by place in the persona's general ones: thousands of messages ask the coach a few dozen times.
    private var answers: [Key: String] = [:]

    private struct Key: Hashable {
        var prompt: Int
        /// -1 for the first turn, in which an answer may say what the consultation is about.
        var place: Int
    }

    init(_ consultation: Consultation) {
        persona = consultation.persona
        context = consultation.context.type
        prompts = QuickAction.matching(contextType: nil, persona: persona).map(\.prompt)
        numbers = SplitMix64(seed: consultation.id.seed)
    }

    /// The next message.
    mutating func next() -> (role: MessageRole, content: String) {
        defer { isAnswerDue.toggle() }
        guard isAnswerDue else {
            // Another one than before.
            prompt = (prompt + 1 + Int(numbers.next(below: UInt64(prompts.count - 1)))) % prompts.count
            return (.user, prompts[prompt])
        }
        defer { turn += 1 }
        return (.assistant, answer())
    }

    private mutating func answer() -> String {
        let key = Key(prompt: prompt, place: turn == 0 ? -1 : turn % AnswerIndex.of(persona).general.count)
        if let answer = answers[key] { return answer }
        let answer = Coach.answer(persona: persona, context: context, question: prompts[prompt], turn: turn)
        answers[key] = answer
        return answer
    }

    /// When one of so many messages was stored: the first one at the start, the last one at the end, the rest evenly between.
    static func time(of index: Int, of count: Int, from start: Timestamp, to end: Timestamp) -> Timestamp {
        precondition(start <= end && index < count, "Messages lie between a start and a later end.")
        guard count > 1 else { return start }
        // The span may be longer than Int64 counts, and its product longer than 64 bits.
        let span = UInt64(bitPattern: end.nanosecondsSinceEpoch &- start.nanosecondsSinceEpoch)
        let (offset, _) = UInt64(count - 1).dividingFullWidth(span.multipliedFullWidth(by: UInt64(index)))
        return Timestamp(nanosecondsSinceEpoch: start.nanosecondsSinceEpoch &+ Int64(bitPattern: offset))
    }
}
