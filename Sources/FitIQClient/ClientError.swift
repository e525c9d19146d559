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
    /// The body of a response is not JSON.
    case notJSON(status: Int)
    /// The backend refused a request; `message` is its own.
    case refused(status: Int, message: String)
    /// The WebSocket handshake failed.
    case handshake(String)
    /// A frame of the backend is not what the contract says.
    case badFrame(String)
    /// The backend closed the socket.
    case closed(code: CloseCode, reason: String)

    /// What happened and what to do.
    public var description: String {
        switch self {
        case .badURL(let url): "'\(url)' is not a base URL; write it as http://127.0.0.1:8080."
        case .transport(let error): "\(error)."
        case .badHTTP(let error): "the server's response is not valid HTTP: \(error.message) (\(error.source))."
        case .truncatedResponse: "the connection ended in the middle of a response."
        case .notJSON(let status): "the server answered \(status) with a body that is not JSON; is it a FitIQ backend?"
        case .refused(let status, let message): "the server answered \(status): \(message)"
        case .handshake(let what): "the WebSocket handshake failed: \(what)"
        case .badFrame(let text): "the server sent a frame that the contract does not know: \(text)"
        case .closed(let code, let reason):
            "the server closed the socket with \(code)" + (reason.isEmpty ? "." : ": \(reason)")
        }
    }
}
