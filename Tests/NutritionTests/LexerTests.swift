import Testing

@testable import Nutrition

/// The tokens of a text, before they are interpreted.
@Suite("Tokens of meals")
struct LexerTests {
    static let numbers: [(text: String, kinds: [Token.Kind])] = [
        ("100,000", [.number(100_000, assumesDecimals: false)]),
        ("1,000,000", [.number(1_000_000, assumesDecimals: false)]),
        // Neither a group of three digits nor decimals: a list.
        ("1234,567", [.number(1234, assumesDecimals: false), .comma, .number(567, assumesDecimals: false)]),
        ("1,2345", [.number(1, assumesDecimals: false), .comma, .number(2345, assumesDecimals: false)]),
        ("0,125", [.number(0, assumesDecimals: false), .comma, .number(125, assumesDecimals: false)]),
        ("1,5", [.number(1.5, assumesDecimals: true)]),
        ("1½", [.number(1.5, assumesDecimals: false)]),
        ("1/2", [.fraction(0.5)]),
        ("2/2", [.number(1, assumesDecimals: false)]),
        ("3/2", [.number(1.5, assumesDecimals: false)]),
        ("1/0", [.word("1/0")]),
        ("8:5 a", [.word("a")]),
        // A fraction is more than nothing and less than one.
        ("↉", []), ("¹", []), ("½", [.fraction(0.5)]),
    ]

    @Test("Digits are numbers, fractions or a time of day", arguments: numbers)
    func readsNumbers(_ row: (text: String, kinds: [Token.Kind])) {
        #expect(Lexer.tokens(of: row.text).map(\.kind) == row.kinds)
    }

    static let dashes: [(text: String, kinds: [Token.Kind])] = [
        ("a-b", [.word("a"), .word("b")]),
        ("a—b", [.word("a"), .dash(isSpaced: true), .word("b")]),
        ("a - b", [.word("a"), .dash(isSpaced: true), .word("b")]),
        ("a -b", [.word("a"), .dash(isSpaced: false), .word("b")]),
        ("a- b", [.word("a"), .dash(isSpaced: false), .word("b")]),
        ("a -", [.word("a"), .dash(isSpaced: true)]),
        ("- a", [.word("a")]),
    ]

    @Test("A dash separates, joins, or begins a line", arguments: dashes)
    func readsDashes(_ row: (text: String, kinds: [Token.Kind])) {
        #expect(Lexer.tokens(of: row.text).map(\.kind) == row.kinds)
    }

    static let words: [(text: String, kinds: [Token.Kind])] = [
        ("w/o", [.word("without")]), ("w/o;a", [.word("without"), .end, .word("a")]),
        ("w/oil", [.word("with"), .word("oil")]), ("w/a", [.word("with"), .word("a")]),
        ("x2", [.word("x"), .number(2, assumesDecimals: false)]),
    ]

    @Test("Short forms of with and without are words", arguments: words)
    func readsWords(_ row: (text: String, kinds: [Token.Kind])) {
        #expect(Lexer.tokens(of: row.text).map(\.kind) == row.kinds)
    }

    @Test(
        "An apostrophe of any kind is part of a word",
        arguments: ["'", "\u{2019}", "\u{2018}", "\u{2BC}", "`"])
    func apostrophes(_ sign: String) {
        #expect(Lexer.words(of: "goat\(sign)s cheese\(sign)") == ["goats", "cheese"])
    }

    @Test("The source ends with the last token")
    func source() {
        let text = TokenText(" a\t b ")
        #expect(text.source(0..<2) == "a b" && text.source(1..<9) == "b")
        #expect(text.source(2..<3) == "" && text.source(1..<1) == "")
    }
}
