import Text

/// Writing numbers.
enum NumberText {
    /// `Int.min` has 19 digits and a sign.
    private static let longestInteger = 20

    static func append(_ value: Int, to output: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: longestInteger) { digits in
            var first = longestInteger
            var rest = value.magnitude
            repeat {
                first -= 1
                digits[first] = .digitZero + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            if value < 0 {
                first -= 1
                digits[first] = .minus
            }
            output.append(contentsOf: UnsafeBufferPointer(rebasing: digits[first...]))
        }
    }

    /// Puts the last digits behind the point: 372 with one of them is `37.2`, 5 is `0.5`.
    static func append(_ value: Int, fractionDigits: Int, to output: inout [UInt8]) {
        precondition((1...17).contains(fractionDigits), "fractionDigits is 1 to 17, not \(fractionDigits)")
        var divisor: UInt = 1
        for _ in 0..<fractionDigits { divisor *= 10 }
        let (whole, fraction) = value.magnitude.quotientAndRemainder(dividingBy: divisor)
        if value < 0 { output.append(.minus) }
        // A tenth of the largest magnitude fits.
        append(Int(whole), to: &output)
        output.append(.dot)
        while divisor > 1 {
            divisor /= 10
            output.append(.digitZero + UInt8(truncatingIfNeeded: fraction / divisor % 10))
        }
    }

    /// Swift's description of a double is the shortest that reads back the same, and RFC 8259 allows each of its forms.
    static func append(_ value: Double, to output: inout [UInt8]) {
        precondition(value.isFinite, "JSON has no number for \(value)")
        // Not Int(exactly:), which calls the C library's trunc: this module links nothing but the standard library.
        if value.magnitude < 0x1p53, value != 0, case let integer = Int(value), Double(integer) == value {
            append(integer, to: &output)
            return
        }
        output.append(contentsOf: JSONNumber(value).text.utf8)
    }

    /// Rounds the decimal that people see (1.005, not 1.00499999999999989…), halves away from zero.
    static func append(_ value: Double, fractionDigits: Int, to output: inout [UInt8]) {
        precondition(value.isFinite, "JSON has no number for \(value)")
        precondition((0...17).contains(fractionDigits), "fractionDigits is 0 to 17, not \(fractionDigits)")
        var text = value.magnitude.description
        var decimal = text.withUTF8 { Decimal($0) }
        decimal.round(toFractionDigits: fractionDigits)
        if value < 0, !decimal.isZero { output.append(.minus) }
        for position in 0..<max(decimal.pointPosition, 0) {
            output.append(.digitZero + decimal.digit(at: position))
        }
        if decimal.pointPosition <= 0 { output.append(.digitZero) }
        guard fractionDigits > 0 else { return }
        output.append(.dot)
        for position in decimal.pointPosition..<(decimal.pointPosition + fractionDigits) {
            output.append(.digitZero + decimal.digit(at: position))
        }
    }
}
