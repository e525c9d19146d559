import Text

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
