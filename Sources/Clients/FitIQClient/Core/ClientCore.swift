import FitIQAPI

/// The client without its network: accepts commands and network input, and returns actions and events.
///
/// The core reads no clock, never sleeps and does no I/O. The time is an argument, and ``nextDeadline`` says when to
/// call ``advance(to:)``. Calls must be made in chronological order. The caller must take the actions after each call.
public struct ClientCore: Sendable {
    public let configuration: ClientConfiguration
    public internal(set) var state = ClientState()
    var actions: [ClientAction] = []
    var events: [ClientEvent] = []
    /// Whether the user's view has changed since the last call began.
    var isChanged = false
    /// The last number assigned to a request or socket.
    var lastNumber = 0
    var requests: RequestBook
    var link: ChatLink
    /// The socket for all meals.
    var mealLink: ChatLink
    var conversation: Conversation?
    var intent: Intent?
    /// The messages that the user sent before the chat opened.
    var beforehand: [String] = []
    var archiving: String?
    var createsAgainAt: Timestamp?
    /// The consultations and goals that no longer exist and must not be requested again.
    var gone = RecentIDs()
    /// The coach's latest goal suggestion, and the templates so far.
    var suggestion: Suggestion?
    var seenTemplates = RecentIDs()
    /// Whether the backend's goals may differ from the goals shown to the user.
    var areGoalsStale = true
    var meals: [FollowedMeal] = []
    /// Meal log events that arrived before the response with the log's ID.
    var earlyNews: [MealNews] = []
    /// When the client last searched the list of meals.
    var searchedAt: Timestamp?
    var lastErrand = 0

    enum Intent: Sendable, Hashable {
        case consultation(Persona)
        case goal(String)
    }

    struct Suggestion: Sendable, Hashable {
        let consultation: String
        let at: Timestamp
    }

    public init(_ configuration: ClientConfiguration) {
        self.configuration = configuration
        requests = RequestBook(configuration)
        (link, mealLink) = (ChatLink(configuration), ChatLink(configuration))
        (state.templates, state.quickActions) = ([], [])
    }

    /// Handles input from the network.
    ///
    /// Input for a number that is not in use is ignored.
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

    public mutating func advance(to now: Timestamp) {
        expireRequests(at: now)
        expireSockets(at: now)
        expireTalk(at: now)
        expireMeals(at: now)
        settle(at: now)
    }

    /// When to call ``advance(to:)``, or nil if nothing is due.
    public var nextDeadline: Timestamp? {
        var next = Timestamp.earliest(requests.nextDeadline, link.nextDeadline(mayOpen: mayOpenSocket))
        next = .earliest(next, mealLink.nextDeadline(mayOpen: requests.tokens.isUsable))
        if let conversation, let turn = conversation.turn {
            if turn.isHeard, !turn.isLate, link.wanted != nil { next = .earliest(next, turn.deadline) }
            if !turn.isHeard, link.isConnected, !isReadingHistory { next = .earliest(next, conversation.nextLook) }
        }
        for meal in meals { next = .earliest(next, meal.nextDeadline) }
        return next
    }

    /// Returns the pending network actions in order; each action is returned only once.
    public mutating func takeActions() -> [ClientAction] {
        guard !actions.isEmpty else { return [] }
        defer { actions = [] }
        return actions
    }

    /// Returns the pending events for the user in order; each event is returned only once.
    public mutating func takeEvents() -> [ClientEvent] {
        guard !events.isEmpty else { return [] }
        defer { events = [] }
        return events
    }

    /// Performs all possible work, and publishes the user's view.
    mutating func settle(at now: Timestamp) {
        stepLinks(at: now)
        talk(at: now)
        followMeals(at: now)
        actions += requests.pump(at: now, credentials: configuration.credentials, number: &lastNumber)
        publish()
    }
}

/// The most recently inserted IDs.
struct RecentIDs: Sendable {
    private var ids: [String] = []
    static let capacity = 256

    func contains(_ id: String) -> Bool { ids.contains(id) }

    /// Inserts an ID; returns whether it was new.
    @discardableResult
    mutating func insert(_ id: String) -> Bool {
        guard !contains(id) else { return false }
        ids.append(id)
        if ids.count > Self.capacity { ids.removeFirst() }
        return true
    }

    mutating func remove(_ id: String) { ids.removeAll { $0 == id } }
}

extension ClientCore {
    /// Records that a consultation no longer exists, so that the client does not request it again and goals do not
    /// refer to it.
    mutating func lose(_ consultation: String) {
        gone.insert(consultation)
        areGoalsStale = true
        unlink(consultation)
    }
}

extension ClientCore {
    /// The maximum number of events waiting to be taken; the oldest are dropped.
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

    /// Reports a failed errand; for a refusal, calls ``tellRefusal(_:)``.
    mutating func tellFailure(_ outcome: RequestBook.Outcome) {
        switch outcome {
        case .answered(let answer): tellRefusal(answer)
        case .unavailable(let message), .uncertain(let message): tell(.unavailable, message)
        case .unauthorized: break  // Reported once for all that waited for the token.
        }
    }

    mutating func showTalk() {
        state.transcript = conversation?.transcript ?? []
        isChanged = true
    }

    mutating func show(_ connection: ClientState.Connection) {
        guard state.connection != connection else { return }
        state.connection = connection
        isChanged = true
    }

    /// Updates whether the client is busy, and reports each change only once.
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
        for link in [link, mealLink] {
            if link.wanted != nil, !link.isConnected { return true }
            if let phase = link.socket?.phase, phase != .open { return true }
        }
        if let conversation, link.wanted != nil, conversation.turn != nil || !conversation.waiting.isEmpty {
            return true
        }
        return meals.contains { $0.isBusy }
    }
}
