extension Equatable {
    /// Whether this equals another value, and every text within has the same UTF-8 bytes, as ``ExactString`` compares.
    ///
    /// For values that are written by people and compared to see whether anything was changed: what `==` leaves out is a text
    /// in another normal form. It reflects on the value, which takes its time: not for what is large.
    public func isExactly(_ other: Self) -> Bool {
        guard self == other else { return false }
        var (mine, others): ([String], [String]) = ([], [])
        collectTexts(of: self, into: &mine)
        collectTexts(of: other, into: &others)
        return mine.elementsEqual(others) { $0.isExactly($1) }
    }
}

private func collectTexts(of value: Any, into texts: inout [String]) {
    switch value {
    case let text as String: texts.append(text)
    // Bytes are equal where they are.
    case is [UInt8]: break
    default: for child in Mirror(reflecting: value).children { collectTexts(of: child.value, into: &texts) }
    }
}
