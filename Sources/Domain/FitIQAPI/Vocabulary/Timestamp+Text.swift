/// The calendar fields of a point in time in UTC.
///
/// Computed without Foundation, so that starting the server loads no locale data. The algorithm is "civil from days" by
/// Howard Hinnant: days are counted in eras of 400 years that begin on 1 March.
struct CivilTime {
    var year: Int
    var month: Int
    var day: Int
    var hour: Int
    var minute: Int
    var second: Int
    /// 0 is Sunday.
    var weekday: Int

    init(secondsSinceEpoch: Int64) {
        let seconds = Int(secondsSinceEpoch)
        let days = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
        let secondOfDay = seconds - days * 86_400
        (hour, minute, second) = (secondOfDay / 3600, secondOfDay / 60 % 60, secondOfDay % 60)
        weekday = ((days + 4) % 7 + 7) % 7  // 1970-01-01 was a Thursday.

        let shifted = days + 719_468  // Days since 0000-03-01.
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }
}

extension CivilTime {
    init(_ timestamp: Timestamp) { self.init(secondsSinceEpoch: timestamp.secondsSinceEpoch) }

    /// ISO 8601 in UTC with whole seconds.
    var wireText: String {
        String(unsafeUninitializedCapacity: 20) { bytes in
            func put(_ value: Int, digits: Int, at offset: Int) {
                var rest = value
                for index in stride(from: offset + digits - 1, through: offset, by: -1) {
                    bytes[index] = UInt8(ascii: "0") + UInt8(rest % 10)
                    rest /= 10
                }
            }
            put(year, digits: 4, at: 0)
            bytes[4] = UInt8(ascii: "-")
            put(month, digits: 2, at: 5)
            bytes[7] = UInt8(ascii: "-")
            put(day, digits: 2, at: 8)
            bytes[10] = UInt8(ascii: "T")
            put(hour, digits: 2, at: 11)
            bytes[13] = UInt8(ascii: ":")
            put(minute, digits: 2, at: 14)
            bytes[16] = UInt8(ascii: ":")
            put(second, digits: 2, at: 17)
            bytes[19] = UInt8(ascii: "Z")
            return 20
        }
    }
}

extension Timestamp {
    /// ISO 8601 in UTC with whole seconds, `2025-01-29T10:30:00Z`: the one form of time on the wire.
    ///
    /// Fractions are cut off, because Foundation's `.iso8601` strategy rejects them on older systems.
    public var wireText: String { CivilTime(self).wireText }

    /// ISO 8601 in UTC to the nanosecond, `2025-01-29T10:30:00.250000000Z`: for tools, not on the API's wire.
    public var nanosecondText: String {
        let fraction = nanosecondsSinceEpoch - secondsSinceEpoch * 1_000_000_000
        let digits = String(fraction)
        return wireText.dropLast() + "." + String(repeating: "0", count: 9 - digits.count) + digits + "Z"
    }

    /// The form of HTTP's `Date` field, `Wed, 29 Jan 2025 10:30:00 GMT` (RFC 9110 §5.6.7).
    public var httpDateText: String {
        let time = CivilTime(self)
        let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return "\(weekdays[time.weekday]), \(two(time.day)) \(months[time.month - 1]) \(time.year) "
            + "\(two(time.hour)):\(two(time.minute)):\(two(time.second)) GMT"
    }
}
