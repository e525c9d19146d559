import FitIQAPI

/// The client without its network: what its user asks and what the network tells go in, actions and news come out.
///
/// It never reads a clock, never sleeps, and opens nothing: the time is an argument, and ``nextDeadline`` says when
/// ``advance(to:)`` is due. Calls come in the order of time. After each, take the actions.
public struct ClientCore: Sendable {
    /// What the client was made with.
    public let configuration: ClientConfiguration
    /// What its user would see.
    public internal(set) var state = ClientState()

    var actions: [ClientAction] = []
    var events: [ClientEvent] = []
    /// Whether something that the user sees was changed since the last call began.
    var isChanged = false
    /// The last number that was given to a request or socket.
    var lastNumber = 0

    var requests: RequestBook
    var link: ChatLink
    var conversation: Conversation?
    /// What is being opened, until its id is known.
    var intent: Intent?
    /// What the user said while it was being opened.
    var beforehand: [String] = []
    /// The consultation that is being archived.
    var archiving: String?
    /// No consultation is created before that time.
    var createsAgainAt: Timestamp?
    /// The consultations and goals that are gone: not asked for again.
    var gone = RecentIDs()
    /// The goal that the coach suggested last, and the templates that were seen.
    var suggestion: Suggestion?
    var seenTemplates = RecentIDs()
    /// Whether the goals that are shown may have changed at the backend.
    var areGoalsStale = true
    var meals: [FollowedMeal] = []
    /// The meal logs of which an event came before the answer that names them.
    var earlyNews: [MealNews] = []
    /// The number of the last goal or meal.
    var lastErrand = 0

    /// What the user wants opened.
    enum Intent: Sendable, Hashable {
        case consultation(Persona)
        case goal(String)
    }

    /// A goal that the coach suggested.
    struct Suggestion: Sendable, Hashable {
        let consultation: String
        let at: Timestamp
    }

    /// Makes a client that has done nothing.
    public init(_ configuration: ClientConfiguration) {
        self.configuration = configuration
        requests = RequestBook(configuration)
        link = ChatLink(configuration)
    }

    /// Takes what the network tells; what it tells of numbers that are over is ignored.
    public mutating func receive(_ input: ClientInput, at now: Timestamp) {
        switch input {
        case .response(let response):
            let (result, asksForToken) = requests.receive(response, at: now)
            if asksForToken { tell(.credentialsRefused) }
            if let result { finish(result.errand, result.outcome, at: now) }
        case .requestFailed(let number, _):
            if let result = requests.fail(number: number, at: now) { finish(result.errand, result.outcome, at: now) }
        case .socketOpened, .socketRefused, .socketFailed, .text, .binary, .pong, .socketClosed:
            receiveFromSocket(input, at: now)
        }
        settle(at: now)
    }

    /// Does what is due.
    public mutating func advance(to now: Timestamp) {
        expireRequests(at: now)
        expireSocket(at: now)
        expireTalk(at: now)
        expireMeals(at: now)
        settle(at: now)
    }

    /// When ``advance(to:)`` is to be called; nil while nothing is due.
    public var nextDeadline: Timestamp? {
        var next = earlier(requests.nextDeadline, link.nextDeadline(mayOpen: mayOpenSocket))
        if let conversation, let turn = conversation.turn {
            if turn.isHeard, !turn.isLate, link.wanted != nil { next = earlier(next, turn.deadline) }
            if !turn.isHeard, link.isConnected, !isReadingHistory {
                next = earlier(next, conversation.nextLook)
            }
        }
        for meal in meals { next = earlier(next, meal.nextDeadline) }
        return next
    }

    /// What the client wants done on the network, in order; each once.
    public mutating func takeActions() -> [ClientAction] {
        defer { actions = [] }
        return actions
    }

    /// What its user would be told, in order; each once.
    public mutating func takeEvents() -> [ClientEvent] {
        defer { events = [] }
        return events
    }

    /// Does what has become possible, and says what the user sees.
    mutating func settle(at now: Timestamp) {
        stepLink(at: now)
        talk(at: now)
        followMeals(at: now)
        actions += requests.pump(at: now, credentials: configuration.credentials, number: &lastNumber)
        publish()
    }
}

/// The ids that were noted last.
struct RecentIDs: Sendable {
    private var ids: [String] = []
    /// The most that are remembered.
    static let capacity = 256

    func contains(_ id: String) -> Bool { ids.contains(id) }

    /// Notes an id.
    ///
    /// - Returns: whether it was new.
    @discardableResult
    mutating func insert(_ id: String) -> Bool {
        guard !contains(id) else { return false }
        ids.append(id)
        if ids.count > Self.capacity { ids.removeFirst() }
        return true
    }

    mutating func remove(_ id: String) { ids.removeAll { $0 == id } }
}

/// What the user is told.
extension ClientCore {
    /// The most news that wait to be taken; the oldest go.
    static let eventLimit = 256

    mutating func tell(_ event: ClientEvent) {
        events.append(event)
        if events.count > Self.eventLimit { events.removeFirst() }
    }

    mutating func tell(_ kind: ClientState.Problem.Kind, _ message: String) {
        let problem = ClientState.Problem(kind: kind, message: message)
        state.problems.append(problem)
        if state.problems.count > configuration.limits.problems { state.problems.removeFirst() }
        isChanged = true
        tell(.problem(problem))
    }

    /// Tells of an answer that is a refusal.
    mutating func tellRefusal(_ answer: Answer) {
        let kind: ClientState.Problem.Kind =
            switch answer.status {
            case 401: .unauthorized
            case 404: .notFound
            case 500...: .unavailable
            case 429: answer.isThrottled ? .unavailable : .tooMany
            default: answer.isSuccess ? .unavailable : .refused
            }
        tell(kind, answer.message)
    }

    /// Tells of an errand that came to nothing; answers belong to ``tellRefusal(_:)``.
    mutating func tellFailure(_ outcome: RequestBook.Outcome) {
        switch outcome {
        case .answered(let answer): tellRefusal(answer)
        case .unavailable(let message), .uncertain(let message): tell(.unavailable, message)
        case .unauthorized: break  // Told once for all that waited for the token.
        }
    }

    /// Shows the talk as it is now.
    mutating func showTalk() {
        state.transcript = conversation?.transcript ?? []
        isChanged = true
    }

    mutating func show(_ connection: ClientState.Connection) {
        guard state.connection != connection else { return }
        state.connection = connection
        isChanged = true
    }

    /// Says whether the client is busy, and that something has changed, once.
    mutating func publish() {
        let isBusy = isBusyNow
        if state.isBusy != isBusy {
            state.isBusy = isBusy
            isChanged = true
        }
        guard isChanged else { return }
        isChanged = false
        if events.last != .changed { tell(.changed) }
    }

    private var isBusyNow: Bool {
        if !requests.entries.isEmpty || intent != nil || archiving != nil { return true }
        if requests.tokens.deadline != nil { return true }
        if link.wanted != nil, !link.isConnected { return true }
        if let phase = link.socket?.phase, phase != .open { return true }
        if let conversation, link.wanted != nil, conversation.turn != nil || !conversation.waiting.isEmpty {
            return true
        }
        return meals.contains { $0.isBusy }
    }
}
