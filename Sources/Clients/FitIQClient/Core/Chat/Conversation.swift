import FitIQAPI
import JSON

/// What is said in one consultation: its history, what was said since, and what waits to be said.
struct Conversation: Sendable {
    /// A question whose answer has not ended, or an answer that came by itself.
    struct Turn: Sendable {
        /// What was asked; nil where nothing was, as far as the client knows.
        var question: String?
        /// Whether the backend has said that it has the question.
        var isAcknowledged = false
        /// Whether the question was found in the history.
        var isStored = false
        /// Whether the answer comes over the socket; after a cut only the history has it.
        var isHeard = true
        /// Whether its time is over: the history has the last word.
        var isLate = false
        var deadline: Timestamp
        /// The answer's id, where its protocol has one, and its bytes.
        var answerID: ExactString?
        var byteCount = 0
    }

    let id: String
    let limits: ClientLimits
    /// The history, and what was said since it was read.
    var history: [ClientState.Line] = []
    var tail: [ClientState.Line] = []
    /// What waits to be sent.
    var waiting: [String] = []
    var turn: Turn?
    /// The last message of the history that was read.
    var lastKnownID: ExactString?
    /// Whether a history was read at all.
    var hasHistory = false
    /// Whether the history has to be read before anything is sent: the socket was away.
    var needsHistory = false
    /// Whether the socket was cut and the history not read on the next one.
    var wasCut = false
    /// Whether something ended while the history was being read, so that it must be read anew.
    var isStale = false
    /// Whether frames came that could not be read, since the last history.
    var isTroubled = false
    /// When an answer that nobody hears is looked for again, and how often it was.
    var nextLook: Timestamp?
    var lookCount = 0
    /// How often the current question was sent anew because nobody had received it.
    var repeatCount = 0

    init(id: String, limits: ClientLimits) {
        self.id = id
        self.limits = limits
    }

    /// What the user sees.
    var transcript: [ClientState.Line] {
        history + tail + waiting.map { ClientState.Line(role: .user, text: $0, isDelivered: false) }
    }

    /// The place of the answer that streams, in the tail.
    var streamingIndex: Int? { tail.lastIndex { $0.role == .assistant && !$0.isComplete } }

    /// The place of the question of the current turn, in the tail.
    var questionIndex: Int? {
        guard let question = turn?.question else { return nil }
        return tail.lastIndex { $0.role == .user && $0.text == question }
    }

    /// Takes the next message that waits, and begins its turn.
    mutating func beginTurn(until deadline: Timestamp) -> String? {
        guard turn == nil, !waiting.isEmpty else { return nil }
        let text = waiting.removeFirst()
        tail.append(ClientState.Line(role: .user, text: text, isDelivered: false))
        turn = Turn(question: text, deadline: deadline)
        trim()
        return text
    }

    /// Ends the turn; a half answer stays as it is, or goes where the backend took it back.
    mutating func endTurn(takesBack: Bool = false) {
        if takesBack { tail.removeAll { $0.role == .assistant && !$0.isComplete } }
        (turn, nextLook, lookCount, repeatCount) = (nil, nil, 0, 0)
    }

    /// Notes that the socket is gone: what is under way comes by the history, or not at all.
    mutating func cut() {
        turn?.isHeard = false
        (needsHistory, wasCut) = (true, true)
    }

    /// Notes that the history cannot be had: what was heard has to do.
    mutating func goOnWithoutHistory() { (needsHistory, wasCut) = (false, false) }

    /// Keeps the transcript within its limit.
    mutating func trim() {
        let excess = history.count + tail.count - limits.transcriptLines
        guard excess > 0 else { return }
        let old = min(excess, history.count)
        history.removeFirst(old)
        if excess > old { tail.removeFirst(excess - old) }
    }
}
