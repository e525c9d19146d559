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
