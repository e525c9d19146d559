/// A word, a number or a mark in a text.
struct Token: Equatable, Sendable {
    enum Kind: Equatable, Sendable {
        /// A word with its Latin letters folded to lower-case ASCII.
        case word(String)
        /// Zero, or a number of one or more; `assumesDecimals` if its comma, or the point of
        /// `1.500`, was read as a decimal point.
        case number(Double, assumesDecimals: Bool)
        /// A number less than one: `½`, `3/4`.
        case fraction(Double)
        /// `×` or `*`.
        case times
        case comma, ampersand, plus, slash, open, close
        /// A dash with spaces around it, which separates, or without: `2-3`.
        case dash(isSpaced: Bool)
        /// The end of a line or a sentence.
        case end
        /// A full stop, which may belong to an abbreviation.
        case stop
    }

    let kind: Kind
    /// Its position in the scalars of the text.
    let range: Range<Int>

    var word: String? { if case .word(let word) = kind { word } else { nil } }
}

struct TokenText: Sendable {
    let scalars: [Unicode.Scalar]
    let tokens: [Token]

    /// The maximum length of excerpts, in characters.
    static let longestExcerpt = 40

    init(_ text: String) {
        var lexer = Lexer(text)
        tokens = lexer.run()
        scalars = lexer.scalars
    }

    var count: Int { tokens.count }
    func kind(_ index: Int) -> Token.Kind? { tokens.indices.contains(index) ? tokens[index].kind : nil }
    func word(_ index: Int) -> String? { tokens.indices.contains(index) ? tokens[index].word : nil }

    /// Whether the given words, separated by spaces, start at an index.
    func hasWords(_ words: String, at index: Int) -> Bool {
        words.split(separator: " ").enumerated().allSatisfy { word(index + $0.offset) == String($0.element) }
    }

    /// Whether white space stands before a token.
    func isSpaced(before index: Int) -> Bool {
        index > 0 && tokens[index - 1].range.upperBound < tokens[index].range.lowerBound
    }

    /// The text of some tokens as typed, with single spaces and without control characters.
    ///
    /// A text longer than `longestExcerpt` ends in an ellipsis.
    func source(_ range: Range<Int>) -> String {
        guard !range.isEmpty, range.lowerBound < tokens.count else { return "" }
        let last = min(range.upperBound, tokens.count) - 1
        var source = String.UnicodeScalarView()
        var needsSpace = false
        for scalar in scalars[tokens[range.lowerBound].range.lowerBound..<tokens[last].range.upperBound] {
            if scalar.properties.isWhitespace {
                needsSpace = !source.isEmpty
                continue
            }
            if scalar.properties.generalCategory == .control { continue }
            if source.count >= Self.longestExcerpt { return String(source) + "…" }
            if needsSpace { source.append(" ") }
            needsSpace = false
            source.append(scalar)
        }
        return String(source)
    }
}
