extension FoodTable {
    /// Fish and seafood.
    static let fish: [Food] = [
        Food(
            "salmon", "salmon", also: ["salmon fillet"],
            .init(206, protein: 22.1, fat: 12.35),
            serving: .init("1/2 fillet", 178), portions: [.pieces: 178],
            preparation: "Baked",
            source: .srLegacy("Fish, salmon, Atlantic, farmed, cooked, dry heat", id: 175168)),
        Food(
            "smoked-salmon", "smoked salmon", also: ["lox"],
            .init(117, protein: 18.28, fat: 4.32),
            serving: .init("2 ounces", 57), portions: [.slices: 28],
            source: .srLegacy("Fish, salmon, chinook, smoked")),
        Food(
            "tuna", "tuna", also: ["tuna in water"],
            .init(86, protein: 19.44, fat: 0.96),
            serving: .init("1 can", 165), portions: [.cups: 154, .cans: 165],
            preparation: "Canned in water",
            source: .srLegacy(
                "Fish, tuna, light, canned in water, drained solids (Includes foods for USDA's Food"
                    + " Distribution Program)",
                id: 173709)),
        Food(
            "tuna-in-oil", "tuna in oil",
            .init(198, protein: 29.13, fat: 8.21),
            serving: .init("1 can", 171), portions: [.cups: 146, .cans: 171],
            preparation: "Canned in oil",
            source: .srLegacy("Fish, tuna, light, canned in oil, drained solids")),
        Food(
            "tuna-steak", "tuna steak", also: ["fresh tuna"],
            .init(184, protein: 29.91, fat: 6.28),
            serving: .init("3 ounces", 85), portions: [.pieces: 170],
            preparation: "Grilled",
            source: .srLegacy("Fish, tuna, fresh, bluefin, cooked, dry heat")),
        Food(
            "cod", "cod", also: ["white fish", "cod fillet", "fish", "haddock", "fish fillet"],
            .init(105, protein: 22.83, fat: 0.86),
            serving: .init("1 fillet", 180), portions: [.pieces: 180],
            preparation: "Baked",
            source: .srLegacy("Fish, cod, Atlantic, cooked, dry heat")),
        Food(
            "sardine", "sardine",
            .init(208, protein: 24.62, fat: 11.45),
            serving: .init("1 can", 92), portions: [.pieces: 12, .cans: 92],
            preparation: "Canned in oil",
            source: .srLegacy("Fish, sardine, Atlantic, canned in oil, drained solids with bone", id: 175139)),
        Food(
            "mackerel", "mackerel",
            .init(262, protein: 23.85, fat: 17.81),
            serving: .init("1 fillet", 88), portions: [.pieces: 88],
            preparation: "Baked",
            source: .srLegacy("Fish, mackerel, Atlantic, cooked, dry heat", id: 175120)),
        Food(
            "tilapia", "tilapia",
            .init(129, protein: 26.15, fat: 2.65),
            serving: .init("1 fillet", 87), portions: [.pieces: 87],
            preparation: "Baked",
            source: .srLegacy("Fish, tilapia, cooked, dry heat")),
        Food(
            "shrimp", "shrimp", also: ["prawn"],
            .init(99, protein: 23.98, carbs: 0.2, fat: 0.28),
            serving: .init("3 ounces", 85), portions: [.pieces: 6, .cups: 145],
            preparation: "Cooked",
            source: .srLegacy("Crustaceans, shrimp, cooked")),
        Food(
            "fish-stick", "fish stick", also: ["fish finger"],
            .init(277, protein: 11.01, carbs: 21.66, fat: 16.23, fiber: 1.5, sugar: 1.65),
            serving: .init("3 sticks", 84), portions: [.pieces: 28],
            source: .srLegacy("Fish, fish sticks, frozen, prepared")),
    ]
}
