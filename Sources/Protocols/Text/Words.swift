/// Parts of sentences: counted nouns and lists.
public enum Words {
    /// `1 frame`, `2 frames`; pass the plural if it is irregular.
    public static func counted(_ count: Int, _ noun: String, _ plural: String? = nil) -> String {
        "\(count) \(count == 1 ? noun : plural ?? noun + "s")"
    }

    /// `a, b and c`, or the same list with a different conjunction; empty if there are no words.
    public static func list(_ words: [String], last conjunction: String = "and") -> String {
        var others = words
        guard let last = others.popLast(), !others.isEmpty else { return words.first ?? "" }
        return others.joined(separator: ", ") + " \(conjunction) " + last
    }
}

/// Suggestions for misspelled words.
public enum NearestWord {
    /// The candidate that is the fewest edits away from the text; nil if none is similar enough.
    ///
    /// At most half of the text's characters may differ. Strings over 100 bytes are skipped, because the cost is the
    /// product of both lengths.
    public static func find(_ text: String, among candidates: [String]) -> String? {
        let wanted = Array(text.lowercased().utf8)
        guard !wanted.isEmpty, wanted.count <= 100 else { return nil }
        var best: (candidate: String, distance: Int)?
        // Each extra byte is an edit, and lowercasing leaves at least a third of the bytes.
        for candidate in candidates where candidate.utf8.count <= 6 * wanted.count {
            let letters = Array(candidate.lowercased().utf8)
            guard abs(letters.count - wanted.count) <= wanted.count / 2 else { continue }
            let distance = editDistance(wanted, letters)
            if distance <= wanted.count / 2, best.map({ distance < $0.distance }) ?? true {
                best = (candidate, distance)
            }
        }
        return best?.candidate
    }

    /// ` Did you mean 'name'?` to append to a sentence; empty if no candidate is similar enough.
    public static func hint(_ text: String, among candidates: [String], quote: Character = "'") -> String {
        hint(find(text, among: candidates), quote: quote)
    }

    /// ` Did you mean 'name'?` to append to a sentence; empty if there is no name.
    public static func hint(_ name: String?, quote: Character = "'") -> String {
        name.map { " Did you mean \(quote)\($0)\(quote)?" } ?? ""
    }

    /// The Levenshtein distance, computed row by row.
    public static func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var row = Array(0...right.count)
        for (leftIndex, leftByte) in left.enumerated() {
            var diagonal = row[0]
            row[0] = leftIndex + 1
            for (rightIndex, rightByte) in right.enumerated() {
                let substituted = diagonal + (leftByte == rightByte ? 0 : 1)
                diagonal = row[rightIndex + 1]
                row[rightIndex + 1] = min(substituted, row[rightIndex] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }
}
