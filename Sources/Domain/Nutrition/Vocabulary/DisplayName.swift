/// Names for people.
enum DisplayName {
    /// The adjectives and the name that the text used, in title case; in the plural where the text or the count asks.
    static func of(_ draft: Draft, isPlural: Bool) -> String {
        let name = draft.entry.isPlural || isPlural ? draft.entry.plural : draft.entry.singular
        return titleCase((draft.adjectives.map(\.words) + [name]).joined(separator: " "))
    }

    /// `mac and cheese` is `Mac and Cheese`, `bbq sauce` is `BBQ Sauce`.
    static func titleCase(_ words: String) -> String {
        words.split(separator: " ").enumerated().map { index, word in
            if Words.acronyms.contains(String(word)) { return word.uppercased() }
            if index > 0, ["and", "with", "in", "on", "the", "of"].contains(word) { return String(word) }
            return word.prefix(1).uppercased() + word.dropFirst()
        }.joined(separator: " ")
    }
}
