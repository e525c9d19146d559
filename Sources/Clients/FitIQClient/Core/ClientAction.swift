import HTTPTypes
import WebSocket

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
