import Nutrition
import Testing

@Suite("Parsing meals")
struct MealParserTests {
    @Test("A text without foods has no items")
    func nothing() {
        #expect(MealParser.parse("").items == [])
        #expect(MealParser.parse("").totals == .zero)
    }
}
