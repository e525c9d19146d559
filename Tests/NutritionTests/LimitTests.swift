import Testing

@testable import Nutrition

@Suite("Limits on meals")
struct LimitTests {
    @Test("The parser reads fifty foods and truncates the meal at the fifty-first")
    func items() {
        let fifty = Array(repeating: "1 egg", count: MealParser.maximumItems)
        let full = MealParser.parse(fifty.joined(separator: ", "))
        #expect(full.items.count == 50 && !full.isTruncated && full.totals.calories == 50 * 70)
        let more = MealParser.parse((fifty + ["toast"]).joined(separator: ", "))
        #expect(more.items.count == 50 && more.isTruncated)
        #expect(more.items.allSatisfy { $0.foodKey == "egg" })
        #expect(!MealParser.parse((fifty + ["no toast"]).joined(separator: ", ")).isTruncated)
    }

    @Test("Text without words yields no items", arguments: ["", " ", "\n\t"])
    func nothing(_ text: String) { #expect(MealParser.parse(text) == ParsedMeal()) }

    @Test("The parser keeps at most fifty unknown words")
    func unknown() {
        let words = (0..<51).map { "zork\($0)" }
        #expect(MealParser.parse(words.prefix(50).joined(separator: " ")).unknown == Array(words.prefix(50)))
        #expect(MealParser.parse(words.joined(separator: " ")).unknown == Array(words.prefix(50)))
    }

    @Test("The parser truncates a long word after forty characters")
    func longWord() {
        let forty = String(repeating: "q", count: 40)
        #expect(MealParser.parse(forty).unknown == [forty] && MealParser.parse(forty + "q").unknown == [forty + "…"])
    }

    @Test(
        "Every item weighs between 0 and 10 kg",
        arguments: [
            "10kg rice", "10.001kg rice", "-20kg rice", "1000000000000 slices pizza", "9000000000 eggs",
            String(repeating: "9", count: 5000) + " eggs", "thousand thousand kg rice",
            "99999999 x 99999999 kg rice", "rice 9999 kg x9999 x9999 x9999",
        ])
    func weights(_ text: String) throws {
        let meal = MealParser.parse(text)
        let item = try #require(meal.items.first)
        #expect(item.nutrients.calories <= 90_200 && item.quantity > 0 && item.quantity.isFinite)
        #expect(meal.totals.calories > 0)
    }

    @Test("An item that weighs more than 10 kg gets a note")
    func edge() {
        let at = MealParser.parse("10 kg rice").items
        #expect(at.map(\.confidence) == [0.95])
        let over = MealParser.parse("10001 g rice").items
        #expect(over.map(\.confidence) == [0.3] && over.map(\.quantity) == [10_000])
        #expect(over.map(\.nutrients) == at.map(\.nutrients))
    }

    @Test("A product's amount shows its factors if they fit into an excerpt")
    func product() {
        let factor = String(repeating: "0", count: 38) + "1"
        #expect(MealParser.parse("eggs x2 x\(factor)").items.map(\.amountText) == ["\(factor) × 2"])
        #expect(MealParser.parse("eggs x2 x0\(factor)").items.map(\.amountText) == ["2"])
    }

    @Test("The parser looks up a single word once")
    func lookUp() {
        var reader = MealReader(TokenText("egg"))
        reader.read()
        #expect(reader.lookUps == 1)
    }

    @Test("The smallest quantity that the parser accepts is a hundredth")
    func smallest() {
        #expect(MealParser.parse("0.005 g rice").items.map(\.quantity) == [0.01])
        #expect(MealParser.parse("0.004 g rice").items == [])
    }

    @Test(
        "The parser's work grows linearly with the text",
        arguments: [
            "1 ", "a ", "egg ", "x2 ", "half a ", "1 1/2 ", "2-3 ", "of ", "fried ", "scrambled eggs ", "(", "zork ",
            "peanut butter and jelly ", "low fat ", "a large ", "no ", "1 cup ", "fl ", "and a half ", ", ", "1,000,",
            "2 T bone ", "one hundred and ", "between 2 and ", "eggs x2 x2 ",
        ])
    func isLinear(_ part: String) {
        func lookUps(_ count: Int) -> (lookUps: Int, tokens: Int) {
            let text = TokenText(String(repeating: part, count: count))
            var reader = MealReader(text)
            reader.read()
            return (reader.lookUps, text.count)
        }
        let short = lookUps(500)
        let long = lookUps(2000)
        #expect(long.lookUps <= 4 * short.lookUps + 100 && long.lookUps <= 8 * long.tokens + 100)
    }
}
