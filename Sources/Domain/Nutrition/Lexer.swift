import Text

/// Splits text into tokens in one pass; drops meaningless characters, such as emoji.
struct Lexer {
    let scalars: [Unicode.Scalar]
    var position = 0
    var tokens: [Token] = []
    /// Whether the line contains only white space and bullets so far.
    private var isAtLineStart = true
    /// Whether a quotation mark is open, so that the next mark after a number does not mean inches.
    private var isQuoted = false

    init(_ text: String) { scalars = text.unicodeScalars.map(Folding.halfWidth) }

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

    func scalar(at index: Int) -> Unicode.Scalar? { scalars.indices.contains(index) ? scalars[index] : nil }
    func isDigit(at index: Int) -> Bool { scalar(at: index).flatMap(Folding.digit) != nil }

    mutating func append(_ kind: Token.Kind, from start: Int) {
        tokens.append(Token(kind: kind, range: start..<position))
        isAtLineStart = kind == .end
    }

    private mutating func step() {
        let start = position
        let scalar = scalars[start]
        if Folding.isLetter(scalar) { return word() }
        if Folding.digit(scalar) != nil || (scalar == "." && isDigit(at: start + 1)) {
            number()
            return inchMark()
        }
        position += 1
        if let value = Folding.vulgarFraction(scalar) {
            append(.fraction(value), from: start)
            return inchMark()
        }
        switch scalar {
        case "\n", "\r", "\u{2028}", "\u{2029}", ";", "!", "?", "•", "·", "|", "…", "。": append(.end, from: start)
        case ".": append(.stop, from: start)
        case ",", "\u{3001}", "\u{FF0C}": append(.comma, from: start)
        case "&": append(.ampersand, from: start)
        case "+": append(.plus, from: start)
        case "/", "\u{2044}": append(.slash, from: start)
        case "(", "[", "{": append(.open, from: start)
        case ")", "]", "}": append(.close, from: start)
        case "\"", "\u{201C}", "\u{201D}": isQuoted.toggle()
        case "×", "*": if !isAtLineStart { append(.times, from: start) }
        case "@": append(.word("at"), from: start)
        // Single-character units such as ㎏ become an unknown word, so that a note mentions them.
        case "\u{3371}"..."\u{33DF}": append(.word(String(scalar)), from: start)
        case "-", "\u{2010}"..."\u{2015}", "\u{2212}": dash(from: start)
        default: break
        }
    }

