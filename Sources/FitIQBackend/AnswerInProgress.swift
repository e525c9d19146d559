import FitIQAPI

/// A message that is to be answered.
struct Question: Sendable {
    let content: String
    /// How many messages the user sent before.
    let number: Int
    /// The id of the answer, which also seeds its pace.
    let answerID: ResourceID
}

/// A socket that hears an answer, in the protocol that it used when the answer began.
struct Listener: Sendable, Equatable {
    let socket: SocketID
    let chatProtocol: ChatProtocol
}

/// An answer on its way to the sockets, chunk by chunk.
struct AnswerInProgress: Sendable {
    let id: ResourceID
    let text: String
    let chunks: [String]
    let startedAt: Timestamp
    /// When each chunk is due after the start, and, last, when the answer is complete.
    let offsets: [Int64]
    /// The sockets that hear it.
    ///
    /// Who joins later would hear half of it, and loads it from the history instead.
    var audience: [Listener]
    /// The next of `offsets` to be served.
    var step = 0

    var nextTime: Timestamp { startedAt.advanced(byNanoseconds: offsets[step]) }
    var isComplete: Bool { step == chunks.count }
}

/// Something that is due: an answer goes on, or the processing of a meal log ends.
struct ScheduledStep: Comparable, Sendable {
    enum Work: Equatable, Sendable {
        /// The next step of this answer; where it has ended already, the entry is passed over.
        case answer(ResourceID)
        /// A meal log is done.
        case mealLog

        fileprivate var rank: Int { self == .mealLog ? 1 : 0 }
    }

    let time: Timestamp
    /// Of the consultation, or of the meal log, in the backend's list.
    let position: Int
    let work: Work

    /// By time; what is due at the same time: answers before meal logs, each in the order in which they were made.
    static func < (left: ScheduledStep, right: ScheduledStep) -> Bool {
        (left.time, left.work.rank, left.position) < (right.time, right.work.rank, right.position)
    }
}
