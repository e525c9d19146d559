import FitIQAPI
import Text

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

    /// The schedule of consultation-websocket: n seconds before try n.
    public static let consultationWebSocket = ReconnectSchedule()
    /// The schedule of enhanced-consultations: doubling from 1 s up to 30 s.
    public static let enhancedConsultations = ReconnectSchedule(.doubling(first: .seconds(1), longest: .seconds(30)))
    /// The schedule of meal-log-websocket: every 5 s.
    public static let mealLogWebSocket = ReconnectSchedule(.constant(.seconds(5)))

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
    ///   - last: the delay before the last attempt; the next is not shorter.
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
