import FitIQAPI

/// Reads a meal written in plain English: `2 eggs and toast`, `120g chicken breast`.
public enum MealParser {
    /// The maximum number of foods in a meal; a longer meal is truncated and flagged.
    public static let maximumItems = 50
    /// The maximum number of words in `ParsedMeal.unknown`; more are dropped.
    public static let maximumUnknownWords = 50

    /// Reads the foods in the text, with their amounts and nutrition facts.
    ///
    /// The result may be empty. Parsing takes time linear in the text's length, which callers must limit; the API
    /// allows 1,000 characters.
    ///
    /// A food without an amount is one usual serving. Foods with a zero amount, or after `no` or `without`, are
    /// dropped. A stated energy value scales the facts; without an amount, it determines the weight. A size in inches
    /// is not a count. A minus sign is a dash. Amounts above 10 kg are reduced to 10 kg, with a note and a confidence
    /// of 0.3.
    public static func parse(_ text: String) -> ParsedMeal {
        var reader = MealReader(TokenText(text))
        reader.read()
        let items = reader.drafts.compactMap { item($0, unknown: reader.unknown) }
        return ParsedMeal(items: items, unknown: reader.unknown, isTruncated: reader.isTruncated)
    }

    /// The item for a draft, or nil if its amount is zero.
    private static func item(_ draft: Draft, unknown: [String]) -> MealItem? {
        let portion = Portion(draft)
        guard portion.roundedQuantity > 0 else { return nil }
        let food = draft.entry.food
        var notes: [String] = []
        var confidence = portion.confidence
        if let preparation = food.preparation { notes.append(preparation) }
        for adjective in draft.adjectives where !isCounted(adjective, of: food) {
            notes.append(Messages.uncounted(adjective.words))
            confidence = min(confidence, Portion.assumed)
        }
        notes += portion.notes
        if draft.isRepeated {
            notes.append(Messages.once(draft.entry.singular))
            confidence = min(confidence, Portion.assumed)
        }
        if !unknown.isEmpty {
            notes.append(Messages.notRecognised(unknown))
            confidence = min(confidence, Portion.doubtful)
        }
        let isCounted = portion.unit == .pieces && draft.amount?.unit == nil
        return MealItem(
            foodID: MealItem.foodID(ofKey: food.key),
            name: DisplayName.of(draft, isPlural: isCounted && portion.quantity > 1),
            quantity: portion.roundedQuantity, unit: portion.unit.rawValue,
            amountText: draft.amount?.text ?? (portion.isWeighedByEnergy ? draft.energy?.text : nil) ?? "1",
            nutrients: portion.facts, confidence: Double(confidence) / 100,
            notes: notes.isEmpty ? nil : notes.joined(separator: Messages.separator), foodType: food.kind.type)
    }

    /// A generated description of a meal of two or three foods from the table.
    public static func madeUp(_ numbers: inout SplitMix64) -> String {
        let foods = FoodTable.foods.filter { $0.kind == .solid }
        let count = 2 + numbers.next(below: 2)
        return (0..<count).map { _ in foods[Int(numbers.next(below: UInt64(foods.count)))].names[0] }
            .joined(separator: ", ")
    }

    /// Whether the facts already cover an adjective: it changes nothing, or it is the food's preparation.
    private static func isCounted(_ adjective: Draft.Adjective, of food: Food) -> Bool {
        let preparation = Lexer.words(of: food.preparation ?? "")
        switch adjective.standing {
        case .neutral, .filler: return true
        case .size: return adjective.words == "medium" || Words.sizes[adjective.words].flatMap { food.sizes[$0] } != nil
        case .cooked: return preparation.contains { Words.cooked.contains($0) }
        case .dimension: return false
        // The facts for a food that is eaten raw describe the raw food.
        case .uncounted where ["raw", "uncooked"].contains(adjective.words):
            return !preparation.contains { Words.cooked.contains($0) }
        case .uncounted: return Lexer.words(of: adjective.words).allSatisfy { preparation.contains($0) }
        }
    }
}

/// The result of parsing a meal's text.
public struct ParsedMeal: Equatable, Sendable {
    /// The foods in the order of the text, at most `MealParser.maximumItems`; empty if none was recognized.
    public var items: [MealItem] = []
    /// The words that name no known food, as typed, at most `MealParser.maximumUnknownWords`.
    public var unknown: [String] = []
    /// Whether the text has more foods than `MealParser.maximumItems`; the rest is ignored.
    public var isTruncated = false
}

enum DisplayName {
    /// The adjectives and the name from the text, in title case; plural if the text or the count is plural.
    static func of(_ draft: Draft, isPlural: Bool) -> String {
        let name = draft.entry.isPlural || isPlural ? draft.entry.plural : draft.entry.singular
        return titleCase((draft.adjectives.map(\.words) + [name]).joined(separator: " "))
    }

    /// Turns `mac and cheese` into `Mac and Cheese`, and `bbq sauce` into `BBQ Sauce`.
    static func titleCase(_ words: String) -> String {
        words.split(separator: " ").enumerated().map { index, word in
            if Words.acronyms.contains(String(word)) { return word.uppercased() }
            if index > 0, ["and", "with", "in", "on", "the", "of", "cm", "mm"].contains(word) { return String(word) }
            return word.prefix(1).uppercased() + word.dropFirst()
        }.joined(separator: " ")
    }
}
