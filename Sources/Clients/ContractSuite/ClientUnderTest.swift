import FitIQAPI

/// A client of the API as the suite drives it: it receives its user's instructions and reports what the user would see.
///
/// An instruction only starts something; its results show in later reports. No call waits for the backend, so a client
/// that follows the suite's clock can pass hours in a moment.
public protocol ClientUnderTest {
    /// The clock that its timers follow.
    var clock: ClientClock { get }

    /// Starts what its user asks for.
    ///
    /// - Throws: if the client can no longer be driven; a refusal by the backend belongs in the report.
    func perform(_ instruction: ClientInstruction) async throws

    /// What its user sees now.
    func report() async throws -> ClientReport

    /// Sets the suite's clock, makes the client do all that is due or arrived, and returns when its next timer is due.
    ///
    /// Called repeatedly until neither side has anything to do, and never for clients on the system's clock.
    func settle(at time: Timestamp) async throws -> Timestamp?

    /// Ends the client: closes its connections without a close frame.
    func end() async
}

/// The clock that a client's timers follow.
public enum ClientClock: String, Sendable, CaseIterable {
    /// The suite's: it moves when the suite says so.
    case suite
    /// The system's: the suite waits.
    case system
}

extension ClientUnderTest {
    /// The system's clock.
    public var clock: ClientClock { .system }
    /// Does nothing: the system's clock moves by itself.
    public func settle(at time: Timestamp) async throws -> Timestamp? { nil }
    /// Does nothing.
    public func end() async {}
}

/// Where a client under test finds its backend, and its credentials.
public struct Surroundings: Sendable, Hashable {
    /// The base of REST paths: `http://127.0.0.1:8080/w/w1`, followed by `/api/v1`.
    public var url: String
    /// The base of WebSocket paths: `ws://127.0.0.1:8080/w/w1`.
    public var webSocketURL: String
    /// The initial token.
    public var token: String
    /// The token that its refresh hook gets after a 401.
    public var freshToken: String
    /// The `X-API-Key`.
    public var apiKey: String
    /// The guide that the backend follows.
    public var guide: GuideMode
    /// The time of the suite's clock.
    public var now: Timestamp

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
    /// Starts a consultation, or continues the existing one, and opens the chat: history first, then the socket.
    case startConsultation(persona: Persona)
    case openConsultation(id: String)
    /// Sends a message in the open chat.
    case send(text: String)
    /// Archives the open consultation.
    case archive
    /// Leaves the chat.
    case disconnect
    /// Creates a goal; one that the coach suggested in the open chat belongs to that consultation.
    case createGoal(title: String, description: String)
    /// Opens the chat about a goal, by its id in the report.
    case chatAboutGoal(id: String)
    /// Logs a meal and waits for its result: by events while a chat is open, by polling while none is.
    case logMeal(text: String, type: MealType)
    /// Reloads the goals.
    case loadGoals
}
