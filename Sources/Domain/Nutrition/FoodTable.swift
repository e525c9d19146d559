import Texts

/// The foods, and the index of their names.
enum FoodTable {
    /// The embedded table, read at the first meal.
    private static let file: FoodFile = {
        let text = EmbeddedText(path: FoodFile.path)
        let file = FoodFile(UnsafeBufferPointer(start: text.start, count: text.count))
        precondition(file.mistakes.isEmpty, file.mistakes.first ?? "")
        return file
    }()

    static let foods = file.foods

    /// The entry of each name and each plural, by its folded words.
    static let entries = file.entries

    /// The food that a phrase names.
    struct Entry: Sendable {
        let food: Food
        /// The name in folded words: `scrambled egg`.
        let singular: String
        let plural: String
        /// Whether the phrase is the plural; false if both forms are the same.
        let isPlural: Bool
    }

    /// The first words of names; other words need no look-up.
    static let firstWords = file.firstWords

    static let longestName = file.longestName
}

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

/// Plurals of the table's names.
enum Plural {
    /// The plural of a folded name: that of its last word, or of the one before `of`: `bars of chocolate`.
    static func of(_ name: String) -> String {
        let words = name.utf8.split(separator: 0x20).map { String(Substring($0)) }
        if let index = words.firstIndex(of: "of"), index > 0 {
            let head = words[..<index].joined(separator: " ")
            return of(head) + name.dropFirst(head.count)
        }
        if let plural = irregular[words.last ?? name] { return String(name.dropLast(plural.dropped)) + plural.ending }
        // Already plural or the same: hummus, asparagus, corn flakes.
        let end = Array(name.utf8.suffix(2))
        switch end.last {
        case UInt8(ascii: "s"): return name
        case UInt8(ascii: "x"), UInt8(ascii: "z"): return name + "es"
        case UInt8(ascii: "h") where end.first == UInt8(ascii: "c") || end.first == UInt8(ascii: "s"):
            return name + "es"
        case UInt8(ascii: "y") where end.count == 2 && !"aeiou".utf8.contains(end[0]): return name.dropLast() + "ies"
        default: return name + "s"
        }
    }

    private static let irregular: [String: (dropped: Int, ending: String)] = [
        "tomato": (0, "es"), "potato": (0, "es"), "mango": (0, "es"), "jalapeno": (0, "s"), "loaf": (1, "ves"),
    ]
}
