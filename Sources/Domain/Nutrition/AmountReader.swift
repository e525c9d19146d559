/// Reads the amount that starts at a token: `1 1/2 cups`, `half a dozen`, `x2`, `1 lb 4 oz`.
///
///     amount = term *( [joiner] term )        ; a sum of at most four terms
///     term   = [number "x"] number [unit]     ; or a unit alone
///     joiner = "+" / "plus" / "and" / "&" / ","
///
/// Each read examines a bounded number of tokens, so reading at every token takes linear time.
struct AmountReader {
    let text: TokenText

    /// An amount and the index of the token after it.
    struct Reading {
        var amount: Amount
        var end: Int
        /// Whether the amount multiplies the previous amount: `x2`.
        var isMultiplier = false
        /// Whether the amount is a unit without a number, such as `can of`.
        var isBareUnit = false
        /// Whether the amount is only an article, such as `a`.
        var isArticle = false
        /// Whether `of` follows, which requires a food after it.
        var hasOf = false
        /// The part before the last joiner, because `rice 1 cup and 2 tbsp butter` is two foods.
        var beforeLast: (amount: Amount, end: Int)?
    }

    /// The maximum number of terms after the first.
    static let mostAdded = 3

    /// The amount that starts at a token, or nil.
    func read(at start: Int) -> Reading? {
        if let reading = multiplier(at: start) { return reading }
        if let number = NumberReader(text: text).read(at: start) { return sum(number, from: start, allowsFactor: true) }
        return bareUnit(at: start)
    }

    /// `x2`, `× 2`, `x 200g`.
    private func multiplier(at start: Int) -> Reading? {
        guard text.kind(start) == .times || text.word(start) == "x",
            let number = NumberReader(text: text).read(at: start + 1)
        else { return nil }
        var reading = sum(number, from: start + 1, allowsFactor: false)
        reading.isMultiplier = true
        reading.isArticle = false
        return reading
    }

    private func sum(_ number: NumberReader.Reading, from start: Int, allowsFactor: Bool) -> Reading {
        var (reading, textEnd, count) = term(number, from: start, allowsFactor: allowsFactor)
        var hasComma = false
        if !reading.isArticle {
            while reading.amount.added.count < Self.mostAdded, let next = addend(to: reading) {
                // A comma separates more strongly than `and`: `rice 2 lb, 1 oz and 2 oz butter`.
                if next.isJoined, !hasComma {
                    hasComma = text.kind(reading.end) == .comma
                    reading.amount.text = text.source(start..<textEnd)
                    reading.beforeLast = (reading.amount, reading.end)
                }
                var added = next.term
                if !next.isJoined { added.value *= count }
                reading.amount.added.append(added)
                reading.end = next.end
                textEnd = next.end
            }
        }
        reading.amount.text = reading.isArticle ? "1" : text.source(start..<textEnd)
        skipOf(&reading)
        return reading
    }

    /// The next term of a sum: any measure after a joiner, or a smaller measure of the same kind, as in `1 lb 4 oz`.
    private func addend(to sum: Reading) -> (term: Amount.Term, end: Int, isJoined: Bool)? {
        var next = sum.end
        let joiner = text.kind(next)
        switch joiner {
        case .plus, .ampersand, .comma, .word("plus"), .word("and"): next += 1
        default: break
        }
        guard let number = NumberReader(text: text).read(at: next), number.end > next, energy(at: next) == nil,
            dimension(at: next) == nil
        else { return nil }
        let isPlus = joiner == .plus || joiner == .word("plus")
        let last = sum.amount.added.last?.unit ?? sum.amount.unit
        let (reading, _, _) = term(number, from: next, allowsFactor: true)
        let isArticle = reading.isArticle
        switch (last, reading.amount.unit) {
        case (let last?, let given?):
            guard
                joiner == .comma || next == sum.end
                    ? given.isPart(of: last) : isPlus || last.isMeasure && given.isMeasure
            else { return nil }
        case (nil, nil): guard isPlus, !isArticle else { return nil }
        default: return nil
        }
        let amount = reading.amount
        let term = Amount.Term(value: amount.value, unit: amount.unit, assumption: amount.assumption)
        return (term, reading.end, isJoined: next > sum.end)
    }

    /// Reads a term; `count` is the first factor of `2 x 120g`.
    private func term(
        _ number: NumberReader.Reading, from start: Int, allowsFactor: Bool
    ) -> (reading: Reading, textEnd: Int, count: Double) {
        var count = 1.0
        var reading = Reading(
            amount: Amount(value: number.value, text: "", assumption: number.assumption), end: number.end,
            isArticle: number.isArticle)
        var textEnd = number.textEnd
        if allowsFactor, text.kind(reading.end) == .times || text.word(reading.end) == "x" {
            reading.end += 1
            textEnd = reading.end
            // `2 x 120g`, with at most one factor: `2 x 2 x 2 x …` is not an amount.
            if let factor = NumberReader(text: text).read(at: reading.end), !factor.isArticle {
                count = number.value
                reading.amount.value = min(reading.amount.value * factor.value, Lexer.largestNumber)
                reading.end = factor.end
                textEnd = factor.textEnd
                if reading.amount.assumption == nil { reading.amount.assumption = factor.assumption }
            }
        }
        // The dash in `3-egg omelette` has no meaning.
        if case .dash(isSpaced: false)? = text.kind(reading.end), text.word(reading.end + 1) != nil { reading.end += 1 }
        // `a couple of cups`.
        if !reading.isArticle, text.word(reading.end) == "of", unit(at: reading.end + 1, hasNumber: true) != nil {
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
        return (reading, textEnd, count)
    }

    /// One, for a unit without a number: `glass of milk`, `handful almonds`.
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
        // `1 slice of a pizza`.
        if let article = NumberReader(text: text).read(at: reading.end), article.isArticle,
            unit(at: article.end, hasNumber: true)?.stands != true
        {
            reading.end = article.end
        }
    }

