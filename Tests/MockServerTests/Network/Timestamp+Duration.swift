import FitIQAPI

extension Timestamp {
    static func + (time: Timestamp, duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        return time.advanced(byNanoseconds: seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}
