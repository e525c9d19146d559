/// Reads numbers that span several tokens: `1 1/2`, `twenty five`, `two and a half`, `half a`, `2 to 3`, `a dozen`.
struct NumberReader {
    let text: TokenText

    struct Reading {
        var value: Double
        var end: Int
        /// The end of the words that form the amount, such as `half` in `half of an avocado`.
        var textEnd: Int
        var assumption: Amount.Assumption?
        var isArticle: Bool

        init(_ value: Double, end: Int, assumption: Amount.Assumption? = nil, isArticle: Bool = false) {
            (self.value, self.end, self.textEnd) = (value, end, end)
            (self.assumption, self.isArticle) = (assumption, isArticle)
        }

        mutating func extend(to end: Int) { (self.end, textEnd) = (end, end) }
    }

    /// The number that starts at a token, or nil.
    func read(at start: Int) -> Reading? {
        let isBetween = text.word(start) == "between"
        guard var reading = single(at: isBetween ? start + 1 : start) else { return nil }
        if !reading.isArticle { range(&reading, isBetween: isBetween) }
        collective(&reading)
        part(&reading)
        share(&reading, from: start)
        reading.value = min(reading.value, Lexer.largestNumber)
        return reading
    }

    private func single(at start: Int) -> Reading? {
        switch text.kind(start) {
        case .number(let value, let assumesDecimals):
            let decimals = Amount.Assumption.decimals(text.source(start..<start + 1), as: value)
            return withFraction(Reading(value, end: start + 1, assumption: assumesDecimals ? decimals : nil))
        case .fraction(let value): return withArticle(Reading(value, end: afterOrdinal(start + 1)))
        case .word(let word): return self.word(word, at: start)
        default: return nil
        }
    }

    /// Digits with a comma before each group of three, or with a decimal comma.
    private static func number(_ digits: Substring) -> Double? {
        let parts = digits.split(separator: ",", omittingEmptySubsequences: false)
        let isGrouped = parts.count > 1 && parts[0] != "0" && parts.dropFirst().allSatisfy { $0.count == 3 }
        return Double(parts.joined(separator: isGrouped ? "" : "."))
    }

    private func word(_ word: String, at start: Int) -> Reading? {
        if NumberWords.articles.contains(word) { return article(at: start) }
        if let part = NumberWords.parts[word], word == "half" || word == "quarter" || text.word(start + 1) == "of" {
            return withArticle(Reading(part, end: start + 1))
        }
        // `2% milk` is a name, and `70% chocolate` is a kind.
        if word.hasSuffix("%"), text.word(start + 1) == "of", let percent = Self.number(word.dropLast()) {
            return withArticle(Reading(min(percent / 100, Lexer.largestNumber), end: start + 1))
        }
        // `dozen eggs`: the collective multiplies one.
        if NumberWords.collectives[word] != nil { return Reading(1, end: start) }
        if let value = NumberWords.vague[word] { return vague(value, start..<start + 1) }
        guard var value = NumberWords.cardinals[word] else { return nil }
        var end = start + 1
        if value >= 20, let ones = cardinal(at: end, in: 1..<10) {
            value += ones
            end += 1
        }
        if text.word(end) == "hundred" {
            let rest = afterHundred(end + 1)
            (value, end) = (value * 100 + rest.value, rest.end)
        }
        return withFraction(Reading(value, end: end))
    }

    private func cardinal(at index: Int, in range: Range<Double>) -> Double? {
        text.word(index).flatMap { NumberWords.cardinals[$0] }.flatMap { range.contains($0) ? $0 : nil }
    }

    /// The rest after a hundred: empty, or `and fifty five`.
    private func afterHundred(_ start: Int) -> (value: Double, end: Int) {
        let next = text.word(start) == "and" ? start + 1 : start
        guard let rest = cardinal(at: next, in: 1..<100) else { return (0, start) }
        guard rest >= 20, let ones = cardinal(at: next + 1, in: 1..<10) else { return (rest, next + 1) }
        return (rest + ones, next + 2)
    }

    private func vague(_ value: Double, _ words: Range<Int>) -> Reading {
        Reading(value, end: words.upperBound, assumption: .vague(text.source(words), as: value))
    }

    /// Reads `a`, `an` and what follows: `a half`, `a dozen`, `a few`.
    private func article(at start: Int) -> Reading {
        let next = text.word(start + 1) ?? ""
        if let part = NumberWords.parts[next], !next.hasSuffix("s") {
            return withArticle(Reading(part, end: start + 2))
        }
        if let value = NumberWords.vague[next] { return vague(value, start..<start + 2) }
        return Reading(1, end: start + 1, isArticle: NumberWords.collectives[next] == nil)
    }

