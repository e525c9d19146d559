import Text

extension Parser {
    mutating func parseNumber() throws(JSONError) -> JSONNumber {
        let start = offset
        offset = try scanNumber()
        return JSONNumber(valid: String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<offset]), as: UTF8.self))
    }

    /// Finds where the number at `offset` ends.
    ///
    /// RFC 8259, section 6:
    ///
    ///     number = [ minus ] int [ frac ] [ exp ]
    ///     int = zero / ( digit1-9 *DIGIT )
    ///     frac = decimal-point 1*DIGIT
    ///     exp = e [ minus / plus ] 1*DIGIT
    mutating func scanNumber() throws(JSONError) -> Int {
        var index = offset
        if index < bytes.count, bytes[index] == .minus { index += 1 }
        let integer = index
        try skipDigits(&index, after: .minus)
        if bytes[integer] == .digitZero, index > integer + 1 {
            throw failure(Messages.leadingZero, at: integer)
        }
        if index < bytes.count, bytes[index] == .dot {
            index += 1
            try skipDigits(&index, after: .point)
        }
        if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            if index < bytes.count, bytes[index] == .plus || bytes[index] == .minus { index += 1 }
            try skipDigits(&index, after: .exponent)
        }
        return index
    }

    /// One digit or more.
    private func skipDigits(_ index: inout Int, after part: Place) throws(JSONError) {
        guard index < bytes.count, bytes[index].isDigit else {
            throw failure(Messages.digit(after: part, found: found(at: index)), at: index)
        }
        repeat { index += 1 } while index < bytes.count && bytes[index].isDigit
    }
}
