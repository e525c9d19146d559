/// The foods that meals are read with, and the index of their names.
enum FoodTable {
    /// All entries, group by group.
    static let foods: [Food] =
        fruit + vegetables + bread + grains + eggs + dairy + meat + fish + legumes + nuts + dishes + soups
        + sandwiches + salads + sweets + snacks + condiments + drinks

    /// What a phrase names.
    struct Entry: Sendable {
        let food: Food
        /// The name in folded words: `scrambled egg`.
        let singular: String
        let plural: String
        /// Whether the phrase was the plural, which it never is where both are the same.
        let isPlural: Bool
    }

    /// The entries by their names, folded as `Lexer` folds text.
    static let entries: [String: Entry] = {
        var entries: [String: Entry] = [:]
        for food in foods {
            for name in food.names {
                let singular = Lexer.words(of: name).joined(separator: " ")
                let plural = Plural.of(singular)
                let old = entries.updateValue(
                    Entry(food: food, singular: singular, plural: plural, isPlural: false), forKey: singular)
                precondition(old == nil || old?.isPlural == true, "two foods are called \(singular)")
                // A name in its own right wins over the plural of another: `oats`.
                if plural != singular, entries[plural] == nil {
                    entries[plural] = Entry(food: food, singular: singular, plural: plural, isPlural: true)
                }
            }
        }
        return entries
    }()

    /// The words with which names begin; other words need no look-up.
    static let firstWords = Set(entries.keys.compactMap { $0.split(separator: " ").first.map(String.init) })

    /// The number of words in the longest name.
    static let longestName = entries.keys.map { $0.split(separator: " ").count }.max() ?? 0
}
