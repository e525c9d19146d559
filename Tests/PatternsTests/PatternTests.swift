import TestSupport
import Testing

@testable import Patterns

@Suite("Expressions") struct PatternTests {
    /// An expression, strings that contain a match, and strings that do not.
    static let accepted: [(String, [String], [String])] = [
        ("", ["", "a"], []),
        ("protein", ["protein", "How much PROTEIN?"], ["", "protei n"]),
        ("a.c", ["abc", "a-c", "xa😀cx"], ["ac", "a\nc", "a\rc", "a\u{2028}c"]),
        ("^a", ["abc", "A"], ["ba", "\na", ""]),
        ("a$", ["bca", "a"], ["ab", "a\n", ""]),
        ("^$", [""], ["a", "\n"]),
        ("^(?:a|b$)", ["ax", "b"], ["bx"]),
        ("[a-cx]", ["b", "X", "..c"], ["d", "-", ""]),
        ("[^a-c]", ["d", "ad", "\n"], ["abc", "ABC", ""]),
        ("[-a]", ["-", "a"], ["b"]),
        ("[a-]", ["-", "a"], ["b"]),
        ("[\\d-]", ["-", "7"], ["d"]),
        ("[+--]", ["+", ",", "-"], ["."]),
        ("[\\]\\\\^]", ["]", "\\", "^"], ["["]),
        ("[.*+?(){}|$]", [".", "*", "(", "}", "$"], ["a"]),
        ("]}", ["]}"], ["]"]),
        ("[\\D]", ["a", "7a"], ["7", "٣"]),
        ("[^\\D]", ["7", "٣"], ["a"]),
        ("[\\s,]", [",", "\u{A0}"], ["a"]),
        ("\\d", ["7", "٣"], ["a", "²", "½"]),
        ("\\D", ["a", "²"], ["7", "٣"]),
        ("\\w", ["a", "_", "7", "é", "日", "\u{301}"], ["-", " ", "😀", "²"]),
        ("\\W", ["-", "😀"], ["a_7é"]),
        ("\\s", [" ", "\n", "\u{A0}", "\u{85}", "\u{2003}"], ["a", "\u{200B}"]),
        ("\\S", ["a"], [" \n\t"]),
        ("\\bcat\\b", ["cat", "a cat.", "(cat)"], ["cats", "concat", "cat_"]),
        ("\\Bcat", ["concat"], ["cat", "a cat"]),
        ("\\b", ["a"], ["", "-"]),
        ("\\n\\r\\t", ["\n\r\t"], ["nrt"]),
        ("\\.\\*\\/\\-\\é", [".*/-é"], ["ab"]),
        ("a|", ["", "b"], []),
        ("cat|dog|", ["x"], []),
        ("^(cat|dog)s?$", ["cat", "dogs", "CATS"], ["catdog", "cow", "dogss"]),
        ("^a*$", ["", "aaa"], ["b", "aab"]),
        ("^a+$", ["a", "aaa"], ["", "ab"]),
        ("^a?$", ["", "a"], ["aa"]),
        ("^a{3}$", ["aaa"], ["aa", "aaaa"]),
        ("^a{2,}$", ["aa", "aaaaa"], ["a"]),
        ("^a{2,4}$", ["aa", "aaa", "aaaa"], ["a", "aaaaa"]),
        ("^a{0}b$", ["b"], ["ab"]),
        ("^a{0,1}b$", ["b", "ab"], ["aab"]),
        ("^a{0,}b$", ["b", "aab"], ["ac"]),
        ("^(?:ab){2}$", ["abab"], ["ab", "abb"]),
        ("^a*?b+?c??d{1,2}?$", ["bd", "aabbcdd"], ["d", "bddd"]),
        ("^(a*)*$", ["", "aaa"], ["b"]),
        ("^(a*)+b$", ["b", "aab"], ["a"]),
        ("^(a|b*){2,3}$", ["", "ab", "ba", "bba"], ["c"]),
        ("^((|a)+){2}$", ["", "a", "aaaa"], ["b"]),
        ("^(?:()|(?:)){400}$", [""], ["a"]),
        ("(((((((((){1000}){1000}){1000}){1000}){1000}){1000}){1000}){1000}){1000}", ["", "x"], []),
        ("straße", ["STRAßE", "straẞe"], ["strasse"]),
        ("ΣΟΦΟΣ", ["σοφος", "σοφοσ", "σοφο\u{3C2}"], ["σοφ"]),
        ("[k]elvin", ["\u{212A}elvin"], ["elvin"]),
        ("\u{212A}", ["k", "K"], ["x"]),
        ("é", ["É", "caf\u{E9}"], ["e", "e\u{301}"]),
        ("[а-я]", ["Ж", "ж"], ["z"]),
        // The neighbours of each ASCII range.
        ("\\d", ["0", "9"], ["/", ":"]),
        ("\\w", ["0", "9", "A", "Z", "a", "z"], ["/", ":", "@", "[", "^", "`", "{"]),
        ("\\s", ["\t", "\u{B}", "\u{C}", "\r"], ["\u{8}", "\u{E}", "\u{1F}", "!"]),
        ("[@\\[]", ["@", "["], ["`", "{"]),
        ("^()*x()?(){0,2}$", ["x"], ["", "xx"]),
        ("[A-C]", ["b"], ["d"]),
        ("[b-b]", ["b"], ["a", "c"]),
        ("[az]", ["A", "Z"], ["!", ":"]),
    ]

