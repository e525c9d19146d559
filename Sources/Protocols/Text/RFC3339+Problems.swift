extension RFC3339 {
    /// Explains why a string that looks like a date or a date-time is invalid, with advice; nil for other strings and
    /// valid dates.
    public static func problem(_ text: String) -> String? {
        let bytes = Array(text.utf8.prefix(64))
        func number(_ place: Int, _ digits: Int = 2) -> Int64? {
            guard place + digits <= bytes.count, bytes[place..<place + digits].allSatisfy(\.isDigit) else { return nil }
            return Int64(String(decoding: bytes[place..<place + digits], as: UTF8.self))
        }
        guard let year = number(0, 4), bytes.count >= 10, bytes[4] == .minus, let month = number(5), bytes[7] == .minus,
            let day = number(8)
        else { return nil }
        guard 1...12 ~= month else { return "There is no month \(month)." }
        let length = CivilDate.length(ofMonth: month, year: year)
        guard 1...length ~= day else {
            return "Month \(month) of \(year) has \(length) days, so there is no day \(day)."
        }
        guard bytes.count > 10 else { return nil }
        guard bytes[10] | 0x20 == UInt8(ascii: "t") else { return "A 'T' must separate the date and the time." }
        guard let hour = number(11), bytes.count >= 16, bytes[13] == .colon, let minute = number(14) else { return nil }
        guard hour < 24 else { return "The hours must be from 00 to 23; got \(hour)." }
        guard minute < 60 else { return "The minutes must be from 00 to 59; got \(minute)." }
        guard bytes.count >= 19, bytes[16] == .colon, let second = number(17) else {
            return "The time has no seconds: write hh:mm:ss."
        }
        guard second <= 60 else { return "The seconds must be from 00 to 59; got \(second)." }
        return problem(ofOffset: bytes[19...])
    }

    /// The mistake after the seconds.
    private static func problem(ofOffset rest: ArraySlice<UInt8>) -> String? {
        var rest = rest
        if rest.first == .dot { rest = rest.dropFirst().drop { $0.isDigit } }
        guard let sign = rest.first else {
            return "The time has no offset from UTC: end it with Z, or with an offset such as +02:00."
        }
        guard sign == .plus || sign == .minus else { return nil }
        let digits = rest.dropFirst().filter(\.isDigit)
        guard digits.count + 1 == rest.count, digits.count == 2 || digits.count == 4 else { return nil }
        let text = String(decoding: digits, as: UTF8.self)
        let offset = String(UnicodeScalar(sign)) + text.prefix(2) + ":" + (digits.count == 4 ? text.suffix(2) : "00")
        return "An offset needs a colon between its hours and minutes: write \(offset)."
    }
}
