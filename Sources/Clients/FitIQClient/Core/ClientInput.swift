import FitIQAPI
import HTTPTypes
import WebSocket

/// What came of the client's actions, as the network tells it.
public enum ClientInput: Sendable {
    /// A request was answered.
    case response(ClientResponse)
    /// A request has no answer: no connection, an end in the middle, bytes that are no HTTP.
    case requestFailed(number: Int, String)
    /// A handshake was accepted.
    case socketOpened(Int)
    /// A handshake was answered with something else than 101; the connection is gone.
    case socketRefused(ClientResponse)
    /// A handshake has no answer.
    case socketFailed(number: Int, String)
    /// A text frame came.
    case text(socket: Int, [UInt8])
    /// A binary frame came, which the contract knows none of.
    case binary(socket: Int)
    /// A pong came.
    case pong(socket: Int)
    /// The socket is gone.
    case socketClosed(ClientSocketEnd)
}

/// An answer to a request or to a handshake.
public struct ClientResponse: Sendable {
    /// The number of the request or socket.
    public var number: Int
    /// The status code.
    public var status: Int
    /// The fields.
    public var fields: HTTPFields
    /// The body.
    public var body: [UInt8]

    /// Describes an answer.
    public init(number: Int, status: Int, fields: HTTPFields = HTTPFields(), body: [UInt8] = []) {
        self.number = number
        self.status = status
        self.fields = fields
        self.body = body
    }
}

/// The end of a socket.
public struct ClientSocketEnd: Sendable, Hashable {
    /// The socket's number.
    public var number: Int
    /// The server's close code; nil where it sent no close frame.
    public var code: CloseCode?
    /// The server's reason, or what happened to the connection.
    public var reason: String
    /// Whether the client's own close frame came first.
    public var isOwn: Bool

    /// Describes an end.
    public init(number: Int, code: CloseCode?, reason: String, isOwn: Bool) {
        self.number = number
        self.code = code
        self.reason = reason
        self.isOwn = isOwn
    }
}

/// What the client wants done on the network; numbers are given once and name a request or a socket for its life.
public enum ClientAction: Sendable {
    /// Send a request, on whatever connection; its end comes back as ``ClientInput/response(_:)`` or ``ClientInput/requestFailed(number:_:)``.
    case send(ClientRequest)
    /// Nobody waits for this request any more: end its connection. Nothing comes back.
    case cancel(number: Int)
    /// Open a WebSocket.
    case openSocket(ClientSocketRequest)
    /// Send a text frame.
    case sendText(socket: Int, [UInt8])
    /// Send a control ping.
    case ping(socket: Int)
    /// Send a close frame, and end the connection once the server has answered it or ``dropSocket`` comes.
    case closeSocket(socket: Int, CloseCode)
    /// End the connection without a word. Nothing comes back.
    case dropSocket(socket: Int)
}

/// A request of the client's.
public struct ClientRequest: Sendable, Hashable {
    /// Its number.
    public var number: Int
    /// The method.
    public var method: HTTPRequest.Method
    /// The path and query below the base URL: `/api/v1/consultations?page=1`.
    public var target: String
    /// Its fields, save `Host` and those of framing.
    public var fields: HTTPFields
    /// Its body; nil for none.
    public var body: [UInt8]?

    /// Describes a request.
    public init(
        number: Int, method: HTTPRequest.Method, target: String, fields: HTTPFields, body: [UInt8]? = nil
    ) {
        self.number = number
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
    }
}

/// A WebSocket that the client wants opened.
public struct ClientSocketRequest: Sendable, Hashable {
    /// Its number.
    public var number: Int
    /// The path and query below the base URL.
    public var target: String
    /// Its fields, save `Host` and those of the handshake.
    public var fields: HTTPFields

    /// Describes a socket.
    public init(number: Int, target: String, fields: HTTPFields) {
        self.number = number
        self.target = target
        self.fields = fields
    }
}

/// What the user of a client does.
public enum ClientCommand: Sendable, Hashable {
    /// Begins a consultation, or goes on with the one that exists, and opens the chat.
    case startConsultation(persona: Persona)
    /// Opens the chat of a consultation that is known.
    case openConsultation(id: String)
    /// Sends a message in the open chat.
    case send(text: String)
    /// Archives the open consultation.
    case archive
    /// Leaves the chat.
    case disconnect
    /// Creates a goal; one that the coach suggested in the open chat is linked to it.
    case createGoal(title: String, description: String, targetDate: Timestamp)
    /// Opens the chat about a goal.
    case chatAboutGoal(id: String)
    /// Logs a meal and follows what it comes to.
    case logMeal(text: String, type: MealType)
    /// Looks at the goals anew.
    case loadGoals
    /// Brings the token for which ``ClientEvent/credentialsRefused`` asked; what waited for it goes on.
    case useToken(String)
    /// Says that there is no other token; what waited for one is given up.
    case giveUpToken
}

/// News for the user of a client.
public enum ClientEvent: Sendable, Hashable {
    /// What the user sees has changed.
    case changed
    /// The token was refused, and there is no other: ``ClientCommand/useToken(_:)`` lets what waits go on.
    case credentialsRefused
    /// Something is wrong; the same stands in ``ClientState/problems``.
    case problem(ClientState.Problem)
}
