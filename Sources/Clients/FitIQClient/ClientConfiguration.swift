import FitIQAPI
import HTTP1
import HTTPTypes
import Sockets
import Text
import WebSocket

/// The configuration of a client; the defaults meet every obligation of every guide.
public struct ClientConfiguration: Sendable {
    public var credentials: Credentials
    /// The token that replaces a refused one, once; if nil, ``ClientEvent/credentialsRefused`` asks for it.
    public var freshToken: String?
    /// The guide that the backend follows; the client does not request what that guide does not serve.
    public var guide = GuideMode.union
    /// The chat protocol to use if the guide leaves the choice; see ``chatStyle``.
    public var chat = ChatStyle.message
    public var retries = RetrySchedule()
    public var reconnects = ReconnectSchedule()
    public var patience = ClientPatience()
    /// How meals are followed while no socket is open.
    public var mealPolling = MealPolling()
    public var limits = ClientLimits()
    /// Whether each finished answer is compared with the stored message.
    ///
    /// Chunks carry no numbers, so a lost, duplicated or late one shows only there. If this is off, the history is read
    /// only after visible trouble: a frame that is not valid JSON, an `error`, a cut.
    public var checksAnswers = true
    /// Whether a handshake carries the token both in its fields and in its URL, for a backend whose guide is unknown.
    public var sendsTokenTwice = false

    /// The two chat protocols of the guides.
    public enum ChatStyle: String, Sendable, CaseIterable {
        /// `message`, answered by `stream_chunk` (consultation-websocket).
        case message
        /// `user_message`, answered by `assistant_message_chunk` (enhanced-consultations).
        case userMessage = "user_message"
    }

    public init(credentials: Credentials, freshToken: String? = nil, guide: GuideMode = .union) {
        self.credentials = credentials
        self.freshToken = freshToken
        self.guide = guide
    }

    /// The chat protocol in use: the one the guide documents, or ``chat`` if the backend understands both.
    public var chatStyle: ChatStyle {
        switch guide {
        case .enhancedConsultations: .userMessage
        case .consultationWebSocket, .webSocketArchitecture: .message
        case .union, .goalLinking, .mealLogWebSocket: chat
        }
    }
}

/// The token and the API key of a client.
public struct Credentials: Sendable {
    /// The JSON Web Token.
    public var token: String
    /// The value of `X-API-Key`.
    public var apiKey: String

    public init(token: String, apiKey: String) {
        self.token = token
        self.apiKey = apiKey
    }

    /// The header fields of every request and handshake.
    public var fields: HTTPFields {
        var fields: HTTPFields = [.authorization: "Bearer \(token)"]
        if let name = HTTPField.Name("X-API-Key") { fields[name] = apiKey }
        return fields
    }

    /// The token for `?token=`: all but unreserved characters (RFC 3986 §2.3) are percent-encoded.
    var queryToken: String { PercentCoding.encoded(token) }
}

/// The address of a backend: `http://127.0.0.1:8080`, optionally with a path that prefixes every request.
public struct BaseURL: Hashable, Sendable, CustomStringConvertible {
    /// A name, an IPv4 address, or an IPv6 address without brackets.
    public let host: String
    /// 80 if the URL names none.
    public let port: UInt16
    /// Empty, or a path without a trailing slash.
    public let path: String

    /// Parses a URL.
    ///
    /// - Throws: `ClientError.badURL` for schemes other than http, for components other than host, port and path, and
    ///   for anything but visible ASCII.
    public init(_ text: String) throws(ClientError) {
        guard text.hasPrefix("http://") else { throw .badURL(text) }
        // Both go into requests verbatim.
        guard text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else { throw .badURL(text) }
        let rest = text.dropFirst("http://".count)
        let authority = rest.prefix { $0 != "/" }
        var path = rest.dropFirst(authority.count)
        while path.hasSuffix("/") { path.removeLast() }
        guard !authority.contains("@"), !path.contains("?"), !path.contains("#") else { throw .badURL(text) }

        guard let parts = HostAndPort(authority), !parts.host.isEmpty, parts.port == nil || parts.portNumber != nil
        else {
            throw .badURL(text)
        }
        host = String(parts.host)
        port = parts.portNumber ?? 80
        self.path = String(path)
    }

    /// Host and port as in a `Host` field.
    public var authority: String {
        "\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    /// The URL, including its port.
    public var description: String { "http://\(authority)\(path)" }
}

/// An error between this client and a backend; the descriptions are for the person at the keyboard.
public enum ClientError: Error, CustomStringConvertible {
    /// The base URL is not of the form `http://host:port/path`.
    case badURL(String)
    /// The connection failed or broke.
    case transport(SocketError)
    /// The backend violates RFC 9112.
    case badHTTP(RemoteError)
    case truncatedResponse
    /// The backend refused a request; `message` is the backend's.
    case refused(status: Int, message: String)
    case handshake(String)
    /// The backend closed the socket.
    case closed(code: CloseCode, reason: String)
    /// The backend has left more bytes unread than the client buffers for it.
    case notRead(limit: Int)
    /// The operation failed for the reason that the client's user sees.
    case problem(ClientState.Problem)
    /// Another command, such as leaving the chat, superseded the operation.
    case abandoned
    /// The waiting task was cancelled; what it started continues.
    case cancelled
    /// The client is closed or has reached one of its limits.
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

/// How much a client keeps; older items are dropped, or new ones refused if dropping would lose the user's words.
public struct ClientLimits: Sendable, Hashable {
    /// The most lines of a transcript; the oldest are dropped.
    public var transcriptLines = 1000
    /// The most bytes of one streaming answer; the rest is taken from the history.
    public var answerBytes = 1 << 20
    /// The most messages that wait to be sent; more are refused.
    public var waitingMessages = 32
    /// The most problems; the oldest are dropped.
    public var problems = 100
    /// The most goals; the oldest are dropped.
    public var goals = 1000
    /// The most meals; the oldest settled one is dropped, and if there is none, new ones are refused.
    public var meals = 100
    /// The most concurrent requests, including waiting ones; more are refused.
    public var requests = 64

    public init() {}
}
