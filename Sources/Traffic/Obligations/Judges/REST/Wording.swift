import FitIQAPI
import Text

/// How times stand in sentences.
enum Wording {
    /// A duration: `0.2 s`, `5 s`, `1.95 s`; to the millisecond, cut off.
    static func seconds(_ nanoseconds: Int64) -> String { "\(Durations.seconds(nanoseconds)) s" }

    /// A time of day in UTC: `10:30:04`.
    static func clock(_ time: Timestamp) -> String {
        String(time.wireText.dropFirst(11).dropLast())
    }
}

extension Timestamp {
    /// How many nanoseconds it lies behind another.
    func lag(behind other: Timestamp) -> Int64 {
        // A journal from elsewhere may hold any time.
        nanosecondsSinceEpoch.subtractingReportingOverflow(other.nanosecondsSinceEpoch).partialValue
    }
}

/// What passes for network and scheduling, where a minimum is judged.
enum Tolerance {
    /// 50 ms, in nanoseconds.
    static let interval: Int64 = 50_000_000
    /// One second, in nanoseconds.
    static let second: Int64 = 1_000_000_000
}
