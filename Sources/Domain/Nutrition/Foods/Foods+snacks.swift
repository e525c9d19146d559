extension FoodTable {
    /// Snacks from a bag.
    static let snacks: [Food] = [
        Food(
            "potato-chip", "potato chip", also: ["crisp", "chip"],
            .init(532, protein: 6.39, carbs: 53.83, fat: 33.98, fiber: 3.1, sugar: 0.33),
            serving: .init("1 ounce", 28), portions: [.pieces: 1.3, .handfuls: 28],
            source: .srLegacy("Snacks, potato chips, plain, salted", id: 169677)),
        Food(
            "tortilla-chip", "tortilla chip", also: ["corn chip", "nacho chip"],
            .init(472, protein: 7.1, carbs: 67.78, fat: 20.68, fiber: 5.4, sugar: 0.78),
            serving: .init("1 ounce", 28), portions: [.pieces: 2, .handfuls: 28],
            source: .fndds("Tortilla chips, plain")),
        Food(
            "pretzel", "pretzel",
            .init(384, protein: 10.04, carbs: 80.39, fat: 2.93, fiber: 3.4, sugar: 2.21),
            serving: .init("1 ounce", 28), portions: [.pieces: 6],
            source: .srLegacy("Snacks, pretzels, hard, plain, salted")),
        Food(
            "gummy-candy", "gummy candy", also: ["gummy bear", "candy"],
            .init(396, carbs: 98.9, fiber: 0.1, sugar: 58.97),
            serving: .init("10 pieces", 22), portions: [.pieces: 2.2, .handfuls: 40],
            source: .srLegacy("Candies, gumdrops, starch jelly pieces")),
    ]
}