    @Test("An expression matches exactly the expected strings", arguments: accepted)
    func found(source: String, texts: [String], others: [String]) throws {
        let pattern = try Pattern(source)
        for text in texts { #expect(pattern.isFound(in: SearchedText(text)), "\(source) in \(text.debugDescription)") }
        for text in others {
            #expect(!pattern.isFound(in: SearchedText(text)), "\(source) in \(text.debugDescription)")
        }
    }

    @Test(
        "An expression can be case-sensitive",
        arguments: [("a", "A"), ("[a-z]", "A"), ("É", "é"), ("[^a]", "a"), ("k", "\u{212A}")])
    func cases(source: String, text: String) throws {
        #expect(!(try Pattern(source, ignoresCase: false).isFound(in: SearchedText(text))))
        #expect(try Pattern(source, ignoresCase: false) != Pattern(source))
        #expect(try Pattern(source) == Pattern(source, ignoresCase: true))
        // A class contains both cases of a letter, or neither.
        #expect(try Pattern(source).isFound(in: SearchedText(text)) == (source != "[^a]"))
    }

    @Test(
        "Repeating an empty expression compiles to no instructions",
        arguments: ["", "()", "()*", "()+", "()?", "(){2,}", "(){0,2}"])
    func nothing(source: String) throws {
        // The only step is the match.
        #expect(try Pattern(source).instructionCount == 1)
    }

    @Test("A pattern keeps its source")
    func source() throws {
        let pattern = try Pattern("a{2}|\\d", ignoresCase: false)
        #expect(pattern.source == "a{2}|\\d")
        #expect(!pattern.ignoresCase)
    }
}

@Suite("Case-insensitive words") struct CaselessTests {
    @Test(
        "A word search ignores case",
        arguments: [
            ("", ""), ("", "a"), ("protein", "How much PROTEIN?"), ("é", "CAFÉ"), ("aab", "aaab"), ("abab", "abaabab"),
            ("aaab", "aaaaaaab"), ("σ", "Σ"), ("a b", "x A B"), ("a.c", "A.C"),
        ])
    func isFound(words: String, text: String) {
        #expect(SoughtWords(words).isFound(in: text))
    }

    @Test(
        "A word search does not find other words",
        arguments: [("a", ""), ("aab", "abab"), ("a.c", "abc"), ("a b", "a  b"), ("protein", "protei")])
    func isMissing(words: String, text: String) {
        #expect(!SoughtWords(words).isFound(in: text))
    }

    @Test("A word search finds the same matches as a naive search", arguments: [UInt64(7)])
    func random(seed: UInt64) {
        var numbers = Draw(seed: seed)
        for _ in 0..<5000 {
            let text = numbers.text(of: ["a", "b", "A"], upTo: 14)
            let words = numbers.text(of: ["a", "B", "b"], upTo: 5)
            let (folded, sought) = (Array(text.lowercased()), Array(words.lowercased()))
            let expected = (0...folded.count).contains { folded[$0...].starts(with: sought) }
            #expect(SoughtWords(words).isFound(in: text) == expected, "\(words) in \(text)")
        }
    }
}
