import TestSupport

/// Made-up expressions and texts.
extension Draw {
    mutating func text(of parts: [String], upTo count: Int) -> String {
        (0..<below(count + 1)).map { _ in parts[below(parts.count)] }.joined()
    }

    /// An expression that is understood by both this package and Swift.
    mutating func expression(depth: Int) -> String {
        (0...below(2)).map { _ in sequence(depth: depth) }.joined(separator: "|")
    }

    private mutating func sequence(depth: Int) -> String {
        (0..<(1 + below(3))).map { _ in piece(depth: depth) }.joined()
    }

    private mutating func piece(depth: Int) -> String {
        let places = ["^", "$", "\\b"]
        if below(8) == 0 { return places[below(places.count)] }
        let atoms = [
            "a", "b", "c", "é", ".", "\\d", "\\w", "\\s", "\\W", "[ab]", "[^a]", "[a-c1]", "[^\\d\\s]", "1", " ", "-",
        ]
        let groups = ["(", "(?:"]
        let atom =
            depth > 0 && below(3) == 0
            ? groups[below(2)] + expression(depth: depth - 1) + ")" : atoms[below(atoms.count)]
        let repetitions = ["", "", "", "*", "+", "?", "{2}", "{1,}", "{0,2}", "*?", "+?", "??", "{1,2}?"]
        return atom + repetitions[below(repetitions.count)]
    }
}
