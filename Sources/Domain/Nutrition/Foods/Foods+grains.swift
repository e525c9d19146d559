extension FoodTable {
    /// Rice, pasta, cereals.
    static let grains: [Food] = [
        Food(
            "rice", "rice", also: ["white rice", "basmati rice", "jasmine rice"],
            .init(130, protein: 2.69, carbs: 28.17, fat: 0.28, fiber: 0.4, sugar: 0.05),
            serving: .init("1 cup", 158), portions: [.cups: 158],
            preparation: "Cooked",
            source: .srLegacy("Rice, white, long-grain, regular, enriched, cooked", id: 168878)),
        Food(
            "brown-rice", "brown rice", also: ["wholegrain rice"],
            .init(123, protein: 2.74, carbs: 25.58, fat: 0.97, fiber: 1.6, sugar: 0.24),
            serving: .init("1 cup", 202), portions: [.cups: 202],
            preparation: "Cooked",
            source: .srLegacy(
                "Rice, brown, long-grain, cooked (Includes foods for USDA's Food Distribution Program)",
                id: 169704)),
        Food(
            "fried-rice", "fried rice", also: ["egg fried rice"],
            .init(174, protein: 3.84, carbs: 32.5, fat: 3.19, fiber: 1.1, sugar: 0.62),
            serving: .init("1 cup", 137), portions: [.cups: 137],
            preparation: "Fried",
            source: .fndds("Rice, fried, meatless")),
        Food(
            "pasta", "pasta", also: ["spaghetti", "macaroni", "penne", "fusilli", "linguine", "tagliatelle"],
            .init(158, protein: 5.8, carbs: 30.86, fat: 0.93, fiber: 1.8, sugar: 0.56),
            serving: .init("1 cup", 124), portions: [.cups: 124],
            preparation: "Cooked",
            source: .srLegacy("Pasta, cooked, enriched, without added salt", id: 169737)),
        Food(
            "whole-wheat-pasta", "whole wheat pasta",
            also: ["wholewheat pasta", "wholemeal pasta", "whole wheat spaghetti"],
            .init(148, protein: 5.95, carbs: 29.89, fat: 1.7, fiber: 3.9, sugar: 0.75),
            serving: .init("1 cup", 117), portions: [.cups: 117],
            preparation: "Cooked",
            source: .fndds("Pasta, whole grain, cooked")),
        Food(
            "noodle", "noodle", also: ["egg noodle"],
            .init(138, protein: 4.54, carbs: 25.16, fat: 2.07, fiber: 1.2, sugar: 0.4),
            serving: .init("1 cup", 160), portions: [.cups: 160],
            preparation: "Cooked",
            source: .srLegacy("Noodles, egg, enriched, cooked")),
        Food(
            "rice-noodle", "rice noodle", also: ["rice vermicelli"],
            .init(109, protein: 1.79, carbs: 24.01, fat: 0.2, fiber: 1, sugar: 0.03),
            serving: .init("1 cup", 176), portions: [.cups: 176],
            preparation: "Cooked",
            source: .srLegacy("Rice noodles, cooked")),
        Food(
            "quinoa", "quinoa",
            .init(120, protein: 4.4, carbs: 21.3, fat: 1.92, fiber: 2.8, sugar: 0.87),
            serving: .init("1 cup", 185), portions: [.cups: 185],
            preparation: "Cooked",
            source: .srLegacy("Quinoa, cooked")),
        Food(
            "couscous", "couscous",
            .init(112, protein: 3.79, carbs: 23.22, fat: 0.16, fiber: 1.4, sugar: 0.1),
            serving: .init("1 cup", 157), portions: [.cups: 157],
            preparation: "Cooked",
            source: .srLegacy("Couscous, cooked", id: 169700)),
        Food(
            "bulgur", "bulgur", also: ["bulgur wheat"],
            .init(83, protein: 3.08, carbs: 18.58, fat: 0.24, fiber: 4.5, sugar: 0.1),
            serving: .init("1 cup", 182), portions: [.cups: 182],
            preparation: "Cooked",
            source: .srLegacy("Bulgur, cooked", id: 170287)),
        Food(
            "oatmeal", "oatmeal", also: ["porridge", "porridge oat"],
            .init(71, protein: 2.54, carbs: 12, fat: 1.52, fiber: 1.7, sugar: 0.27),
            serving: .init("1 cup", 234), portions: [.cups: 234, .tablespoons: 14.6],
            preparation: "Cooked with water",
            source: .srLegacy(
                "Cereals, oats, regular and quick and instant, unenriched, cooked with water (includes"
                    + " boiling and microwaving), without salt")),
        Food(
            "oat", "oat", also: ["rolled oat", "dry oat"],
            .init(379, protein: 13.15, carbs: 67.7, fat: 6.52, fiber: 10.1, sugar: 0.99),
            serving: .init("1/2 cup", 40), portions: [.cups: 81, .tablespoons: 5],
            preparation: "Dry",
            source: .srLegacy("Cereals, oats, regular and quick, not fortified, dry", id: 173904)),
        Food(
            "granola", "granola", also: ["muesli"],
            .init(489, protein: 13.67, carbs: 53.88, fat: 24.31, fiber: 8.9, sugar: 19.8),
            serving: .init("1/2 cup", 61), portions: [.cups: 122],
            source: .srLegacy("Cereals ready-to-eat, granola, homemade")),
        Food(
            "corn-flakes", "corn flakes", also: ["cornflakes", "cereal", "breakfast cereal"],
            .init(365, protein: 6.4, carbs: 79.52, fat: 1.6, fiber: 3.5, sugar: 9.44),
            serving: .init("1 cup", 28), portions: [.cups: 28],
            source: .fndds("Cereal, corn flakes, plain")),
        Food(
            "pancake", "pancake",
            .init(282, protein: 7.41, carbs: 35.32, fat: 12.07, fiber: 2.1, sugar: 7.05),
            serving: .init("1 pancake", 38), portions: [.pieces: 38], sizes: [.small: 11, .large: 77],
            source: .fndds("Pancakes, plain")),
        Food(
            "waffle", "waffle",
            .init(373, protein: 8.7, carbs: 41.5, fat: 18.82, fiber: 2.5, sugar: 8.28),
            serving: .init("1 waffle", 75), portions: [.pieces: 75],
            source: .fndds("Waffle, plain")),
        Food(
            "popcorn", "popcorn",
            .init(387, protein: 12.94, carbs: 77.78, fat: 4.54, fiber: 14.5, sugar: 0.87),
            serving: .init("3 cups", 24), portions: [.cups: 8],
            preparation: "Air-popped",
            source: .srLegacy("Snacks, popcorn, air-popped")),
        Food(
            "cracker", "cracker", also: ["saltine"],
            .init(418, protein: 9.46, carbs: 74.05, fat: 8.64, fiber: 2.8, sugar: 1.29),
            serving: .init("5 crackers", 15), portions: [.pieces: 3],
            source: .fndds("Crackers, saltine")),
        Food(
            "rice-cake", "rice cake",
            .init(392, protein: 7.1, carbs: 81.1, fat: 4.3, fiber: 4.2, sugar: 0.88),
            serving: .init("1 cake", 9), portions: [.pieces: 9],
            source: .fndds("Rice cake")),
    ]
}