    // MARK: Numbers that do not count foods

    /// The energy that starts at a token: `100 kcal`, `200-calorie`.
    func energy(at start: Int) -> (energy: Energy, end: Int)? {
        guard let (number, unit) = numberWithWord(at: start), let word = text.word(unit),
            let kilocalories = UnitWords.energies[word]
        else { return nil }
        let energy = Energy(kilocalories: number * kilocalories, text: text.source(start..<unit + 1))
        return (energy, text.word(unit + 1) == "of" ? unit + 2 : unit + 1)
    }

    /// A size in inches or centimeters and the index after it: `14 inch`, `12"`, `8 x 8 cm`.
    func dimension(at start: Int) -> (words: String, end: Int)? {
        var first = start
        if text.kind(start + 1) == .times || text.word(start + 1) == "x", case .number? = text.kind(start) {
            first += 2
        }
        guard let (_, unit) = numberWithWord(at: first), let word = text.word(unit) else { return nil }
        // `3 in a bowl` is not a size; `12in` and `12 in.` are.
        let isInch = word == "in" && (!text.isSpaced(before: unit) || text.kind(unit + 1) == .stop)
        guard isInch || UnitWords.dimensions.contains(word), text.word(unit + 1) != "of" else { return nil }
        let end = isInch && text.kind(unit + 1) == .stop ? unit + 2 : unit + 1
        return (text.source(start..<unit).filter { $0 != "-" } + " " + (isInch ? "inch" : word), end)
    }

    /// A number and the index of the next word, possibly joined by a dash.
    private func numberWithWord(at start: Int) -> (number: Double, word: Int)? {
        guard let number = NumberReader(text: text).read(at: start), !number.isArticle, number.end > start else {
            return nil
        }
        if case .dash(isSpaced: false)? = text.kind(number.end) { return (number.value, number.end + 1) }
        return (number.value, number.end)
    }

    private struct UnitReading {
        var unit: MealUnit
        var end: Int
        /// Whether the words are an amount with an article: `a pound`, but not `a c`.
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
        // T means tablespoons, and t means teaspoons.
        if word == "t", text.source(index..<index + 1) == "T" { unit = .tablespoons }
        let needsNumber = UnitWords.needNumber.contains(word)
        if !hasNumber, needsNumber, word.count < 3 || text.word(index + 1) != "of" { return nil }
        let isRough = (start..<index).contains { !UnitWords.exact.contains(text.word($0) ?? "") }
        let rough = isRough || UnitWords.rough.contains(word) ? text.source(start..<index + 1) : nil
        return UnitReading(
            unit: unit, end: end(of: word, at: index), stands: word.count > 1,
            assumption: rough.map { .roughUnit($0, as: unit) })
    }

    /// The index after a unit's word, including an abbreviation's full stop.
    private func end(of word: String, at index: Int) -> Int {
        UnitWords.abbreviations.contains(word) && text.kind(index + 1) == .stop ? index + 2 : index + 1
    }
}

/// The amount of a food as stated in the text.
struct Amount: Equatable, Sendable {
    var value: Double
    /// The unit; nil if the text has only a number.
    var unit: MealUnit?
    var text: String
    var assumption: Assumption?
    /// Additional amounts of the same food: the ounces in `1 lb 4 oz`.
    var added: [Term] = []

    struct Term: Equatable, Sendable {
        var value: Double
        var unit: MealUnit?
        var assumption: Assumption?
    }

    /// Multiplies all terms; a count gets the other amount's unit.
    mutating func multiply(by other: Amount) {
        let count = value
        scale(by: other.value)
        if !other.added.isEmpty, added.isEmpty {
            added = other.added
            for index in added.indices { added[index].value = min(added[index].value * count, Lexer.largestNumber) }
        }
        unit = unit ?? other.unit
        // Otherwise `x2 x2 x2 …` could grow the text without limit.
        if text.utf8.count + other.text.utf8.count <= TokenText.longestExcerpt { text = "\(other.text) × \(text)" }
        assumption = assumption ?? other.assumption
    }

    private mutating func scale(by factor: Double) {
        value = min(value * factor, Lexer.largestNumber)
        for index in added.indices { added[index].value = min(added[index].value * factor, Lexer.largestNumber) }
    }

    /// Whether two measures may be equal: a weight and a volume, or measures that differ by at most a fifth.
    func isAbout(_ other: Amount) -> Bool {
        guard let unit, unit.isMeasure, let otherUnit = other.unit, otherUnit.isMeasure else { return false }
        guard let size = unit.grams ?? unit.milliliters, let otherSize = otherUnit.grams ?? otherUnit.milliliters,
            (unit.grams == nil) == (otherUnit.grams == nil)
        else { return true }
        return (0.8...1.25).contains(value * size / (other.value * otherSize))
    }

    enum Assumption: Equatable, Sendable {
        /// The mean of a range.
        case mean(of: Double, and: Double)
        /// The number for a vague word such as `a few`.
        case vague(String, as: Double)
        /// A decimal point read from a comma, or from a point that may separate thousands.
        case decimals(String, as: Double)
        /// The unit for a word with roughly that meaning, such as `a mug`.
        case roughUnit(String, as: MealUnit)
        /// The number one, assumed for a plural without a number, such as `slices of bacon`.
        case one(String)
    }
}

/// The energy stated for a food.
struct Energy: Equatable, Sendable {
    var kilocalories: Double
    var text: String
}
