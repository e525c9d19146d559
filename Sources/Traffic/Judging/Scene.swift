import FitIQAPI
import JSON
import Traffic

/// The state shared by all judges: the open sockets, their users and their streams.
struct Scene: Sendable {
    let mode: GuideMode
    var clock = SystemClock()

    func date(of time: Timestamp) -> Timestamp { clock.date(of: time) }

    private(set) var sockets: [UInt64: Socket] = [:]
    /// The socket that the last fact ended, if any.
    private(set) var endedSocket: Socket?

    /// The connections of the open sockets, grouped by user and by consultation, oldest first.
    ///
    /// The connections are stored because searching all sockets is too slow.
    private var connectionsByUser: [ExactString: [UInt64]] = [:]
    private var connectionsByConsultation: [ExactString: [UInt64]] = [:]
    /// All connections, in the order in which they opened, including connections that have ended.
    private var order: [UInt64] = []
    private var orderStart = 0
    private let socketLimit: Int

    /// The maximum number of sockets to store, in case the journal has lost the ends of some.
    static let socketLimit = 20_000

    init(mode: GuideMode = .union, socketLimit: Int = Scene.socketLimit) {
        precondition(socketLimit > 0, "the limit must be at least one socket")
        (self.mode, self.socketLimit) = (mode, socketLimit)
    }

    /// How many of the newest open sockets of a user or consultation are searched.
    ///
    /// Real clients have fewer. Without a limit, a journal that contains only openings would take quadratic time.
    static let lookBack = 64

    /// Returns a user's newest open sockets that are not silenced, oldest first.
    func openSockets(of user: ExactString) -> [Socket] { live(connectionsByUser[user]) }

    /// Returns a consultation's newest open sockets that are not silenced, oldest first.
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

    /// Changes a socket in place; assigning by key would move it out and back.
    private mutating func change(_ connection: UInt64, _ body: (inout Socket) -> Void) {
        if let place = sockets.index(forKey: connection) { body(&sockets.values[place]) }
    }

    private mutating func open(_ opening: RequestFact, _ fact: Fact) {
        // A connection opens only once. If a journal from another source opens a connection twice, the later entry
        // wins.
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

    /// An open or recently ended WebSocket, from its client's point of view.
    struct Socket: Sendable {
        let connection: UInt64
        let user: ExactString
        /// The consultation's ID, or the placeholder for a meal socket.
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
        /// Whether the fake has silenced the socket; a silenced socket counts as closed (`ws/single-connection`).
        private(set) var isSilenced = false
        /// Whether the server has stopped reading; if so, frames may be older than the journal shows.
        private(set) var isStalled = false
        /// When the server sent its close frame, if the journal shows it.
        private(set) var serverClosedAt: Timestamp?
        /// Whether the client has been told that the consultation is not active, after which the server closes the
        /// socket.
        private(set) var isArchived = false
        /// The first fault on this socket; after a fault, the client may not have chosen to end the socket.
        private(set) var trouble: JournalEntry?
        /// Whether a reply has ended since the client's last question.
        ///
        /// A chunk displaced by a fault does not start another reply.
        private var isAnswered = false
        /// The questions whose answers have not ended, oldest first; the server answers one at a time.
        private var questions: [Question] = []
        private static let mostQuestions = 16
        var question: Question? { questions.first }
        /// Whether the client has sent a question.
        private(set) var hasAsked = false

        struct Question: Sendable {
            let entry: JournalEntry
            /// The time by which the server had answered all earlier questions.
            var since: Timestamp
            /// Whether a fault may have dropped the answer.
            var isInDoubt = false
        }

        /// A reply whose start, but not end, the client has received.
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
            (stream?.lastPieceAt ?? question?.since).map { time.nanoseconds(since: $0) > SocketTimes.silentAnswer }
                ?? false
        }

        /// Whether the client has received a reply's start but not its end.
        var isStreaming: Bool { stream != nil }
        /// Whether the client can notice that the socket has ended or will end.
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
            // A breakpoint held the frame, so the server is late in answering it and in reading what follows.
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
            // An error may either refuse a question or end an answer, so it is unknown which questions remain.
            if frame.type == "error" || questions.contains(where: \.isInDoubt) { questions = [] }
            questions = Array(questions.dropFirst())
            if !questions.isEmpty { questions[0].since = fact.time }
            if frame.endsConsultation { isArchived = true }
        // The server closes the socket with 1000 next. The client may have archived the consultation itself.
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
        // After a long silence, a client treats an answer as the reply to the question that it repeated.
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
    /// Whether the server reports that the consultation is no longer active.
    fileprivate var endsConsultation: Bool {
        let refusal = FrameError.consultationNotActive
        return type == "error"
            && (json?["code"]?.string == refusal.code.rawValue || json?["error"]?.string == refusal.message)
    }
}

/// When the system's clock was set while a journal was being written, and by how much.
///
/// Judges measure durations between the times of facts, which clock changes do not affect.
struct SystemClock: Sendable {
    private var steps: [(number: Int, last: Timestamp, shift: Int64)] = []
    /// The maximum number of clock changes, more than a real journal contains; beyond the limit, the oldest are
    /// dropped.
    private static let mostSteps = 1000

    /// How far the dates in tokens and in the journal are ahead of the facts' times, in nanoseconds.
    var shift: Int64 { steps.last?.shift ?? 0 }

    /// Returns whether an entry sets the system's clock.
    ///
    /// - Parameter last: The time of the previous fact.
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

    /// Returns a fact's entry with its time in the journal.
    func dated(_ entry: JournalEntry) -> JournalEntry {
        steps.last { $0.number <= entry.number }.map { entry.moved(byNanoseconds: $0.shift) } ?? entry
    }
}
