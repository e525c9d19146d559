/// Numbers: `120`, `1.5`, `1,5`, `1,000`, `1/2`, `1½`, `2%`.
extension Lexer {
    /// Numbers stop growing here, so that a long run of digits stays finite.
    static let largestNumber = 1e12

    mutating func number() {
        let start = position
        var isWhole = true
        var hasDecimalComma = false
        var value = digits()
        while isThousandsGroup(from: start) {
            position += 1
            value = min(value * 1000 + digits(), Self.largestNumber)
        }
        if scalar(at: position) == ".", isDigit(at: position + 1) {
            position += 1
            value += decimals()
            isWhole = false
        } else if isDecimalComma() {
            position += 1
            value += decimals()
            isWhole = false
            hasDecimalComma = true
        }
        if isWhole {
            if let next = scalar(at: position), let part = Folding.vulgarFraction(next) {
                position += 1
                return append(.number(value + part, assumedDecimalComma: false), from: start)
            }
            if let denominator = slashedDigits() {
                // Over zero it is no number: the word stays unknown.
                guard denominator > 0 else { return append(.word(source(from: start)), from: start) }
                let part = value / denominator
                return append(part < 1 ? .fraction(part) : .number(part, assumedDecimalComma: false), from: start)
            }
            if dropListMarker(endingAt: position) { return }
        }
        if let end = endOfPercent() {
            let digits = source(from: start)
            position = end
            return append(.word(digits + "%"), from: start)
        }
        switch scalar(at: position) {
        case ":" where isDigit(at: position + 1):
            position += 1  // A time of day.
            _ = digits()
        default:
            append(.number(value, assumedDecimalComma: hasDecimalComma), from: start)
        }
    }

    /// The index after a percent sign, or after the word for it.
    private func endOfPercent() -> Int? {
        if scalar(at: position) == "%" { return position + 1 }
        var next = position
        if scalar(at: next) == " " { next += 1 }
        for letter in "percent".unicodeScalars {
            guard scalar(at: next).map(String.init)?.lowercased() == String(letter) else { return nil }
            next += 1
        }
        return next
    }

    private func source(from start: Int) -> String {
        var source = ""
        for scalar in scalars[start..<position].prefix(20) { source.unicodeScalars.append(scalar) }
        return source
    }

    private mutating func digits() -> Double {
        var value = 0.0
        while let digit = scalar(at: position).flatMap(Folding.digit) {
            value = min(value * 10 + digit, Self.largestNumber)
            position += 1
        }
        return value
    }

    private mutating func decimals() -> Double {
        var value = 0.0
        var place = 0.1
        while let digit = scalar(at: position).flatMap(Folding.digit) {
            value += digit * place
            place /= 10
            position += 1
        }
        return value
    }

    /// Whether a comma and exactly three digits follow a number of one to three digits, which does not begin with 0.
    private func isThousandsGroup(from start: Int) -> Bool {
        guard scalar(at: position) == ",", start < position, scalars[start] != "0" else { return false }
        let isFirst = !scalars[start..<position].prefix(5).contains(",")
        guard !isFirst || position - start <= 3 else { return false }
        return (1...3).allSatisfy { isDigit(at: position + $0) } && !isDigit(at: position + 4)
    }

    /// Whether a comma with one or two digits right behind it follow: `1,5 cups`, not `2, 3`.
    private func isDecimalComma() -> Bool {
        guard scalar(at: position) == ",", isDigit(at: position + 1) else { return false }
        return !isDigit(at: position + 2) || !isDigit(at: position + 3)
    }

    /// The digits after a slash, which may have spaces around it as `1 / 2` has.
    private mutating func slashedDigits() -> Double? {
        var next = position
        if scalar(at: next) == " " { next += 1 }
        guard let slash = scalar(at: next), slash == "/" || slash == "\u{2044}" else { return nil }
        next += 1
        if scalar(at: next) == " " { next += 1 }
        guard isDigit(at: next) else { return nil }
        position = next
        return digits()
    }
}
