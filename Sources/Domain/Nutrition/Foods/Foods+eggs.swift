extension FoodTable {
    /// Eggs, raw and cooked.
    static let eggs: [Food] = [
        // The label of a large egg: USDA's 71.6 kcal, 6.28 g protein, 0.36 g carbohydrate, 4.76 g fat in 50 g, rounded
        // as 21 CFR 101.9(c) asks: to ten kilocalories, whole grams (less than half a gram is none), half grams of fat.
        Food(
            "egg", "egg", also: ["whole egg", "chicken egg"],
            .init(143, protein: 12.56, carbs: 0.72, fat: 9.51, sugar: 0.37),
            serving: .init("1 large egg", 50), portions: [.pieces: 50, .cups: 243],
            sizes: [.small: 38, .medium: 44, .large: 50],
            label: NutritionFacts(calories: 70, proteinTenths: 60, fatTenths: 50),
            source: .srLegacy("Egg, whole, raw, fresh", id: 171287)),
        Food(
            "scrambled-egg", "scrambled egg",
            .init(149, protein: 9.99, carbs: 1.61, fat: 10.98, sugar: 1.39),
            serving: .init("1 large egg", 61), portions: [.pieces: 61, .cups: 220], sizes: [.large: 61],
            source: .srLegacy("Egg, whole, cooked, scrambled")),
        Food(
            "fried-egg", "fried egg",
            also: ["eggs over easy", "eggs sunny side up", "sunny side up egg", "over easy egg"],
            .init(196, protein: 13.61, carbs: 0.83, fat: 14.84, sugar: 0.4),
            serving: .init("1 large egg", 46), portions: [.pieces: 46], sizes: [.large: 46],
            source: .srLegacy("Egg, whole, cooked, fried", id: 173423)),
        Food(
            "boiled-egg", "boiled egg", also: ["hard boiled egg", "soft boiled egg"],
            .init(155, protein: 12.58, carbs: 1.12, fat: 10.61, sugar: 1.12),
            serving: .init("1 large egg", 50), portions: [.pieces: 50, .cups: 136], sizes: [.large: 50],
            source: .srLegacy("Egg, whole, cooked, hard-boiled", id: 173424)),
        Food(
            "poached-egg", "poached egg",
            .init(143, protein: 12.51, carbs: 0.71, fat: 9.47, sugar: 0.37),
            serving: .init("1 large egg", 50), portions: [.pieces: 50], sizes: [.large: 50],
            source: .srLegacy("Egg, whole, cooked, poached")),
        Food(
            "omelette", "omelette", also: ["omelet"],
            .init(154, protein: 10.57, carbs: 0.64, fat: 11.66, sugar: 0.31),
            serving: .init("1 omelette of 2 eggs", 122), portions: [.pieces: 122],
            source: .srLegacy("Egg, whole, cooked, omelet")),
        Food(
            "egg-omelette", "egg omelette", also: ["egg omelet"],
            .init(154, protein: 10.57, carbs: 0.64, fat: 11.66, sugar: 0.31),
            serving: .init("1 omelette of 2 eggs", 122), portions: [.pieces: 61],
            source: .srLegacy("Egg, whole, cooked, omelet")),
        Food(
            "egg-white", "egg white",
            .init(52, protein: 10.9, carbs: 0.73, fat: 0.17, sugar: 0.71),
            serving: .init("1 large egg white", 33), portions: [.pieces: 33, .cups: 243], sizes: [.large: 33],
            source: .srLegacy("Egg, white, raw, fresh")),
    ]
}
