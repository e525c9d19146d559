/// Formats and parses durations.
///
/// Every message that shows seconds uses ``seconds(_:)`` or ``fixedSeconds(_:)``, so that a duration always appears
/// with the same value. Both functions truncate to the millisecond, because a wait that is too short must never look
/// long enough.
public enum Durations {
    /// Nanoseconds as seconds, to the millisecond and without trailing zeros: `5`, `0.2`, `-1.95`.
    public static func seconds(_ nanoseconds: Int64) -> String {
        var text = fixedSeconds(nanoseconds)
        while text.utf8.last == .digitZero { text.removeLast() }
        if text.utf8.last == .dot { text.removeLast() }
        return text
    }

    /// Nanoseconds as seconds with three decimal places: `1.950`.
    public static func fixedSeconds(_ nanoseconds: Int64) -> String {
        let milliseconds = nanoseconds / 1_000_000
        let (whole, rest) = milliseconds.magnitude.quotientAndRemainder(dividingBy: 1000)
        return "\(milliseconds < 0 ? "-" : "")\(whole).\(String(1000 + rest).dropFirst())"
    }

    /// Nanoseconds as milliseconds, with tenths below 10 ms: `0`, `4.4`, `250`.
    public static func milliseconds(_ nanoseconds: Int64) -> String {
        let tenths = nanoseconds / 100_000
        return tenths == 0 || tenths >= 100 ? String(tenths / 10) : "\(tenths / 10).\(tenths % 10)"
    }

    /// The exact duration in the largest unit that does not exceed it: `10 s`, `1.5 s`, `250 ms`; not negative.
    public static func exact(_ nanoseconds: Int64) -> String {
        let units: [(Int64, String)] = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs")]
        for (size, name) in units where nanoseconds >= size {
            var fraction = String(nanoseconds % size + size).dropFirst()
            while fraction.last == "0" { fraction.removeLast() }
            return "\(nanoseconds / size)\(fraction.isEmpty ? "" : ".")\(fraction) \(name)"
        }
        return "\(nanoseconds) ns"
    }

    // MARK: Numbers with units

    /// A unit as written in scenario files.
    public enum Unit: String, CaseIterable, Sendable {
        case days = "d"
        case hours = "h"
        case minutes = "m"
        case seconds = "s"
        case milliseconds = "ms"
        case microseconds = "us"
        case nanoseconds = "ns"

        /// The unit's nanoseconds.
        public var length: Int64 {
            switch self {
            case .days: 86_400_000_000_000
            case .hours: 3_600_000_000_000
            case .minutes: 60_000_000_000
            case .seconds: 1_000_000_000
            case .milliseconds: 1_000_000
            case .microseconds: 1000
            case .nanoseconds: 1
            }
        }
    }

    /// A duration in the largest unit that yields a whole number, such as `90s`; `0` if it is not positive.
    public static func whole(_ nanoseconds: Int64, largest: Unit = .days) -> String {
        guard nanoseconds > 0 else { return "0" }
        let unit = Unit.allCases.first { $0.length <= largest.length && nanoseconds % $0.length == 0 } ?? .nanoseconds
        return "\(nanoseconds / unit.length)\(unit.rawValue)"
    }

    /// Parses `1.5s`, `250ms` or `0` exactly; nil if invalid, too long or finer than a nanosecond.
    public static func nanoseconds(_ text: String, atMost longest: Int64) -> Int64? {
        if text == "0" { return 0 }
        let bytes = Array(text.utf8.prefix(40))
        guard bytes.count == text.utf8.count else { return nil }
        let whole = bytes.prefix(while: \.isDigit)
        var rest = bytes[whole.endIndex...]
        var fraction: ArraySlice<UInt8> = []
        if rest.first == .dot {
            fraction = rest.dropFirst().prefix(while: \.isDigit)
            guard !fraction.isEmpty else { return nil }
            rest = rest[fraction.endIndex...]
        }
        guard let count = Int64(String(decoding: whole, as: UTF8.self)),
            let unit = Unit(rawValue: String(decoding: rest, as: UTF8.self))
        else { return nil }
        let (length, isTooLong) = count.multipliedReportingOverflow(by: unit.length)
        // The place value of the current digit; digits finer than a nanosecond must be zeros.
        var place = unit.length
        // The fraction, less than one unit.
        var part: Int64 = 0
        for digit in fraction {
            guard place % 10 == 0 || digit == .digitZero else { return nil }
            if place % 10 == 0 { place /= 10 }
            part += Int64(digit &- .digitZero) * place
        }
        let (total, isJustTooLong) = length.addingReportingOverflow(part)
        guard !isTooLong, !isJustTooLong else { return nil }
        return total <= longest ? total : nil
    }
}

extension Duration {
    /// The duration in nanoseconds, truncated.
    @inlinable public var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
