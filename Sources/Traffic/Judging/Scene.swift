import FitIQAPI
import JSON
import Traffic

/// The state shared by all judges: the open sockets, their users and their streams.
struct Scene: Sendable {
    let mode: GuideMode
    var clock = SystemClock()

    func date(of time: Timestamp) -> Timestamp { clock.date(of: time) }

    private(set) var sockets: [UInt64: Socket] = [:]
    /// The socket that the last fact ended, or nil after any other fact.
    private(set) var endedSocket: Socket?

    /// The connections of the open sockets by user and by consultation, oldest first.
    ///
    /// They exist because a search of all sockets is too slow.
    private var connectionsByUser: [ExactString: [UInt64]] = [:]
    private var connectionsByConsultation: [ExactString: [UInt64]] = [:]
    /// All connections in the order in which they opened, including ended ones.
    private var order: [UInt64] = []
    private var orderStart = 0
    private let socketLimit: Int

    /// The maximum number of sockets to remember, even if the journal lost the ends of some.
    static let socketLimit = 20_000

    init(mode: GuideMode = .union, socketLimit: Int = Scene.socketLimit) {
        precondition(socketLimit > 0, "there must be room for a socket")
        (self.mode, self.socketLimit) = (mode, socketLimit)
    }

    /// How many of the newest open sockets of a user or consultation are searched.
    ///
    /// No real client has this many. Without the limit, a journal that contains only openings would take quadratic
    /// time.
    static let lookBack = 64

    /// Returns the open sockets of a user that are not silenced, oldest first, limited to the newest.
    func openSockets(of user: ExactString) -> [Socket] { live(connectionsByUser[user]) }

    /// Returns the open sockets on a consultation that are not silenced, oldest first, limited to the newest.
    func openSockets(onConsultation id: ExactString) -> [Socket] { live(connectionsByConsultation[id]) }

    private func live(_ connections: [UInt64]?) -> [Socket] {
        (connections ?? []).suffix(Self.lookBack).compactMap { sockets[$0] }.filter { !$0.isSilenced }
    }

    mutating func observe(_ fact: Fact) {
        endedSocket = nil
        switch fact.kind {
        case .opened(let opening): open(opening, fact)
        case .closed: endedSocket = remove(fact.connection)
        case .fault(let fault): change(fact.connection) { $0.observe(fault, fact) }
        case .frame(let frame): change(fact.connection) { $0.observe(frame, fact) }
        case .request, .other: break
        }
    }

    /// Changes a socket in place; assigning through its key would move it out and back.
    private mutating func change(_ connection: UInt64, _ body: (inout Socket) -> Void) {
        if let place = sockets.index(forKey: connection) { body(&sockets.values[place]) }
    }

    private mutating func open(_ opening: RequestFact, _ fact: Fact) {
        // A connection opens only once. If a foreign journal opens it twice, the later entry counts.
        _ = remove(fact.connection)
        if sockets.count >= socketLimit { forgetOldest() }
        let socket = Socket(opening, fact)
        sockets[fact.connection] = socket
        connectionsByUser[socket.user, default: []].append(socket.connection)
        connectionsByConsultation[socket.consultation, default: []].append(socket.connection)
        order.append(socket.connection)
        if order.count > 2 * socketLimit + 16 { dropEnded() }
    }

    private mutating func remove(_ connection: UInt64) -> Socket? {
        guard let socket = sockets.removeValue(forKey: connection) else { return nil }
        Self.remove(connection, from: &connectionsByUser[socket.user])
        Self.remove(connection, from: &connectionsByConsultation[socket.consultation])
        return socket
    }

    private static func remove(_ connection: UInt64, from connections: inout [UInt64]?) {
        if let place = connections?.firstIndex(of: connection) { connections?.remove(at: place) }
        if connections?.isEmpty == true { connections = nil }
    }

    private mutating func forgetOldest() {
        while orderStart < order.count {
            orderStart += 1
            if remove(order[orderStart - 1]) != nil { return }
        }
    }

