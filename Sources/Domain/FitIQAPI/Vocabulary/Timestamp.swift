/// A point in time, in nanoseconds since 1970-01-01T00:00:00Z.
///
/// Arithmetic saturates nowhere: the range is the years 1678 to 2262, and the shell is the only source of values.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Nanoseconds since the Unix epoch; negative before it.
    public var nanosecondsSinceEpoch: Int64

    /// Makes a point in time from nanoseconds since the Unix epoch.
    public init(nanosecondsSinceEpoch: Int64) {
        self.nanosecondsSinceEpoch = nanosecondsSinceEpoch
    }

    /// Makes a point in time from whole seconds since the Unix epoch.
    public init(secondsSinceEpoch: Int64) {
        nanosecondsSinceEpoch = secondsSinceEpoch * 1_000_000_000
    }

    /// Whole seconds since the Unix epoch, rounded towards the past.
    public var secondsSinceEpoch: Int64 {
        let (quotient, remainder) = nanosecondsSinceEpoch.quotientAndRemainder(dividingBy: 1_000_000_000)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// The point in time that lies the given number of nanoseconds later.
    public func advanced(byNanoseconds nanoseconds: Int64) -> Timestamp {
        Timestamp(nanosecondsSinceEpoch: nanosecondsSinceEpoch + nanoseconds)
    }

    /// Orders by time.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.nanosecondsSinceEpoch < right.nanosecondsSinceEpoch
    }
}
