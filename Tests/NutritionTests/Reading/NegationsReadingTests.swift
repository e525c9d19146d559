import Nutrition
import Testing

@Suite("Reading: negations")
struct NegationsReadingTests {
    @Test("The parser omits negated foods", arguments: cases)
    func reads(_ meal: ReadMeal) { meal.check() }

    static let cases: [ReadMeal] = [
        .init("0 eggs", "", 0),
        .init("zero eggs", "", 0),
        .init("two hundred zero g rice", "", 0),
        .init("coffee w/o", "coffee 1 servings", 2),
        .init("no eggs", "", 0),
        .init("no cheese", "", 0),
        .init("without sugar", "", 0),
        .init("coffee without sugar", "coffee 1 servings", 2),
        .init("coffee w/o sugar", "coffee 1 servings", 2),
        .init("black coffee without milk", "coffee 1 servings", 2),
        .init("coffee, no milk, 2 eggs", "coffee 1 servings, egg 2 pieces", 142),
        .init("coffee with no milk or sugar", "coffee 1 servings", 2),
        .init("burger without cheese or onions and fries", "hamburger 1 servings, french-fries 1 servings", 650),
        .init("toast, no butter", "toast 1 servings", 150),
        .init("2 eggs not bacon", "egg 2 pieces", 140),
        .init("coffee at 8 2 eggs", "coffee 1 servings, egg 2 pieces", 142),
        .init("0.001 g rice", "", 0),
        .init("0 g rice and 1 egg", "egg 1 pieces", 70),
    ]
}
