import Nutrition
import Testing

@Suite("Reading: spelling")
struct SpellingReadingTests {
    @Test("The parser ignores case, accents, quotes, emoji and plurals", arguments: cases)
    func reads(_ meal: ReadMeal) { meal.check() }

    static let cases: [ReadMeal] = [
        .init("jalapen\u{303}o", "jalapeno 1 servings", 4),
        .init("cre\u{300}me frai\u{302}che", "sour-cream 1 servings", 24),
        .init("EGGS", "egg 1 servings", 70),
        .init("Eggs", "egg 1 servings", 70),
        .init("eGgS", "egg 1 servings", 70),
        .init("crème fraîche", "sour-cream 1 servings", 24),
        .init("CRÈME FRAÎCHE", "sour-cream 1 servings", 24),
        .init("jalapeño", "jalapeno 1 servings", 4),
        .init("jalapeños", "jalapeno 1 servings", 4),
        .init("m&ms and eggs", "egg 1 servings", 70, unknown: ["m", "ms"]),
        .init("“2 eggs” and ‘toast’", "egg 2 pieces, toast 1 servings", 290),
        .init("１２０ｇ　ｃｈｉｃｋｅｎ　ｂｒｅａｓｔ", "chicken-breast 120 grams", 198),
        .init("goat’s cheese", "goat-cheese 1 servings", 74),
        .init("2  eggs   and    toast", "egg 2 pieces, toast 1 servings", 290),
        .init("2 eggs🍳 and 🥑 avocado", "egg 2 pieces, avocado 1 servings", 300),
        .init("🍳🥓", "", 0),
        .init("2 eggs!", "egg 2 pieces", 140),
        .init("2 eggs?", "egg 2 pieces", 140),
        .init("2 eggs...", "egg 2 pieces", 140),
        .init("2 eggs (yum)", "egg 2 pieces", 140, unknown: ["yum"]),
        .init("cherries", "cherry 1 servings", 98),
        .init("strawberries", "strawberry 1 servings", 46),
        .init("tomatoes", "tomato 1 servings", 22),
        .init("potatoes", "potato 1 servings", 144),
        .init("mangoes", "mango 1 servings", 99),
        .init("sandwiches", "", 0, unknown: ["sandwiches"]),
        .init("peaches", "peach 1 servings", 69),
        .init("radishes and dishes", "", 0, unknown: ["radishes", "dishes"]),
    ]
}
