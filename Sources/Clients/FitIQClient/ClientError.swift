import HTTP1
import Sockets
import WebSocket

/// What can go wrong between this client and a backend; the descriptions are for the person at the keyboard.
public enum ClientError: Error, CustomStringConvertible {
    /// The base URL is not of the form `http://host:port/path`.
    case badURL(String)
    /// No connection, or it broke.
    case transport(SocketError)
    /// The backend does not speak HTTP as RFC 9112 has it.
    case badHTTP(RemoteError)
    /// The connection ended before the response was complete.
    case truncatedResponse
    /// The backend refused a request; `message` is its own.
    case refused(status: Int, message: String)
    /// The WebSocket handshake failed.
    case handshake(String)
    /// The backend closed the socket.
    case closed(code: CloseCode, reason: String)
    /// The backend has left more bytes unread than the client keeps for it.
    case notRead(limit: Int)
    /// What was asked for did not come about, for the reason that the client's user is told.
    case problem(ClientState.Problem)
    /// Nothing came of what was asked for: something else was asked for meanwhile, such as to leave the chat.
    case abandoned
    /// The task that waited was cancelled; what it began goes on.
    case cancelled
    /// The client is closed, or has more to do than it keeps in mind.
    case unavailable

    /// What happened and what to do.
    public var description: String {
        switch self {
        case .badURL(let url): "'\(url)' is not a base URL; write it as http://127.0.0.1:8080."
        case .transport(let error): "\(error)."
        case .badHTTP(let error): "the server's response is not valid HTTP: \(error.message) (\(error.source))."
        case .truncatedResponse: "the connection ended in the middle of a response."
        case .refused(let status, let message): "the server answered \(status): \(message)"
        case .handshake(let what): "the WebSocket handshake failed: \(what)"
        case .closed(let code, let reason):
            "the server closed the socket with \(code)" + (reason.isEmpty ? "." : ": \(reason)")
        case .notRead(let limit):
            "the server has left more than \(limit) bytes unread, so the connection was given up."
        case .problem(let problem): problem.message
        case .abandoned:
            "nothing came of it: the client was asked for something else meanwhile, such as to leave the chat."
        case .cancelled: "the task that waited was cancelled; what it began goes on."
        case .unavailable: "the client is closed, or has too many commands waiting; make another, or ask for less."
        }
    }
}
