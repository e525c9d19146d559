import FitIQAPI
import JSON

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
    /// `goal` requires ``contextGoal``, unless that goal is deleted or the apps are served.
    public var contextType: ContextType
    /// The id of an insight, a mood or a journal entry, or of a deleted goal.
    public var contextID: ExactString?
    public var contextGoal: GoalReference?
    /// The linked goal, if other than ``contextGoal``.
    public var linkedGoal: GoalReference?
    /// Whether its goal may name it as its conversation while it is active.
    ///
    /// Of several, a goal names the one with ``linkedGoal``, otherwise the first.
    public var isGoalsConversation: Bool
    /// Whether it has no linked goal although it is about one; excludes ``linkedGoal``.
    public var isUnlinked: Bool
    public var title: String?
    public var status: ConsultationStatus
    /// Oldest first.
    public var messages: [MessageData]
    /// The number of generated messages before ``messages``, alternately from user and assistant, evenly spread over
    /// time.
    public var madeUpMessages: Int
    /// Nil for the first given time of a message, otherwise the last change, otherwise the world's start.
    public var createdAt: DataTime?
    /// Nil for the time of the last message, or creation.
    public var updatedAt: DataTime?
    /// Nil for the last change if it is completed; without effect where the apps are not served.
    public var completedAt: DataTime?
    /// Whether the last message is a question that is answered when a socket opens or the history is read; without
    /// effect where the apps are not served.
    public var awaitsAnswer: Bool
    /// Without effect where the apps are not served.
    public var quickAction: String?

    /// Whether it is about a goal that no longer exists, in a world with such ids.
    public func namesDeletedGoal(_ ids: IDCase) -> Bool {
        contextType == .goal && contextGoal == nil && contextID.flatMap { ResourceID($0.text, as: ids) } != nil
    }

    public init(
        id: ResourceID? = nil, persona: Persona, contextType: ContextType = .general, contextID: ExactString? = nil,
        contextGoal: GoalReference? = nil, linkedGoal: GoalReference? = nil, isGoalsConversation: Bool = true,
        title: String? = nil, status: ConsultationStatus = .active, messages: [MessageData] = [],
        madeUpMessages: Int = 0, createdAt: DataTime? = nil, updatedAt: DataTime? = nil, isUnlinked: Bool = false,
        completedAt: DataTime? = nil, awaitsAnswer: Bool = false
    ) {
        (self.id, self.persona, self.contextType, self.contextID) = (id, persona, contextType, contextID)
        (self.contextGoal, self.linkedGoal) = (contextGoal, linkedGoal)
        (self.isGoalsConversation, self.title, self.status) = (isGoalsConversation, title, status)
        (self.messages, self.madeUpMessages, self.createdAt) = (messages, madeUpMessages, createdAt)
        (self.updatedAt, self.isUnlinked) = (updatedAt, isUnlinked)
        (self.completedAt, self.awaitsAnswer) = (completedAt, awaitsAnswer)
    }
}

/// A message in a document.
public struct MessageData: Sendable, Equatable {
    public var id: ResourceID?
    public var role: MessageRole
    public var content: String
    /// An assistant's missing token count is computed as four bytes per token; a missing persona is the consultation's.
    public var metadata: MessageMetadata?
    /// Nil for the time of the previous message, or the consultation's creation.
    public var createdAt: DataTime?

    public init(
        id: ResourceID? = nil, role: MessageRole, content: String, metadata: MessageMetadata? = nil,
        createdAt: DataTime? = nil
    ) {
        (self.id, self.role, self.content) = (id, role, content)
        (self.metadata, self.createdAt) = (metadata, createdAt)
    }
}

/// A generated conversation of any length: the persona's quick actions as questions, the built-in coach's answers.
///
/// The consultation's id seeds it, so the same world has the same conversation in every run.
struct MadeUpConversation {
    private let persona: Persona
    private let context: ContextType
    private let prompts: [String]
    private var numbers: SplitMix64
    private var prompt = 0
    private var turn = 0
    private var isAnswerDue = false
    /// Caches answers by prompt and place in the persona's general ones: thousands of messages need a few dozen
    /// answers.
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
            // Different from the previous one.
            prompt = (prompt + 1 + Int(numbers.next(below: UInt64(prompts.count - 1)))) % prompts.count
            return (.user, prompts[prompt])
        }
        defer { turn += 1 }
        return (.assistant, answer())
    }

    private mutating func answer() -> String {
        // In the first turn an answer may mention the context.
        let key = Key(prompt: prompt, place: turn == 0 ? -1 : turn % AnswerIndex.of(persona).general.count)
        if let answer = answers[key] { return answer }
        let answer = Coach.answer(persona: persona, context: context, question: prompts[prompt], turn: turn)
        answers[key] = answer
        return answer
    }

    /// The time of one of many messages: the first at the start, the last at the end, the rest evenly between.
    static func time(of index: Int, of count: Int, from start: Timestamp, to end: Timestamp) -> Timestamp {
        precondition(start <= end && index < count, "Messages lie between a start and a later end.")
        guard count > 1 else { return start }
        // The span may exceed Int64, and its product 64 bits.
        let span = UInt64(bitPattern: end.nanosecondsSinceEpoch &- start.nanosecondsSinceEpoch)
        let (offset, _) = UInt64(count - 1).dividingFullWidth(span.multipliedFullWidth(by: UInt64(index)))
        return Timestamp(nanosecondsSinceEpoch: start.nanosecondsSinceEpoch &+ Int64(bitPattern: offset))
    }
}
