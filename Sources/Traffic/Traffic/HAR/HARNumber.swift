import FitIQAPI
import JSON

extension JSONNumber {
    /// The number times a power of ten, truncated to an integer, or nil if it does not fit.
    ///
    /// It uses the digits, since a double cannot hold microseconds since 1970 without loss at the nanosecond level.
    func scaled(tenTo power: Int) -> Int64? {
        var value: Int64 = 0
        var fractionDigits: Int?
        var isNegative = false
        func push(_ digit: Int64) -> Bool {
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, sumOverflow) = product.addingReportingOverflow(digit)
            value = sum
            return !overflow && !sumOverflow
        }
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "-"): isNegative = true
            case UInt8(ascii: "."): fractionDigits = 0
            case UInt8(ascii: "e"), UInt8(ascii: "E"): return scaledAsDouble(tenTo: power)
            default:
                if let count = fractionDigits {
                    // Not a break: an exponent may follow.
                    if count == power { continue }
                    fractionDigits = count + 1
                }
                guard push(Int64(byte &- .digitZero)) else { return scaledAsDouble(tenTo: power) }
            }
        }
        for _ in (fractionDigits ?? 0)..<power {
            guard push(0) else { return nil }
        }
        return isNegative ? -value : value
    }

    private func scaledAsDouble(tenTo power: Int) -> Int64? {
        guard var value = double else { return nil }
        for _ in 0..<power { value *= 10 }
        return Int64(exactly: value.rounded(.towardZero))
    }
}

/// Times in the notations of HAR's writers.
enum HARTime {
    /// From 1970 to 2199, so that adding to a time cannot overflow.
    static let range: Range<Int64> = 0..<7_258_118_400_000_000_000
    /// The longest span, ten years; longer ones are not distinguished.
    static let longest: Int64 = 315_360_000_000_000_000

    /// Parses `2025-01-29T10:30:00.250+01:00` to the nanosecond; without an offset it is UTC.
    ///
    /// Offsets may also be in the basic forms `+0100` and `+01` (ISO 8601), which Java's and Python's formatters write.
    static func date(_ text: String) -> Timestamp? {
        if let time = Timestamp(text) ?? Timestamp(text + "Z") { return time }
        let hour = text.utf8.reversed().prefix(5).prefix { $0.isDigit }.count
        guard hour == 2 || hour == 4,
            let minutes = text.utf8.index(text.endIndex, offsetBy: 2 - hour, limitedBy: text.startIndex)
        else { return nil }
        return Timestamp(text[..<minutes] + ":" + (hour == 2 ? "00" : text[minutes...]))
    }

    /// Parses the time of a message: seconds from Chrome and mitmproxy, milliseconds from Playwright.
    ///
    /// They are distinguished by value: 10^11 seconds are the year 5138, as many milliseconds were in 1973.
    static func message(_ number: JSONNumber) -> Timestamp? {
        guard let value = number.double else { return nil }
        guard let nanoseconds = number.scaled(tenTo: value > 1e11 ? 6 : 9), range.contains(nanoseconds) else {
            return nil
        }
        return Timestamp(nanosecondsSinceEpoch: nanoseconds)
    }

    /// Parses milliseconds; a negative value means unknown, and becomes 0.
    static func span(_ number: JSONNumber?) -> Int64 {
        guard let number, let value = number.double, value > 0 else { return 0 }
        guard value < 1e12 else { return longest }
        return min(number.scaled(tenTo: 6) ?? longest, longest)
    }
}
