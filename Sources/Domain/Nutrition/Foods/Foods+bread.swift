extension FoodTable {
    /// Bread, plain and toasted, and other bakes without sugar.
    static let bread: [Food] = [
        Food(
            "bread", "bread", also: ["white bread"],
            .init(266, protein: 8.85, carbs: 49.42, fat: 3.33, fiber: 2.7, sugar: 5.67),
            serving: .init("1 slice", 29), portions: [.slices: 29, .pieces: 29],
            source: .srLegacy("Bread, white, commercially prepared (includes soft bread crumbs)", id: 174924)),
        Food(
            "whole-wheat-bread", "whole wheat bread",
            also: ["wholemeal bread", "brown bread", "wholewheat bread", "whole grain bread"],
            .init(252, protein: 12.45, carbs: 42.71, fat: 3.5, fiber: 6, sugar: 4.34),
            serving: .init("1 slice", 32), portions: [.slices: 32, .pieces: 32],
            source: .srLegacy("Bread, whole-wheat, commercially prepared", id: 172688)),
        Food(
            "sourdough-bread", "sourdough bread", also: ["sourdough", "french bread", "baguette"],
            .init(272, protein: 10.75, carbs: 51.88, fat: 2.42, fiber: 2.2, sugar: 4.62),
            serving: .init("1 slice", 64), portions: [.slices: 64],
            source: .srLegacy("Bread, french or vienna (includes sourdough)")),
        Food(
            "rye-bread", "rye bread",
            .init(259, protein: 8.5, carbs: 48.3, fat: 3.3, fiber: 5.8, sugar: 3.85),
            serving: .init("1 slice", 32), portions: [.slices: 32, .pieces: 32],
            source: .srLegacy("Bread, rye")),
        // Two slices are a serving on the labels of white sandwich bread: 57 g, 150 kcal, 4 g protein. Toasting takes
        // nothing but water, so the serving keeps its facts.
        Food(
            "toast", "toast", also: ["white toast", "toasted bread"],
            .init(263, protein: 7.02, carbs: 49.12, fat: 3.51, fiber: 1.8, sugar: 3.51),
            serving: .init("2 slices", 57), portions: [.slices: 28.5, .pieces: 28.5],
            source: .branded("White sandwich bread, 2 slices")),
        Food(
            "whole-wheat-toast", "whole wheat toast", also: ["wholemeal toast", "brown toast", "wholewheat toast"],
            .init(279, protein: 13.52, carbs: 47.36, fat: 3.9, fiber: 6.6, sugar: 4.85),
            serving: .init("1 slice", 29), portions: [.slices: 29, .pieces: 29],
            source: .fndds("Bread, whole wheat, toasted")),
        Food(
            "french-toast", "french toast",
            .init(273, protein: 10.36, carbs: 32.34, fat: 11.38, fiber: 1.2, sugar: 10.08),
            serving: .init("1 slice", 65), portions: [.slices: 65, .pieces: 65],
            source: .fndds("French toast, plain")),
        Food(
            "garlic-bread", "garlic bread",
            .init(350, protein: 8.36, carbs: 41.72, fat: 16.61, fiber: 2.5, sugar: 3.69),
            serving: .init("1 slice", 43), portions: [.slices: 43, .pieces: 43],
            source: .srLegacy("Garlic bread, frozen")),
        Food(
            "pita", "pita", also: ["pita bread", "pitta", "pitta bread"],
            .init(275, protein: 9.1, carbs: 55.7, fat: 1.2, fiber: 2.2, sugar: 1.3),
            serving: .init("1 large pita", 60), portions: [.pieces: 60], sizes: [.small: 28, .large: 60],
            source: .srLegacy("Bread, pita, white, enriched", id: 174915)),
        Food(
            "naan", "naan", also: ["naan bread", "nan bread"],
            .init(311, protein: 11.09, carbs: 50.23, fat: 7.28, fiber: 5.2, sugar: 3.7),
            serving: .init("1 piece", 90), portions: [.pieces: 90],
            source: .fndds("Bread, naan")),
        Food(
            "bagel", "bagel",
            .init(264, protein: 10.56, carbs: 52.38, fat: 1.32, fiber: 1.6, sugar: 8.43),
            serving: .init("1 medium bagel", 105), portions: [.pieces: 105], sizes: [.small: 69, .large: 131],
            source: .fndds("Bagel")),
        Food(
            "english-muffin", "english muffin",
            .init(227, protein: 8.87, carbs: 44.17, fat: 1.69, fiber: 3.5, sugar: 3.53),
            serving: .init("1 muffin", 57), portions: [.pieces: 57],
            source: .fndds("Muffin, English")),
        Food(
            "croissant", "croissant",
            .init(406, protein: 8.2, carbs: 45.8, fat: 21, fiber: 2.6, sugar: 11.26),
            serving: .init("1 medium croissant", 57), portions: [.pieces: 57], sizes: [.small: 42, .large: 67],
            source: .srLegacy("Croissants, butter")),
        Food(
            "flour-tortilla", "tortilla", also: ["flour tortilla", "wrap"],
            .init(306, protein: 8.2, carbs: 49.38, fat: 7.99, fiber: 3.5, sugar: 3.71),
            serving: .init("1 tortilla", 49), portions: [.pieces: 49],
            source: .fndds("Tortilla, flour")),
        Food(
            "corn-tortilla", "corn tortilla",
            .init(218, protein: 5.7, carbs: 44.64, fat: 2.85, fiber: 6.3, sugar: 0.88),
            serving: .init("1 tortilla", 24), portions: [.pieces: 24],
            source: .srLegacy("Tortillas, ready-to-bake or -fry, corn")),
        Food(
            "bread-roll", "bread roll", also: ["dinner roll", "roll", "bun", "hamburger bun"],
            .init(279, protein: 9.77, carbs: 50.12, fat: 3.91, fiber: 1.8, sugar: 7.28),
            serving: .init("1 roll", 44), portions: [.pieces: 44],
            source: .srLegacy("Rolls, hamburger or hotdog, plain")),
    ]
}
