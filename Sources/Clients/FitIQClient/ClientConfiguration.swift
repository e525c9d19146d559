import FitIQAPI
import HTTP1
import HTTPTypes
import Sockets
import Text
import WebSocket

/// The configuration of a client; the defaults meet every obligation of every guide.
public struct ClientConfiguration: Sendable {
    public var credentials: Credentials
    /// The token that replaces a refused one, once, if no refresh token does; if nil,
    /// ``ClientEvent/credentialsRefused`` asks for it.
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
    /// Whether a handshake offers permessage-deflate (RFC 7692 §7.1); the backend decides.
    public var offersCompression = false

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

/// The tokens and the API key of a client.
public struct Credentials: Sendable {
    /// The access token; empty before signing in.
    public var token: String
    public var apiKey: String
    /// Replaces a refused token, once, at `POST /auth/refresh`, which issues the next one.
    public var refreshToken: String?

    public init(token: String = "", apiKey: String, refreshToken: String? = nil) {
        self.token = token
        self.apiKey = apiKey
        self.refreshToken = refreshToken
    }

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

    /// - Throws: `ClientError.badURL` for schemes other than http, for components other than host, port and path, and
    ///   for anything but visible ASCII.
    public init(_ text: String) throws(ClientError) {
        let url = URLParts(text)
        // Host and path go into requests verbatim.
        guard url.scheme == "http", text.utf8.allSatisfy(\.isVisible), url.query == nil, url.fragment == nil,
            let parts = url.authority.flatMap(HostAndPort.init), !parts.host.isEmpty,
            !parts.host.contains("@"), parts.port == nil || parts.portNumber != nil
        else {
            // The part before the last "@" may be a password.
            throw .badURL(text.lastIndex(of: "@").map { "…" + text[$0...] } ?? text)
        }
        var path = url.path
        while path.hasSuffix("/") { path.removeLast() }
        host = String(parts.host)
        port = parts.portNumber ?? 80
        self.path = String(path)
    }

    /// Host and port as in a `Host` field.
    public var authority: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }
    public var description: String { "http://\(authority)\(path)" }
}

/// An error between this client and a backend; the descriptions are for the person at the keyboard.
public enum ClientError: Error, CustomStringConvertible {
    /// The base URL is not of the form `http://host:port/path`.
    case badURL(String)
    case transport(SocketError)
    /// The backend violates RFC 9112.
    case badHTTP(RemoteError)
    case truncatedResponse
    /// The backend refused a request; `message` is the backend's.
    case refused(status: Int, message: String)
    case handshake(String)
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
        case .notRead(let limit): "the server has left more than \(limit) bytes unread, so the connection was given up."
        case .problem(let problem): problem.message
        case .abandoned:
            "it was given up: the client was asked for something else in the meantime, such as to leave the chat."
        case .cancelled: "the task that waited was cancelled; what it started continues."
        case .unavailable: "the client is closed, or has too many commands waiting; make another, or ask for less."
        }
    }
}

/// How much a client keeps; older items are dropped, or new ones refused if dropping would lose the user's words.
public struct ClientLimits: Sendable, Hashable {
    /// The most lines of a transcript (consultation-websocket, best practice 5); the oldest are dropped.
    public var transcriptLines = 100
    /// The most templates of coaches; the oldest are dropped.
    public var templates = 100
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

/// When a socket that ended unexpectedly is reopened.
public struct ReconnectSchedule: Sendable, Hashable {
    public var growth: Growth
    /// The most consecutive failed tries before the client gives up; the guides allow 5.
    public var maximumTries: Int

    public enum Growth: Sendable, Hashable {
        /// Try n follows after n times the step (consultation-websocket: 1 s).
        case linear(step: Duration)
        /// Each delay is twice the previous one (enhanced-consultations: from 1 s to 30 s).
        case doubling(first: Duration, longest: Duration)
        /// All delays are the same (meal-log-websocket: 5 s).
        case constant(Duration)
    }

