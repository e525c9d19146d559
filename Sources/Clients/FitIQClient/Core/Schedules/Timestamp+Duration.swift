import FitIQAPI

extension Timestamp {
    /// The point in time that lies so much later; waits of more than a day are cut to one.
    func advanced(by duration: Duration) -> Timestamp {
        let parts = min(max(duration, .zero), .seconds(86_400)).components
        return advanced(byNanoseconds: parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000)
    }

    /// The time since an earlier point.
    func duration(since earlier: Timestamp) -> Duration {
        .nanoseconds(nanosecondsSinceEpoch - earlier.nanosecondsSinceEpoch)
    }
}