    /// Removes ended sockets from the order once most have ended.
    private mutating func dropEnded() {
        order = order[orderStart...].filter { sockets[$0] != nil }
        orderStart = 0
    }

    /// A WebSocket that is open or has just ended, as its client sees it.
    struct Socket: Sendable {
        let connection: UInt64
        let user: ExactString
        /// The consultation's ID, or the placeholder for a socket of meals.
        let consultation: ExactString
        let isOfMeals: Bool
        let credentials: PresentedCredentials
        let openedAt: Timestamp
        let opening: JournalEntry
        private(set) var connectedAt: Timestamp?
        /// Whether the frame that should have been `connected` was lost or damaged.
        private(set) var lostConnected = false
        private(set) var stream: Stream?
        /// Whether the client has received any part of a reply.
        private(set) var hasStreamed = false
        /// Whether the fake has silenced the socket; it then counts as closed (`ws/single-connection`).
        private(set) var isSilenced = false
        /// Whether the server has stopped reading; frames may then be older than the journal says.
        private(set) var isStalled = false
        /// When the server sent its close frame, if the journal shows it.
        private(set) var serverClosedAt: Timestamp?
        /// Whether the client heard that the consultation is not active; the server then closes the socket.
        private(set) var isArchived = false
        /// The first fault on this socket; from then on, the client may not have chosen how the socket ends.
        private(set) var trouble: JournalEntry?
        /// Whether a reply has ended since the client's last question.
        ///
        /// A piece that a fault displaced does not start another reply.
        private var isAnswered = false
        /// The questions whose answers have not ended, oldest first; the server answers them one at a time.
        private var questions: [Question] = []
        private static let mostQuestions = 16
        var question: Question? { questions.first }
        /// Whether the client has sent a question.
        private(set) var hasAsked = false

        struct Question: Sendable {
            let entry: JournalEntry
            /// When the server had nothing else left to answer.
            var since: Timestamp
            /// Whether a fault may have swallowed the answer.
            var isInDoubt = false
        }

        /// A reply whose beginning the client has received, but not its end.
        struct Stream: Sendable {
            let first: JournalEntry
            var lastPieceAt: Timestamp
            var hasLostEnd = false
        }

        init(_ opening: RequestFact, _ fact: Fact) {
            connection = fact.connection
            user = opening.user ?? ""
            (consultation, isOfMeals) = (opening.consultation, opening.isOfMeals)
            credentials = opening.credentials
            openedAt = opening.answeredAt
            self.opening = fact.entry
            trouble = opening.exchange.faults.isEmpty ? nil : fact.entry
        }

        /// Whether a reply that is due has been silent for too long.
        func answerIsOverdue(at time: Timestamp) -> Bool {
            (stream?.lastPieceAt ?? question?.since).map { time.lag(behind: $0) > SocketTimes.silentAnswer } ?? false
        }

        /// Whether the client has received the beginning of a reply but not its end.
        var isStreaming: Bool { stream != nil }
        /// Whether the client can tell that the socket has ended or is about to.
        var isEnding: Bool { isSilenced || isStalled || isArchived || serverClosedAt != nil }
    }
}

extension Scene.Socket {
    mutating func observe(_ fault: RecordedFault, _ fact: Fact) {
        trouble = trouble ?? fact.entry
        switch fault.effect {
        case .silence: isSilenced = true
        case .stallReading: isStalled = true
        case .withholdPong: break
        }
    }

