/// A food in the text, before its amount is computed.
struct Draft: Sendable {
    var entry: FoodTable.Entry
    var amount: Amount?
    /// The adjectives outside the name, folded, in the order of the text.
    var adjectives: [Adjective] = []
    /// The energy that the text states for it.
    var energy: Energy?
    /// Whether the text names it again: `granola from Jordans crunchy granola`.
    var isRepeated = false

    static let mostAdjectives = 4

    struct Adjective: Equatable, Sendable {
        var words: String
        var standing: Words.Standing
    }

    init(entry: FoodTable.Entry, amount: Amount? = nil, adjectives: [Adjective] = []) {
        (self.entry, self.amount) = (entry, amount)
        for adjective in adjectives { add(adjective) }
    }

    /// Adds an adjective, or switches to the food whose name has it: a `scrambled` egg is another food.
    mutating func add(_ adjective: Adjective) {
        if let named = FoodTable.entries["\(adjective.words) \(entry.singular)"] {
            let plural = FoodTable.entries[named.plural]
            entry = entry.isPlural ? plural ?? named : named
        } else if adjectives.count < Self.mostAdjectives, !adjectives.contains(adjective) {
            adjectives.append(adjective)
        }
    }
}