    /// Adds the part in `1 1/2`, `1-1/2`, `two and a half`.
    private func withFraction(_ number: Reading) -> Reading {
        guard number.value == number.value.rounded() else { return number }
        var reading = number
        var next = reading.end
        if case .dash(isSpaced: false)? = text.kind(next), case .fraction? = text.kind(next + 1) { next += 1 }
        if text.word(next) == "and" || text.kind(next) == .ampersand { next += 1 }
        if case .fraction(let part)? = text.kind(next) {
            reading.value += part
            reading.extend(to: afterOrdinal(next + 1))
        } else if next > reading.end {
            if isArticle(at: next) { next += 1 }
            // `one and three quarters cups`.
            if let count = text.word(next).flatMap({ NumberWords.cardinals[$0] }), count > 0, count < 12,
                let part = text.word(next + 1).flatMap({ NumberWords.parts[$0] }), count * part < 1,
                text.word(next + 2) != "of"
            {
                reading.value += count * part
                reading.extend(to: next + 2)
                return reading
            }
            // `2 eggs and half an avocado` and `2 and half an avocado` are two amounts.
            guard let word = text.word(next), !word.hasSuffix("s"), let part = NumberWords.parts[word],
                !isArticle(at: next + 1), text.word(next + 1) != "of"
            else { return number }
            reading.value += part
            reading.extend(to: next + 1)
        }
        return reading
    }

    /// The index after the ending of `1/3rd` or `3/8ths`.
    private func afterOrdinal(_ end: Int) -> Int {
        text.word(end).map(NumberWords.ordinalEndings.contains) == true ? end + 1 : end
    }

    /// Reads a part of a number: `half of 2` and `50% of 200` are products; `2 out of 8` and `1 of 2` are the first
    /// number.
    private func share(_ reading: inout Reading, from start: Int) {
        let next = text.hasWords("out of", at: reading.end) ? reading.end + 2 : reading.end + 1
        guard text.word(next - 1) == "of", let whole = single(at: next), !whole.isArticle, whole.end > next else {
            return
        }
        if reading.value < 1 {
            reading.value *= whole.value
        } else if reading.value > whole.value || reading.value != reading.value.rounded() {
            return
        }
        reading.assumption = reading.assumption ?? whole.assumption
        reading.extend(to: whole.end)
    }

    /// Skips the article in `half a`, which belongs to the amount's words, or `of a`, which does not.
    private func withArticle(_ number: Reading) -> Reading {
        var reading = number
        if isArticle(at: reading.end) {
            reading.extend(to: reading.end + 1)
        } else if text.word(reading.end) == "of", isArticle(at: reading.end + 1) {
            reading.end += 2
        }
        return reading
    }

    private func isArticle(at index: Int) -> Bool { text.word(index).map(NumberWords.articles.contains) ?? false }

    /// Reads a range such as `2-3`, `2 or 3` or `between 2 and 3` as its average.
    private func range(_ reading: inout Reading, isBetween: Bool) {
        var next = reading.end
        switch text.kind(next) {
        case .dash, .word("to"), .word("or"): next += 1
        case .word("and") where isBetween: next += 1
        default: return
        }
        guard let other = single(at: next), !other.isArticle, other.end > next else { return }
        reading.assumption = .mean(of: reading.value, and: other.value)
        reading.value = (reading.value + other.value) / 2
        reading.end = other.end
        reading.textEnd = other.textEnd
    }

    /// `dozen`, `hundred` and `couple of` multiply the number before them.
    private func collective(_ reading: inout Reading) {
        guard let word = text.word(reading.end), let factor = NumberWords.collectives[word] else { return }
        let rest = word == "hundred" ? afterHundred(reading.end + 1) : (value: 0, end: reading.end + 1)
        reading.value = reading.value * factor + rest.value
        reading.extend(to: rest.end)
        reading.isArticle = false
    }

    /// `three quarters`, `2 thirds` and a following article.
    private func part(_ reading: inout Reading) {
        guard let word = text.word(reading.end), word.hasSuffix("s") || word == "third" || reading.value == 1,
            let part = NumberWords.parts[word]
        else { return }
        reading.value *= part
        reading.extend(to: reading.end + 1)
        reading.isArticle = false
        reading = withArticle(reading)
    }
}
