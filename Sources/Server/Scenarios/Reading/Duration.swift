/// Reads spans of time: a number and a unit.
package enum DurationText {
    /// The units, in nanoseconds.
    private static let units: [String: Int64] = [  // Lower-case ASCII.
        "ns": 1, "us": 1000, "ms": 1_000_000, "s": 1_000_000_000, "m": 60_000_000_000, "h": 3_600_000_000_000,
        "d": 86_400_000_000_000,
    ]

    /// Reads `1.5s`, `250ms` or `0`, exactly; nil for anything else, too long or finer than a nanosecond.
    package static func nanoseconds(_ text: String) -> Int64? {
        if text == "0" { return 0 }
        let bytes = Array(text.utf8.prefix(40))
        guard bytes.count == text.utf8.count else { return nil }
        var position = 0
        func digits() -> ArraySlice<UInt8> {
            let start = position
            while position < bytes.count, (0x30...0x39).contains(bytes[position]) { position += 1 }
            return bytes[start..<position]
        }
        let whole = digits()
        var fraction: ArraySlice<UInt8> = []
        if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            position += 1
            fraction = digits()
            guard !fraction.isEmpty else { return nil }
        }
        guard !whole.isEmpty, let unit = units[String(decoding: bytes[position...], as: UTF8.self)] else { return nil }
        var total: Int64 = 0
        for digit in whole {
            // No digit more than the longest span in the smallest unit has.
            guard total <= ScenarioLimits.longestDuration else { return nil }
            total = total * 10 + Int64(digit - 0x30)
        }
        let (product, overflows) = total.multipliedReportingOverflow(by: unit)
        guard !overflows, product <= ScenarioLimits.longestDuration else { return nil }
        total = product
        // What a digit of the fraction stands for; finer digits than a nanosecond may only be zeros.
        var place = unit
        for digit in fraction {
            if place % 10 == 0 {
                place /= 10
                total += Int64(digit - 0x30) * place
            } else if digit != 0x30 {
                return nil
            }
        }
        return total <= ScenarioLimits.longestDuration ? total : nil
    }
}
