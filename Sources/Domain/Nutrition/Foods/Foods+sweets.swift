extension FoodTable {
    /// Sugar, chocolate and cakes.
    static let sweets: [Food] = [
        Food(
            "sugar", "sugar", also: ["white sugar", "brown sugar"],
            .init(387, carbs: 99.98, sugar: 99.8),
            serving: .init("1 teaspoon", 4.2),
            portions: [.cups: 200, .tablespoons: 12.6, .teaspoons: 4.2, .pieces: 2.3],
            source: .srLegacy("Sugars, granulated", id: 169655)),
        Food(
            "honey", "honey",
            .init(304, protein: 0.3, carbs: 82.4, fiber: 0.2, sugar: 82.12),
            serving: .init("1 tablespoon", 21), portions: [.cups: 339, .tablespoons: 21, .teaspoons: 7],
            source: .srLegacy("Honey", id: 169640)),
        Food(
            "maple-syrup", "maple syrup", also: ["syrup"],
            .init(260, protein: 0.04, carbs: 67.04, fat: 0.06, sugar: 60.46),
            serving: .init("1 tablespoon", 20), portions: [.cups: 315, .tablespoons: 20],
            source: .srLegacy("Syrups, maple")),
        Food(
            "jam", "jam", also: ["jelly", "marmalade", "strawberry jam"],
            .init(278, protein: 0.37, carbs: 68.86, fat: 0.07, fiber: 1.1, sugar: 48.5),
            serving: .init("1 tablespoon", 20), portions: [.cups: 320, .tablespoons: 20],
            source: .srLegacy("Jams and preserves", id: 169641)),
        Food(
            "nutella", "chocolate spread", also: ["nutella", "hazelnut spread"],
            .init(539, protein: 5.41, carbs: 62.36, fat: 29.73, fiber: 5.4, sugar: 54.05),
            serving: .init("2 tablespoons", 37), portions: [.tablespoons: 18.5],
            source: .srLegacy("Chocolate-flavored hazelnut spread")),
        Food(
            "milk-chocolate", "milk chocolate", also: ["chocolate"],
            .init(535, protein: 7.65, carbs: 59.4, fat: 29.66, fiber: 3.4, sugar: 51.5),
            serving: .init("1 bar", 44), portions: [.pieces: 7, .slices: 7],
            source: .srLegacy("Candies, milk chocolate", id: 167587)),
        Food(
            "chocolate-bar", "chocolate bar", also: ["bar of chocolate", "candy bar"],
            .init(535, protein: 7.65, carbs: 59.4, fat: 29.66, fiber: 3.4, sugar: 51.5),
            serving: .init("1 bar", 44), portions: [.pieces: 44],
            source: .srLegacy("Candies, milk chocolate", id: 167587)),
        Food(
            "dark-chocolate", "dark chocolate",
            .init(598, protein: 7.79, carbs: 45.9, fat: 42.63, fiber: 10.9, sugar: 23.99),
            serving: .init("1 ounce", 28), portions: [.pieces: 10, .slices: 10],
            source: .srLegacy("Chocolate, dark, 70-85% cacao solids", id: 170273)),
        Food(
            "chocolate-chip-cookie", "chocolate chip cookie", also: ["cookie", "biscuit"],
            .init(492, protein: 5.1, carbs: 65.36, fat: 24.72, fiber: 2, sugar: 32.9),
            serving: .init("2 cookies", 30), portions: [.pieces: 15],
            source: .fndds("Cookie, chocolate chip")),
        Food(
            "oatmeal-cookie", "oatmeal cookie",
            .init(450, protein: 6.2, carbs: 68.7, fat: 18.1, fiber: 2.8, sugar: 24.66),
            serving: .init("1 cookie", 18), portions: [.pieces: 18],
            source: .fndds("Cookie, oatmeal")),
        Food(
            "brownie", "brownie", also: ["chocolate brownie"],
            .init(405, protein: 4.8, carbs: 63.9, fat: 16.3, fiber: 2.1, sugar: 36.61),
            serving: .init("1 brownie", 56), portions: [.pieces: 56],
            source: .srLegacy("Cookies, brownies, commercially prepared")),
        Food(
            "donut", "donut", also: ["doughnut", "glazed donut"],
            .init(426, protein: 5.52, carbs: 49.52, fat: 22.86, fiber: 1.8, sugar: 23.51),
            serving: .init("1 donut", 64), portions: [.pieces: 64],
            source: .fndds("Doughnut, NFS")),
        Food(
            "muffin", "muffin", also: ["blueberry muffin"],
            .init(375, protein: 4.49, carbs: 53, fat: 16.07, fiber: 1.1, sugar: 31.47),
            serving: .init("1 muffin", 113), portions: [.pieces: 113],
            source: .fndds("Muffin, fruit")),
        Food(
            "chocolate-cake", "chocolate cake", also: ["cake", "birthday cake"],
            .init(303, protein: 5.08, carbs: 43.28, fat: 13.24, fiber: 2.3, sugar: 21.52),
            serving: .init("1 slice", 109), portions: [.slices: 109, .pieces: 109],
            source: .fndds("Cake or cupcake, chocolate, no icing")),
        Food(
            "cheesecake", "cheesecake",
            .init(321, protein: 5.5, carbs: 25.5, fat: 22.5, fiber: 0.4, sugar: 21.8),
            serving: .init("1 slice", 80), portions: [.slices: 80, .pieces: 80],
            source: .srLegacy("Cake, cheesecake, commercially prepared")),
        Food(
            "apple-pie", "apple pie", also: ["pie"],
            .init(296, protein: 2.7, carbs: 37.55, fat: 15.28, fiber: 1.8, sugar: 15.92),
            serving: .init("1 slice", 125), portions: [.slices: 125, .pieces: 125],
            source: .fndds("Pie, apple")),
        Food(
            "banana-bread", "banana bread",
            .init(374, protein: 6.01, carbs: 47.34, fat: 18.1, fiber: 1.2, sugar: 25.24),
            serving: .init("1 slice", 60), portions: [.slices: 60, .pieces: 60],
            source: .fndds("Bread, fruit")),
        Food(
            "cinnamon-roll", "cinnamon roll", also: ["cinnamon bun"],
            .init(452, protein: 4.45, carbs: 48.6, fat: 26.61, fiber: 1.2, sugar: 25.7),
            serving: .init("1 roll", 60), portions: [.pieces: 60],
            source: .fndds("Roll, sweet, cinnamon bun, frosted")),
        Food(
            "granola-bar", "granola bar", also: ["cereal bar", "muesli bar"],
            .init(471, protein: 10.1, carbs: 64.4, fat: 19.8, fiber: 5.3, sugar: 28.57),
            serving: .init("1 bar", 28), portions: [.pieces: 28],
            source: .srLegacy("Snacks, granola bars, hard, plain")),
        Food(
            "protein-bar", "protein bar", also: ["energy bar"],
            .init(386, protein: 22.36, carbs: 55.22, fat: 9.94, fiber: 4.7, sugar: 29.31),
            serving: .init("1 bar", 60), portions: [.pieces: 60],
            source: .fndds("Nutrition bar or meal replacement bar, NFS")),
    ]
}
