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
