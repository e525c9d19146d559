import FitIQAPI
import Text

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
