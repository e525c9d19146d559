import FitIQAPI
import FitIQClient

/// A client of the API as the suite drives it: it receives its user's instructions and reports what the user would see.
///
/// An instruction only starts something; its results show in later reports. No call waits for the backend, so a client
/// that follows the suite's clock can pass hours in a moment.
public protocol ClientUnderTest {
    var clock: ClientClock { get }

    /// The language that it is written in, for advice; nil if unknown. Swift, unless the client says otherwise.
    var language: String? { get }

    /// Whether it opens WebSockets; unless it says otherwise, it does.
    ///
    /// A client that only sends requests gets the cases over REST: no connection is expected of it, and cases about
    /// sockets are skipped.
    var usesSockets: Bool { get }

    /// Starts what its user asks for.
    ///
    /// - Throws: ``UnsupportedInstruction`` if it lacks the feature; without a chat, the rest of the case is played.
    ///   Another error if the client can no longer be driven; a refusal by the backend belongs in the report.
    func perform(_ instruction: ClientInstruction) async throws

    func report() async throws -> ClientReport

    /// Grows whenever the report changes, so that the suite can skip unchanged ones; nil if the client does not count.
    var revision: UInt64? { get }

    /// Sets the suite's clock, lets the client handle everything due or arrived, and returns when its next timer is
    /// due.
    ///
    /// Called repeatedly until neither side has anything to do, and never for clients on the system's clock.
    func settle(at time: Timestamp) async throws -> Timestamp?

    /// Ends the client: closes its connections without a close frame.
    func end() async
}

/// The clock that a client's timers follow.
public enum ClientClock: String, Sendable, CaseIterable {
    /// The suite's clock, which only the suite moves.
    case suite
    /// The system's: the suite waits.
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

/// Where a client under test finds its backend, and its credentials.
public struct Surroundings: Sendable, Hashable {
    /// The base of REST paths: `http://127.0.0.1:8080/w/w1`, followed by `/api/v1`.
    public var url: String
    /// The base of WebSocket paths: `ws://127.0.0.1:8080/w/w1`.
    public var webSocketURL: String
    public var token: String
    /// The token that its refresh hook gets after a 401.
    public var freshToken: String
    /// The refresh token for `POST /auth/refresh`; nil if the token's user has no account.
    public var refreshToken: String?
    public var apiKey: String
    public var guide: GuideMode
    public var now: Timestamp
}

/// An action of a client's user.
public enum ClientInstruction: Sendable, Hashable {
    /// Signs in to an account; its tokens replace those of the beginning.
    case signIn(email: String, password: String)
    /// Starts a consultation, or continues the existing one, and opens the chat: history first, then the socket.
    case startConsultation(persona: Persona)
    case openConsultation(id: String)
    case send(text: String)
    case archive
    /// Leaves the chat, and stops listening to meals.
    case disconnect
    /// Creates a goal; one that the coach suggested in the open chat belongs to that consultation.
    case createGoal(title: String, description: String)
    /// Opens the chat about a goal, by its id in the report.
    case chatAboutGoal(id: String)
    /// Logs a meal and waits for its result: by events while a chat is open, by polling while none is.
    case logMeal(text: String, type: MealType)
    case loadGoals
    /// Loads the questions that the coach's screen suggests.
    case loadQuickActions
    /// Opens /ws/meal-logs, once, and stays connected until it disconnects.
    case listenToMeals
}

/// The view of a client's user.
public typealias ClientReport = ClientState
