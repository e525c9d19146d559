import FitIQAPI
import HTTP1
import HTTPTypes
import Sockets
import Text
import WebSocket

/// What a client is made with.
///
/// The defaults keep every obligation of every guide; other values are for those who know their backend.
public struct ClientConfiguration: Sendable {
    /// What requests bring along.
    public var credentials: Credentials
    /// The token that takes the place of one that was refused, once; nil where ``ClientEvent/credentialsRefused`` asks for it.
    public var freshToken: String?
    /// Which guide the backend answers as: what it does not serve is not asked for.
    public var guide = GuideMode.union
    /// How it chats, where the guide leaves the choice; see ``chatStyle``.
    public var chat = ChatStyle.message
    /// How requests are repeated.
    public var retries = RetrySchedule()
    /// How sockets are opened again.
    public var reconnects = ReconnectSchedule()
    /// How long things may take.
    public var patience = ClientPatience()
    /// How meals are followed while no socket is open.
    public var mealPolling = MealPolling()
    /// How much is kept.
    public var limits = ClientLimits()
    /// Whether each finished answer is compared with the stored message.
    ///
    /// Chunks carry no numbers, so one that was lost, doubled or late shows only there. Where this is off, the history is read
    /// after visible trouble only: a frame that is no JSON, an `error`, a cut.
    public var checksAnswers = true
    /// Whether a handshake brings the token both in its fields and in its URL: for a backend whose guide is not known.
    public var sendsTokenTwice = false

    /// The two chat protocols of the guides.
    public enum ChatStyle: String, Sendable, CaseIterable {
        /// `message`, answered by `stream_chunk` (consultation-websocket).
        case message
        /// `user_message`, answered by `assistant_message_chunk` (enhanced-consultations).
        case userMessage = "user_message"
    }

    /// Makes the usual configuration.
    public init(credentials: Credentials, freshToken: String? = nil, guide: GuideMode = .union) {
        self.credentials = credentials
        self.freshToken = freshToken
        self.guide = guide
    }

    /// How it chats: as the guide documents it, and by choice where the backend understands both.
    public var chatStyle: ChatStyle {
        switch guide {
        case .enhancedConsultations: .userMessage
        case .consultationWebSocket, .webSocketArchitecture: .message
        case .union, .goalLinking, .mealLogWebSocket: chat
        }
    }
}

/// What a client proves itself with.
public struct Credentials: Sendable {
    /// The JSON Web Token.
    public var token: String
    /// The value of `X-API-Key`.
    public var apiKey: String

    /// Makes credentials.
    public init(token: String, apiKey: String) {
        self.token = token
        self.apiKey = apiKey
    }

    /// The fields of every request and handshake.
    public var fields: HTTPFields {
        var fields: HTTPFields = [.authorization: "Bearer \(token)"]
        if let name = HTTPField.Name("X-API-Key") { fields[name] = apiKey }
        return fields
    }

    /// The token as `?token=` carries it: what is not unreserved (RFC 3986 §2.3) is percent-encoded.
    var queryToken: String { PercentCoding.encoded(token) }
}

/// Where a backend is reached: `http://127.0.0.1:8080`, perhaps with a path that every request begins with.
public struct BaseURL: Hashable, Sendable, CustomStringConvertible {
    /// A name, an IPv4 address, or an IPv6 address without brackets.
    public let host: String
    /// 80 where the URL names none.
    public let port: UInt16
    /// Empty, or a path without a slash at its end.
    public let path: String

    /// Reads a URL.
    ///
    /// - Throws: `ClientError.badURL` for other schemes than http, for anything beside host, port and path, and for what is not
    ///   visible ASCII.
    public init(_ text: String) throws(ClientError) {
        guard text.hasPrefix("http://") else { throw .badURL(text) }
        // Both go into requests as they are.
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

    /// Host and port as they stand in a `Host` field.
    public var authority: String {
        "\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    /// The URL, with its port.
    public var description: String { "http://\(authority)\(path)" }
}

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

/// How much a client keeps; what is older goes, or is refused where that would lose the user's words.
public struct ClientLimits: Sendable, Hashable {
    /// The most lines of a transcript; the oldest go.
    public var transcriptLines = 1000
    /// The most bytes of one answer as it streams; the rest is taken from the history.
    public var answerBytes = 1 << 20
    /// The most messages that wait to be sent; more are refused.
    public var waitingMessages = 32
    /// The most problems that are kept; the oldest go.
    public var problems = 100
    /// The most goals that are shown; the oldest go.
    public var goals = 1000
    /// The most meals that are kept; the oldest that is settled goes, and where none is, another is refused.
    public var meals = 100
    /// The most requests at a time, waiting ones included; more are refused.
    public var requests = 64

    /// The usual limits.
    public init() {}
}
