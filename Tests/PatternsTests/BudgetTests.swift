import TestSupport
import Testing

@testable import Patterns

/// Counts the cost of a search instead of measuring time.
@Suite("Search budget")
struct BudgetTests {
    /// 960 ideographs, no two of which are adjacent, so that each is a separate range.
    static let ideographs = String(String.UnicodeScalarView((0..<960).compactMap { Unicode.Scalar(0x4E00 + 2 * $0) }))

    /// The distinct classes bound the number of lookups.
    static func expect(_ pattern: Pattern, keepsBudgetIn text: String, named name: String) {
        let count = min(text.unicodeScalars.count, SearchedText.maximumLength)
        let search = pattern.search(SearchedText(text))
        #expect(search.stepCount <= (count + 1) * pattern.instructionCount, "\(name)")
        #expect(search.lookupCount <= count * pattern.program.classes.count, "\(name)")
        #expect(search.lookupCount <= search.stepCount, "\(name)")
        let lookupSteps = pattern.program.classes.map(\.lookupSteps).reduce(0, +)
        #expect(pattern.stepsPerScalar == pattern.instructionCount + lookupSteps, "\(name)")
    }

    @Test("A search looks up a large repeated class once per scalar")
    func largeClass() throws {
        let pattern = try Pattern("[\(Self.ideographs)z]{0,490}\\d")
        #expect(pattern.program.classes.map(\.ranges.count) == [961, 0])
        let search = pattern.search(SearchedText(String(repeating: "z", count: 5000)))
        print("\(pattern.source.unicodeScalars.count) characters against 5,000: \(search)")
        #expect(!search.isFound && search.lookupCount == 10_000)
        #expect(search.stepCount <= 5001 * pattern.instructionCount)
    }

    /// Checks that a lookup makes at most this many comparisons.
    @Test(
        "The steps of a class count each distinct range once",
        arguments: [("x", 2), ("\\d", 4), ("[a-z]", 5), ("[ac][ca]", 7), ("[aceg]", 7)])
    func classes(source: String, steps: Int) throws {
        #expect(try Pattern(source).stepsPerScalar == steps)
        #expect(try Pattern("[\(Self.ideographs)]").stepsPerScalar == 14)
    }

    @Test("The compiler rejects a pattern that exceeds the budget")
    func refused() {
        #expect(throws: PatternError.self) { try Pattern("[\(Self.ideographs)z]{0,990}\\d") }
    }

    @Test("A class merges ranges that touch or overlap")
    func ranges() throws {
        let rows: [(String, [ClosedRange<UInt32>])] = [
            ("[abc]", [0x61...0x63]), ("[cab]", [0x61...0x63]), ("[a-fc-h]", [0x61...0x68]),
            ("[a-zc]", [0x61...0x7A]), ("[zxa]", [0x61...0x61, 0x78...0x78, 0x7A...0x7A]),
        ]
        for (source, ranges) in rows { #expect(try Pattern(source).program.classes.map(\.ranges) == [ranges]) }
        #expect(try Pattern("[ab][ba][\\d\\w][\\w\\d]").program.classes.count == 2)
    }

    @Test("A class finds a scalar by binary search in any of its ranges")
    func members() throws {
        let pattern = try Pattern("^[\(Self.ideographs)]$")
        for (number, scalar) in Self.ideographs.unicodeScalars.enumerated() {
            #expect(pattern.isFound(in: SearchedText(String(scalar))), "\(number)")
            let next = try #require(Unicode.Scalar(scalar.value + 1))
            #expect(!pattern.isFound(in: SearchedText(String(next))), "after \(number)")
        }
    }

    @Test("A search's length limit counts scalars, not characters")
    func scalars() throws {
        let limit = SearchedText.maximumLength
        // A single character with that many scalars.
        let text = "e" + String(repeating: "\u{301}", count: limit - 2)
        #expect(text.count == 1)
        for words in ["x", "/"] {
            let pattern = try Pattern(words)
            let (at, over) = (SearchedText(text + words), SearchedText(text + "\u{301}" + words))
            #expect(pattern.isFound(in: at) && !pattern.isFound(in: over))
            #expect(SoughtWords(words).isFound(in: at) && !SoughtWords(words).isFound(in: over))
        }
    }

    @Test("A word search makes at most two comparisons per scalar", arguments: ["aaab", "a", "abab", "aabaaab", "zz"])
    func words(words: String) {
        for text in ["a", "aab", "ab", "aaba"] {
            let scalars = String(repeating: text, count: 1000).unicodeScalars
            let count = SoughtWords(words).find(in: scalars).comparisonCount
            #expect(count <= 2 * scalars.count)
        }
    }

    @Test("Searching random strings for random expressions never exceeds the budget", arguments: [UInt64(7), 38])
    func made(seed: UInt64) throws {
        var numbers = Draw(seed: seed)
        var (tried, steps, scalars) = (0, 0, 0)
        for _ in 0..<400 {
            var source = numbers.expression(depth: 3)
            if numbers.below(3) == 0 { source = "(?:\(source)){0,\(2 + numbers.below(20))}\\d" }
            guard let pattern = try? Pattern(source, ignoresCase: numbers.below(2) == 0) else { continue }
            for _ in 0..<3 {
                let text = numbers.text(of: ["a", "b", "c", "A", " ", "-", "é", "É", "1", "\u{301}"], upTo: 200)
                Self.expect(pattern, keepsBudgetIn: text, named: source)
                (tried, steps) = (tried + 1, steps + pattern.search(SearchedText(text)).stepCount)
                scalars += text.unicodeScalars.count
            }
        }
        print("\(tried) searches of made-up expressions: \(steps) steps for \(scalars) scalars")
        #expect(tried > 1000)
    }
}
