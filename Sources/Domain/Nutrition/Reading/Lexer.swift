/// Cuts a text into tokens, in one pass; what means nothing, such as emoji, is dropped.
struct Lexer {
    let scalars: [Unicode.Scalar]
    var position = 0
    var tokens: [Token] = []
    /// Whether only white space and bullets came since the line began.
    private var isAtLineStart = true

    init(_ text: String) {
        scalars = text.unicodeScalars.map(Folding.halfWidth)
    }

    static func tokens(of text: String) -> [Token] {
        var lexer = Lexer(text)
        return lexer.run()
    }

    /// The folded words of a name; `&` is `and`.
    static func words(of name: String) -> [String] {
        tokens(of: name).compactMap { $0.kind == .ampersand ? "and" : $0.word }
    }

    mutating func run() -> [Token] {
        while position < scalars.count { step() }
        return tokens
    }

    func scalar(at index: Int) -> Unicode.Scalar? {
        scalars.indices.contains(index) ? scalars[index] : nil
    }

    func isDigit(at index: Int) -> Bool {
        scalar(at: index).flatMap(Folding.digit) != nil
    }

    mutating func append(_ kind: Token.Kind, from start: Int) {
        tokens.append(Token(kind: kind, range: start..<position))
        isAtLineStart = kind == .end
    }

    private mutating func step() {
        let start = position
        let scalar = scalars[start]
        if Folding.isLetter(scalar) { return word() }
        if Folding.digit(scalar) != nil || (scalar == "." && isDigit(at: start + 1)) { return number() }
        position += 1
        if let value = Folding.vulgarFraction(scalar) { return append(.fraction(value), from: start) }
        switch scalar {
        case "\n", "\r", "\u{2028}", "\u{2029}", ";", "!", "?", "•", "·", "|", "…", "。": append(.end, from: start)
        case ".": append(.stop, from: start)
        case ",", "\u{3001}", "\u{FF0C}": append(.comma, from: start)
        case "&": append(.ampersand, from: start)
        case "+": append(.plus, from: start)
        case "/", "\u{2044}": append(.slash, from: start)
        case "(", "[", "{": append(.open, from: start)
        case ")", "]", "}": append(.close, from: start)
        case "×", "*": if !isAtLineStart { append(.times, from: start) }
        case "-", "\u{2010}"..."\u{2015}", "\u{2212}": dash(from: start)
        default: break
        }
    }

    private mutating func word() {
        let start = position
        var folded = ""
        while let scalar = scalar(at: position) {
            if Folding.isLetter(scalar) || Folding.digit(scalar) != nil {
                // `x2` is a multiplier.
                if folded == "x", Folding.digit(scalar) != nil { break }
                Folding.append(scalar, to: &folded)
            } else if Folding.isApostrophe(scalar) {
                guard let next = self.scalar(at: position + 1), Folding.isLetter(next) else { break }
            } else if !Folding.isMark(scalar) {
                break
            }
            position += 1
        }
        if folded == "w", scalar(at: position) == "/" {
            position += 1
            // `w/` is with, `w/o` without.
            if scalar(at: position) == "o", scalar(at: position + 1).map({ !Folding.isLetter($0) }) ?? true {
                position += 1
                return append(.word("without"), from: start)
            }
            return append(.word("with"), from: start)
        }
        append(.word(folded), from: start)
    }

    private mutating func dash(from start: Int) {
        let before = scalar(at: start - 1)
        let after = scalar(at: position)
        if let before, let after, Folding.isLetter(before), Folding.isLetter(after), scalars[start] != "\u{2014}" {
            return  // One word for people, two for us: whole-wheat.
        }
        if isAtLineStart { return }  // A bullet, or a minus.
        func isSpace(_ scalar: Unicode.Scalar?) -> Bool { scalar.map(\.properties.isWhitespace) ?? true }
        append(.dash(isSpaced: isSpace(before) && isSpace(after) || scalars[start] == "\u{2014}"), from: start)
    }

    /// Drops the `1.` or `1)` of a numbered list, if that is what the number just read was.
    mutating func dropListMarker(endingAt end: Int) -> Bool {
        guard isAtLineStart, let mark = scalar(at: end), mark == "." || mark == ")",
            let after = scalar(at: end + 1), after.properties.isWhitespace
        else { return false }
        position = end + 1
        return true
    }
}
