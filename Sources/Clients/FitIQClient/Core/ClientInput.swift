import FitIQAPI
import HTTPTypes
import WebSocket

public enum ClientInput: Sendable {
    case response(ClientResponse)
    /// A request has no answer: no connection, a truncated response, or bytes that are not HTTP.
    case requestFailed(number: Int, String)
    case socketOpened(Int)
    /// A handshake was answered with a status other than 101; the connection is gone.
    case socketRefused(ClientResponse)
    case socketFailed(number: Int, String)
    case text(socket: Int, [UInt8])
    /// A binary frame arrived; the contract knows none.
    case binary(socket: Int)
    case pong(socket: Int)
    case socketClosed(ClientSocketEnd)
}

public struct ClientResponse: Sendable {
    public var number: Int
    public var status: Int
    public var fields: HTTPFields
    public var body: [UInt8]

    public init(number: Int, status: Int, fields: HTTPFields = HTTPFields(), body: [UInt8] = []) {
        self.number = number
        self.status = status
        self.fields = fields
        self.body = body
    }
}

public struct ClientSocketEnd: Sendable, Hashable {
    public var number: Int
    /// The server's close code; nil if it sent no close frame.
    public var code: CloseCode?
    /// The server's reason, or what happened to the connection.
    public var reason: String
    /// Whether the client's own close frame came first.
    public var isOwn: Bool

    public init(number: Int, code: CloseCode?, reason: String, isOwn: Bool) {
        self.number = number
        self.code = code
        self.reason = reason
        self.isOwn = isOwn
    }
}

/// An action on the network; each number is unique and names a request or a socket for its lifetime.
public enum ClientAction: Sendable {
    /// Send a request; the result is ``ClientInput/response(_:)`` or ``ClientInput/requestFailed(number:_:)``.
    case send(ClientRequest)
    /// End the connection of a request that is no longer awaited. Nothing comes back.
    case cancel(number: Int)
    case openSocket(ClientSocketRequest)
    case sendText(socket: Int, [UInt8])
    case ping(socket: Int)
    /// Send a close frame, and end the connection once the server has answered it or ``dropSocket(socket:)`` arrives.
    case closeSocket(socket: Int, CloseCode)
    /// End the connection without a close frame. Nothing comes back.
    case dropSocket(socket: Int)
}

public struct ClientRequest: Sendable, Hashable {
    public var number: Int
    public var method: HTTPRequest.Method
    /// The path and query below the base URL: `/api/v1/consultations?page=1`.
    public var target: String
    /// The header fields, except `Host` and those of framing.
    public var fields: HTTPFields
    public var body: [UInt8]?
}

public struct ClientSocketRequest: Sendable, Hashable {
    public var number: Int
    /// The path and query below the base URL.
    public var target: String
    /// The header fields, except `Host` and those of the handshake.
    public var fields: HTTPFields
    /// Whether the handshake offers permessage-deflate.
    public var offersCompression = false
}

public enum ClientCommand: Sendable, Hashable {
    /// Starts a consultation, or continues the existing one, and opens the chat.
    case startConsultation(persona: Persona)
    case openConsultation(id: String)
    case send(text: String)
    case archive
    /// Leaves the chat, and stops listening to meals.
    case disconnect
    /// Creates a goal; one that the coach suggested in the open chat is linked to it.
    case createGoal(title: String, description: String, targetDate: Timestamp)
    case chatAboutGoal(id: String)
    /// Logs a meal and follows its processing.
    case logMeal(text: String, type: MealType)
    /// Opens the socket with the events of all the user's meals, and keeps it open.
    case listenToMeals
    case loadGoals
    case loadQuickActions
    /// Signs in to an account; its tokens replace the client's.
    case signIn(email: String, password: String)
    /// Creates an account, and signs in to it; `dateOfBirth` is `YYYY-MM-DD`.
    case register(email: String, password: String, name: String, dateOfBirth: String)
    /// Provides the token that ``ClientEvent/credentialsRefused`` asked for, as signing in does; waiting requests
    /// continue.
    case useToken(String)
    /// Declares that there is no other token; waiting requests are given up.
    case giveUpToken
}

public enum ClientEvent: Sendable, Hashable {
    case changed
    /// The token was refused, and there is no other: ``ClientCommand/useToken(_:)`` or signing in resumes waiting
    /// requests.
    case credentialsRefused
    /// Something is wrong; ``ClientState/problems`` lists it too.
    case problem(ClientState.Problem)
}
