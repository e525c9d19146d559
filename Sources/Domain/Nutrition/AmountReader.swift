/// The amount of a food, as the text gives it.
struct Amount: Equatable, Sendable {
    var value: Double
    /// The unit, or nil if the text gives only a number.
    var unit: MealUnit?
    var text: String
    var assumption: Assumption?

    enum Assumption: Equatable, Sendable {
        /// The mean of a range.
        case mean(of: Double, and: Double)
        /// The number for a vague word: `a few`.
        case vague(String, as: Double)
        /// A comma as a decimal point.
        case decimalComma(String, as: Double)
        /// A unit for a word that is only roughly that unit: `a mug`.
        case roughUnit(String, as: MealUnit)
        /// One, for a plural without a number: `slices of bacon`.
        case one(String)
    }
}

/// Reads the amount that begins at a token: `1 1/2 cups`, `half a dozen`, `x2`.
///
/// It looks at a bounded number of tokens, so reading at every token takes linear time.
struct AmountReader {
    let text: TokenText

    /// An amount and the index of the token after it.
    struct Reading {
        var amount: Amount
        var end: Int
        /// Whether it multiplies the previous amount: `x2`.
        var isMultiplier = false
        /// Whether it is a unit without a number: `can of`.
        var isBareUnit = false
        /// Whether it is only an article: `a`.
        var isArticle = false
        /// Whether `of` follows, which must be followed by a food.
        var hasOf = false
    }

    /// The amount that begins at a token, or nil if there is none.
    func read(at start: Int) -> Reading? {
        if let reading = multiplier(at: start) { return reading }
        if let number = NumberReader(text: text).read(at: start) { return withUnit(number, from: start) }
        return bareUnit(at: start)
    }

    /// `x2`, `× 2`.
    private func multiplier(at start: Int) -> Reading? {
        guard text.kind(start) == .times || text.word(start) == "x",
            let number = NumberReader(text: text).read(at: start + 1)
        else { return nil }
        let amount = Amount(
            value: number.value, text: text.source(start + 1..<number.end), assumption: number.assumption)
        return Reading(amount: amount, end: number.end, isMultiplier: true)
    }

    private func withUnit(_ number: NumberReader.Reading, from start: Int) -> Reading? {
        var reading = Reading(
            amount: Amount(value: number.value, text: "", assumption: number.assumption), end: number.end,
            isArticle: number.isArticle)
        var textEnd = number.textEnd
        if text.kind(reading.end) == .times || text.word(reading.end) == "x" {
            reading.end += 1
            textEnd = reading.end
            // `2 x 120g`, with at most one factor: `2 x 2 x 2 x …` is not an amount.
            if let factor = NumberReader(text: text).read(at: reading.end), !factor.isArticle {
                reading.amount.value = min(reading.amount.value * factor.value, Lexer.largestNumber)
                reading.end = factor.end
                textEnd = factor.textEnd
                if reading.amount.assumption == nil { reading.amount.assumption = factor.assumption }
            }
        }
        // In `3-egg omelette` the dash means nothing.
        if case .dash(isSpaced: false)? = text.kind(reading.end), text.word(reading.end + 1) != nil {
            reading.end += 1
        }
        if let unit = unit(at: reading.end, hasNumber: true), !reading.isArticle || unit.stands {
            reading.amount.unit = unit.unit
            reading.end = unit.end
            reading.isArticle = false
            reading.amount.assumption = reading.amount.assumption ?? unit.assumption
            if text.hasWords("and a half", at: reading.end) {
                reading.amount.value += 0.5
                reading.end += 3
            }
            textEnd = reading.end
        }
        reading.amount.text = reading.isArticle ? "1" : text.source(start..<textEnd)
        skipOf(&reading)
        return reading
    }

    /// `glass of milk`, `handful almonds`: one, without a number.
    private func bareUnit(at start: Int) -> Reading? {
        guard let unit = unit(at: start, hasNumber: false), unit.stands else { return nil }
        let words = text.source(start..<unit.end)
        let isPlural = text.word(unit.end - 1)?.hasSuffix("s") == true && unit.unit != .glasses
        let amount = Amount(
            value: 1, unit: unit.unit, text: words, assumption: isPlural ? .one(words) : unit.assumption)
        var reading = Reading(amount: amount, end: unit.end, isBareUnit: true)
        skipOf(&reading)
        return reading
    }

    private func skipOf(_ reading: inout Reading) {
        guard text.word(reading.end) == "of" else { return }
        reading.hasOf = true
        reading.end += 1
    }

    private struct UnitReading {
        var unit: MealUnit
        var end: Int
        /// Whether an article makes it an amount: `a pound`, but not `a c`.
        var stands: Bool
        var assumption: Amount.Assumption?
    }

    private func unit(at start: Int, hasNumber: Bool) -> UnitReading? {
        var index = start
        while index < start + 2, let word = text.word(index), UnitWords.ornaments.contains(word) { index += 1 }
        guard let word = text.word(index) else { return nil }
        if word == "fl" || word == "fluid" {
            let next = text.kind(index + 1) == .stop ? index + 2 : index + 1
            guard let ounces = text.word(next), UnitWords.units[ounces] == .ounces else { return nil }
            return UnitReading(unit: .fluidOunces, end: end(of: ounces, at: next), stands: hasNumber)
        }
        guard var unit = UnitWords.units[word] else { return nil }
        // `2 T bone steaks` are not tablespoons, and a bar of chocolate is a food.
        if let name = FoodTable.longestMatch(in: text, at: index), name.end > index + 1 { return nil }
        // Cooks write T for tablespoons and t for teaspoons.
        if word == "t", text.source(index..<index + 1) == "T" { unit = .tablespoons }
        let needsNumber = UnitWords.needNumber.contains(word)
        if !hasNumber, needsNumber, word.count < 3 || text.word(index + 1) != "of" { return nil }
        let rough = UnitWords.rough.contains(word) ? text.source(index..<index + 1) : nil
        return UnitReading(
            unit: unit, end: end(of: word, at: index), stands: word.count > 1,
            assumption: rough.map { .roughUnit($0, as: unit) })
    }

    /// The index after a unit's word and the full stop of its abbreviation.
    private func end(of word: String, at index: Int) -> Int {
        UnitWords.abbreviations.contains(word) && text.kind(index + 1) == .stop ? index + 2 : index + 1
    }
}
