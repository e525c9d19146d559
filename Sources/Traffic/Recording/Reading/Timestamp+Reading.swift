import FitIQAPI

extension Timestamp {
    /// Reads what `nanosecondText` writes, with one to nine digits of a fraction or none; nil for anything else.
    ///
    /// In UTC, the years 1678 to 2261, no leap seconds.
    init?(reading text: UnsafeBufferPointer<UInt8>) {
        func number(_ start: Int, _ count: Int) -> Int64? {
            var value: Int64 = 0
            for index in start..<(start + count) {
                let digit = text[index] &- UInt8(ascii: "0")
                guard digit < 10 else { return nil }
                value = value * 10 + Int64(digit)
            }
            return value
        }
        guard text.count >= 20, text.count != 21, text.count <= 30, text[text.count - 1] == UInt8(ascii: "Z"),
            text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"), text[10] == UInt8(ascii: "T"),
            text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
            let year = number(0, 4), let month = number(5, 2), let day = number(8, 2), let hour = number(11, 2),
            let minute = number(14, 2), let second = number(17, 2),
            (1678...2261).contains(year), (1...12).contains(month), hour < 24, minute < 60, second < 60,
            day >= 1, day <= Self.length(ofMonth: month, year)
        else { return nil }
        var fraction: Int64 = 0
        if text.count > 20 {
            guard text[19] == UInt8(ascii: "."), let digits = number(20, text.count - 21) else { return nil }
            fraction = digits
            for _ in (text.count - 21)..<9 { fraction *= 10 }
        }
        let seconds = Self.days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
        self.init(nanosecondsSinceEpoch: seconds * 1_000_000_000 + fraction)
    }

    private static func length(ofMonth month: Int64, _ year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days since 1970-01-01: "days from civil" by Howard Hinnant, for years after 0.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
