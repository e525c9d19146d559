/// A food of the text before its amount is worked out.
struct Draft: Sendable {
    var entry: FoodTable.Entry
    var amount: Amount?
    /// The adjectives outside of the name, folded, in the order of the text, each with its standing.
    var adjectives: [Adjective] = []

    /// More adjectives than this are not kept.
    static let mostAdjectives = 4

    struct Adjective: Equatable, Sendable {
        var words: String
        var standing: Words.Standing
    }

    init(entry: FoodTable.Entry, amount: Amount? = nil, adjectives: [Adjective] = []) {
        self.entry = entry
        self.amount = amount
        for adjective in adjectives { add(adjective) }
    }

    /// Adds an adjective; where the table has a food of that name, it is that one: `scrambled` makes an egg another.
    mutating func add(_ adjective: Adjective) {
        if let named = FoodTable.entries["\(adjective.words) \(entry.singular)"] {
            let plural = FoodTable.entries[named.plural]
            entry = entry.isPlural ? plural ?? named : named
        } else if adjectives.count < Self.mostAdjectives, !adjectives.contains(adjective) {
            adjectives.append(adjective)
        }
    }
}
