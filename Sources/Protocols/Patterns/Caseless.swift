/// Looking for words whatever their case, scalar by scalar.
public enum Caseless {
    /// Whether the text contains the words; no words are contained in everything.
    ///
    /// In time linear in both (Knuth, Morris, Pratt), so that no text of a client makes it slow.
    public static func contains(_ words: String, in text: String) -> Bool {
        let sought = words.unicodeScalars.map { CasedScalar($0).folded }
        guard !sought.isEmpty else { return true }
        let lengths = borders(of: sought)
        var length = 0
        for scalar in text.unicodeScalars {
            let folded = CasedScalar(scalar).folded
            while length > 0, sought[length] != folded { length = lengths[length - 1] }
            if sought[length] == folded { length += 1 }
            if length == sought.count { return true }
        }
        return false
    }

    /// For each beginning of the words how much of it is its end as well.
    private static func borders(of sought: [Unicode.Scalar]) -> [Int] {
        var lengths = [0]
        var length = 0
        for scalar in sought.dropFirst() {
            while length > 0, sought[length] != scalar { length = lengths[length - 1] }
            if sought[length] == scalar { length += 1 }
            lengths.append(length)
        }
        return lengths
    }
}
