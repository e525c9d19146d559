import FitIQAPI

/// A consultation with all that belongs to it.
struct ConsultationRecord: Sendable {
    let owner: UserID
    var consultation: Consultation
    var history = History()
    /// The open sockets, in the order in which they came.
    var sockets: [SocketID] = []
    var answer: AnswerInProgress?
    /// Questions that arrived while an answer streamed, oldest first.
    var waiting: [Question] = []
    /// How many messages the user has sent.
    var askedCount = 0

    /// The object in lists, encoded when the consultation changes and not when it is read.
    private(set) var listItem: [UInt8] = []
    /// What reading this consultation is answered with.
    private(set) var body: [UInt8] = []

    init(
        _ consultation: Consultation, history: History = History(), askedCount: Int = 0, owner: UserID, mode: GuideMode,
        origin: String
    ) {
        self.consultation = consultation
        self.history = history
        self.askedCount = askedCount
        self.owner = owner
        encode(in: mode, origin: origin)
    }

    mutating func encode(in mode: GuideMode, origin: String) {
        listItem = consultation.listItem(in: mode)
        body = consultation.body(answering: .showConsultation, in: mode, origin: origin)
    }

    var byteCount: Int { listItem.count + body.count + history.byteCount }

    var topic: Topic { Topic(persona: consultation.persona, context: consultation.context) }

    mutating func store(_ message: Message, in mode: GuideMode) {
        history.append(message, in: mode.form(of: .listMessages))
        consultation.messageCount = history.count
        consultation.lastMessageAt = message.createdAt
    }
}
