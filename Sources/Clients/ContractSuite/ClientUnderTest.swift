import FitIQAPI

/// A client of the API as the suite drives it: it is told what its user does, and says what its user would see.
///
/// An instruction only begins something; what comes of it shows in the next reports. So nothing here waits for the backend, and
/// a client that follows the suite's clock can be carried through hours in a moment.
public protocol ClientUnderTest {
    /// Whose clock its timers follow.
    var clock: ClientClock { get }

    /// Begins what its user asks for.
    ///
    /// - Throws: where the client cannot be driven any more; that the backend refuses something belongs into the report.
    func perform(_ instruction: ClientInstruction) async throws

    /// What its user sees now.
    func report() async throws -> ClientReport

    /// Sets the clock of a client that follows the suite's, has it do all that is due or has arrived, and tells when its next timer is due.
    ///
    /// Called again and again until neither side has anything to do. Clients of the system's clock are never asked.
    func settle(at time: Timestamp) async throws -> Timestamp?

    /// Ends the client: connections are closed without a word.
    func end() async
}

/// Whose clock a client's timers follow.
public enum ClientClock: String, Sendable, CaseIterable {
    /// The suite's: it moves when the suite says so.
    case suite
    /// The system's: the suite waits.
    case system
}

extension ClientUnderTest {
    /// The system's.
    public var clock: ClientClock { .system }
    /// Nothing: the system's clock moves by itself.
    public func settle(at time: Timestamp) async throws -> Timestamp? { nil }
    /// Nothing.
    public func end() async {}
}

/// Where a client under test finds its backend, and what it proves itself with.
public struct Surroundings: Sendable, Hashable {
    /// Where REST paths begin: `http://127.0.0.1:8080/w/w1`, to be followed by `/api/v1`.
    public var url: String
    /// The same for WebSockets: `ws://127.0.0.1:8080/w/w1`.
    public var webSocketURL: String
    /// The token to begin with.
    public var token: String
    /// The token that its refresh hook gets after a 401.
    public var freshToken: String
    /// The `X-API-Key`.
    public var apiKey: String
    /// Which guide the backend answers as.
    public var guide: GuideMode
    /// What time it is, by the suite's clock.
    public var now: Timestamp

    /// Describes surroundings.
    public init(
        url: String, webSocketURL: String, token: String, freshToken: String, apiKey: String, guide: GuideMode,
        now: Timestamp
    ) {
        self.url = url
        self.webSocketURL = webSocketURL
        self.token = token
        self.freshToken = freshToken
        self.apiKey = apiKey
        self.guide = guide
        self.now = now
    }
}

/// What the user of a client does.
public enum ClientInstruction: Sendable, Hashable {
    /// Begins a consultation, or goes on with the one that exists, and opens the chat: history first, then the socket.
    case startConsultation(persona: Persona)
    /// Opens the chat of a consultation that is known.
    case openConsultation(id: String)
    /// Sends a message in the open chat.
    case send(text: String)
    /// Archives the open consultation.
    case archive
    /// Leaves the chat.
    case disconnect
    /// Creates a goal; one that the coach suggested in the open chat belongs to that consultation.
    case createGoal(title: String, description: String)
    /// Opens the chat about a goal, by the id that the report gives it.
    case chatAboutGoal(id: String)
    /// Logs a meal, and waits for what it comes to: by events while a chat is open, by asking while none is.
    case logMeal(text: String, type: MealType)
    /// Looks at the goals anew.
    case loadGoals
}
