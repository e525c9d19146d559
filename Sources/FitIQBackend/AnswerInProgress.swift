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

/// When an answer goes on.
///
/// An entry whose answer has ended is passed over.
struct ScheduledStep: Comparable, Sendable {
    let time: Timestamp
    let position: Int
    let answerID: ResourceID

    /// By time; what is due at the same time happens in the order in which the consultations were made.
    static func < (left: ScheduledStep, right: ScheduledStep) -> Bool {
        (left.time, left.position) < (right.time, right.position)
    }
}
