import Testing

@testable import Nutrition

/// The tokens in some text, before they are interpreted.
@Suite("Meal tokens")
struct LexerTests {
    static let numbers: [(text: String, kinds: [Token.Kind])] = [
        ("100,000", [.number(100_000, assumesDecimals: false)]),
        ("1,000,000", [.number(1_000_000, assumesDecimals: false)]),
        // The comma separates neither thousands nor decimals, so this is a list.
        ("1234,567", [.number(1234, assumesDecimals: false), .comma, .number(567, assumesDecimals: false)]),
        ("1,2345", [.number(1, assumesDecimals: false), .comma, .number(2345, assumesDecimals: false)]),
        ("0,125", [.number(0, assumesDecimals: false), .comma, .number(125, assumesDecimals: false)]),
        ("1,5", [.number(1.5, assumesDecimals: true)]), ("1½", [.number(1.5, assumesDecimals: false)]),
        ("1/2", [.fraction(0.5)]), ("2/2", [.number(1, assumesDecimals: false)]),
        ("3/2", [.number(1.5, assumesDecimals: false)]), ("1/0", [.word("1/0")]), ("8:5 a", [.word("a")]),
        // A fraction must be between zero and one.
        ("↉", []), ("¹", []), ("½", [.fraction(0.5)]),
    ]

    @Test("The lexer reads digits as numbers, fractions or a time of day", arguments: numbers)
    func readsNumbers(_ row: (text: String, kinds: [Token.Kind])) {
        #expect(Lexer.tokens(of: row.text).map(\.kind) == row.kinds)
    }

    static let dashes: [(text: String, kinds: [Token.Kind])] = [
        ("a-b", [.word("a"), .word("b")]), ("a—b", [.word("a"), .dash(isSpaced: true), .word("b")]),
        ("a - b", [.word("a"), .dash(isSpaced: true), .word("b")]),
        ("a -b", [.word("a"), .dash(isSpaced: false), .word("b")]),
        ("a- b", [.word("a"), .dash(isSpaced: false), .word("b")]), ("a -", [.word("a"), .dash(isSpaced: true)]),
        ("- a", [.word("a")]),
    ]

    @Test("The lexer reads a dash as a separator, a joint or the start of a line", arguments: dashes)
    func readsDashes(_ row: (text: String, kinds: [Token.Kind])) {
        #expect(Lexer.tokens(of: row.text).map(\.kind) == row.kinds)
    }

    static let words: [(text: String, kinds: [Token.Kind])] = [
        ("w/o", [.word("without")]), ("w/o;a", [.word("without"), .end, .word("a")]),
        ("w/oil", [.word("with"), .word("oil")]), ("w/a", [.word("with"), .word("a")]),
        ("x2", [.word("x"), .number(2, assumesDecimals: false)]),
    ]

    @Test("The lexer reads short forms of 'with' and 'without' as words", arguments: words)
    func readsWords(_ row: (text: String, kinds: [Token.Kind])) {
        #expect(Lexer.tokens(of: row.text).map(\.kind) == row.kinds)
    }

    @Test(
        "The lexer reads any kind of apostrophe as part of a word",
        arguments: ["'", "\u{2019}", "\u{2018}", "\u{2BC}", "`"])
    func apostrophes(_ sign: String) { #expect(Lexer.words(of: "goat\(sign)s cheese\(sign)") == ["goats", "cheese"]) }

    @Test("A token range's source text ends with its last token")
    func source() {
        let text = TokenText(" a\t b ")
        #expect(text.source(0..<2) == "a b" && text.source(1..<9) == "b")
        #expect(text.source(2..<3) == "" && text.source(1..<1) == "")
    }
}
