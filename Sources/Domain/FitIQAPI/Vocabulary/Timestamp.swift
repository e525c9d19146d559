import Text

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

extension Timestamp {
    /// ISO 8601 in UTC with whole seconds, `2025-01-29T10:30:00Z`: the one form of time on the wire.
    ///
    /// Fractions are cut off, because Foundation's `.iso8601` strategy rejects them on older systems.
    public var wireText: String { RFC3339.text(secondsSinceEpoch: secondsSinceEpoch) }

    /// ISO 8601 in UTC to the nanosecond, `2025-01-29T10:30:00.250000000Z`: for tools, not on the API's wire.
    public var nanosecondText: String {
        let seconds = secondsSinceEpoch
        return RFC3339.text(
            secondsSinceEpoch: seconds, nanoseconds: nanosecondsSinceEpoch &- seconds &* 1_000_000_000)
    }

    /// Reads RFC 3339 to the nanosecond, in the years 1970 to 2199; nil for anything else.
    public init?(_ text: String) {
        guard let time = RFC3339.time(text), let second = DateTime(secondsSinceEpoch: time.secondsSinceEpoch).timestamp
        else { return nil }
        self = second.advanced(byNanoseconds: time.nanoseconds)
    }

    /// The form of HTTP's `Date` field, `Wed, 29 Jan 2025 10:30:00 GMT` (RFC 9110 §5.6.7).
    public var httpDateText: String {
        let time = CivilTime(secondsSinceEpoch: secondsSinceEpoch)
        let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return
            "\(weekdays[Int(time.weekday)]), \(two(time.date.day)) \(months[Int(time.date.month) - 1]) \(time.date.year) "
            + "\(two(time.hour)):\(two(time.minute)):\(two(time.second)) GMT"
    }
}

/// A point in time as clients name it: whole seconds, in the years 0000 to 9999.
///
/// The clock's ``Timestamp`` counts nanoseconds and ends in 2262; a goal may well lie beyond, at Swift's `Date.distantFuture`.
public struct DateTime: Hashable, Comparable, Sendable {
    /// Whole seconds since 1970-01-01T00:00:00Z; negative before.
    public let secondsSinceEpoch: Int64

    /// The earliest, 0000-01-01T00:00:00Z, and the latest, 9999-12-31T23:59:59Z.
    static let range: ClosedRange<Int64> = -62_167_219_200...253_402_300_799

    /// Makes a point in time; what lies outside the years 0000 to 9999 becomes the nearest one inside.
    public init(secondsSinceEpoch: Int64) {
        self.secondsSinceEpoch = min(max(secondsSinceEpoch, Self.range.lowerBound), Self.range.upperBound)
    }

    /// The second that a moment of the clock lies in.
    public init(_ timestamp: Timestamp) {
        self.init(secondsSinceEpoch: timestamp.secondsSinceEpoch)
    }

    /// The first moment of the second, where a clock of the years 1970 to 2199 can show it; else nil.
    public var timestamp: Timestamp? {
        (0..<7_258_118_400).contains(secondsSinceEpoch) ? Timestamp(secondsSinceEpoch: secondsSinceEpoch) : nil
    }

    /// ISO 8601 in UTC with whole seconds, `2025-01-29T10:30:00Z`.
    public var wireText: String { RFC3339.text(secondsSinceEpoch: secondsSinceEpoch) }

    /// Orders by time.
    public static func < (left: DateTime, right: DateTime) -> Bool {
        left.secondsSinceEpoch < right.secondsSinceEpoch
    }
}

extension DateTime {
    /// Reads `2025-01-29T10:30:00Z`, with fractions (cut off) and offsets too; nil for anything else.
    ///
    /// RFC 3339 §5.6 `date-time`: a leap second counts as the next second, and an offset that leads out of the years 0000
    /// to 9999 is cut at their end.
    public init?(_ text: String) {
        guard let time = RFC3339.time(text) else { return nil }
        self.init(secondsSinceEpoch: time.secondsSinceEpoch)
    }

    /// Reads a date, `2025-01-29`, as its first second in UTC; nil for anything else.
    public init?(date text: String) {
        guard let days = RFC3339.days(text) else { return nil }
        self.init(secondsSinceEpoch: days * 86_400)
    }
}
