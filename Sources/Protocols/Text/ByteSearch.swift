extension [UInt8] {
    /// Returns whether these bytes contain others, in linear time.
    package func contains(_ part: [UInt8]) -> Bool {
        guard !part.isEmpty else { return true }
        // Where to continue after a mismatch, so that no byte is read repeatedly (Knuth, Morris and Pratt).
        var borders = [0]
        var length = 0
        for byte in part.dropFirst() {
            while length > 0, part[length] != byte { length = borders[length - 1] }
            if part[length] == byte { length += 1 }
            borders.append(length)
        }
        var matched = 0
        for byte in self {
            if matched == part.count { break }
            while matched > 0, part[matched] != byte { matched = borders[matched - 1] }
            if part[matched] == byte { matched += 1 }
        }
        return matched == part.count
    }
}
