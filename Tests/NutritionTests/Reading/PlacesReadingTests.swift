import Nutrition
import Testing

@Suite("Reading: places")
struct PlacesReadingTests {
    @Test("The parser assigns an amount to the food after it or before it", arguments: cases)
    func reads(_ meal: ReadMeal) { meal.check() }

    static let cases: [ReadMeal] = [
        .init("eggs x2", "egg 2 pieces", 140),
        .init("eggs x 2", "egg 2 pieces", 140),
        .init("eggs ×2", "egg 2 pieces", 140),
        .init("eggs 2", "egg 2 pieces", 140),
        .init("eggs: 2", "egg 2 pieces", 140),
        .init("eggs - 2", "egg 2 pieces", 140),
        .init("eggs (2)", "egg 2 pieces", 140),
        .init("eggs, 2", "egg 2 pieces", 140),
        .init("chicken breast 120g", "chicken-breast 120 grams", 198),
        .init("chicken breast: 120 g", "chicken-breast 120 grams", 198),
        .init("chicken breast (120g)", "chicken-breast 120 grams", 198),
        .init("chicken breast, 120g", "chicken-breast 120 grams", 198),
        .init("chicken breast - 120g", "chicken-breast 120 grams", 198),
        .init("rice (1 cup)", "rice 1 cups", 205),
        .init("rice, 1 cup, beans, 2 cups", "rice 1 cups, black-bean 2 cups", 656),
        .init("chicken breast 120g rice 1 cup", "chicken-breast 120 grams, rice 1 cups", 403),
        .init("2 eggs 2 slices of bacon 1 cup coffee", "egg 2 pieces, bacon 2 slices, coffee 1 cups", 219),
        .init("toast 2 eggs", "toast 1 servings, egg 2 pieces", 290),
        .init("eggs 2 slices toast", "egg 1 servings, toast 2 slices", 220),
        .init("2 pizza slices", "pizza 2 slices", 569),
        .init("3 bread slices", "bread 3 slices", 231),
        .init("2 chicken breasts (120g each)", "chicken-breast 240 grams", 396),
        .init("2 chicken breasts (240g)", "chicken-breast 240 grams", 396),
        .init("2 chicken breasts, 120g each", "chicken-breast 240 grams", 396),
        .init("3-egg omelette", "egg-omelette 3 pieces", 282),
        .init("2-egg omelette with cheese", "egg-omelette 2 pieces, cheddar 1 servings", 301),
        .init("one egg two eggs", "egg 1 pieces, egg 2 pieces", 210),
        .init("chicken rice", "chicken 1 servings, rice 1 servings", 367),
        .init("2 (120g) chicken breasts", "chicken-breast 240 grams", 396),
        .init("apple slices with honey", "apple 1 servings, honey 1 servings", 159),
        .init("330ml can of coke", "cola 330 milliliters", 145),
        .init("2 330ml cans of coke", "cola 660 milliliters", 291),
        .init("1 x 330ml can of coke", "cola 330 milliliters", 145),
        .init("a 200g bowl of rice", "rice 200 grams", 260),
        .init("a 12 oz steak", "steak 12 ounces", 891),
        .init("two 12 oz beers", "beer 24 fluid ounces", 306),
        .init("chicken 200g rice 150g broccoli 100g", "chicken 200 grams, rice 150 grams, broccoli 100 grams", 610),
        .init("1 cup (240ml) milk", "milk 240 milliliters", 151),
        .init("2eggs,1toast", "egg 2 pieces, toast 1 slices", 215),
        .init("lunch: chicken 200g; rice 150g", "chicken 200 grams, rice 150 grams", 575),
        .init("eggs x2 x2", "egg 4 pieces", 280),
        .init("steak, 8-oz", "steak 8 ounces", 594),
        .init("toast 10 g of butter", "toast 1 servings, butter 10 grams", 222),
        .init("toast, 5 oz. salmon", "toast 1 servings, salmon 5 ounces", 442),
        .init("2,, eggs", "egg 2 pieces", 140),
        .init("eggs no butter x2 toast", "egg 1 servings, toast 2 slices", 220),
        .init("2 eggs slices of bacon", "egg 2 pieces, bacon 1 slices", 179),
        .init("2 eggs slices bacon", "egg 2 pieces, bacon 1 slices", 179),
        .init("avocado half, toast", "avocado 0.5 pieces, toast 1 servings", 311),
        // A second, different weight is not dropped silently.
        .init("chicken 200g (100g)", "chicken 200 grams", 380, unknown: ["100g"]),
    ]
}
