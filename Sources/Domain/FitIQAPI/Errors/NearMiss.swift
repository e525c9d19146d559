/// Finds what somebody probably meant.
public enum NearMiss {
    /// The candidate with the fewest edits to the text, or nil where none is near enough to be helpful.
    ///
    /// At most half of the text's characters may differ. Texts over 100 characters are not looked at: the work is the product of both lengths.
    public static func nearest(to text: String, among candidates: [String]) -> String? {
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

    /// Levenshtein's distance, a row at a time.
    static func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
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
