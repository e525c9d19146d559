extension FoodTable {
    /// Soups, stews and curries.
    static let soups: [Food] = [
        Food(
            "chicken-soup", "chicken soup", also: ["chicken noodle soup", "soup"],
            .init(53, protein: 3.84, carbs: 6.21, fat: 1.4, fiber: 0.7, sugar: 0.81),
            serving: .init("1 cup", 248), portions: [.cups: 248],
            source: .fndds("Soup, chicken noodle")),
        Food(
            "tomato-soup", "tomato soup",
            .init(19, protein: 0.65, carbs: 3.64, fat: 0.41, fiber: 0.9, sugar: 2.01),
            serving: .init("1 cup", 248), portions: [.cups: 248],
            source: .fndds("Soup, tomato")),
        Food(
            "vegetable-soup", "vegetable soup", also: ["minestrone"],
            .init(27, protein: 0.84, carbs: 5.08, fat: 0.45, fiber: 1, sugar: 1.33),
            serving: .init("1 cup", 245), portions: [.cups: 245],
            source: .fndds("Soup, vegetable")),
        Food(
            "lentil-soup", "lentil soup",
            .init(60, protein: 3.82, carbs: 10.2, fat: 0.69, fiber: 3.7, sugar: 1.72),
            serving: .init("1 cup", 248), portions: [.cups: 248],
            source: .fndds("Soup, lentil")),
        Food(
            "chili", "chili", also: ["chili con carne", "chilli", "chilli con carne"],
            .init(107, protein: 5.8, carbs: 13.1, fat: 3.47, fiber: 3.3, sugar: 1.87),
            serving: .init("1 cup", 242), portions: [.cups: 242],
            source: .srLegacy("Chili con carne with beans, canned entree")),
        Food(
            "beef-stew", "beef stew", also: ["stew"],
            .init(99, protein: 4.41, carbs: 7.85, fat: 5.53, fiber: 0.9, sugar: 1.76),
            serving: .init("1 cup", 232), portions: [.cups: 232],
            source: .srLegacy("Beef stew, canned entree")),
        Food(
            "chicken-curry", "chicken curry", also: ["curry", "chicken tikka masala"],
            .init(107, protein: 6.48, carbs: 6.54, fat: 6.48, fiber: 1.4, sugar: 2.56),
            serving: .init("1 cup", 235), portions: [.cups: 235],
            source: .fndds("Chicken curry")),
        Food(
            "stir-fry", "chicken stir fry", also: ["stir fry", "vegetable stir fry", "veggie stir fry"],
            .init(95, protein: 8.18, carbs: 5.38, fat: 4.56, fiber: 0.9, sugar: 2.93),
            serving: .init("1 cup", 217), portions: [.cups: 217],
            source: .srLegacy("Restaurant, Chinese, chicken and vegetables")),
    ]
}
