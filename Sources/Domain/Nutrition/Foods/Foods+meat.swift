extension FoodTable {
    /// Meat and poultry.
    static let meat: [Food] = [
        // Roasted and grilled breast differ less than two breasts do.
        Food(
            "chicken-breast", "chicken breast", also: ["chicken fillet", "chicken breast fillet", "grilled chicken"],
            .init(165, protein: 31.02, fat: 3.57),
            serving: .init("1 serving", 120), portions: [.pieces: 172, .cups: 140, .slices: 17],
            preparation: "Grilled, skinless",
            source: .srLegacy("Chicken, broilers or fryers, breast, meat only, cooked, roasted", id: 171477)),
        Food(
            "chicken", "chicken", also: ["rotisserie chicken", "chicken meat"],
            .init(190, protein: 28.93, fat: 7.41),
            serving: .init("3 ounces", 85), portions: [.cups: 140],
            preparation: "Roasted, skinless",
            source: .srLegacy("Chicken, broilers or fryers, meat only, cooked, roasted")),
        Food(
            "chicken-thigh", "chicken thigh",
            .init(193, protein: 24.09, fat: 10.74),
            serving: .init("1 thigh", 116), portions: [.pieces: 116],
            preparation: "Roasted, skinless",
            source: .fndds("Chicken thigh, rotisserie, skin not eaten")),
        Food(
            "chicken-drumstick", "chicken drumstick", also: ["drumstick", "chicken leg"],
            .init(148, protein: 23.71, fat: 5.9),
            serving: .init("1 drumstick", 95), portions: [.pieces: 95],
            preparation: "Roasted, skinless",
            source: .fndds("Chicken drumstick, stewed, skin not eaten")),
        Food(
            "chicken-wing", "chicken wing", also: ["buffalo wing"],
            .init(257, protein: 23.42, carbs: 0.6, fat: 18.04, sugar: 0.6),
            serving: .init("4 wings", 136), portions: [.pieces: 34],
            preparation: "Roasted, with skin",
            source: .fndds("Chicken wing, rotisserie")),
        Food(
            "fried-chicken", "fried chicken", also: ["fried chicken breast"],
            .init(260, protein: 24.84, carbs: 8.99, fat: 13.2, fiber: 0.3),
            serving: .init("1 piece", 140), portions: [.pieces: 140],
            preparation: "Fried in batter",
            source: .srLegacy("Chicken, broilers or fryers, breast, meat and skin, cooked, fried, batter")),
        Food(
            "chicken-nugget", "chicken nugget", also: ["nugget", "chicken tender"],
            .init(307, protein: 15.92, carbs: 14.93, fat: 20.36, fiber: 0.9, sugar: 0.08),
            serving: .init("6 nuggets", 96), portions: [.pieces: 16],
            source: .fndds("Chicken nuggets, from fast food")),
        Food(
            "turkey-breast", "turkey breast", also: ["turkey"],
            .init(147, protein: 30.13, fat: 2.08),
            serving: .init("3 ounces", 85), portions: [.slices: 28, .cups: 140],
            preparation: "Roasted, skinless",
            source: .srLegacy("Turkey, whole, breast, meat only, cooked, roasted", id: 171496)),
        Food(
            "deli-turkey", "deli turkey", also: ["turkey slice"],
            .init(106, protein: 14.81, carbs: 2.2, fat: 3.77, sugar: 0.91),
            serving: .init("2 slices", 56), portions: [.slices: 28],
            source: .srLegacy("Turkey breast, sliced, prepackaged")),
        Food(
            "ground-beef", "ground beef",
            also: ["beef mince", "minced beef", "mince", "hamburger patty", "beef patty"],
            .init(272, protein: 25.45, fat: 18.18),
            serving: .init("3 ounces", 85), portions: [.pieces: 77],
            preparation: "80 % lean, broiled",
            source: .fndds("Beef, ground, patty")),
        Food(
            "steak", "steak",
            also: [
                "beef steak", "t bone steak", "sirloin steak", "sirloin", "ribeye", "ribeye steak", "rib eye steak",
                "fillet steak",
            ],
            .init(262, protein: 26.23, fat: 16.65),
            serving: .init("1 steak", 170), portions: [.pieces: 170],
            preparation: "Sirloin, broiled",
            source: .fndds("Beef, steak, sirloin, lean and fat eaten")),
        Food(
            "roast-beef", "roast beef", also: ["beef"],
            .init(206, protein: 29.08, fat: 9.72),
            serving: .init("3 ounces", 85), portions: [.slices: 28],
            preparation: "Roasted",
            source: .fndds("Beef, roast")),
        Food(
            "beef-jerky", "beef jerky", also: ["jerky"],
            .init(410, protein: 33.2, carbs: 11, fat: 25.6, fiber: 1.8, sugar: 9),
            serving: .init("1 large piece", 20), portions: [.pieces: 20],
            source: .srLegacy("Snacks, beef jerky, chopped and formed")),
        Food(
            "pork-chop", "pork chop", also: ["pork", "pork loin"],
            .init(195, protein: 26.97, carbs: 0.01, fat: 9.17),
            serving: .init("1 chop", 145), portions: [.pieces: 145],
            preparation: "Broiled",
            source: .fndds("Pork, chop, lean and fat eaten")),
        Food(
            "bacon", "bacon", also: ["bacon rasher"],
            .init(484, protein: 37.41, carbs: 1.9, fat: 35.8, sugar: 1.57),
            serving: .init("3 slices", 24), portions: [.slices: 8, .pieces: 8],
            preparation: "Pan-fried",
            source: .fndds("Bacon, NS as to type of meat, cooked")),
        Food(
            "ham", "ham",
            .init(164, protein: 16.6, carbs: 3.63, fat: 8.8, fiber: 1.3, sugar: 1),
            serving: .init("2 slices", 56), portions: [.slices: 28, .cups: 140],
            source: .srLegacy("Ham, sliced, regular (approximately 11% fat)")),
        Food(
            "sausage", "sausage", also: ["pork sausage", "breakfast sausage"],
            .init(325, protein: 18.53, carbs: 1.42, fat: 27.25, sugar: 1.09),
            serving: .init("2 links", 46), portions: [.pieces: 23],
            preparation: "Pan-fried",
            source: .srLegacy("Pork sausage, link/patty, cooked, pan-fried")),
        Food(
            "salami", "salami",
            .init(378, protein: 21.07, carbs: 0.72, fat: 31.65, sugar: 0.26),
            serving: .init("3 slices", 30), portions: [.slices: 10],
            source: .srLegacy("Salami, dry or hard, pork, beef")),
        Food(
            "pepperoni", "pepperoni",
            .init(504, protein: 19.25, carbs: 1.18, fat: 46.28),
            serving: .init("14 slices", 28), portions: [.slices: 2],
            source: .srLegacy("Pepperoni, beef and pork, sliced")),
        Food(
            "hot-dog-sausage", "frankfurter", also: ["hot dog sausage", "wiener"],
            .init(322, protein: 11.69, carbs: 2.66, fat: 29.36, sugar: 1.27),
            serving: .init("1 frankfurter", 45), portions: [.pieces: 45],
            source: .srLegacy("Frankfurter, beef, heated")),
        Food(
            "lamb", "lamb", also: ["lamb chop"],
            .init(264, protein: 27.36, fat: 16.27),
            serving: .init("3 ounces", 85), portions: [.pieces: 85],
            preparation: "Roasted",
            source: .fndds("Lamb, chop")),
        Food(
            "meatball", "meatball",
            .init(286, protein: 14.4, carbs: 8.06, fat: 22.21, fiber: 2.3, sugar: 3.47),
            serving: .init("4 meatballs", 113), portions: [.pieces: 28],
            source: .srLegacy("Meatballs, frozen, Italian style")),
    ]
}
