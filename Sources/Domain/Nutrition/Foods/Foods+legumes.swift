extension FoodTable {
    /// Legumes and what is made of soy.
    static let legumes: [Food] = [
        Food(
            "tofu", "tofu",
            .init(83, protein: 9.98, carbs: 1.18, fat: 5.26, fiber: 1, sugar: 0.71),
            serving: .init("1/2 cup", 126), portions: [.cups: 252, .slices: 84],
            source: .srLegacy("Tofu, extra firm, prepared with nigari")),
        Food(
            "tempeh", "tempeh",
            .init(192, protein: 20.29, carbs: 7.64, fat: 10.8),
            serving: .init("1/2 cup", 83), portions: [.cups: 166],
            source: .srLegacy("Tempeh")),
        Food(
            "lentil", "lentil",
            .init(116, protein: 9.02, carbs: 20.13, fat: 0.38, fiber: 7.9, sugar: 1.8),
            serving: .init("1 cup", 198), portions: [.cups: 198],
            preparation: "Boiled",
            source: .srLegacy("Lentils, mature seeds, cooked, boiled, without salt", id: 172421)),
        Food(
            "chickpea", "chickpea", also: ["garbanzo bean", "garbanzo"],
            .init(164, protein: 8.86, carbs: 27.42, fat: 2.59, fiber: 7.6, sugar: 4.8),
            serving: .init("1 cup", 164), portions: [.cups: 164],
            preparation: "Boiled",
            source: .srLegacy(
                "Chickpeas (garbanzo beans, bengal gram), mature seeds, cooked, boiled, without salt",
                id: 173757)),
        Food(
            "kidney-bean", "kidney bean", also: ["red bean"],
            .init(135, protein: 8.7, carbs: 24.72, fat: 0.6, fiber: 8, sugar: 3.08),
            serving: .init("1 cup", 177), portions: [.cups: 177],
            preparation: "Boiled",
            source: .fndds("Kidney beans, from canned, no added fat")),
        Food(
            "black-bean", "black bean", also: ["bean"],
            .init(131, protein: 8.81, carbs: 23.57, fat: 0.54, fiber: 8.6, sugar: 0.32),
            serving: .init("1 cup", 172), portions: [.cups: 172],
            preparation: "Boiled",
            source: .fndds("Black beans, from dried, no added fat")),
        Food(
            "white-bean", "white bean", also: ["cannellini bean"],
            .init(168, protein: 10.84, carbs: 30.91, fat: 0.57, fiber: 7.2, sugar: 2.07),
            serving: .init("1 cup", 179), portions: [.cups: 179],
            preparation: "Boiled",
            source: .fndds("White beans, from canned, no added fat")),
        Food(
            "baked-bean", "baked bean",
            .init(94, protein: 4.75, carbs: 21.14, fat: 0.37, fiber: 4.1, sugar: 7.96),
            serving: .init("1 cup", 254), portions: [.cups: 254, .cans: 400],
            preparation: "Canned",
            source: .srLegacy("Beans, baked, canned, plain or vegetarian")),
        Food(
            "refried-bean", "refried bean",
            .init(91, protein: 4.98, carbs: 13.55, fat: 2.01, fiber: 3.7, sugar: 0.54),
            serving: .init("1 cup", 238), portions: [.cups: 238],
            source: .srLegacy("Refried beans, canned, traditional style")),
        Food(
            "hummus", "hummus", also: ["houmous", "humus"],
            .init(237, protein: 7.78, carbs: 15, fat: 17.82, fiber: 5.5, sugar: 0.62),
            serving: .init("2 tablespoons", 30), portions: [.cups: 246, .tablespoons: 15],
            source: .srLegacy("Hummus, commercial", id: 174289)),
    ]
}
