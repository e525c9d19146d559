import FitIQAPI
import FitIQClient

/// An API client that the suite controls: it follows its user's instructions, and reports what the user would see.
///
/// An instruction only starts an action, and later reports show its results. No call waits for the backend, so a client
/// on the suite's clock can simulate hours in a moment.
public protocol ClientUnderTest {
    var clock: ClientClock { get }

    /// The client's programming language, for advice, or nil if unknown; the default is Swift.
    var language: String? { get }

    /// Whether the client opens WebSockets.
    ///
    /// The default is true.
    ///
    /// A client that only sends requests gets the REST cases. In this case, the suite expects no connection and skips
    /// socket cases.
    var usesSockets: Bool { get }

    /// Starts a user's action.
    ///
    /// - Throws: ``UnsupportedInstruction`` if the client does not have the feature; if the client has no chat, the
    ///   suite plays the rest of the case. Any other error means that the suite can no longer drive the client. Report
    ///   the backend's refusals instead of throwing.
    func perform(_ instruction: ClientInstruction) async throws

    func report() async throws -> ClientReport

    /// A number that grows whenever the report changes, so that the suite can skip unchanged reports.
    ///
    /// The revision is nil if the client does not support it.
    var revision: UInt64? { get }

    /// Sets the suite's clock and lets the client handle received data and all timers that are due.
    ///
    /// The suite calls this function repeatedly until both sides are idle, and never for clients on the system's clock.
    ///
    /// - Returns: When the client's next timer is due; nil if no timer is running.
    func settle(at time: Timestamp) async throws -> Timestamp?

    /// Ends the client, which closes its connections without a close frame.
    func end() async
}

/// The clock that a client's timers follow.
public enum ClientClock: String, Sendable, CaseIterable {
    /// A clock that only the suite advances.
    case suite
    /// The system's clock; the suite waits.
    case system
}

extension ClientUnderTest {
    public var clock: ClientClock { .system }
    public var language: String? { "swift" }
    public var revision: UInt64? { nil }
    public var usesSockets: Bool { true }
    public func settle(at time: Timestamp) async throws -> Timestamp? { nil }
    public func end() async {}
}

/// The backend's address, and the credentials for a client under test.
public struct Surroundings: Sendable, Hashable {
    /// The base URL for REST paths, such as `http://127.0.0.1:8080/w/w1`; `/api/v1` follows.
    public var url: String
    /// The base URL for WebSocket paths, such as `ws://127.0.0.1:8080/w/w1`.
    public var webSocketURL: String
    public var token: String
    /// The token that the client's refresh hook must return after a 401.
    public var freshToken: String
    /// The refresh token for `POST /auth/refresh`, or nil if the token's user has no account.
    public var refreshToken: String?
    public var apiKey: String
    public var guide: GuideMode
    public var now: Timestamp
}

/// An action by the client's user.
public enum ClientInstruction: Sendable, Hashable {
    /// Signs in to an account, whose tokens replace the initial tokens.
    case signIn(email: String, password: String)
    /// Starts a consultation or continues the existing one, and opens the chat: first the history, then the socket.
    case startConsultation(persona: Persona)
    case openConsultation(id: String)
    case send(text: String)
    case archive
    /// Leaves the chat and stops listening for meal updates.
    case disconnect
    /// Creates a goal; a goal suggested in the open chat belongs to that consultation.
    case createGoal(title: String, description: String)
    /// Opens the chat about the goal with this ID in the report.
    case chatAboutGoal(id: String)
    /// Logs a meal and waits for its result: through events while a chat is open, and by polling otherwise.
    case logMeal(text: String, type: MealType)
    case loadGoals
    /// Loads the suggested questions for the coach's screen.
    case loadQuickActions
    /// Opens a single socket on /ws/meal-logs and stays connected until `disconnect`.
    case listenToMeals
}

/// What a client's user sees.
public typealias ClientReport = ClientState