    /// Reads the mark in `12"` as the word `inch`.
    private mutating func inchMark() {
        guard !isQuoted, let mark = scalar(at: position), ["\"", "\u{201D}", "\u{2033}"].contains(mark) else { return }
        position += 1
        append(.word("inch"), from: position - 1)
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
            // `w/` means with, and `w/o` means without.
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
            return  // whole-wheat is two words.
        }
        if isAtLineStart { return }  // A bullet or a minus sign.
        func isSpace(_ scalar: Unicode.Scalar?) -> Bool { scalar.map(\.properties.isWhitespace) ?? true }
        append(.dash(isSpaced: isSpace(before) && isSpace(after) || scalars[start] == "\u{2014}"), from: start)
    }

    /// Drops the `1.` or `1)` of a numbered list; returns false if the last number is not a list marker.
    mutating func dropListMarker(endingAt end: Int) -> Bool {
        guard isAtLineStart, let mark = scalar(at: end), mark == "." || mark == ")",
            let after = scalar(at: end + 1), after.properties.isWhitespace
        else { return false }
        position = end + 1
        return true
    }

    // MARK: Numbers: `120`, `1.5`, `1,5`, `1,000`, `1/2`, `1½`, `2%`

    /// The largest number; it keeps long runs of digits finite.
    static let largestNumber = 1e12

    mutating func number() {
        let start = position
        var value = digits()
        while isThousandsGroup(from: start) {
            position += 1
            value = min(value * 1000 + digits(), Self.largestNumber)
        }
        var assumesDecimals = isDecimalComma()
        if assumesDecimals || (scalar(at: position) == "." && isDigit(at: position + 1)) {
            // In parts of Europe, `1.500` means 1500.
            let mayGroup = scalars[start] != "0" && 1...3 ~= position - start && hasThreeDigits(after: position)
            assumesDecimals = assumesDecimals || mayGroup
            position += 1
            value += decimals()
        } else {
            if let next = scalar(at: position), let part = Folding.vulgarFraction(next) {
                position += 1
                return append(.number(value + part, assumesDecimals: false), from: start)
            }
            if let denominator = slashedDigits() {
                // A fraction over zero is not a number but an unknown word.
                guard denominator > 0 else { return append(.word(source(from: start)), from: start) }
                let part = value / denominator
                return append(part < 1 ? .fraction(part) : .number(part, assumesDecimals: false), from: start)
            }
            if dropListMarker(endingAt: position) { return }
        }
        if let end = endOfPercent() {
            let digits = source(from: start)
            position = end
            return append(.word(digits + "%"), from: start)
        }
        // A time of day is not a number.
        if scalar(at: position) == ":", isDigit(at: position + 1) {
            position += 1
            _ = digits()
        } else {
            append(.number(value, assumesDecimals: assumesDecimals), from: start)
        }
    }

    /// The index after a percent sign or the word for it.
    private func endOfPercent() -> Int? {
        var next = position
        if scalar(at: next) == " " { next += 1 }
        if scalar(at: next) == "%" { return next + 1 }
        for letter in "percent".unicodeScalars {
            guard scalar(at: next).map(String.init)?.lowercased() == String(letter) else { return nil }
            next += 1
        }
        return next
    }

    private func source(from start: Int) -> String {
        var source = ""
        for scalar in scalars[start..<position].prefix(20) { source.unicodeScalars.append(scalar) }
        return source
    }

    private mutating func digits() -> Double {
        var value = 0.0
        while let digit = scalar(at: position).flatMap(Folding.digit) {
            value = min(value * 10 + digit, Self.largestNumber)
            position += 1
        }
        return value
    }

    private mutating func decimals() -> Double {
        var value = 0.0
        var place = 0.1
        while let digit = scalar(at: position).flatMap(Folding.digit) {
            value += digit * place
            place /= 10
            position += 1
        }
        return value
    }

    /// Whether a comma and exactly three digits follow one to three digits that do not start with 0.
    private func isThousandsGroup(from start: Int) -> Bool {
        guard scalar(at: position) == ",", start < position, scalars[start] != "0" else { return false }
        let isFirst = !scalars[start..<position].prefix(5).contains(",")
        guard !isFirst || position - start <= 3 else { return false }
        return hasThreeDigits(after: position)
    }

    private func hasThreeDigits(after mark: Int) -> Bool {
        (1...3).allSatisfy { isDigit(at: mark + $0) } && !isDigit(at: mark + 4)
    }

    /// Whether a comma and one or two digits follow without a space: `1,5 cups`, not `2, 3`.
    private func isDecimalComma() -> Bool {
        guard scalar(at: position) == ",", isDigit(at: position + 1) else { return false }
        return !isDigit(at: position + 2) || !isDigit(at: position + 3)
    }

    /// Reads the digits after a slash with optional spaces around it: `1 / 2`.
    private mutating func slashedDigits() -> Double? {
        var next = position
        if scalar(at: next) == " " { next += 1 }
        guard let slash = scalar(at: next), slash == "/" || slash == "\u{2044}" else { return nil }
        next += 1
        if scalar(at: next) == " " { next += 1 }
        guard isDigit(at: next) else { return nil }
        position = next
        return digits()
    }
}

/// Folding of letters to lower-case ASCII, so that `Crème` equals `creme`.
enum Folding {
    /// Appends the folded form of a letter, or its lower case if it has none.
    static func append(_ scalar: Unicode.Scalar, to word: inout String) {
        if scalar.isASCII { return word.unicodeScalars.append(Unicode.Scalar(UInt8(ascii: scalar).lowercased)) }
        for lower in scalar.properties.lowercaseMapping.unicodeScalars where !isMark(lower) {
            if let plain = plain[lower] { word += plain } else { word.unicodeScalars.append(lower) }
        }
    }

