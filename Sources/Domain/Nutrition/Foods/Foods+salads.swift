extension FoodTable {
    /// Salads and small dishes.
    static let salads: [Food] = [
        Food(
            "egg-salad", "egg salad",
            .init(257, protein: 10.26, carbs: 1.01, fat: 23.14, sugar: 1.01),
            serving: .init("1/2 cup", 111), portions: [.cups: 222],
            source: .fndds("Egg salad, made with mayonnaise")),
        Food(
            "tuna-salad", "tuna salad",
            .init(187, protein: 16.04, carbs: 9.41, fat: 9.26),
            serving: .init("1 cup", 205), portions: [.cups: 205],
            source: .srLegacy("Fish, tuna salad")),
        Food(
            "green-salad", "green salad", also: ["salad", "side salad", "garden salad", "mixed salad"],
            .init(21, protein: 1.31, carbs: 3.43, fat: 0.21, fiber: 1.4, sugar: 0.97),
            serving: .init("1 cup", 90), portions: [.cups: 90, .bowls: 180],
            preparation: "No dressing",
            source: .fndds("Mixed salad greens, raw")),
        Food(
            "caesar-salad", "caesar salad", also: ["chicken caesar salad"],
            .init(77, protein: 4, carbs: 7.49, fat: 3.41, fiber: 1.8, sugar: 1.23),
            serving: .init("1 cup", 100), portions: [.cups: 100, .bowls: 200],
            source: .fndds("Caesar salad, with romaine, no dressing")),
        Food(
            "greek-salad", "greek salad",
            .init(48, protein: 2.75, carbs: 4.35, fat: 2.26, fiber: 1.5, sugar: 1.43),
            serving: .init("1 cup", 120), portions: [.cups: 120, .bowls: 240],
            source: .fndds("Greek Salad, no dressing")),
        Food(
            "chicken-salad", "chicken salad",
            .init(228, protein: 13.81, carbs: 2.73, fat: 18.06, fiber: 0.4, sugar: 2.01),
            serving: .init("1 cup", 200), portions: [.cups: 200, .tablespoons: 12.5],
            source: .fndds("Chicken or turkey salad with egg")),
        Food(
            "potato-salad", "potato salad",
            .init(168, protein: 1.51, carbs: 15.81, fat: 11.14, fiber: 1.5, sugar: 1.29),
            serving: .init("1/2 cup", 125), portions: [.cups: 250],
            source: .fndds("Potato salad, made with mayonnaise")),
        Food(
            "coleslaw", "coleslaw", also: ["cole slaw", "slaw"],
            .init(117, protein: 0.94, carbs: 10.45, fat: 7.98, fiber: 1.9, sugar: 7.44),
            serving: .init("1/2 cup", 60), portions: [.cups: 120],
            source: .fndds("Coleslaw")),
        Food(
            "falafel", "falafel",
            .init(333, protein: 13.31, carbs: 31.84, fat: 17.8),
            serving: .init("3 patties", 51), portions: [.pieces: 17],
            source: .srLegacy("Falafel, home-prepared")),
        Food(
            "spring-roll", "spring roll", also: ["egg roll"],
            .init(214, protein: 5.95, carbs: 31.77, fat: 6.97, fiber: 2.4, sugar: 5.96),
            serving: .init("1 roll", 68), portions: [.pieces: 68],
            source: .srLegacy("Egg rolls, vegetable, frozen, prepared")),
        Food(
            "dumpling", "dumpling", also: ["gyoza", "potsticker", "dim sum"],
            .init(113, protein: 6.9, carbs: 11.07, fat: 4.6, fiber: 1.2, sugar: 2.3),
            serving: .init("5 dumplings", 185), portions: [.pieces: 37],
            source: .fndds("Wonton, dumpling or pot sticker, steamed")),
        Food(
            "samosa", "samosa",
            .init(310, protein: 5.14, carbs: 33.16, fat: 17.47, fiber: 1.8, sugar: 1.28),
            serving: .init("1 samosa", 60), portions: [.pieces: 60],
            source: .fndds("Samosa")),
    ]
}
