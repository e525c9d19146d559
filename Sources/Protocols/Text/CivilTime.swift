/// Dates in the proleptic Gregorian calendar and times of day in UTC, without Foundation.
///
/// Foundation would load locale data at startup. The algorithms are "days from civil" and "civil from days" by Howard
/// Hinnant (https://howardhinnant.github.io/date_algorithms.html): days are counted in eras of 400 years that start on
/// 1 March, so that a leap day is the last day of its year.
public struct CivilDate: Equatable, Sendable {
    public var year: Int64
    /// From 1.
    public var month: Int64
    /// From 1.
    public var day: Int64

    /// Creates a date; nil if it does not exist.
    @inlinable public init?(year: Int64, month: Int64, day: Int64) {
        guard 1...12 ~= month, day >= 1, day <= Self.length(ofMonth: month, year: year) else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// The date `daysSinceEpoch` days after 1970-01-01; negative numbers are earlier dates.
    @inlinable public init(daysSinceEpoch: Int64) {
        let shifted = daysSinceEpoch + 719_468  // Days since 0000-03-01.
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        // In 32 bits, a division by a constant takes half as long; all values below fit.
        let dayOfEra = UInt32(truncatingIfNeeded: shifted &- era &* 146_097)
        let yearOfEra = (dayOfEra &- dayOfEra / 1460 &+ dayOfEra / 36_524 &- dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra &- (365 &* yearOfEra &+ yearOfEra / 4 &- yearOfEra / 100)
        let shiftedMonth = (5 &* dayOfYear &+ 2) / 153
        day = Int64(dayOfYear &- (153 &* shiftedMonth &+ 2) / 5 &+ 1)
        month = Int64(shiftedMonth < 10 ? shiftedMonth &+ 3 : shiftedMonth &- 9)
        year = Int64(yearOfEra) + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The days from 1970-01-01 to this date; negative for earlier dates.
    @inlinable public var daysSinceEpoch: Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The number of days in a month from 1 to 12.
    @inlinable public static func length(ofMonth month: Int64, year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

public struct CivilTime: Equatable, Sendable {
    public var date: CivilDate
    public var hour: Int64
    public var minute: Int64
    public var second: Int64
    /// 0 is Sunday.
    public var weekday: Int64

    public init(secondsSinceEpoch seconds: Int64) {
        let days = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
        let secondOfDay = UInt32(truncatingIfNeeded: seconds &- days &* 86_400)
        let minuteOfDay = secondOfDay / 60
        (hour, minute) = (Int64(minuteOfDay / 60), Int64(minuteOfDay % 60))
        second = Int64(secondOfDay % 60)
        weekday = ((days + 4) % 7 + 7) % 7  // 1970-01-01 was a Thursday.
        date = CivilDate(daysSinceEpoch: days)
    }
}
