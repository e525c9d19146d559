import Text

/// A valid JSON number taken apart: digits, and where the point stands among them.
struct Decimal {
    private(set) var isNegative = false
    private(set) var digits: [UInt8] = []
    /// How many digits stand before the point; negative when zeros follow the point before the first digit.
    private(set) var pointPosition = 0

    init(_ text: UnsafeBufferPointer<UInt8>) {
        var index = 0
        if text[index] == .minus {
            isNegative = true
            index += 1
        }
        var seenPoint = false
        while index < text.count, text[index].isDigit || text[index] == .dot {
            if text[index] == .dot {
                seenPoint = true
            } else {
                digits.append(text[index] &- .digitZero)
                if !seenPoint { pointPosition += 1 }
            }
            index += 1
        }
        guard index < text.count else { return }
        index += 1  // The "e".
        let exponentIsNegative = text[index] == .minus
        if exponentIsNegative || text[index] == .plus { index += 1 }
        // No text is long enough for its digits to reach across a larger exponent, so it saturates.
        var exponent = 0
        while index < text.count {
            exponent = min(exponent * 10 + Int(text[index] &- .digitZero), Int.max / 16)
            index += 1
        }
        pointPosition += exponentIsNegative ? -exponent : exponent
    }

    var isZero: Bool { digits.allSatisfy { $0 == 0 } }

    /// A digit by its position, zero on either side of those there are.
    func digit(at position: Int) -> UInt8 { digits.indices.contains(position) ? digits[position] : 0 }

    /// The number as an integer, or nil if it has a fraction or does not fit.
    var int: Int? {
        var value = 0
        for (position, digit) in digits.enumerated() {
            if position >= pointPosition {
                if digit != 0 { return nil }
            } else if let next = append(digit, to: value) {
                value = next
            } else {
                return nil
            }
        }
        if value == 0 { return 0 }
        var missingZeros = pointPosition - digits.count
        while missingZeros > 0 {
            guard let next = append(0, to: value) else { return nil }
            value = next
            missingZeros -= 1
        }
        return value
    }

    /// Negative numbers are summed as such: `Int.min` has no positive counterpart.
    private func append(_ digit: UInt8, to value: Int) -> Int? {
        let (shifted, overflow) = value.multipliedReportingOverflow(by: 10)
        if overflow { return nil }
        let (sum, sumOverflow) =
            isNegative
            ? shifted.subtractingReportingOverflow(Int(digit)) : shifted.addingReportingOverflow(Int(digit))
        return sumOverflow ? nil : sum
    }

    /// Cuts the number after so many digits behind the point, halves rounded away from zero.
    mutating func round(toFractionDigits count: Int) {
        let kept = pointPosition + count
        guard kept < digits.count else { return }
        let roundsUp = kept >= 0 && digits[kept] >= 5
        digits.removeLast(digits.count - max(kept, 0))
        guard roundsUp else { return }
        for position in digits.indices.reversed() {
            if digits[position] < 9 {
                digits[position] += 1
                return
            }
            digits[position] = 0
        }
        // Every digit was a nine: one more digit stands in front.
        digits.insert(1, at: 0)
        pointPosition += 1
    }
}
