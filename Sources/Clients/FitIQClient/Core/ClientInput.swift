import FitIQAPI
import HTTPTypes
import WebSocket

public enum ClientInput: Sendable {
    case response(ClientResponse)
    /// A request failed without a response: no connection, a truncated response, or bytes that are not HTTP.
    case requestFailed(number: Int, String)
    case socketOpened(Int)
    /// The server answered a handshake with a status other than 101; the connection has ended.
    case socketRefused(ClientResponse)
    case socketFailed(number: Int, String)
    case text(socket: Int, [UInt8])
    /// A binary frame arrived; the contract has no binary frames.
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
        (self.number, self.status, self.fields, self.body) = (number, status, fields, body)
    }
}

public struct ClientSocketEnd: Sendable, Hashable {
    public var number: Int
    /// The server's close code, or nil if it sent no close frame.
    public var code: CloseCode?
    /// The server's reason, or the cause of the connection's end.
    public var reason: String
    /// Whether the client sent its close frame first.
    public var isOwn: Bool

    public init(number: Int, code: CloseCode?, reason: String, isOwn: Bool) {
        (self.number, self.code, self.reason, self.isOwn) = (number, code, reason, isOwn)
    }
}

/// An action on the network.
///
/// Each number is unique and identifies one request or socket.
public enum ClientAction: Sendable {
    /// Send a request; the result arrives as ``ClientInput/response(_:)`` or ``ClientInput/requestFailed(number:_:)``.
    case send(ClientRequest)
    /// End the connection of an abandoned request; no input follows.
    case cancel(number: Int)
    case openSocket(ClientSocketRequest)
    case sendText(socket: Int, [UInt8])
    case ping(socket: Int)
    /// Send a close frame; end the connection after the server's close frame or after ``dropSocket(socket:)``.
    case closeSocket(socket: Int, CloseCode)
    /// End the connection without a close frame; no input follows.
    case dropSocket(socket: Int)
}

public struct ClientRequest: Sendable, Hashable {
    public var number: Int
    public var method: HTTPRequest.Method
    /// The path and query below the base URL, such as `/api/v1/consultations?page=1`.
    public var target: String
    /// The header fields without `Host` and the framing fields.
    public var fields: HTTPFields
    public var body: [UInt8]?
}

public struct ClientSocketRequest: Sendable, Hashable {
    public var number: Int
    /// The path and query below the base URL.
    public var target: String
    /// The header fields without `Host` and the handshake's fields.
    public var fields: HTTPFields
    /// Whether the handshake offers permessage-deflate.
    public var offersCompression = false
}

public enum ClientCommand: Sendable, Hashable {
    /// Starts a consultation or continues the existing one, and opens the chat.
    case startConsultation(persona: Persona)
    case openConsultation(id: String)
    case send(text: String)
    case archive
    /// Leaves the chat and stops listening for meal updates.
    case disconnect
    /// Creates a goal; a goal that was suggested in the open chat is linked to that chat.
    case createGoal(title: String, description: String, targetDate: Timestamp)
    case chatAboutGoal(id: String)
    /// Logs a meal and follows its processing.
    case logMeal(text: String, type: MealType)
    /// Opens the socket for events about all of the user's meals and keeps it open.
    case listenToMeals
    case loadGoals
    case loadQuickActions
    /// Signs in to an account, whose tokens replace the client's tokens.
    case signIn(email: String, password: String)
    /// Creates an account and signs in to it.
    ///
    /// `dateOfBirth` has the format `YYYY-MM-DD`.
    case register(email: String, password: String, name: String, dateOfBirth: String)
    /// Provides a token after ``ClientEvent/credentialsRefused``, so that waiting requests continue.
    ///
    /// Signing in has the same effect.
    case useToken(String)
    /// Reports that there is no other token; the client then abandons the waiting requests.
    case giveUpToken
}

public enum ClientEvent: Sendable, Hashable {
    case changed
    /// The backend refused the token, and the client has no other token.
    ///
    /// ``ClientCommand/useToken(_:)`` or signing in resumes the waiting requests.
    case credentialsRefused
    /// A problem to show to the user.
    ///
    /// ``ClientState/problems`` lists it too.
    case problem(ClientState.Problem)
}
