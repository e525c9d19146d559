extension FoodTable {
    /// Sandwiches.
    static let sandwiches: [Food] = [
        Food(
            "grilled-cheese", "grilled cheese sandwich",
            also: ["grilled cheese", "cheese sandwich", "cheese toastie", "toasted cheese sandwich"],
            .init(343, protein: 11.03, carbs: 28.09, fat: 20.78, fiber: 1.2, sugar: 4.51),
            serving: .init("1 sandwich", 119), portions: [.pieces: 119],
            source: .fndds("Grilled cheese sandwich, NFS")),
        Food(
            "pbj-sandwich", "peanut butter and jelly sandwich",
            also: ["peanut butter sandwich", "pbj", "pb and j", "peanut butter and jam sandwich"],
            .init(361, protein: 11.42, carbs: 45.22, fat: 16.6, fiber: 2.8, sugar: 15),
            serving: .init("1 sandwich", 100), portions: [.pieces: 100],
            source: .fndds("Peanut butter and jelly sandwich, NFS")),
        Food(
            "ham-and-cheese-sandwich", "ham and cheese sandwich", also: ["ham sandwich", "ham and cheese toastie"],
            .init(213, protein: 14.08, carbs: 22.43, fat: 7.46, fiber: 1, sugar: 2.77),
            serving: .init("1 sandwich", 146), portions: [.pieces: 146],
            source: .fndds("Ham sandwich on white, with cheese")),
        Food(
            "turkey-sandwich", "turkey sandwich", also: ["club sandwich"],
            .init(189, protein: 12.03, carbs: 26.51, fat: 3.68, fiber: 1.2, sugar: 3.2),
            serving: .init("1 sandwich", 143), portions: [.pieces: 143],
            source: .fndds("Turkey sandwich on white")),
        Food(
            "chicken-sandwich", "chicken sandwich", also: ["grilled chicken sandwich", "chicken burger"],
            .init(281, protein: 12.17, carbs: 27.48, fat: 13.46, fiber: 1.7, sugar: 3.07),
            serving: .init("1 sandwich", 182), portions: [.pieces: 182],
            source: .fndds("Chicken fillet sandwich, NFS")),
        Food(
            "tuna-sandwich", "tuna sandwich", also: ["tuna salad sandwich"],
            .init(218, protein: 9.86, carbs: 18.33, fat: 11.76, fiber: 1, sugar: 3.16),
            serving: .init("1 sandwich", 179), portions: [.pieces: 179],
            source: .fndds("Tuna salad sandwich on white")),
        Food(
            "egg-sandwich", "egg sandwich", also: ["egg salad sandwich"],
            .init(260, protein: 9.98, carbs: 17.07, fat: 16.62, fiber: 0.8, sugar: 2.45),
            serving: .init("1 sandwich", 154), portions: [.pieces: 154],
            source: .fndds("Egg salad sandwich on white")),
        Food(
            "blt", "blt", also: ["bacon sandwich", "blt sandwich", "bacon lettuce and tomato sandwich"],
            .init(231, protein: 10.89, carbs: 29.71, fat: 7.54, fiber: 1.7, sugar: 3.67),
            serving: .init("1 sandwich", 164), portions: [.pieces: 164],
            source: .fndds("Bacon, lettuce, tomato sandwich on white")),
    ]
}
