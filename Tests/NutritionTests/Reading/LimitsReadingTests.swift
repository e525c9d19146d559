import Nutrition
import Testing

@Suite("Reading: limits")
struct LimitsReadingTests {
    @Test("The parser limits excessive amounts", arguments: cases)
    func reads(_ meal: ReadMeal) { meal.check() }

    static let cases: [ReadMeal] = [
        .init("-2 eggs", "egg 2 pieces", 140),
        .init("−2 eggs", "egg 2 pieces", 140),
        .init("1000000 eggs", "egg 200 pieces", 14000),
        .init("99999999999999999999999 eggs", "egg 200 pieces", 14000),
        .init("10000 g rice", "rice 10000 grams", 13000),
        .init("10001 g rice", "rice 10000 grams", 13000),
        .init("20 kg rice", "rice 10 kilograms", 13000),
        .init("1e9 eggs", "egg 1 pieces", 70, unknown: ["e9"]),
        .init("1/0 eggs", "egg 1 servings", 70, unknown: ["1/0"]),
        .init("99999 x 99999 eggs", "egg 200 pieces", 14000),
        .init("a thousand kilos of rice", "rice 10 kilograms", 13000),
    ]
}
