/// Reads numbers of several tokens: `1 1/2`, `twenty five`, `two and a half`, `half a`, `2 to 3`, `a dozen`.
struct NumberReader {
    let text: TokenText

    struct Reading {
        var value: Double
        var end: Int
        /// The end of the amount's words: `half` in `half of an avocado`.
        var textEnd: Int
        var assumption: Amount.Assumption?
        var isArticle = false
    }

    /// The number that begins at a token, or nil if there is none.
    func read(at start: Int) -> Reading? {
        let isBetween = text.word(start) == "between"
        guard var reading = single(at: isBetween ? start + 1 : start) else { return nil }
        if !reading.isArticle { range(&reading, isBetween: isBetween) }
        collective(&reading)
        part(&reading)
        reading.value = min(reading.value, Lexer.largestNumber)
        return reading
    }

    /// A number without a range.
    private func single(at start: Int) -> Reading? {
        switch text.kind(start) {
        case .number(let value, let assumedDecimalComma):
            var reading = Reading(value: value, end: start + 1, textEnd: start + 1)
            if assumedDecimalComma {
                reading.assumption = .decimalComma(text.source(start..<start + 1), as: value)
            }
            fraction(&reading)
            return reading
        case .fraction(let value):
            var reading = Reading(value: value, end: start + 1, textEnd: start + 1)
            article(&reading)
            return reading
        case .word(let word):
            return self.word(word, at: start)
        default:
            return nil
        }
    }

    private func word(_ word: String, at start: Int) -> Reading? {
        if NumberWords.articles.contains(word) { return article(at: start) }
        if word == "half" || word == "quarter" {
            var reading = Reading(value: NumberWords.parts[word] ?? 0, end: start + 1, textEnd: start + 1)
            article(&reading)
            return reading
        }
        if NumberWords.collectives[word] != nil {
            // `dozen eggs`: the collective itself multiplies one.
            return Reading(value: 1, end: start, textEnd: start)
        }
        if let value = NumberWords.vague[word] {
            return Reading(
                value: value, end: start + 1, textEnd: start + 1,
                assumption: .vague(text.source(start..<start + 1), as: value))
        }
        guard var value = NumberWords.cardinals[word] else { return nil }
        var end = start + 1
        func ones(at index: Int) -> Double? {
            text.word(index).flatMap { NumberWords.cardinals[$0] }.flatMap { (1..<10).contains($0) ? $0 : nil }
        }
        if value >= 20, let ones = ones(at: end) {
            value += ones
            end += 1
        }
        if text.word(end) == "hundred" {
            value *= 100
            end += 1
            let next = text.word(end) == "and" ? end + 1 : end
            if let rest = text.word(next).flatMap({ NumberWords.cardinals[$0] }), rest > 0 {
                value += rest
                end = next + 1
                if rest >= 20, let ones = ones(at: end) {
                    value += ones
                    end += 1
                }
            }
        }
        var reading = Reading(value: value, end: end, textEnd: end)
        fraction(&reading)
        return reading
    }

    /// Reads `a`, `an`, and what may follow: `a half`, `a dozen`, `a few`.
    private func article(at start: Int) -> Reading {
        switch text.word(start + 1) {
        case let word? where word == "half" || word == "quarter" || word == "third":
            var reading = Reading(value: NumberWords.parts[word] ?? 0, end: start + 2, textEnd: start + 2)
            article(&reading)
            return reading
        case let word? where NumberWords.vague[word] != nil:
            let value = NumberWords.vague[word] ?? 0
            return Reading(
                value: value, end: start + 2, textEnd: start + 2,
                assumption: .vague(text.source(start..<start + 2), as: value))
        case let word? where NumberWords.collectives[word] != nil:
            return Reading(value: 1, end: start + 1, textEnd: start + 1)
        default:
            return Reading(value: 1, end: start + 1, textEnd: start + 1, isArticle: true)
        }
    }

    /// Adds the part in `1 1/2`, `1-1/2`, `two and a half`.
    private func fraction(_ reading: inout Reading) {
        guard reading.value == reading.value.rounded() else { return }
        var next = reading.end
        if case .dash(isSpaced: false)? = text.kind(next), case .fraction? = text.kind(next + 1) { next += 1 }
        if text.word(next) == "and" || text.kind(next) == .ampersand { next += 1 }
        if case .fraction(let part)? = text.kind(next) {
            reading.value += part
            reading.end = next + 1
        } else if next > reading.end {
            if let word = text.word(next), NumberWords.articles.contains(word) { next += 1 }
            guard let word = text.word(next), word == "half" || word == "quarter", let part = NumberWords.parts[word],
                // `2 eggs and half an avocado` and `2 and half an avocado` are two amounts.
                !NumberWords.articles.contains(text.word(next + 1) ?? ""), text.word(next + 1) != "of"
            else { return }
            reading.value += part
            reading.end = next + 1
        }
        reading.textEnd = reading.end
    }

    /// Skips the article of `half a`, which belongs to the words of the amount, or `of a`, which does not.
    private func article(_ reading: inout Reading) {
        if let word = text.word(reading.end), NumberWords.articles.contains(word) {
            reading.end += 1
            reading.textEnd = reading.end
        } else if text.word(reading.end) == "of", let word = text.word(reading.end + 1),
            NumberWords.articles.contains(word)
        {
            reading.end += 2
        }
    }

    /// `2-3`, `2 to 3`, `2 or 3`, `between 2 and 3`: the mean.
    private func range(_ reading: inout Reading, isBetween: Bool) {
        var next = reading.end
        switch text.kind(next) {
        case .dash: next += 1
        case .word("to"), .word("or"): next += 1
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
        reading.value *= factor
        reading.end += 1
        reading.textEnd = reading.end
        reading.isArticle = false
    }

    /// `three quarters`, `2 thirds`, and the article after them.
    private func part(_ reading: inout Reading) {
        guard let word = text.word(reading.end), word.hasSuffix("s") || word == "third",
            let part = NumberWords.parts[word]
        else { return }
        reading.value *= part
        reading.end += 1
        reading.textEnd = reading.end
        reading.isArticle = false
        article(&reading)
    }
}
