extension FoodTable {
    /// The longest name that begins at a token, and the index of the token after it.
    static func longestMatch(in text: TokenText, at start: Int) -> (entry: Entry, end: Int)? {
        guard let first = text.word(start), firstWords.contains(first) else { return nil }
        var phrases = [first]
        while phrases.count < longestName, let word = nameWord(in: text, at: start + phrases.count) {
            phrases.append(phrases[phrases.count - 1] + " " + word)
        }
        for (offset, phrase) in phrases.enumerated().reversed() {
            if let entry = entries[phrase] { return (entry, start + offset + 1) }
        }
        return nil
    }

    /// A token as a word of a name: `&` and `n` are `and`.
    private static func nameWord(in text: TokenText, at index: Int) -> String? {
        if text.kind(index) == .ampersand || text.word(index) == "n" { return "and" }
        return text.word(index)
    }
}