    /// The ASCII form of a full-width character, which Japanese and Chinese keyboards produce: `１２０ｇ`.
    static func halfWidth(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        guard (0xFF01...0xFF5E).contains(scalar.value) else { return scalar }
        return Unicode.Scalar(UInt8(scalar.value - 0xFEE0))
    }

    static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return UInt8(ascii: scalar).isLetter }
        return scalar.properties.isAlphabetic && !isMark(scalar) && !isApostrophe(scalar)
    }

    /// Whether the scalar belongs to the previous letter: an accent, a soft hyphen, a joiner.
    static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return false }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .spacingMark, .format: return true
        default: return false
        }
    }

    static func isApostrophe(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "'" || scalar == "\u{2019}" || scalar == "\u{2018}" || scalar == "\u{02BC}" || scalar == "`"
    }

    /// The value of a decimal digit in any script.
    static func digit(_ scalar: Unicode.Scalar) -> Double? {
        if scalar.isASCII { return UInt8(ascii: scalar).isDigit ? Double(UInt8(ascii: scalar) - .digitZero) : nil }
        guard scalar.properties.numericType == .decimal else { return nil }
        return scalar.properties.numericValue
    }

    /// The value of a character such as `½`.
    static func vulgarFraction(_ scalar: Unicode.Scalar) -> Double? {
        guard !scalar.isASCII, scalar.properties.generalCategory == .otherNumber,
            let value = scalar.properties.numericValue, value > 0, value < 1
        else { return nil }
        return value
    }

    /// Latin letters without their diacritics, and ligatures as two letters.
    private static let plain: [Unicode.Scalar: String] = {
        var plain: [Unicode.Scalar: String] = [:]
        let lists = [
            "a": "àáâãäåāăą", "c": "çćĉċč", "d": "ďđð", "e": "èéêëēĕėęě", "g": "ĝğġģ", "h": "ĥħ", "i": "ìíîïĩīĭįı",
            "j": "ĵ", "k": "ķ", "l": "ĺļľŀł", "n": "ñńņňŉ", "o": "òóôõöøōŏő", "r": "ŕŗř", "s": "śŝşšș", "t": "ţťŧț",
            "u": "ùúûüũūŭůűų", "w": "ŵ", "y": "ýÿŷ", "z": "źżž", "ae": "æ", "oe": "œ", "ss": "ß", "th": "þ",
        ]
        for (letter, variants) in lists {
            for scalar in variants.unicodeScalars { plain[scalar] = letter }
        }
        return plain
    }()
}

/// A word, a number or a mark in the text.
struct Token: Equatable, Sendable {
    enum Kind: Equatable, Sendable {
        /// A word with its Latin letters folded to lower-case ASCII.
        case word(String)
        /// A number that is zero or at least one.
        ///
        /// `assumesDecimals` means that a comma, or the point in `1.500`, was read as a decimal point.
        case number(Double, assumesDecimals: Bool)
        /// A number less than one: `½`, `3/4`.
        case fraction(Double)
        /// `×` or `*`.
        case times
        case comma, ampersand, plus, slash, open, close
        /// A dash, either surrounded by spaces as a separator, or without spaces as in `2-3`.
        case dash(isSpaced: Bool)
        /// The end of a line or a sentence.
        case end
        /// A full stop, which may belong to an abbreviation.
        case stop
    }

    let kind: Kind
    /// The token's position in the text's scalars.
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

    /// Whether the given words, separated by spaces, occur at an index.
    func hasWords(_ words: String, at index: Int) -> Bool {
        words.split(separator: " ").enumerated().allSatisfy { word(index + $0.offset) == String($0.element) }
    }

    /// Whether white space precedes a token.
    func isSpaced(before index: Int) -> Bool {
        index > 0 && tokens[index - 1].range.upperBound < tokens[index].range.lowerBound
    }

    /// The text of some tokens as typed, with single spaces and without control characters.
    ///
    /// Text longer than `longestExcerpt` ends in an ellipsis.
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
