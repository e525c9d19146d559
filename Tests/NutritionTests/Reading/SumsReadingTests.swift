import Nutrition
import Testing

@Suite("Reading: sums, parts, sizes and energies")
struct SumsReadingTests {
    @Test("The parser adds several terms to one amount", arguments: sums)
    func addsUp(_ meal: ReadMeal) { meal.check() }

    static let sums: [ReadMeal] = [
        .init("1 lb 4 oz chicken", "chicken 1.25 pounds", 1077),
        .init("4lb 2oz potatoes", "potato 4.13 pounds", 1609),
        .init("1 kg 200 g chicken", "chicken 1.2 kilograms", 2280),
        .init("1 lb, 4 oz chicken", "chicken 1.25 pounds", 1077),
        .init("chicken 1 lb 4 oz", "chicken 1.25 pounds", 1077),
        .init("chicken (1 lb 4 oz)", "chicken 1.25 pounds", 1077),
        .init("2 x 1 lb 4 oz chicken", "chicken 2.5 pounds", 2155),
        .init("200 g + 50 g rice", "rice 250 grams", 325),
        .init("50g + 1 cup rice", "rice 208 grams", 270),
        .init("2 + 1 eggs", "egg 3 pieces", 210),
        .init("1 cup plus 2 tablespoons olive oil", "olive-oil 1.13 cups", 2148),
        .init("1 tbsp+ 1 tsp olive oil", "olive-oil 1.33 tablespoons", 159),
        .init("1 Tablespoon and 1 teaspoon sugar", "sugar 1.33 tablespoons", 65),
        // The last term belongs to the food after it.
        .init("rice 1 cup and 2 tbsp butter", "rice 1 cups, butter 2 tablespoons", 409),
        .init("1 cup milk plus 2 tablespoons honey", "milk 1 cups, honey 2 tablespoons", 277),
        .init("1 cup + 2 eggs", "egg 2 pieces", 140, unknown: ["1 cup"]),
    ]

    @Test("The parser reads parts, multiples and lists", arguments: parts)
    func multiplies(_ meal: ReadMeal) { meal.check() }

    static let parts: [ReadMeal] = [
        .init("1/3rd cup honey", "honey 0.33 cups", 344),
        .init("1/4th cup rice", "rice 0.25 cups", 51),
        .init("2/3rd cup rice", "rice 0.67 cups", 137),
        .init("1 1/3rd cups rice", "rice 1.33 cups", 274),
        .init("an eighth of a pizza", "pizza 0.13 pieces", 285),
        .init("two fifths of a pizza", "pizza 0.4 pieces", 911),
        .init("50% of a pizza", "pizza 0.5 pieces", 1138), .init("1,000% of a pizza", "pizza 10 pieces", 22770),
        .init("25 % of a pizza", "pizza 0.25 pieces", 569), .init("2 % milk", "reduced-fat-milk 1 servings", 122),
        .init("25 percent of a pizza", "pizza 0.25 pieces", 569),
        .init("0.5 of an avocado", "avocado 0.5 pieces", 161),
        .init("third of a cup of rice", "rice 0.33 cups", 68),
        .init("one and three quarters cups of rice", "rice 1.75 cups", 359),
        .init("half of 2 avocados", "avocado 1 pieces", 322),
        .init("2 out of 8 slices of a pizza", "pizza 2 slices", 569),
        .init("1 slice of a pizza", "pizza 1 slices", 285),
        .init("chicken x 200g", "chicken 200 grams", 380),
        .init("rice x 1.5 cups", "rice 1.5 cups", 308),
        .init("pizza x 2 slices", "pizza 2 slices", 569),
        .init("2 chicken x 200g", "chicken 400 grams", 760),
        .init("200g x 2 chicken", "chicken 400 grams", 760),
        .init("2 servings of 100g rice", "rice 200 grams", 260),
        .init("a couple of cups of rice", "rice 2 cups", 411),
        .init("200g each of rice and beans", "rice 200 grams, black-bean 200 grams", 522),
        .init("rice and beans, 200g each", "rice 200 grams, black-bean 200 grams", 522),
        .init("3 eggs at 60 g", "egg 180 grams", 257),
        .init("3 eggs à 60 g", "egg 180 grams", 257),
        .init("3 eggs @ 60g", "egg 180 grams", 257),
        .init("3 eggs (each 60 g)", "egg 180 grams", 257),
        .init("3 eggs (60 g)", "egg 60 grams", 86),
        .init("coffee at 8, 2 eggs at 9", "coffee 1 servings, egg 2 pieces", 142),
        .init("1 quart of milk", "milk 1 quarts", 595),
        .init("a gallon of milk", "milk 1 gallons", 2381),
        .init("100 grs rice", "rice 100 grams", 130),
        .init("a loaf of bread", "bread 1 loaves", 1208),
        .init("a doz eggs", "egg 12 pieces", 840),
        .init("100g (1 cup) rice", "rice 100 grams", 130),
    ]

    @Test("The parser distinguishes a size from a count and uses a stated energy value", arguments: sizes)
    func notes(_ meal: ReadMeal) throws {
        meal.check()
        // Assumptions are noted.
        for item in MealParser.parse(meal.text).items {
            #expect(item.confidence <= 0.85)
            #expect(item.notes != nil)
        }
    }

    static let sizes: [ReadMeal] = [
        .init("1 slice of a 14 inch pizza", "pizza 1 slices", 285),
        .init("12\" pizza", "pizza 1 pieces", 2277),
        .init("9½\" pizza", "pizza 1 pieces", 2277),
        .init("12in pizza", "pizza 1 pieces", 2277),
        .init("30 cm pizza", "pizza 1 pieces", 2277),
        .init("2 (6 inch) tortillas", "flour-tortilla 2 pieces", 300),
        .init("1 3-inch cookie", "chocolate-chip-cookie 1 pieces", 74),
        .init("8x8 inch brownie", "brownie 1 pieces", 227),
        .init("14-inch pizza, 2 slices", "pizza 2 slices", 569),
        .init("100kcal of rice", "rice 76.92 grams", 100),
        .init("200 kJ rice", "rice 36.77 grams", 48),
        .init("almonds 150 kcal", "almond 25.91 grams", 150),
        .init("1 apple (80 cal)", "apple 1 pieces", 80),
        .init("2 cookies (150 cal each)", "chocolate-chip-cookie 2 pieces", 300),
        .init("a 200-calorie muffin", "muffin 1 pieces", 200),
        // Ten cups of coffee are unlikely.
        .init("coffee 100 kcal", "coffee 1 servings", 2),
        .init("2 eggs 3", "egg 2 pieces", 140, unknown: ["3"]),
        .init("rice 200g 50g", "rice 200 grams", 260, unknown: ["50g"]),
        .init("2 firkins of butter", "butter 2 pieces", 1626, unknown: ["firkins"]),
        .init(
            "15 gram of granola from JORDANS Crunchy naturel granola", "granola 15 grams", 73,
            unknown: ["JORDANS", "naturel"]),
    ]
}
