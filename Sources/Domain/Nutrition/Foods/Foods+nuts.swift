extension FoodTable {
    /// Nuts and seeds.
    static let nuts: [Food] = [
        Food(
            "almond", "almond",
            .init(579, protein: 21.15, carbs: 21.55, fat: 49.93, fiber: 12.5, sugar: 4.35),
            serving: .init("1 ounce", 28), portions: [.pieces: 1.2, .cups: 143, .handfuls: 28],
            source: .srLegacy("Nuts, almonds", id: 170567)),
        Food(
            "walnut", "walnut",
            .init(654, protein: 15.23, carbs: 13.71, fat: 65.21, fiber: 6.7, sugar: 2.61),
            serving: .init("1 ounce", 28), portions: [.pieces: 4, .cups: 100, .handfuls: 28],
            source: .srLegacy("Nuts, walnuts, english", id: 170187)),
        Food(
            "cashew", "cashew", also: ["cashew nut"],
            .init(553, protein: 18.22, carbs: 30.19, fat: 43.85, fiber: 3.3, sugar: 5.91),
            serving: .init("1 ounce", 28), portions: [.pieces: 1.6, .cups: 137, .handfuls: 28],
            source: .srLegacy("Nuts, cashew nuts, raw")),
        Food(
            "pistachio", "pistachio", also: ["pistachio nut"],
            .init(560, protein: 20.16, carbs: 27.17, fat: 45.32, fiber: 10.6, sugar: 7.66),
            serving: .init("1 ounce", 28), portions: [.pieces: 0.7, .cups: 123, .handfuls: 28],
            source: .srLegacy("Nuts, pistachio nuts, raw")),
        Food(
            "hazelnut", "hazelnut",
            .init(628, protein: 14.95, carbs: 16.7, fat: 60.75, fiber: 9.7, sugar: 4.34),
            serving: .init("1 ounce", 28), portions: [.pieces: 1.4, .cups: 135, .handfuls: 28],
            source: .srLegacy("Nuts, hazelnuts or filberts", id: 170581)),
        Food(
            "pecan", "pecan",
            .init(691, protein: 9.17, carbs: 13.86, fat: 71.97, fiber: 9.6, sugar: 3.97),
            serving: .init("1 ounce", 28), portions: [.pieces: 1.5, .cups: 99, .handfuls: 28],
            source: .srLegacy("Nuts, pecans")),
        Food(
            "peanut", "peanut",
            .init(587, protein: 24.35, carbs: 21.26, fat: 49.66, fiber: 8.4, sugar: 4.9),
            serving: .init("1 ounce", 28), portions: [.pieces: 1, .cups: 146, .handfuls: 28],
            source: .srLegacy("Peanuts, all types, dry-roasted, with salt")),
        Food(
            "mixed-nut", "mixed nut", also: ["nut", "trail mix"],
            .init(615, protein: 19.75, carbs: 21.07, fat: 54.25, fiber: 7.5, sugar: 4.57),
            serving: .init("1 ounce", 28), portions: [.cups: 137, .handfuls: 28],
            source: .fndds("Mixed nuts, with peanuts, unsalted")),
        Food(
            "peanut-butter", "peanut butter",
            .init(598, protein: 22.5, carbs: 22.3, fat: 51.1, fiber: 4.8, sugar: 10.5),
            serving: .init("2 tablespoons", 32), portions: [.cups: 258, .tablespoons: 16],
            source: .foundation("Peanut butter, smooth style, with salt")),
        Food(
            "almond-butter", "almond butter",
            .init(614, protein: 20.96, carbs: 18.82, fat: 55.5, fiber: 10.3, sugar: 6.27),
            serving: .init("1 tablespoon", 16), portions: [.cups: 250, .tablespoons: 16],
            source: .srLegacy("Nuts, almond butter, plain, with salt added")),
        Food(
            "chia-seed", "chia seed", also: ["chia"],
            .init(486, protein: 16.54, carbs: 42.12, fat: 30.74, fiber: 34.4),
            serving: .init("1 ounce", 28), portions: [.tablespoons: 12],
            source: .srLegacy("Seeds, chia seeds, dried")),
        Food(
            "flax-seed", "flax seed", also: ["flaxseed", "linseed"],
            .init(534, protein: 18.29, carbs: 28.88, fat: 42.16, fiber: 27.3, sugar: 1.55),
            serving: .init("1 tablespoon", 10.3), portions: [.tablespoons: 10.3, .cups: 168],
            source: .srLegacy("Seeds, flaxseed")),
        Food(
            "sunflower-seed", "sunflower seed",
            .init(584, protein: 20.78, carbs: 20, fat: 51.46, fiber: 8.6, sugar: 2.62),
            serving: .init("1 ounce", 28), portions: [.cups: 128, .handfuls: 28],
            source: .srLegacy("Seeds, sunflower seed kernels, dried", id: 170562)),
        Food(
            "pumpkin-seed", "pumpkin seed", also: ["pepita"],
            .init(574, protein: 29.84, carbs: 14.71, fat: 49.05, fiber: 6.5, sugar: 1.29),
            serving: .init("1 ounce", 28), portions: [.cups: 129, .handfuls: 28],
            source: .fndds("Pumpkin seeds, unsalted")),
        Food(
            "tahini", "tahini",
            .init(697, protein: 19.71, carbs: 14.18, fat: 62.4, fiber: 8.4, sugar: 0.49),
            serving: .init("1 tablespoon", 15), portions: [.tablespoons: 15],
            source: .fndds("Tahini")),
    ]
}
