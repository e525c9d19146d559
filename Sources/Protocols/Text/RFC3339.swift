/// Parses and formats RFC 3339 timestamps: `2025-01-29T10:30:00Z`.
public enum RFC3339 {
    /// The parts of a timestamp.
    public struct Time: Equatable, Sendable {
        /// In UTC; a leap second counts as the second after it.
        public let secondsSinceEpoch: Int64
        /// The first nine digits of the fraction.
        public let nanoseconds: Int64
        /// The number of digits in the fraction.
        public let fractionDigits: Int
        /// Whether the second is 60.
        public let isLeapSecond: Bool
        /// Seconds east of UTC; nil if the text has no offset.
        public let offset: Int64?
        /// The number of bytes in the text.
        public let length: Int
    }

    /// Parses a `date-time` (RFC 3339 §5.6) with any fraction and offset; nil for anything else.
    public static func time(_ text: String) -> Time? {
        var text = text
        return text.withUTF8 { time($0) }
    }

    public static func time(_ bytes: UnsafeBufferPointer<UInt8>) -> Time? {
        guard let time = time(at: 0, in: bytes), time.length == bytes.count, bytes[10] != .space else { return nil }
        return time.offset == nil ? nil : time
    }

    /// Parses a time within a string; like some programs, it accepts a space instead of the `T` and a missing offset.
    ///
    ///     date-time   = full-date "T" partial-time time-offset
    ///     partial-time = time-hour ":" time-minute ":" time-second ["." 1*DIGIT]
    ///     time-offset = "Z" / ("+" / "-") time-hour ":" time-minute
    ///
    /// A point without a following digit and an invalid offset are not part of the time.
    public static func time(at start: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Time? {
        guard start + 19 <= bytes.count, let days = days(at: start, in: bytes),
            bytes[start + 10] | 0x20 == 0x74 || bytes[start + 10] == .space,
            let hour = number(2, at: start + 11, in: bytes), hour < 24, bytes[start + 13] == .colon,
            let minute = number(2, at: start + 14, in: bytes), minute < 60, bytes[start + 16] == .colon,
            let second = number(2, at: start + 17, in: bytes), second <= 60
        else { return nil }
        var end = start + 19
        var nanoseconds: Int64 = 0
        var digits = 0
        if end + 1 < bytes.count, bytes[end] == .dot, bytes[end + 1].isDigit {
            end += 1
            while end < bytes.count, bytes[end].isDigit {
                if digits < 9 { nanoseconds = nanoseconds * 10 + Int64(bytes[end] &- .digitZero) }
                digits += 1
                end += 1
            }
            for _ in min(digits, 9)..<9 { nanoseconds *= 10 }
        }
        let offset = offset(at: end, in: bytes)
        return Time(
            secondsSinceEpoch: days * 86_400 + hour * 3600 + minute * 60 + second - (offset?.seconds ?? 0),
            nanoseconds: nanoseconds, fractionDigits: digits, isLeapSecond: second == 60, offset: offset?.seconds,
            length: end + (offset?.length ?? 0) - start)
    }

    /// Parses a `full-date`, `2025-01-29`, as days since 1970-01-01; nil for anything else.
    public static func days(_ text: String) -> Int64? {
        var text = text
        return text.withUTF8 { $0.count == 10 ? days(at: 0, in: $0) : nil }
    }

    /// Parses a `full-date` of ten bytes within a string, as days since 1970-01-01; nil if there is none.
    public static func days(at start: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
        guard start + 10 <= bytes.count, let year = number(4, at: start, in: bytes), bytes[start + 4] == .minus,
            let month = number(2, at: start + 5, in: bytes), bytes[start + 7] == .minus,
            let day = number(2, at: start + 8, in: bytes)
        else { return nil }
        return CivilDate(year: year, month: month, day: day)?.daysSinceEpoch
    }

    private static func offset(at start: Int, in bytes: UnsafeBufferPointer<UInt8>) -> (seconds: Int64, length: Int)? {
        guard start < bytes.count else { return nil }
        if bytes[start] | 0x20 == 0x7A { return (0, 1) }
        guard start + 6 <= bytes.count, bytes[start] == .plus || bytes[start] == .minus,
            let hour = number(2, at: start + 1, in: bytes), hour < 24, bytes[start + 3] == .colon,
            let minute = number(2, at: start + 4, in: bytes), minute < 60
        else { return nil }
        let seconds = hour * 3600 + minute * 60
        return (bytes[start] == .plus ? seconds : -seconds, 6)
    }

    @inline(__always)
    private static func number(_ digits: Int, at start: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
        var value: Int64 = 0
        for index in start..<(start + digits) {
            guard bytes[index].isDigit else { return nil }
            value = value * 10 + Int64(bytes[index] &- .digitZero)
        }
        return value
    }

    /// The time in UTC with whole seconds, `2025-01-29T10:30:00Z`, in the years 0000 to 9999.
    ///
    /// With nanoseconds, the fraction has nine digits.
    public static func text(secondsSinceEpoch seconds: Int64, nanoseconds: Int64? = nil) -> String {
        String(unsafeUninitializedCapacity: 30) {
            write(secondsSinceEpoch: seconds, nanoseconds: nanoseconds, into: $0)
        }
    }

    /// Writes the same text into a 30-byte buffer; returns its length, 20 without nanoseconds.
    public static func write(
        secondsSinceEpoch seconds: Int64, nanoseconds: Int64? = nil, into bytes: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        let time = CivilTime(secondsSinceEpoch: seconds)
        precondition(0...9999 ~= time.date.year, "RFC 3339 allows four digits for a year")
        // In 32 bits, a division by a constant takes half as long; the buffer has 30 bytes.
        func put(_ value: Int64, digits: Int, at offset: Int, before next: UInt8) {
            var rest = UInt32(truncatingIfNeeded: value)
            var place = offset &+ digits
            bytes[place] = next
            while place > offset {
                place &-= 1
                bytes[place] = .digitZero &+ UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
        }
        put(time.date.year, digits: 4, at: 0, before: .minus)
        put(time.date.month, digits: 2, at: 5, before: .minus)
        put(time.date.day, digits: 2, at: 8, before: UInt8(ascii: "T"))
        put(time.hour, digits: 2, at: 11, before: .colon)
        put(time.minute, digits: 2, at: 14, before: .colon)
        put(time.second, digits: 2, at: 17, before: nanoseconds == nil ? UInt8(ascii: "Z") : .dot)
        guard let nanoseconds else { return 20 }
        put(nanoseconds, digits: 9, at: 20, before: UInt8(ascii: "Z"))
        return 30
    }
}
