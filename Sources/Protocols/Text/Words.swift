/// Parts of sentences: counted nouns, lists, and the word that was probably meant.
public enum Words {
    /// `1 frame`, `2 frames`; the plural is given where it is not the noun and an s.
    public static func counted(_ count: Int, _ noun: String, _ plural: String? = nil) -> String {
        "\(count) \(count == 1 ? noun : plural ?? noun + "s")"
    }

    /// `a, b and c`, with another word for `and` where one is given; empty without words.
    public static func list(_ words: [String], last conjunction: String = "and") -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " \(conjunction) " + last
    }
}

/// Finds the word that was probably meant.
public enum NearestWord {
    /// The candidate with the fewest edits to the text, or nil where none is near enough to be helpful.
    ///
    /// At most half of the text's characters may differ. Texts over 100 bytes are not looked at: the work is the product
    /// of both lengths.
    public static func find(_ text: String, among candidates: [String]) -> String? {
        let wanted = Array(text.lowercased().utf8)
        guard !wanted.isEmpty, wanted.count <= 100 else { return nil }
        var best: (candidate: String, distance: Int)?
        // Each byte more is an edit more; lower case is at least a third as long.
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

    /// ` Did you mean 'name'?` to append to a sentence; empty where no candidate is near enough.
    public static func hint(_ text: String, among candidates: [String], quote: Character = "'") -> String {
        hint(find(text, among: candidates), quote: quote)
    }

    /// ` Did you mean 'name'?` to append to a sentence; empty without a name.
    public static func hint(_ name: String?, quote: Character = "'") -> String {
        name.map { " Did you mean \(quote)\($0)\(quote)?" } ?? ""
    }

    /// Levenshtein's distance, a row at a time.
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
