import FitIQAPI
import HTTP1
import HTTPTypes
import Sockets
import Text
import WebSocket

/// A client's configuration.
///
/// The defaults meet all obligations of all guides.
public struct ClientConfiguration: Sendable {
    public var credentials: Credentials
    /// A token to use once after the backend has refused the first token, if there is no valid refresh token.
    ///
    /// Without either token, the client emits ``ClientEvent/credentialsRefused``.
    public var freshToken: String?
    /// The guide that the backend follows.
    ///
    /// The client uses only that guide's endpoints.
    public var guide = GuideMode.union
    /// The chat protocol to use if the guide supports both.
    ///
    /// See ``chatStyle``.
    public var chat = ChatStyle.message
    public var retries = RetrySchedule()
    public var reconnects = ReconnectSchedule()
    public var patience = ClientPatience()
    /// How to poll for meals while no socket is open.
    public var mealPolling = MealPolling()
    public var limits = ClientLimits()
    /// Whether to compare each finished answer with the stored message.
    ///
    /// Chunks have no numbers, so only the comparison reveals a lost, duplicated or late chunk. Without this
    /// comparison, the client reads the history only after visible errors: a frame that is not valid JSON, an `error`,
    /// or a lost connection.
    public var checksAnswers = true
    /// Whether a handshake sends the token both in a header field and in the URL, for a backend whose guide is unknown.
    public var sendsTokenTwice = false
    /// Whether a handshake offers permessage-deflate (RFC 7692 §7.1); the backend decides.
    public var offersCompression = false

    public enum ChatStyle: String, Sendable, CaseIterable {
        /// `message`, which the server answers with `stream_chunk` (consultation-websocket).
        case message
        /// `user_message`, which the server answers with `assistant_message_chunk` (enhanced-consultations).
        case userMessage = "user_message"
    }

    public init(credentials: Credentials, freshToken: String? = nil, guide: GuideMode = .union) {
        (self.credentials, self.freshToken, self.guide) = (credentials, freshToken, guide)
    }

    /// The chat protocol to use: ``chat`` if the backend supports both protocols; otherwise, the guide's protocol.
    public var chatStyle: ChatStyle {
        switch guide {
        case .enhancedConsultations: .userMessage
        case .consultationWebSocket, .webSocketArchitecture: .message
        case .union, .goalLinking, .mealLogWebSocket: chat
        }
    }
}

/// A client's tokens and API key.
public struct Credentials: Sendable {
    /// The access token, or empty before signing in.
    public var token: String
    public var apiKey: String
    /// The refresh token for `POST /auth/refresh`.
    ///
    /// A refresh token works only once; the response contains the next refresh token.
    public var refreshToken: String?

    public init(token: String = "", apiKey: String, refreshToken: String? = nil) {
        (self.token, self.apiKey, self.refreshToken) = (token, apiKey, refreshToken)
    }

    public var fields: HTTPFields {
        var fields: HTTPFields = [.authorization: "Bearer \(token)"]
        if let name = HTTPField.Name("X-API-Key") { fields[name] = apiKey }
        return fields
    }

    /// The token for `?token=`, percent-encoded except for unreserved characters (RFC 3986 §2.3).
    var queryToken: String { PercentCoding.encoded(token) }
}

/// The address of a backend, such as `http://127.0.0.1:8080`.
///
/// The path of this address is added before every request's path.
public struct BaseURL: Hashable, Sendable, CustomStringConvertible {
    /// A name, an IPv4 address, or an IPv6 address without brackets.
    public let host: String
    /// The port, or 80 if the URL has none.
    public let port: UInt16
    /// The path without a trailing slash, or empty.
    public let path: String

    /// - Throws: `ClientError.badURL` for schemes other than http, components other than host, port and path, and
    ///   characters other than visible ASCII.
    public init(_ text: String) throws(ClientError) {
        let url = URLParts(text)
        // Requests contain the host and path verbatim.
        guard url.scheme == "http", text.utf8.allSatisfy(\.isVisible), url.query == nil, url.fragment == nil,
            let parts = url.authority.flatMap(HostAndPort.init), !parts.host.isEmpty,
            !parts.host.contains("@"), parts.port == nil || parts.portNumber != nil
        else {
            // The part before the last "@" may contain a password.
            throw .badURL(text.lastIndex(of: "@").map { "…" + text[$0...] } ?? text)
        }
        var path = url.path
        while path.hasSuffix("/") { path.removeLast() }
        host = String(parts.host)
        port = parts.portNumber ?? 80
        self.path = String(path)
    }

