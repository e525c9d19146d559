import Text

/// A JSON number with its original text, so that nothing is lost.
///
/// RFC 8259, section 6: `number = [ minus ] int [ frac ] [ exp ]`.
public struct JSONNumber: Sendable, Hashable {
    /// The original text, a valid RFC 8259 number.
    public let text: String
    /// Creates a number from text that the parser has validated.
    init(valid text: String) { self.text = text }

    /// Creates a number from its text, or nil if RFC 8259, section 6, does not allow it.
    public init?(_ text: String) {
        let utf8 = Array(text.utf8)
        let end = utf8.withUnsafeBufferPointer { buffer in
            var parser = Parser(buffer, limits: JSON.Limits())
            return try? parser.scanNumber()
        }
        guard end == utf8.count else { return nil }
        self.text = text
    }

    public init(_ value: Int) { text = String(value) }

    /// Creates the shortest number that parses to the same double: `2.0` becomes `2`; the value must be finite.
    public init(_ value: Double) {
        precondition(value.isFinite, "JSON cannot represent the number \(value)")
        let description = value.description
        text = description.hasSuffix(".0") ? String(description.dropLast(2)) : description
    }

    /// The nearest double, or nil if the number is too large for a double.
    public var double: Double? { Double(text).flatMap { $0.isFinite ? $0 : nil } }

    /// The number as an exact integer, or nil if it has a fraction or does not fit; `1.0` and `1e2` are integers.
    public var int: Int? {
        if let value = Int(text) { return value }
        var copy = text
        return copy.withUTF8 { Decimal($0).int }
    }
}

struct Decimal {
    private(set) var isNegative = false
    private(set) var digits: [UInt8] = []
    /// The number of digits before the point; negative for zeros between the point and the first digit.
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
        // The exponent saturates, because no text has enough digits to offset a larger one.
        var exponent = 0
        while index < text.count {
            exponent = min(exponent * 10 + Int(text[index] &- .digitZero), Int.max / 16)
            index += 1
        }
        pointPosition += exponentIsNegative ? -exponent : exponent
    }

    var isZero: Bool { digits.allSatisfy { $0 == 0 } }
    func digit(at position: Int) -> UInt8 { digits.indices.contains(position) ? digits[position] : 0 }

    /// The number as an integer, or nil if it has a fraction or does not fit.
    var int: Int? {
        var value = 0
        for (position, digit) in digits.enumerated() {
            guard position < pointPosition || digit == 0 else { return nil }
            guard position < pointPosition else { continue }
            guard let next = append(digit, to: value) else { return nil }
            value = next
        }
        if value == 0 { return 0 }
        // Overflow ends the loop soon, even if many zeros are missing.
        for _ in digits.count..<max(digits.count, pointPosition) {
            guard let next = append(0, to: value) else { return nil }
            value = next
        }
        return value
    }

    /// Negative numbers are summed as negative numbers, because `Int.min` has no positive counterpart.
    private func append(_ digit: UInt8, to value: Int) -> Int? {
        let (shifted, overflow) = value.multipliedReportingOverflow(by: 10)
        if overflow { return nil }
        let (sum, sumOverflow) = shifted.addingReportingOverflow(isNegative ? -Int(digit) : Int(digit))
        return sumOverflow ? nil : sum
    }

    /// Rounds to `count` decimal places, with halves rounded away from zero.
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
        // All digits were nines: insert a digit in front.
        digits.insert(1, at: 0)
        pointPosition += 1
    }
}

enum NumberText {
    /// The maximum number of bytes of an integer.
    static let longestInteger = 20

    static func append(_ value: Int, to output: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: longestInteger) { digits in
            let count = write(value, into: digits.baseAddress!)  // There is room.
            output.append(contentsOf: UnsafeBufferPointer(rebasing: digits[..<count]))
        }
    }

    /// Writes an integer into a buffer of ``longestInteger`` bytes; returns its length.
    static func write(_ value: Int, into room: UnsafeMutablePointer<UInt8>) -> Int {
        var (count, rest) = (value < 0 ? 2 : 1, value.magnitude / 10)
        while rest > 0 { (count, rest) = (count + 1, rest / 10) }
        var place = count
        rest = value.magnitude
        repeat {
            place -= 1
            room[place] = .digitZero + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        if value < 0 { room[0] = .minus }
        return count
    }

    /// Appends a number whose last digits follow the point: 372 with one such digit is `37.2`, 5 is `0.5`.
    static func append(_ value: Int, fractionDigits: Int, to output: inout [UInt8]) {
        precondition((1...17).contains(fractionDigits), "fractionDigits must be from 1 to 17, not \(fractionDigits)")
        var divisor: UInt = 1
        for _ in 0..<fractionDigits { divisor *= 10 }
        let (whole, fraction) = value.magnitude.quotientAndRemainder(dividingBy: divisor)
        if value < 0 { output.append(.minus) }
        // A tenth of the largest magnitude fits into an Int.
        append(Int(whole), to: &output)
        output.append(.dot)
        while divisor > 1 {
            divisor /= 10
            output.append(.digitZero + UInt8(truncatingIfNeeded: fraction / divisor % 10))
        }
    }

    /// Swift's description of a double is the shortest exact one; RFC 8259 allows all its forms.
    static func append(_ value: Double, to output: inout [UInt8]) {
        precondition(value.isFinite, "JSON cannot represent the number \(value)")
        // Not Int(exactly:), which calls the C library's trunc: this module links only the standard library.
        if value.magnitude < 0x1p53, value != 0, case let integer = Int(value), Double(integer) == value {
            append(integer, to: &output)
            return
        }
        output.append(contentsOf: JSONNumber(value).text.utf8)
    }

    /// Rounds the displayed decimal (1.005, not 1.00499999999999989…), halves away from zero.
    static func append(_ value: Double, fractionDigits: Int, to output: inout [UInt8]) {
        precondition(value.isFinite, "JSON cannot represent the number \(value)")
        precondition((0...17).contains(fractionDigits), "fractionDigits must be from 0 to 17, not \(fractionDigits)")
        var text = value.magnitude.description
        var decimal = text.withUTF8 { Decimal($0) }
        decimal.round(toFractionDigits: fractionDigits)
        if value < 0, !decimal.isZero { output.append(.minus) }
        for position in 0..<max(decimal.pointPosition, 0) { output.append(.digitZero + decimal.digit(at: position)) }
        if decimal.pointPosition <= 0 { output.append(.digitZero) }
        guard fractionDigits > 0 else { return }
        output.append(.dot)
        for position in decimal.pointPosition..<(decimal.pointPosition + fractionDigits) {
            output.append(.digitZero + decimal.digit(at: position))
        }
    }
}
