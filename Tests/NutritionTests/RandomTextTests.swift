import TestSupport
import Testing

@testable import Nutrition

/// Checks the invariants for readings of random text.
@Suite("Random texts")
struct RandomTextTests {
    private static let pieces: [String] =
        FoodTable.entries.keys.sorted() + UnitWords.units.keys.sorted() + NumberWords.cardinals.keys.sorted()
        + NumberWords.parts.keys.sorted() + NumberWords.collectives.keys.sorted() + Words.separators.sorted()
        + Words.negations.sorted() + Words.fillers.sorted() + Words.uncounted.sorted() + Words.sizes.keys.sorted() + [
            "2", "120g", "1/2", "½", "1½", "1,5", "1,000", "2-3", "x2", "3 x", "×", "(", ")", ",", ";", ".", "\n", "&",
            "+", "/", "-", "–", "—", "a", "an", "of", "each", "0", "1/0", "99999999999999999999", "2%", "1e9", ".5",
            "\u{0}", "\u{7}", "\u{301}", "\u{200D}", "\u{FE0F}", "🍳", "👨‍👩‍👧", "яйца", "卵", "٣", "½½", "'", "w/", "w/o",
            "zork", "#", "\u{FFFD}", "\r\n", "\t", "\u{2028}", "İ", "ß", "ﬁ",
        ]

    /// The invariants of any reading.
    private func check(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let meal = MealParser.parse(text)
        let excerpt = String(text.prefix(200))
        #expect(meal == MealParser.parse(text), "\(excerpt)", sourceLocation: sourceLocation)
        for item in meal.items {
            let facts = [
                item.nutrients.calories, item.nutrients.proteinTenths, item.nutrients.carbsTenths,
                item.nutrients.fatTenths, item.nutrients.fiberTenths, item.nutrients.sugarTenths,
            ]
            #expect(facts.allSatisfy { (0...101_000).contains($0) }, "\(excerpt)", sourceLocation: sourceLocation)
            #expect(item.quantity.isFinite && item.quantity > 0, "\(excerpt)", sourceLocation: sourceLocation)
            #expect((0.3...0.95).contains(item.confidence), "\(excerpt)", sourceLocation: sourceLocation)
            #expect(MealUnit(rawValue: item.unit) != nil, "\(excerpt)", sourceLocation: sourceLocation)
            #expect(!item.name.isEmpty && item.name.count < 150, "\(excerpt)", sourceLocation: sourceLocation)
            #expect(
                !item.amountText.isEmpty && item.amountText.unicodeScalars.count <= 100, "\(excerpt)",
                sourceLocation: sourceLocation)
            #expect((item.notes ?? "").unicodeScalars.count < 600, "\(excerpt)", sourceLocation: sourceLocation)
        }
        #expect(meal.items.count <= MealParser.maximumItems, "\(excerpt)", sourceLocation: sourceLocation)
        #expect(meal.unknown.count <= MealParser.maximumUnknownWords, "\(excerpt)", sourceLocation: sourceLocation)
        #expect(
            meal.unknown.allSatisfy { !$0.isEmpty && $0.unicodeScalars.count <= 41 }, "\(excerpt)",
            sourceLocation: sourceLocation)
    }

    @Test("The parser accepts meal words in random order", arguments: 0..<40)
    func words(seed: Int) {
        var numbers = Draw(seed: UInt64(seed))
        for _ in 0..<50 {
            let count = Int.random(in: 1...25, using: &numbers)
            let glue = [" ", " ", " ", "", ", ", "-"][Int.random(in: 0..<6, using: &numbers)]
            let words = (0..<count).map { _ in Self.pieces[Int.random(in: 0..<Self.pieces.count, using: &numbers)] }
            check(words.joined(separator: glue))
        }
    }

    @Test("The parser accepts random characters", arguments: 0..<20)
    func characters(seed: Int) {
        var numbers = Draw(seed: UInt64(seed) &+ 1000)
        for _ in 0..<50 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...120, using: &numbers) {
                let limit: UInt32 = [0x80, 0x250, 0x3000, 0x11_0000][Int.random(in: 0..<4, using: &numbers)]
                if let scalar = Unicode.Scalar(UInt32.random(in: 0..<limit, using: &numbers)) { text.append(scalar) }
            }
            check(String(text))
        }
    }

    @Test(
        "The parser accepts 16 KiB of a single character",
        arguments: [
            "a", "1", "9", " ", ".", ",", "-", "/", "½", "é", "\u{301}", "🍳", "\n", "(", "x", "'", "%", "\u{0}", "1,",
            "1/", "2 ", "a ", "egg ", "eggs", "of ", "half ", "no ", "x2 ", "2x", "1-", "oz ", "fl ", "and ",
            "1\u{301}",
        ])
    func monotonous(_ part: String) {
        check(String(repeating: part, count: 16_384 / part.utf8.count))
        check("2 eggs " + String(repeating: part, count: 16_384 / part.utf8.count) + " eggs")
    }
}
