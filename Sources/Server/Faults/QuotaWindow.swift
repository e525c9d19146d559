import FitIQAPI

/// The fixed window in which a quota counts requests.
///
/// It begins with a request and lasts as long as the rule says; the first request after its end begins another. So a client
/// that waits as long as `Retry-After` says is served again, with the whole quota: a sliding window would admit it to one
/// request.
struct QuotaWindow: Sendable, Equatable {
    private var start: Timestamp?
    private var count = 0

    /// Counts a request; nil where it is within the quota, else the nanoseconds that are left of the window.
    mutating func take(at now: Timestamp, quota: Int, length: Int64) -> Int64? {
        let length = min(max(length, 1), FaultLimits.longestWindow)
        // A clock that was set back begins another window too: the old one might never end.
        if let start, start <= now, now.nanosecondsSinceEpoch - start.nanosecondsSinceEpoch < length {
            count += 1
        } else {
            (start, count) = (now, 1)
        }
        guard count > quota, let start else { return nil }
        return length - (now.nanosecondsSinceEpoch - start.nanosecondsSinceEpoch)
    }
}
