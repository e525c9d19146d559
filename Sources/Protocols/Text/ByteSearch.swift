extension [UInt8] {
    /// Returns whether these bytes contain others, in linear time.
    package func contains(_ part: [UInt8]) -> Bool {
        guard !part.isEmpty else { return true }
        // Return early if the part is longer.
        guard part.count <= count else { return false }
        // Where to continue after a mismatch, so that no byte is read repeatedly (Knuth, Morris and Pratt).
        var borders = [0]
        var length = 0
        for byte in part.dropFirst() {
            while length > 0, part[length] != byte { length = borders[length - 1] }
            if part[length] == byte { length += 1 }
            borders.append(length)
        }
        var matched = 0
        withUnsafeBufferPointer { bytes in
            part.withUnsafeBufferPointer { part in
                for byte in bytes {
                    if byte != part[matched] {
                        if matched == 0 { continue }
                        while matched > 0, part[matched] != byte { matched = borders[matched - 1] }
                        if part[matched] != byte { continue }
                    }
                    matched += 1
                    if matched == part.count { return }
                }
            }
        }
        return matched == part.count
    }
}
