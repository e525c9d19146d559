import JSON
import Text

/// A point in time, in nanoseconds since 1970-01-01T00:00:00Z.
///
/// Arithmetic does not saturate. The range is the years 1678 to 2262, and all values come from the outermost layer.
public struct Timestamp: Hashable, Comparable, Sendable, PlainJSONText {
    /// Nanoseconds since the epoch; negative before it.
    public var nanosecondsSinceEpoch: Int64

    public init(nanosecondsSinceEpoch: Int64) { self.nanosecondsSinceEpoch = nanosecondsSinceEpoch }
    public init(secondsSinceEpoch: Int64) { nanosecondsSinceEpoch = secondsSinceEpoch * 1_000_000_000 }

    /// Whole seconds since the Unix epoch, rounded down.
    public var secondsSinceEpoch: Int64 {
        let (quotient, remainder) = nanosecondsSinceEpoch.quotientAndRemainder(dividingBy: 1_000_000_000)
        return remainder < 0 ? quotient - 1 : quotient
    }

    public func advanced(byNanoseconds nanoseconds: Int64) -> Timestamp {
        Timestamp(nanosecondsSinceEpoch: nanosecondsSinceEpoch + nanoseconds)
    }

    /// The nanoseconds since an earlier time.
    ///
    /// The subtraction wraps around on overflow, because a journal from another source may contain any time.
    @inlinable
    package func nanoseconds(since earlier: Timestamp) -> Int64 {
        nanosecondsSinceEpoch &- earlier.nanosecondsSinceEpoch
    }

    public static func < (left: Self, right: Self) -> Bool { left.nanosecondsSinceEpoch < right.nanosecondsSinceEpoch }

    /// ISO 8601 in UTC with whole seconds, `2025-01-29T10:30:00Z`, the only wire format.
    ///
    /// Fractions are truncated, because Foundation's `.iso8601` strategy rejects them on older systems.
    public var wireText: String { RFC3339.text(secondsSinceEpoch: secondsSinceEpoch) }

    public func write(into room: UnsafeMutableBufferPointer<UInt8>) -> Int {
        RFC3339.write(secondsSinceEpoch: secondsSinceEpoch, into: room)
    }

    /// ISO 8601 in UTC to the nanosecond, `2025-01-29T10:30:00.250000000Z`, for tools and not for the API.
    public var nanosecondText: String {
        let seconds = secondsSinceEpoch
        return RFC3339.text(secondsSinceEpoch: seconds, nanoseconds: nanosecondsSinceEpoch &- seconds &* 1_000_000_000)
    }

    /// ISO 8601 in UTC with milliseconds, `2025-01-29T10:30:00.250Z`; one of the apps needs it for insights.
    public var millisecondText: String { nanosecondText.dropLast(7) + "Z" }

    /// Parses RFC 3339 to the nanosecond; nil for anything else.
    ///
    /// - Parameter inAnyYear: Whether to accept every representable time, not only the years 1970 to 2199 of a clock.
    public init?(_ text: String, inAnyYear: Bool = false) {
        guard let time = RFC3339.time(text) else { return nil }
        let second = DateTime(secondsSinceEpoch: time.secondsSinceEpoch)
        guard inAnyYear || second.timestamp != nil else { return nil }
        // Before 1970, count back from the end of the second, or the earliest times would overflow.
        let isBefore = second.secondsSinceEpoch < 0
        let (whole, isTooFar) = (second.secondsSinceEpoch + (isBefore ? 1 : 0))
            .multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isJustTooFar) = whole.addingReportingOverflow(time.nanoseconds - (isBefore ? 1_000_000_000 : 0))
        guard !isTooFar, !isJustTooFar else { return nil }
        nanosecondsSinceEpoch = sum
    }

    /// The format of HTTP's `Date` field; see ``DateTime/httpDateText``.
    public var httpDateText: String { DateTime(self).httpDateText }
}

/// A client's point in time, in whole seconds and in the years 0000 to 9999.
///
/// The clock's ``Timestamp`` counts nanoseconds and ends in 2262, but a goal may be later, at Swift's
/// `Date.distantFuture`.
public struct DateTime: Hashable, Comparable, Sendable, PlainJSONText {
    /// Whole seconds since 1970-01-01T00:00:00Z; negative before 1970.
    public let secondsSinceEpoch: Int64

    /// From 0000-01-01T00:00:00Z to 9999-12-31T23:59:59Z.
    static let range: ClosedRange<Int64> = -62_167_219_200...253_402_300_799

    /// Creates a point in time, clamped to the years 0000 to 9999.
    public init(secondsSinceEpoch: Int64) {
        self.secondsSinceEpoch = min(max(secondsSinceEpoch, Self.range.lowerBound), Self.range.upperBound)
    }

    /// Creates the second that contains a moment of the clock.
    public init(_ timestamp: Timestamp) { self.init(secondsSinceEpoch: timestamp.secondsSinceEpoch) }

    /// The first moment of the second; nil outside the clock's years 1970 to 2199.
    public var timestamp: Timestamp? {
        (0..<7_258_118_400).contains(secondsSinceEpoch) ? Timestamp(secondsSinceEpoch: secondsSinceEpoch) : nil
    }

    /// ISO 8601 in UTC with whole seconds, `2025-01-29T10:30:00Z`.
    public var wireText: String { RFC3339.text(secondsSinceEpoch: secondsSinceEpoch) }
    /// ISO 8601 with milliseconds, like ``Timestamp/millisecondText``; they are always `.000Z`.
    public var millisecondText: String { wireText.dropLast() + ".000Z" }
    /// The first second of its day in UTC.
    public var startOfDay: DateTime {
        let second = secondsSinceEpoch % 86_400
        return DateTime(secondsSinceEpoch: secondsSinceEpoch - (second < 0 ? second + 86_400 : second))
    }

    public func write(into room: UnsafeMutableBufferPointer<UInt8>) -> Int {
        RFC3339.write(secondsSinceEpoch: secondsSinceEpoch, into: room)
    }

    /// The format of HTTP's `Date` field, `Wed, 29 Jan 2025 10:30:00 GMT` (RFC 9110 §5.6.7).
    public var httpDateText: String {
        let time = CivilTime(secondsSinceEpoch: secondsSinceEpoch)
        let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return
            "\(weekdays[Int(time.weekday)]), \(two(time.date.day)) \(months[Int(time.date.month) - 1]) \(time.date.year) "
            + "\(two(time.hour)):\(two(time.minute)):\(two(time.second)) GMT"
    }

    public static func < (left: Self, right: Self) -> Bool { left.secondsSinceEpoch < right.secondsSinceEpoch }

    /// Parses `2025-01-29T10:30:00Z`, accepting offsets and truncating fractions; nil for anything else.
    ///
    /// RFC 3339 §5.6 `date-time`: a leap second counts as the next second; a result outside the years 0000 to 9999 is
    /// clamped.
    public init?(_ text: String) {
        guard let time = RFC3339.time(text) else { return nil }
        self.init(secondsSinceEpoch: time.secondsSinceEpoch)
    }

    /// Parses a date, `2025-01-29`, as its first second in UTC; nil for anything else.
    public init?(date text: String) {
        guard let days = RFC3339.days(text) else { return nil }
        self.init(secondsSinceEpoch: days * 86_400)
    }
}

extension Comparable {
    /// The earlier of two times; either may be nil.
    @inlinable
    package static func earliest(_ one: Self?, _ other: Self?) -> Self? {
        guard let one, let other else { return one ?? other }
        return min(one, other)
    }
}
