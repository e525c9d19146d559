/// A piece of the text that means something.
struct Token: Equatable, Sendable {
    enum Kind: Equatable, Sendable {
        /// A word, folded to lower-case ASCII where it has such letters.
        case word(String)
        /// A number of one or more, or zero; `assumedDecimalComma` where its comma was read as a decimal point.
        case number(Double, assumedDecimalComma: Bool)
        /// A part of one: `½`, `3/4`.
        case fraction(Double)
        /// `×` or `*`.
        case times
        case comma, ampersand, plus, slash, open, close
        /// A dash between spaces, which separates, or one that touches something: `2-3`.
        case dash(isSpaced: Bool)
        /// The end of a line or a sentence.
        case end
        /// A full stop, which may belong to an abbreviation.
        case stop
    }

    let kind: Kind
    /// Where it stands in the text's scalars.
    let range: Range<Int>

    var word: String? {
        if case .word(let word) = kind { word } else { nil }
    }
}