    /// The host and port as they appear in a `Host` field.
    public var authority: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }
    public var description: String { "http://\(authority)\(path)" }
}

/// An error in the communication between this client and a backend.
///
/// The descriptions are user-visible.
public enum ClientError: Error, CustomStringConvertible {
    /// The base URL does not have the form `http://host:port/path`.
    case badURL(String)
    case transport(SocketError)
    /// The backend violates RFC 9112.
    case badHTTP(RemoteError)
    case truncatedResponse
    /// The backend refused a request.
    ///
    /// `message` is the backend's message.
    case refused(status: Int, message: String)
    case handshake(String)
    case closed(code: CloseCode, reason: String)
    /// The backend has left too many bytes unread for the client to buffer more.
    case notRead(limit: Int)
    /// The operation failed with this problem, which is also shown to the client's user.
    case problem(ClientState.Problem)
    /// Another command, such as leaving the chat, replaced the operation.
    case abandoned
    /// The waiting task was cancelled; the started command continues.
    case cancelled
    /// The client is closed or has reached one of its limits.
    case unavailable

    public var description: String {
        switch self {
        case .badURL(let url): "'\(url)' is not a base URL; use a URL such as http://127.0.0.1:8080."
        case .transport(let error): "\(error)."
        case .badHTTP(let error): "the server's response is not valid HTTP: \(error.message) (\(error.source))."
        case .truncatedResponse: "the connection ended in the middle of a response."
        case .refused(let status, let message): "the server answered \(status): \(message)"
        case .handshake(let what): "the WebSocket handshake failed: \(what)"
        case .closed(let code, let reason):
            "the server closed the socket with \(code)" + (reason.isEmpty ? "." : ": \(reason)")
        case .notRead(let limit):
            "the server has left more than \(limit) bytes unread, so the client dropped the connection."
        case .problem(let problem): problem.message
        case .abandoned: "a later command, such as leaving the chat, replaced the operation."
        case .cancelled: "the waiting task was cancelled; the work that it started continues."
        case .unavailable:
            "the client is closed, or has too many commands waiting; create another client, or send fewer "
                + "commands."
        }
    }
}

/// The limits on a client's state.
///
/// Beyond a limit, the client drops older items. The client refuses new items if dropping old items would lose the
/// user's input.
public struct ClientLimits: Sendable, Hashable {
    /// The maximum number of lines in a transcript (consultation-websocket, best practice 5).
    ///
    /// The oldest lines are dropped.
    public var transcriptLines = 100
    /// The maximum number of templates from coaches.
    ///
    /// The oldest templates are dropped.
    public var templates = 100
    /// The maximum size of a streaming answer in bytes.
    ///
    /// The client reads the rest from the history.
    public var answerBytes = 1 << 20
    /// The maximum number of messages waiting to be sent.
    ///
    /// Further messages are refused.
    public var waitingMessages = 32
    /// The maximum number of problems.
    ///
    /// The oldest problems are dropped.
    public var problems = 100
    /// The maximum number of goals.
    ///
    /// The oldest goals are dropped.
    public var goals = 1000
    /// The maximum number of meals.
    ///
    /// The oldest settled meal is dropped; without a settled meal, new meals are refused.
    public var meals = 100
    /// The maximum number of concurrent requests, including waiting ones.
    ///
    /// Further requests are refused.
    public var requests = 64

    public init() {}
}

/// The delays before reopening a socket that ended unexpectedly.
public struct ReconnectSchedule: Sendable, Hashable {
    public var growth: Growth
    /// The maximum number of consecutive failed attempts.
    ///
    /// The guides allow five.
    public var maximumTries: Int

