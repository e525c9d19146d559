import Nutrition
import Testing

@Suite("Reading: separators")
struct SeparatorsReadingTests {
    @Test("The parser splits foods at separators", arguments: cases)
    func reads(_ meal: ReadMeal) { meal.check() }

    static let cases: [ReadMeal] = [
        .init("eggs and toast", "egg 1 servings, toast 1 servings", 220),
        .init("eggs with toast", "egg 1 servings, toast 1 servings", 220),
        .init("eggs plus toast", "egg 1 servings, toast 1 servings", 220),
        .init("eggs & toast", "egg 1 servings, toast 1 servings", 220),
        .init("eggs + toast", "egg 1 servings, toast 1 servings", 220),
        .init("eggs+toast", "egg 1 servings, toast 1 servings", 220),
        .init("eggs, toast", "egg 1 servings, toast 1 servings", 220),
        .init("eggs,toast", "egg 1 servings, toast 1 servings", 220),
        .init("eggs; toast", "egg 1 servings, toast 1 servings", 220),
        .init("eggs\ntoast", "egg 1 servings, toast 1 servings", 220),
        .init("eggs. toast", "egg 1 servings, toast 1 servings", 220),
        .init("eggs then toast", "egg 1 servings, toast 1 servings", 220),
        .init("eggs / toast", "egg 1 servings, toast 1 servings", 220),
        .init("eggs/toast", "egg 1 servings, toast 1 servings", 220),
        .init("eggs — toast", "egg 1 servings, toast 1 servings", 220),
        .init("eggs, and toast", "egg 1 servings, toast 1 servings", 220),
        .init("eggs on toast", "egg 1 servings, toast 1 servings", 220),
        .init("avocado on toast", "avocado 1 servings, toast 1 servings", 310),
        .init("a side of fries", "french-fries 1 servings", 365),
        .init("steak with a side of fries", "steak 1 servings, french-fries 1 servings", 810),
        .init("burger and a side salad", "hamburger 1 servings, green-salad 1 servings", 304),
        .init(
            "2 eggs, toast w/ butter; coffee",
            "egg 2 pieces, toast 1 servings, butter 1 servings, coffee 1 servings", 394),
        .init("- 2 eggs\n- toast", "egg 2 pieces, toast 1 servings", 290),
        .init("* 2 eggs\n* toast", "egg 2 pieces, toast 1 servings", 290),
        .init("• 2 eggs\n• toast", "egg 2 pieces, toast 1 servings", 290),
        .init("1. 2 eggs\n2. toast", "egg 2 pieces, toast 1 servings", 290),
        .init("1) eggs\n2) toast", "egg 1 servings, toast 1 servings", 220),
        .init("- 1. 2 eggs\n- 2. toast", "egg 2 pieces, toast 1 servings", 290),
        .init("tuna in water", "tuna 1 servings", 142),
        .init("2 eggs in butter", "egg 2 pieces, butter 1 servings", 242),
        .init("milk chocolate and milk", "milk-chocolate 1 servings, milk 1 servings", 384),
    ]
}
