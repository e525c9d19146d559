import Nutrition
import Testing

@Suite("Reading: adjectives")
struct AdjectivesReadingTests {
    @Test("The parser uses adjectives to choose the food or its size", arguments: cases)
    func reads(_ meal: ReadMeal) { meal.check() }

    static let cases: [ReadMeal] = [
        .init("2 scrambled eggs", "scrambled-egg 2 pieces", 182),
        .init("2 large eggs", "egg 2 pieces", 140),
        .init("2 small eggs", "egg 2 pieces", 109),
        .init("2 medium eggs", "egg 2 pieces", 126),
        .init("3 large scrambled eggs", "scrambled-egg 3 pieces", 273),
        .init("2 fried eggs", "fried-egg 2 pieces", 180),
        .init("2 boiled eggs", "boiled-egg 2 pieces", 155),
        .init("2 hard-boiled eggs", "boiled-egg 2 pieces", 155),
        .init("poached eggs", "poached-egg 1 servings", 72),
        .init("eggs, scrambled", "scrambled-egg 1 servings", 91),
        .init("eggs (scrambled)", "scrambled-egg 1 servings", 91),
        .init("eggs scrambled", "scrambled-egg 1 servings", 91),
        .init("chicken breast, grilled", "chicken-breast 1 servings", 198),
        .init("roasted chicken breast", "chicken-breast 1 servings", 198),
        .init("steamed rice", "rice 1 servings", 205),
        .init("boiled potatoes", "potato 1 servings", 144),
        .init("mashed potatoes", "mashed-potato 1 servings", 239),
        .init("baked potato", "baked-potato 1 servings", 161),
        .init("raw carrots", "carrot 1 servings", 25),
        .init("iced coffee", "coffee 1 servings", 2),
        .init("black coffee", "coffee 1 servings", 2),
        .init("large fries", "french-fries 1 pieces", 480),
        .init("a small banana", "banana 1 pieces", 90),
        .init("2 large apples", "apple 2 pieces", 232),
        .init("a large latte", "latte 1 servings", 155),
        .init("sauteed mushrooms", "mushroom 1 servings", 15),
        .init("buttered toast", "toast 1 servings", 150),
        .init("low-fat cheddar", "cheddar 1 servings", 113),
        .init("70% dark chocolate 20 g", "dark-chocolate 20 grams", 120),
        .init("10 g dark chocolate (70%)", "dark-chocolate 10 grams", 60),
        .init("gluten-free toast", "toast 1 servings", 150),
        .init("sugar-free gum and coffee", "coffee 1 servings", 2, unknown: ["gum"]),
        // Up to four words may stand between an article and the food that it counts.
        .init("a hot cold red green egg", "egg 1 pieces", 70),
        .init("a hot cold red green chopped egg", "egg 1 servings", 70),
        .init("hot cold red green fried egg", "fried-egg 1 servings", 90),
    ]
}
