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
    public var wireText: String { CivilTime(secondsSinceEpoch: secondsSinceEpoch).wireText }

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
        var text = text
        guard
            let seconds = text.withUTF8({ bytes -> Int64? in
                var reader = DateTimeReader(bytes)
                return reader.dateTime()
            })
        else { return nil }
        self.init(secondsSinceEpoch: seconds)
    }

    /// Reads a date, `2025-01-29`, as its first second in UTC; nil for anything else.
    public init?(date text: String) {
        var text = text
        guard
            let days = text.withUTF8({ bytes -> Int64? in
                var reader = DateTimeReader(bytes)
                guard let days = reader.date(), reader.isAtEnd else { return nil }
                return days
            })
        else { return nil }
        self.init(secondsSinceEpoch: days * 86_400)
    }
}

/// Reads RFC 3339's `full-date` and `date-time` from bytes.
private struct DateTimeReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    /// full-date "T" partial-time time-offset, in seconds since 1970.
    mutating func dateTime() -> Int64? {
        guard let days = date(), take("T") || take("t"),
            let hour = number(digits: 2, in: 0...23), take(":"),
            let minute = number(digits: 2, in: 0...59), take(":"),
            let second = number(digits: 2, in: 0...60), skipFraction(), let offset = offset(), isAtEnd
        else { return nil }
        return days * 86_400 + hour * 3600 + minute * 60 + second - offset
    }

    /// full-date = date-fullyear "-" date-month "-" date-mday, in days since 1970-01-01.
    mutating func date() -> Int64? {
        guard let year = number(digits: 4, in: 0...9999), take("-"), let month = number(digits: 2, in: 1...12),
            take("-"), let day = number(digits: 2, in: 1...31), day <= Self.length(ofMonth: month, year)
        else { return nil }
        return Self.days(year, month, day)
    }

    /// Passes over time-secfrac = "." 1*DIGIT.
    private mutating func skipFraction() -> Bool {
        guard take(".") else { return true }
        let start = position
        while position < bytes.count, bytes[position].isDigit { position += 1 }
        return position > start
    }

    /// time-offset = "Z" / time-numoffset, in seconds east of UTC.
    private mutating func offset() -> Int64? {
        if take("Z") || take("z") { return 0 }
        let isEast = take("+")
        guard isEast || take("-"), let hour = number(digits: 2, in: 0...23), take(":"),
            let minute = number(digits: 2, in: 0...59)
        else { return nil }
        return (isEast ? 1 : -1) * (hour * 3600 + minute * 60)
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func number(digits: Int, in range: ClosedRange<Int64>) -> Int64? {
        guard position + digits <= bytes.count else { return nil }
        var value: Int64 = 0
        for byte in bytes[position..<(position + digits)] {
            guard byte.isDigit else { return nil }
            value = value * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        guard range.contains(value) else { return nil }
        position += digits
        return value
    }

    private static func length(ofMonth month: Int64, _ year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// "Days from civil" by Howard Hinnant: the inverse of ``CivilTime``.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
