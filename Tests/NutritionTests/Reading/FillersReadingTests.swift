import Nutrition
import Testing

@Suite("Reading: fillers")
struct FillersReadingTests {
    @Test("The parser ignores filler words", arguments: cases)
    func reads(_ meal: ReadMeal) { meal.check() }

    static let cases: [ReadMeal] = [
        .init("I had 2 eggs for breakfast", "egg 2 pieces", 140),
        .init("For lunch I ate a banana", "banana 1 pieces", 105),
        .init("I just had my usual coffee", "coffee 1 servings", 2),
        .init("about 200g of rice", "rice 200 grams", 260),
        .init("approx. 200g rice", "rice 200 grams", 260),
        .init("some rice", "rice 1 servings", 205),
        .init("fresh organic strawberries", "strawberry 1 servings", 46),
        .init("2 eggs please", "egg 2 pieces", 140),
        .init("the eggs", "egg 1 servings", 70),
        .init("a fresh apple", "apple 1 pieces", 95),
        .init("a nice big apple", "apple 1 pieces", 116),
        .init("a little butter", "butter 1 servings", 102),
        .init("this morning: 2 eggs", "egg 2 pieces", 140),
        .init("Breakfast: 2 eggs. Lunch: a banana", "egg 2 pieces, banana 1 pieces", 245),
        .init("2 eggs at 8 am", "egg 2 pieces", 140),
        .init("at 8 I had 2 eggs", "egg 2 pieces", 140),
        .init("at 8:30 2 eggs", "egg 2 pieces", 140),
        .init("toast at 8", "toast 1 servings", 150),
        .init("8 am eggs", "egg 1 servings", 70),
        .init("2 eggs (140 kcal)", "egg 2 pieces", 140),
        .init("I can eat 2 eggs", "egg 2 pieces", 140),
        .init("a lot of rice", "rice 1 servings", 205),
        .init("a bit of butter", "butter 1 servings", 102),
    ]
}
