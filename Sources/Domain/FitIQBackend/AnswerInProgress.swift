import FitIQAPI

/// A message that is to be answered.
struct Question: Sendable {
    let content: String
    /// How many messages the user sent before.
    let number: Int
    /// The id of the answer, which also seeds its pace.
    let answerID: ResourceID
    /// What is answered; nil leaves it to the built-in coach.
    let script: AnswerScript?

    /// How many messages answering it adds to the history.
    var messageCount: Int { script?.messageCount ?? 1 }
}

/// A socket that hears an answer, in the protocol that it used when the answer began.
struct Listener: Sendable, Equatable {
    let socket: SocketID
    let chatProtocol: ChatProtocol
}

/// An answer on its way to the sockets, chunk by chunk, and those that follow it without another question.
struct AnswerInProgress: Sendable {
    /// The id of the first answer: what is scheduled goes by it.
    let id: ResourceID
    let timeline: Timeline
    let startedAt: Timestamp
    /// The sockets that hear the answer that streams.
    ///
    /// Who joins later would hear half of it, and loads it from the history instead.
    var audience: [Listener]
    /// The next of the timeline's moments to be served.
    var step = 0
    /// The answer of the timeline that streams.
    var number = 0
    /// Whether its `assistant_message_start` is out.
    var hasBegun = false

    var current: Timeline.Answer { timeline.answers[number] }
    var next: Timeline.Moment { timeline.moments[step] }
    var nextTime: Timestamp { startedAt.advanced(byNanoseconds: next.offset) }
    /// What is still to be stored.
    var unstored: [Timeline.Answer] { timeline.answers[number...].filter(\.isStored) }
}