    mutating func observe(_ frame: FrameFact, _ fact: Fact) {
        guard !frame.isFromClient else {
            // A breakpoint held the frame, so the server answers it late and reads later input late.
            if !frame.frame.faults.isEmpty {
                trouble = trouble ?? fact.entry
                isStalled = true
            }
            if frame.isChatMessage { ask(frame, fact) }
            return
        }
        let isTouched = !frame.frame.faults.isEmpty || !frame.isDelivered
        if isTouched {
            trouble = trouble ?? fact.entry
            for index in questions.indices { questions[index].isInDoubt = true }
        }
        switch frame.type {
        case "stream_chunk", "assistant_message_start", "assistant_message_chunk":
            if frame.isDelivered { hear(fact.entry, isTouched: isTouched) }
        case "connected" where frame.isDelivered: connectedAt = connectedAt ?? fact.time
        case "stream_complete" where frame.isDelivered, "assistant_message_end" where frame.isDelivered,
            "error" where frame.isDelivered:
            (stream, isAnswered) = (nil, true)
            // An error may refuse a question or end an answer, so it is unknown which questions remain.
            if frame.type == "error" || questions.contains(where: \.isInDoubt) { questions = [] }
            questions = Array(questions.dropFirst())
            if !questions.isEmpty { questions[0].since = fact.time }
            if frame.endsConsultation { isArchived = true }
        // The server closes with 1000 next. A client that archived the consultation knows why.
        case "error" where frame.endsConsultation: isArchived = true
        default:
            if frame.frame.opcode == .close, frame.isDelivered { serverClosedAt = serverClosedAt ?? fact.time }
            guard isTouched else { return }
            stream?.hasLostEnd = true
            if connectedAt == nil { lostConnected = true }
        }
    }

    private mutating func ask(_ frame: FrameFact, _ fact: Fact) {
        (isAnswered, hasAsked) = (false, true)
        // `ws/message-shape` judges unusable messages.
        guard questions.count < Self.mostQuestions,
            (try? ClientFrame(text: frame.frame.payload.bytes, in: .union)) != nil
        else { return }
        // After a long silence, a client takes an answer as the reply to its repeated question.
        let isInDoubt = answerIsOverdue(at: fact.time) || question?.isInDoubt ?? false
        questions.append(Question(entry: fact.entry, since: fact.time))
        if isInDoubt { for index in questions.indices { questions[index].isInDoubt = true } }
    }

    private mutating func hear(_ piece: JournalEntry, isTouched: Bool) {
        if stream != nil {
            stream?.lastPieceAt = piece.time
        } else if !isTouched || !isAnswered {
            stream = Stream(first: piece, lastPieceAt: piece.time)
            hasStreamed = true
        }
    }
}

extension FrameFact {
    /// Whether the server says that the consultation is no longer active.
    fileprivate var endsConsultation: Bool {
        let refusal = FrameError.consultationNotActive
        return type == "error"
            && (json?["code"]?.string == refusal.code.rawValue || json?["error"]?.string == refusal.message)
    }
}

/// When and how far the system's clock was set while a journal was written.
///
/// Setting the clock takes no time, so judges measure spans in the times of facts, as if nobody had set it.
struct SystemClock: Sendable {
    private var steps: [(number: Int, last: Timestamp, shift: Int64)] = []
    /// More steps than a real journal contains; beyond this, the oldest are forgotten.
    private static let mostSteps = 1000

    /// How many nanoseconds dates, as in tokens and the journal, are currently ahead of the times of facts.
    var shift: Int64 { steps.last?.shift ?? 0 }

    /// Returns whether an entry sets the system's clock.
    ///
    /// - Parameter last: the time of the previous fact.
    mutating func observe(_ entry: JournalEntry, after last: Timestamp) -> Bool {
        guard case .clock(let step, isOfSystem: true) = entry.event else { return false }
        steps.append((entry.number, last, shift &+ step))
        if steps.count > Self.mostSteps { steps.removeFirst() }
        return true
    }

    func date(of time: Timestamp) -> Timestamp {
        let shift = steps.last { $0.last < time }?.shift ?? 0
        return Timestamp(nanosecondsSinceEpoch: time.nanosecondsSinceEpoch &+ shift)
    }

    /// Returns a fact's entry with the time that the journal gives it.
    func dated(_ entry: JournalEntry) -> JournalEntry {
        steps.last { $0.number <= entry.number }.map { entry.moved(byNanoseconds: $0.shift) } ?? entry
    }
}