    public enum Growth: Sendable, Hashable {
        /// Attempt n follows after a delay of n times the step (consultation-websocket: 1 s).
        case linear(step: Duration)
        /// Each delay is twice as long as the previous delay (enhanced-consultations: from 1 s to 30 s).
        case doubling(first: Duration, longest: Duration)
        /// All delays are the same (meal-log-websocket: 5 s).
        case constant(Duration)
    }

    /// The default is the schedule in consultation-websocket.
    public init(_ growth: Growth = .linear(step: .seconds(1)), maximumTries: Int = 5) {
        self.growth = growth
        self.maximumTries = maximumTries
    }

    /// The delay before an attempt, counted from 1, or nil if the client gives up instead.
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

/// When to repeat a request after a 5xx, a time-out or a failed connection.
public struct RetrySchedule: Sendable, Hashable {
    /// The maximum number of attempts, including the first.
    ///
    /// The guides allow three.
    public var maximumAttempts = 3
    /// The delay before the second attempt; the delay doubles with each additional attempt.
    ///
    /// The guides require at least 1 s.
    public var firstDelay = Duration.seconds(1)
    /// The longest `Retry-After` to wait for.
    ///
    /// A server that requests a longer wait counts as unavailable.
    public var longestRetryAfter = Duration.seconds(300)

    public init() {}

    /// The delay before the next attempt, or nil to stop trying.
    ///
    /// - Parameters:
    ///   - attempts: The number of attempts so far.
    ///   - asked: The value of `Retry-After`.
    ///   - last: The delay before the last attempt; the next delay is longer
    public func delay(afterAttempts attempts: Int, asked: Duration? = nil, last: Duration = .zero) -> Duration? {
        guard attempts < maximumAttempts else { return nil }
        if let asked, asked > longestRetryAfter { return nil }
        return max(firstDelay * max(1, attempts), asked ?? .zero, last > .zero ? last + firstDelay : .zero)
    }
}

/// How to poll for a meal while no socket is open (websocket-architecture, option 1).
public struct MealPolling: Sendable, Hashable {
    public var interval = Duration.seconds(5)
    /// The maximum number of polls per meal, not counting the load right after its creation.
    public var maximumPolls = 12

    public init() {}
}

/// The client's time-outs and intervals.
public struct ClientPatience: Sendable, Hashable {
    /// How long to wait for a response.
    public var response = Duration.seconds(30)
    /// How long to wait for the response to a handshake.
    public var handshake = Duration.seconds(30)
    /// How long to wait for `connected` after the socket has opened.
    public var connected = Duration.seconds(10)
    /// The time between two pings (meal-log-websocket requires a ping every 30 s).
    public var pingInterval = Duration.seconds(25)
    /// How long to wait for a pong or another frame after a ping before the socket counts as lost.
    public var pong = Duration.seconds(10)
    /// The maximum silence while the client awaits or receives an answer.
    public var answer = Duration.seconds(60)
    /// How long to wait for the server's close frame after the client has sent its close frame.
    public var close = Duration.seconds(5)
    /// The pause between closing a socket and opening the next one (meal-log-websocket: 3 s).
    public var afterOwnClose = Duration.seconds(3)
    /// How long to refrain from creating consultations after a 429, unless the user archives a consultation.
    public var afterTooMany = Duration.seconds(60)
    /// How long to wait for ``ClientCommand/useToken(_:)`` after ``ClientEvent/credentialsRefused``.
    public var token = Duration.seconds(60)
    /// How long to wait for a meal's event, while a socket is open, before the single load that does not count as a
    /// poll.
    ///
    /// Processing takes 2.0 to 4.5 s. A load within 5 s of the creation does not count as a poll.
    public var mealEvent = Duration.milliseconds(4700)
    /// When the client stops waiting for a meal without an event.
    public var meal = Duration.seconds(65)

    public init() {}
}

extension Timestamp {
    /// A later point in time; durations are capped at one day.
    func advanced(by duration: Duration) -> Timestamp {
        advanced(byNanoseconds: min(max(duration, .zero), .seconds(86_400)).nanoseconds)
    }

    func duration(since earlier: Timestamp) -> Duration {
        .nanoseconds(nanosecondsSinceEpoch - earlier.nanosecondsSinceEpoch)
    }
}
