extension FoodTable {
    /// Oils, sauces and seasonings.
    static let condiments: [Food] = [
        Food(
            "olive-oil", "olive oil", also: ["oil", "vegetable oil", "extra virgin olive oil"],
            .init(884, fat: 100),
            serving: .init("1 tablespoon", 13.5), portions: [.cups: 216, .tablespoons: 13.5, .teaspoons: 4.5],
            source: .srLegacy("Oil, olive, salad or cooking", id: 171413)),
        Food(
            "mayonnaise", "mayonnaise", also: ["mayo"],
            .init(680, protein: 0.96, carbs: 0.57, fat: 74.85, sugar: 0.57),
            serving: .init("1 tablespoon", 13.8), portions: [.cups: 220, .tablespoons: 13.8],
            source: .srLegacy("Salad dressing, mayonnaise, regular", id: 171009)),
        Food(
            "ketchup", "ketchup", also: ["catsup", "tomato ketchup"],
            .init(101, protein: 1.04, carbs: 27.4, fat: 0.1, fiber: 0.3, sugar: 21.27),
            serving: .init("1 tablespoon", 17), portions: [.cups: 240, .tablespoons: 17],
            source: .srLegacy("Catsup", id: 168556)),
        Food(
            "mustard", "mustard",
            .init(60, protein: 3.74, carbs: 5.83, fat: 3.34, fiber: 4, sugar: 0.92),
            serving: .init("1 teaspoon", 5), portions: [.cups: 249, .tablespoons: 15, .teaspoons: 5],
            source: .srLegacy("Mustard, prepared, yellow")),
        Food(
            "soy-sauce", "soy sauce", also: ["soya sauce"],
            .init(53, protein: 8.14, carbs: 4.93, fat: 0.57, fiber: 0.8, sugar: 0.4),
            serving: .init("1 tablespoon", 16), portions: [.cups: 255, .tablespoons: 16],
            source: .srLegacy("Soy sauce made from soy and wheat (shoyu)")),
        Food(
            "salsa", "salsa",
            .init(29, protein: 1.52, carbs: 6.64, fat: 0.17, fiber: 1.9, sugar: 4.01),
            serving: .init("2 tablespoons", 36), portions: [.cups: 259, .tablespoons: 18],
            source: .srLegacy("Sauce, salsa, ready-to-serve")),
        Food(
            "guacamole", "guacamole", also: ["guac"],
            .init(155, protein: 1.95, carbs: 8.45, fat: 14.18, fiber: 6.5, sugar: 0.72),
            serving: .init("2 tablespoons", 30), portions: [.cups: 232, .tablespoons: 15],
            source: .fndds("Guacamole, NFS")),
        Food(
            "tomato-sauce", "tomato sauce", also: ["pasta sauce", "marinara", "marinara sauce"],
            .init(51, protein: 1.41, carbs: 8.05, fat: 1.48, fiber: 1.8, sugar: 5.5),
            serving: .init("1/2 cup", 128), portions: [.cups: 257, .tablespoons: 16],
            source: .fndds("Spaghetti sauce")),
        Food(
            "pesto", "pesto", also: ["pesto sauce"],
            .init(418, protein: 9.83, carbs: 10.09, fat: 37.6, fiber: 1.8, sugar: 6.33),
            serving: .init("1 tablespoon", 16), portions: [.cups: 255, .tablespoons: 16],
            source: .srLegacy("Sauce, pesto, ready-to-serve, refrigerated")),
        Food(
            "gravy", "gravy", also: ["brown gravy"],
            .init(53, protein: 3.75, carbs: 4.81, fat: 2.36, fiber: 0.4, sugar: 0.21),
            serving: .init("1/4 cup", 58), portions: [.cups: 233],
            source: .srLegacy("Gravy, beef, canned, ready-to-serve")),
        Food(
            "ranch-dressing", "ranch dressing", also: ["ranch", "salad dressing", "dressing"],
            .init(430, protein: 1.32, carbs: 5.9, fat: 44.54, sugar: 4.69),
            serving: .init("2 tablespoons", 30), portions: [.tablespoons: 15],
            source: .srLegacy("Salad dressing, ranch dressing, regular")),
        Food(
            "vinaigrette", "vinaigrette", also: ["italian dressing", "balsamic vinaigrette"],
            .init(240, protein: 0.41, carbs: 12.12, fat: 21.12, sugar: 10.77),
            serving: .init("2 tablespoons", 29), portions: [.tablespoons: 14.7],
            source: .fndds("Italian dressing, made with vinegar and oil")),
        Food(
            "bbq-sauce", "barbecue sauce", also: ["bbq sauce"],
            .init(172, protein: 0.82, carbs: 40.77, fat: 0.63, fiber: 0.9, sugar: 33.24),
            serving: .init("2 tablespoons", 35), portions: [.tablespoons: 17],
            source: .srLegacy("Sauce, barbecue")),
        Food(
            "salt", "salt", also: ["table salt", "salt and pepper"],
            .init(0),
            serving: .init("1 pinch", 0.4), portions: [.cups: 292, .tablespoons: 18, .teaspoons: 6],
            source: .srLegacy("Salt, table")),
        Food(
            "vinegar", "vinegar", also: ["apple cider vinegar"],
            .init(22, carbs: 0.93, sugar: 0.4),
            serving: .init("1 tablespoon", 14.9), portions: [.cups: 239, .tablespoons: 14.9],
            source: .srLegacy("Vinegar, cider")),
        Food(
            "hot-sauce", "hot sauce", also: ["sriracha", "chili sauce"],
            .init(11, protein: 0.51, carbs: 1.75, fat: 0.37, fiber: 0.3, sugar: 1.26),
            serving: .init("1 teaspoon", 4.7), portions: [.teaspoons: 4.7],
            source: .srLegacy("Sauce, ready-to-serve, pepper or hot")),
        Food(
            "flour", "flour", also: ["white flour", "plain flour"],
            .init(364, protein: 10.33, carbs: 76.31, fat: 0.98, fiber: 2.7, sugar: 0.27),
            serving: .init("1 cup", 125), portions: [.cups: 125],
            source: .srLegacy("Wheat flour, white, all-purpose, enriched, bleached")),
        Food(
            "coconut-milk", "coconut milk",
            .init(31, protein: 0.21, carbs: 2.92, fat: 2.08, sugar: 2.5),
            serving: .init("1 cup", 226), portions: [.cups: 226],
            kind: .drink,
            source: .fndds("Coconut milk")),
    ]
}