    /// Creates a schedule; the default is consultation-websocket's.
    public init(_ growth: Growth = .linear(step: .seconds(1)), maximumTries: Int = 5) {
        self.growth = growth
        self.maximumTries = maximumTries
    }

    /// The delay before a try, counted from 1; nil if the client gives up instead.
    public func delay(beforeTry number: Int) -> Duration? {
        guard number >= 1, number <= maximumTries else { return nil }
        switch growth {
        case .linear(let step): return step * number
        case .constant(let delay): return delay
        case .doubling(let first, let longest):
            var delay = first
            for _ in 1..<number where delay < longest { delay = delay * 2 }
            return min(delay, longest)
        }
    }
}

/// When a request that got 5xx, no answer in time, or no connection is repeated.
public struct RetrySchedule: Sendable, Hashable {
    /// The most attempts in total; the guides allow 3.
    public var maximumAttempts = 3
    /// The delay before the second attempt; it doubles with each further attempt.
    ///
    /// The guides demand at least 1 s.
    public var firstDelay = Duration.seconds(1)
    /// The longest `Retry-After` to wait for; a server that asks for more counts as unavailable.
    public var longestRetryAfter = Duration.seconds(300)

    public init() {}

    /// The delay before the next attempt; nil if there is none.
    ///
    /// - Parameters:
    ///   - attempts: the number of attempts so far.
    ///   - asked: the value of `Retry-After`.
    ///   - last: the delay before the last attempt; the next is longer.
    public func delay(afterAttempts attempts: Int, asked: Duration? = nil, last: Duration = .zero) -> Duration? {
        guard attempts < maximumAttempts else { return nil }
        if let asked, asked > longestRetryAfter { return nil }
        return max(firstDelay * max(1, attempts), asked ?? .zero, last > .zero ? last + firstDelay : .zero)
    }
}

/// How a meal is followed while no socket is open (websocket-architecture, option 1).
public struct MealPolling: Sendable, Hashable {
    public var interval = Duration.seconds(5)
    /// The most polls of one meal, not counting the load right after creating.
    public var maximumPolls = 12

    public init() {}
}

/// The client's time-outs and intervals.
public struct ClientPatience: Sendable, Hashable {
    /// The longest wait for a response to a request.
    public var response = Duration.seconds(30)
    /// The longest wait for the answer to a handshake.
    public var handshake = Duration.seconds(30)
    /// The longest wait for `connected` once the socket is open.
    public var connected = Duration.seconds(10)
    /// The time between two pings (meal-log-websocket asks for one every 30 s).
    public var pingInterval = Duration.seconds(25)
    /// The longest wait for a pong, or any other sign of life, after a ping; then the socket counts as lost.
    public var pong = Duration.seconds(10)
    /// The longest silence while an answer is awaited or streams.
    public var answer = Duration.seconds(60)
    /// The longest wait for the server's close frame after the client's own.
    public var close = Duration.seconds(5)
    /// The time after the client's own close in which no socket is opened (meal-log-websocket: 3 s).
    public var afterOwnClose = Duration.seconds(3)
    /// The time after a 429 in which no consultation is created, unless one was archived.
    public var afterTooMany = Duration.seconds(60)
    /// The longest wait for ``ClientCommand/useToken(_:)`` after ``ClientEvent/credentialsRefused``.
    public var token = Duration.seconds(60)
    /// The wait for a meal's event while a socket is open, before the one load of it that is not a poll.
    ///
    /// Processing takes 2.0 to 4.5 s, and a load within 5 s of creating does not count as a poll.
    public var mealEvent = Duration.milliseconds(4700)
    /// The time after which a meal without an event is given up.
    public var meal = Duration.seconds(65)

    public init() {}
}

extension Timestamp {
    /// A later point in time; durations of more than a day count as one day.
    func advanced(by duration: Duration) -> Timestamp {
        advanced(byNanoseconds: min(max(duration, .zero), .seconds(86_400)).nanoseconds)
    }

    func duration(since earlier: Timestamp) -> Duration {
        .nanoseconds(nanosecondsSinceEpoch - earlier.nanosecondsSinceEpoch)
    }
}
