import TestSupport
import Testing

@testable import Patterns

@Suite("Invalid expressions") struct PatternErrorTests {
    static let refused: [(String, Int, String)] = [
        ("*a", 0, #"There is nothing before '*' to repeat; write '\*' for the character itself."#),
        ("a|+", 2, #"There is nothing before '+' to repeat; write '\+' for the character itself."#),
        ("(?", 0, "'(?:…)' is the only supported group that begins with '(?'; leave out names and flags."),
        ("(?i)a", 0, "'(?:…)' is the only supported group that begins with '(?'; leave out names and flags."),
        ("a(?<name>b)", 1, "'(?:…)' is the only supported group that begins with '(?'; leave out names and flags."),
        ("(?P<name>b)", 0, "'(?:…)' is the only supported group that begins with '(?'; leave out names and flags."),
        ("a(?=b)", 1, "Lookaround ('(?=…)') is not supported."),
        ("a(?!b)", 1, "Lookaround ('(?!…)') is not supported."),
        ("(?<=b)", 0, "Lookaround ('(?<=…)') is not supported."),
        ("(?<!b)", 0, "Lookaround ('(?<!…)') is not supported."),
        (#"(a)\1"#, 3, #"Backreferences ('\1') are not supported."#),
        (#"\k<name>"#, 0, #"Backreferences ('\k') are not supported."#),
        (
            #"\p{L}"#, 0,
            #"'\p' is not supported; the supported letter escapes are '\d', '\w', '\s', '\D', '\W', '\S', '\b', '\B', '\n', '\r' and '\t'."#
        ),
        (
            #"[\0]"#, 1,
            #"'\0' is not supported; the supported letter escapes are '\d', '\w', '\s', '\D', '\W', '\S', '\b', '\B', '\n', '\r' and '\t'."#
        ),
        (#"ab\"#, 2, #"The expression ends in a backslash; write '\\' for the character itself."#),
        (#"[\"#, 1, #"The expression ends in a backslash; write '\\' for the character itself."#),
        ("^*", 1, "'*' cannot repeat a position in the text; only text can be repeated."),
        (#"a\b{2}"#, 3, "'{' cannot repeat a position in the text; only text can be repeated."),
        (
            "a**", 2,
            "'*' follows another repetition operator; to repeat the result, put the first repetition in a group, '(?:…)'."
        ),
        (
            "a{2}{3}", 4,
            "'{' follows another repetition operator; to repeat the result, put the first repetition in a group, '(?:…)'."
        ),
        (
            "a???", 3,
            "'?' follows another repetition operator; to repeat the result, put the first repetition in a group, '(?:…)'."
        ),
        ("a++", 2, "Possessive repetitions ('*+', '++', '?+', '}+') are not supported; leave out the '+'."),
        ("a{", 1, #"'{' begins a repetition: '{2}', '{2,}' or '{2,5}'; write '\{' for the character itself."#),
        ("a{,2}", 1, #"'{' begins a repetition: '{2}', '{2,}' or '{2,5}'; write '\{' for the character itself."#),
        ("a{2", 1, #"'{' begins a repetition: '{2}', '{2,}' or '{2,5}'; write '\{' for the character itself."#),
        ("a{2;3}", 1, #"'{' begins a repetition: '{2}', '{2,}' or '{2,5}'; write '\{' for the character itself."#),
        ("{2}", 0, #"'{' begins a repetition: '{2}', '{2,}' or '{2,5}'; write '\{' for the character itself."#),
        ("a{3,2}", 1, "'{3,2}' means at least 3 and at most 2; swap the numbers."),
        ("a{1001}", 1, "A repetition count must not exceed 1000."),
        ("a{2,99999999999999999999}", 1, "A repetition count must not exceed 1000."),
        ("x(a", 1, #"The group that begins here has no ')'; write '\(' for the character itself."#),
        ("((a)", 0, #"The group that begins here has no ')'; write '\(' for the character itself."#),
        ("a)b", 1, #"This ')' closes no group; write '\)' for the character itself."#),
        ("a|)", 2, #"This ')' closes no group; write '\)' for the character itself."#),
        ("x[a", 1, #"The class that begins here has no ']'; write '\[' for the character itself."#),
        ("[^", 0, #"The class that begins here has no ']'; write '\[' for the character itself."#),
        ("[a-", 0, #"The class that begins here has no ']'; write '\[' for the character itself."#),
        (#"[\d-z"#, 3, #"A range must go from one character to another; write '\-' for the character itself."#),
        (#"[\d-"#, 0, #"The class that begins here has no ']'; write '\[' for the character itself."#),
        ("[]", 0, #"The class is empty; write '\]' for the character itself in a class."#),
        ("a[^]b]", 1, #"The class is empty; write '\]' for the character itself in a class."#),
        ("[a[:alpha:]]", 2, #"A class within a class is not supported; write '\[' for the character itself."#),
        ("[z-a]", 2, "The range 'z-a' is reversed; swap its ends."),
        // The range is checked before the missing end of its class.
        ("[z-a", 2, "The range 'z-a' is reversed; swap its ends."),
        ("[\u{9B}-\u{1B}]", 2, "The range 'U+009B-U+001B' is reversed; swap its ends."),
        (#"[a-\d]"#, 2, #"A range must go from one character to another; write '\-' for the character itself."#),
        (#"[\w-z]"#, 3, #"A range must go from one character to another; write '\-' for the character itself."#),
        (#"[a\b]"#, 2, #"'\b' matches a position in the text and is not allowed in a class."#),
        (
            "a{500}b{500}", 0,
            "The expression compiles to more than 1000 steps; a counted repetition counts once per repetition."
        ),
        (
            "x(a{50}){20}", 8,
            "The expression compiles to more than 1000 steps; a counted repetition counts once per repetition."
        ),
        (
            "(((((a{999}){1000}){1000}){1000}){1000}){1000}", 12,
            "The expression compiles to more than 1000 steps; a counted repetition counts once per repetition."
        ),
        (String(repeating: "(", count: 51) + String(repeating: ")", count: 51), 50, "At most 50 groups may be nested."),
        (
            // Closed groups do not count.
            "()()" + String(repeating: "(", count: 51) + String(repeating: ")", count: 51), 54,
            "At most 50 groups may be nested."
        ),
        (String(repeating: "é", count: 1001), 1000, "The expression has 1001 characters; at most 1000 are allowed."),
    ]

    @Test("An error message says where and why an expression is invalid", arguments: refused)
    func told(source: String, position: Int, message: String) {
        #expect {
            try Pattern(source)
        } throws: { error in
            guard let error = error as? PatternError else { return false }
            if error.position != position || error.message != message { Issue.record("\(source): \(error)") }
            return true
        }
    }

    /// Expressions at a limit.
    static let largest = [
        String(repeating: "é", count: 999), "a{500}b{499}", "(a{50}){19}", "a{0,499}", "(a{2,}){333}",
        String(repeating: "(", count: 50) + "a" + String(repeating: ")", count: 50),
        String(repeating: "a|", count: 332) + "a",
    ]

    @Test("Expressions of the maximum sizes are valid", arguments: largest)
    func limits(source: String) throws {
        let pattern = try Pattern(source)
        #expect(pattern.program.instructions.count <= Pattern.maximumInstructionCount)
        _ = pattern.isFound(in: SearchedText("aaa"))
    }

    @Test("Parsing a random expression never crashes", arguments: [UInt64(3)])
    func anything(seed: UInt64) throws {
        var numbers = Draw(seed: seed)
        let signs: [String] = [
            "a", "b", "(", ")", "(?:", "[", "]", "^", "$", "|", "*", "+", "?", "{", "}", ",", "2", "-", "\\", "d", ".",
        ]
        var acceptedCount = 0
        for _ in 0..<50_000 {
            let source = numbers.text(of: signs, upTo: 12)
            guard let pattern = try? Pattern(source) else { continue }
            acceptedCount += 1
            _ = pattern.isFound(in: SearchedText("ab2-\\"))
        }
        #expect(acceptedCount > 5000)
    }
}
