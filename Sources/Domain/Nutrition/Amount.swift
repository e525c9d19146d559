/// The amount of a food, as the text gives it.
struct Amount: Equatable, Sendable {
    var value: Double
    /// The unit, or nil if the text gives only a number.
    var unit: MealUnit?
    var text: String
    var assumption: Assumption?
    /// Further amounts of the same food: the ounces of `1 lb 4 oz`.
    var added: [Term] = []

    struct Term: Equatable, Sendable {
        var value: Double
        var unit: MealUnit?
        var assumption: Assumption?
    }

    /// Multiplies all terms; a count takes the unit of the other amount.
    mutating func multiply(by other: Amount) {
        let count = value
        scale(by: other.value)
        if !other.added.isEmpty, added.isEmpty {
            added = other.added
            for index in added.indices { added[index].value = min(added[index].value * count, Lexer.largestNumber) }
        }
        unit = unit ?? other.unit
        // Otherwise `x2 x2 x2 …` would grow the text without limit.
        if text.utf8.count + other.text.utf8.count <= TokenText.longestExcerpt { text = "\(other.text) × \(text)" }
        assumption = assumption ?? other.assumption
    }

    private mutating func scale(by factor: Double) {
        value = min(value * factor, Lexer.largestNumber)
        for index in added.indices { added[index].value = min(added[index].value * factor, Lexer.largestNumber) }
    }

    /// Whether two measures may mean the same: a weight and a volume, or two that differ by at most a fifth.
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
        /// The number for a vague word: `a few`.
        case vague(String, as: Double)
        /// A comma, or a point that elsewhere stands between thousands, as a decimal point.
        case decimals(String, as: Double)
        /// A unit for a word that is only roughly that unit: `a mug`.
        case roughUnit(String, as: MealUnit)
        /// One, for a plural without a number: `slices of bacon`.
        case one(String)
    }
}

/// The energy that the text states for a food.
struct Energy: Equatable, Sendable {
    var kilocalories: Double
    var text: String
}
