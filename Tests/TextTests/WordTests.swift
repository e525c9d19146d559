import Testing

@testable import Text

@Suite("Nearest words") struct NearestWordTests {
    static let personas = [
        "nutritionist", "fitness_coach", "wellness_specialist", "general_wellness",
    ]

    static let table: [(String, String?)] = [
        ("nutritionist", "nutritionist"), ("nutritonist", "nutritionist"), ("Nutritionist", "nutritionist"),
        ("NUTRITIONIST", "nutritionist"), ("fitnessCoach", "fitness_coach"), ("fitness-coach", "fitness_coach"),
        ("wellness", nil), ("wellness_coach", "fitness_coach"), ("general", nil),
        ("generalWellness", "general_wellness"), ("", nil), ("x", nil), ("doctor", nil), ("😀😀😀", nil),
        (String(repeating: "n", count: 101), nil), (String(repeating: "n", count: 1_000_000), nil),
    ]

    @Test("The nearest word differs in at most half of the text", arguments: table)
    func nearest(text: String, expected: String?) {
        #expect(NearestWord.find(text, among: Self.personas) == expected)
    }

    @Test("The search prefers the first of equally near candidates")
    func ties() {
        #expect(NearestWord.find("abcx", among: ["abcd", "abce"]) == "abcd")
        #expect(NearestWord.find("abcx", among: ["abce", "abcd"]) == "abce")
        #expect(NearestWord.find("abcx", among: []) == nil)
    }

    @Test("The search finds words of up to 100 bytes that differ in at most half of their characters")
    func limits() {
        let (text, shorter) = (String(repeating: "n", count: 100), String(repeating: "n", count: 99))
        #expect(NearestWord.find(text, among: [shorter]) == shorter)
        #expect(NearestWord.find("ab", among: ["abc"]) == "abc")
        #expect(NearestWord.find("ab", among: ["abcd"]) == nil)
    }

    static let distances: [(String, String, Int)] = [
        ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0), ("kitten", "sitting", 3), ("flaw", "lawn", 2),
        ("saturday", "sunday", 3), ("ab", "ba", 2), ("aaaa", "a", 3), ("gumbo", "gambol", 2), ("abc", "xabc", 1),
    ]

    @Test("The edit distance equals Levenshtein's in both directions", arguments: distances)
    func distance(left: String, right: String, expected: Int) {
        #expect(NearestWord.editDistance(Array(left.utf8), Array(right.utf8)) == expected)
        #expect(NearestWord.editDistance(Array(right.utf8), Array(left.utf8)) == expected)
    }

    @Test("A hint quotes the nearest word or is empty if there is none")
    func hints() {
        #expect(NearestWord.hint("nutritonist", among: Self.personas) == " Did you mean 'nutritionist'?")
        #expect(NearestWord.hint("nutritonist", among: Self.personas, quote: "\"") == " Did you mean \"nutritionist\"?")
        #expect(NearestWord.hint("doctor", among: Self.personas) == "")
        #expect(NearestWord.hint(nil) == "")
    }
}

@Suite("Words and texts for people") struct WordTests {
    @Test("A count of one takes the singular noun, and any other count takes the plural")
    func counted() {
        #expect(Words.counted(1, "frame") == "1 frame" && Words.counted(0, "frame") == "0 frames")
        #expect(
            Words.counted(2, "entry", "entries") == "2 entries" && Words.counted(1, "entry", "entries") == "1 entry")
    }

    @Test("A list joins words with commas and a final conjunction")
    func list() {
        #expect(Words.list([]) == "" && Words.list(["a"]) == "a" && Words.list(["a", "b"]) == "a and b")
        #expect(Words.list(["a", "b", "c"], last: "or") == "a, b or c")
    }

    @Test(
        "Cutting text at a byte count does not split a character",
        arguments: [
            ("abc", 3, "abc"), ("abcd", 3, "abc…"), ("aé", 2, "a…"), ("aé", 3, "aé"), ("😀", 3, "…"), ("", 0, ""),
        ])
    func cut(_ text: String, _ limit: Int, _ expected: String) { #expect(text.cut(toBytes: limit) == expected) }

    @Test(
        "The printer escapes terminal control characters",
        arguments: [
            ("a\u{1B}[31mb", "a\\x1B[31mb"), ("a\nb\r\t", "a\\nb\\r\\t"), ("a\u{202E}b", "a\\u{202E}b"), ("é😀", "é😀"),
            ("\u{7F}\u{9B}", "\\x7F\\x9B"),
        ])
    func escaped(_ text: String, _ expected: String) { #expect(TerminalText.escaped(text) == expected) }

    @Test("A quotation keeps letters and apostrophes, and ends after 120 characters")
    func quoted() {
        #expect(TerminalText.quoted("é's\n") == #""é's\n""#)
        let texts = [120, 121].map { TerminalText.quoted(String(repeating: "é", count: $0)) }
        #expect(texts.map(\.count) == [122, 123] && texts[1].hasSuffix("é…\""))
    }

    @Test(
        "The printer escapes control characters in multi-line text, however it is split",
        arguments: [
            ("a\nb\tc", "a\nb\tc"), ("a\r\nb\rc", "a\\r\nb\\rc"), ("\u{1B}]0;x\u{7}", "\\x1B]0;x\\x07"),
            ("\u{9B}2J\u{85}", "\\x9B2J\\x85"), ("a\u{202E}b\u{2066}\u{200F}", "a\\u{202E}b\\u{2066}\\u{200F}"),
            ("👩\u{200D}🍳 می\u{200C}خورم", "👩\u{200D}🍳 می\u{200C}خورم"),
            ("e\u{301}\u{1B}\u{301}", "e\u{301}\\x1B\u{301}"),
        ])
    func printed(_ text: String, _ expected: String) {
        #expect(TerminalText.printed(text) == expected)
        let pieces = text.unicodeScalars.map { TerminalText.printed(String($0)) }
        #expect(pieces.joined().unicodeScalars.elementsEqual(expected.unicodeScalars))
    }

    @Test("The printer escapes control characters in JSON as JSON does")
    func printedJSON() {
        #expect(
            TerminalText.printed(json: "{\"a\u{9B}\": \"\u{202E}\u{E0041}é\"}\n")
                == "{\"a\\u009b\": \"\\u202e\\udb40\\udc41é\"}\n")
    }

    @Test(
        "An excerpt takes at most the given columns",
        arguments: [("abcd", 4, "abcd"), ("abcde", 4, "abc…"), ("漢字漢字", 4, "漢…"), ("a\nb", 3, "a\\…"), ("a", 1, "a")])
    func excerpt(_ text: String, _ width: Int, _ expected: String) {
        #expect(TerminalText.excerpt(text.utf8, width: width) == expected)
    }

    @Test(
        "One-line text is shortened and has no control characters",
        arguments: [
            ("a\r\nb\tc", "a b c"), ("\u{1B}[31m\u{9B}\u{7F}", "\u{FFFD}[31m\u{FFFD}\u{FFFD}"),
            ("\u{202E}x", "\u{FFFD}x"), ("\u{61C}\u{200B}\u{E0041}x", "\u{FFFD}\u{FFFD}\u{FFFD}x"),
            ("a\u{200D}b", "a\u{200D}b"),
            ("123456789", "123456789"), ("1234567890", "1234567890"), ("12345678901", "1234567890…"),
        ])
    func oneLine(text: String, line: String) {
        #expect(text.onOneLine(limit: 10) == line)
    }
}
