import TestSupport
import Testing

@testable import Patterns

@Suite("Searches") struct SearchTests {
    @Test("A search finds the same matches as Swift's Regex", arguments: [UInt64(11), 2025])
    func likeSwift(seed: UInt64) throws {
        var numbers = Draw(seed: seed)
        var foundCount = 0
        for _ in 0..<600 {
            let source = numbers.expression(depth: 1)
            let ignoresCase = numbers.below(2) == 0
            let pattern = try Pattern(source, ignoresCase: ignoresCase)
            let reference = try Regex(source).matchingSemantics(.unicodeScalar).wordBoundaryKind(.simple)
                .ignoresCase(ignoresCase)
            for _ in 0..<4 {
                // Swift's simple word boundaries, unlike its `\w`, do not count digits as part of a word.
                let digits = source.contains("\\b") ? [] : ["1"]
                let text = numbers.text(of: ["a", "b", "c", "A", " ", "-", "é", "É"] + digits, upTo: 6)
                let expected = try reference.firstMatch(in: text) != nil
                if expected { foundCount += 1 }
                #expect(
                    pattern.isFound(in: SearchedText(text)) == expected,
                    "\(source), \(ignoresCase ? "any case" : "this case"), in \(text.debugDescription)")
            }
        }
        // Some expressions must match and some must not; they are small, because Swift's engine takes exponential time.
        #expect((600..<2200).contains(foundCount), "\(foundCount)")
    }

    /// Expressions that make a backtracking matcher hang.
    static let catastrophes = [
        "(a+)+$", "^(a+)+$", "(a*)*b", "(a|aa)+$", "(a|a)*b", "(.*)*x", "(a?){20}a{20}b", "^(([a-z])+.)+[A-Z]([a-z])+$",
        "((((((((a?)?)?)?)?)?)?)?)?b",
    ]

    @Test("A search's steps are proportional to the text's length", arguments: catastrophes)
    func linear(source: String) throws {
        let pattern = try Pattern(source)
        let size = pattern.program.instructions.count
        func stepCount(_ length: Int) -> Int {
            let search = pattern.search(SearchedText(String(repeating: "a", count: length) + "!"))
            #expect(!search.isFound)
            return search.stepCount
        }
        let (short, long) = (stepCount(450), stepCount(4500))
        #expect(long <= 4502 * size, "\(long) steps with \(size) instructions")
        #expect(long <= 10 * short + 10 * size * size && long >= 9 * short, "\(short) steps, then \(long)")
    }

    @Test("A search stops at the first match")
    func stops() throws {
        let search = try Pattern("ab").search(SearchedText("xxab" + String(repeating: "y", count: 4000)))
        #expect(search.isFound)
        #expect(search.stepCount < 20)
    }

    @Test("Each search of a pattern is independent of earlier searches")
    func anew() throws {
        let pattern = try Pattern("a$")
        for text in ["ba", "ab", "a", "", "bba"] {
            #expect(pattern.isFound(in: SearchedText(text)) == text.hasSuffix("a"))
        }
    }
}
