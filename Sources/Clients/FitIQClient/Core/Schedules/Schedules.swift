import FitIQAPI
import Text

/// When a socket is opened again that ended unexpectedly.
public struct ReconnectSchedule: Sendable, Hashable {
    /// How the delays grow.
    public var growth: Growth
    /// The most tries in a row without success, after which the client gives up; the guides allow 5.
    public var maximumTries: Int

    /// The ways of the guides.
    public enum Growth: Sendable, Hashable {
        /// Try n comes after n times the step (consultation-websocket: 1 s).
        case linear(step: Duration)
        /// Each delay is twice the one before (enhanced-consultations: from 1 s to 30 s).
        case doubling(first: Duration, longest: Duration)
        /// All delays are the same (meal-log-websocket: 5 s).
        case constant(Duration)
    }

    /// Makes a schedule; the usual one is consultation-websocket's.
    public init(_ growth: Growth = .linear(step: .seconds(1)), maximumTries: Int = 5) {
        self.growth = growth
        self.maximumTries = maximumTries
    }

    /// The schedule of consultation-websocket: n seconds before try n.
    public static let consultationWebSocket = ReconnectSchedule()
    /// The schedule of enhanced-consultations: doubling from 1 s up to 30 s.
    public static let enhancedConsultations = ReconnectSchedule(.doubling(first: .seconds(1), longest: .seconds(30)))
    /// The schedule of meal-log-websocket: every 5 s.
    public static let mealLogWebSocket = ReconnectSchedule(.constant(.seconds(5)))

    /// The wait before a try, the first of a row being 1; nil where the client gives up instead.
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

/// When a request is repeated that got 5xx, no answer in time, or no connection.
public struct RetrySchedule: Sendable, Hashable {
    /// The most attempts in all; 3 is what the guides allow.
    public var maximumAttempts = 3
    /// The wait before the second attempt; the third waits twice as long, and so on.
    ///
    /// At least 1 s by the guides.
    public var firstDelay = Duration.seconds(1)
    /// The longest `Retry-After` that is waited for; a server that wants more is taken for unavailable.
    public var longestRetryAfter = Duration.seconds(300)

    /// The schedule that keeps all guides.
    public init() {}

    /// The wait before the next attempt; nil where there is none.
    ///
    /// - Parameters:
    ///   - attempts: how many there were.
    ///   - asked: what `Retry-After` says.
    ///   - last: the wait before the last attempt; the next is not shorter.
    public func delay(afterAttempts attempts: Int, asked: Duration? = nil, last: Duration = .zero) -> Duration? {
        guard attempts < maximumAttempts else { return nil }
        if let asked, asked > longestRetryAfter { return nil }
        return max(firstDelay * max(1, attempts), asked ?? .zero, last)
    }
}

/// How a meal is followed while no socket is open (websocket-architecture, option 1).
public struct MealPolling: Sendable, Hashable {
    /// The time between two polls.
    public var interval = Duration.seconds(5)
    /// The most polls of one meal; the load right after creating is none.
    public var maximumPolls = 12

    /// The polling that keeps all guides.
    public init() {}
}

/// How long a client waits for what should happen.
public struct ClientPatience: Sendable, Hashable {
    /// The longest wait for a response to a request.
    public var response = Duration.seconds(30)
    /// The longest wait for the answer to a handshake.
    public var handshake = Duration.seconds(30)
    /// The longest wait for `connected` once the socket is open.
    public var connected = Duration.seconds(10)
    /// The time between two pings (meal-log-websocket asks for one each 30 s).
    public var pingInterval = Duration.seconds(25)
    /// The longest wait for a pong, or any other sign of life, after a ping; then the socket counts as dropped.
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
    /// The wait for the event of a meal while a socket is open, before the one look at it that is no poll.
    ///
    /// Processing takes 2.0 to 4.5 s, and a look within 5 s of creating is not taken for a poll.
    public var mealEvent = Duration.milliseconds(4700)
    /// The time after which a meal whose event has not come is given up.
    public var meal = Duration.seconds(65)

    /// The patience that keeps all guides.
    public init() {}
}

extension Timestamp {
    /// The point in time that lies so much later; waits of more than a day are cut to one.
    func advanced(by duration: Duration) -> Timestamp {
        advanced(byNanoseconds: min(max(duration, .zero), .seconds(86_400)).nanoseconds)
    }

    /// The time since an earlier point.
    func duration(since earlier: Timestamp) -> Duration {
        .nanoseconds(nanosecondsSinceEpoch - earlier.nanosecondsSinceEpoch)
    }
}
