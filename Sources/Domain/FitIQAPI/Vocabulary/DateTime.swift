import Text

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
