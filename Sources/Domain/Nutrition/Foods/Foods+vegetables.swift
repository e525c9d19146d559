extension FoodTable {
    /// Vegetables and potatoes.
    static let vegetables: [Food] = [
        Food(
            "tomato", "tomato",
            .init(18, protein: 0.88, carbs: 3.89, fat: 0.2, fiber: 1.2, sugar: 2.63),
            serving: .init("1 medium tomato", 123), portions: [.pieces: 123, .cups: 180, .slices: 20],
            sizes: [.small: 91, .large: 182],
            source: .srLegacy("Tomatoes, red, ripe, raw, year round average", id: 170457)),
        Food(
            "cherry-tomato", "cherry tomato", also: ["grape tomato"],
            .init(18, protein: 0.88, carbs: 3.89, fat: 0.2, fiber: 1.2, sugar: 2.63),
            serving: .init("1 cup", 149), portions: [.pieces: 17, .cups: 149],
            source: .srLegacy("Tomatoes, red, ripe, raw, year round average", id: 170457)),
        Food(
            "cucumber", "cucumber",
            .init(15, protein: 0.65, carbs: 3.63, fat: 0.11, fiber: 0.5, sugar: 1.67),
            serving: .init("1/2 cup slices", 52), portions: [.pieces: 301, .cups: 104, .slices: 7],
            source: .srLegacy("Cucumber, with peel, raw", id: 168409)),
        Food(
            "bell-pepper", "bell pepper",
            also: ["sweet pepper", "capsicum", "red pepper", "green pepper", "yellow pepper"],
            .init(27, protein: 0.99, carbs: 6.03, fat: 0.3, fiber: 2.1, sugar: 4.2),
            serving: .init("1 medium pepper", 119), portions: [.pieces: 119, .cups: 149],
            sizes: [.small: 74, .large: 164],
            source: .srLegacy("Peppers, sweet, red, raw", id: 170108)),
        Food(
            "jalapeno", "jalapeno", also: ["jalapeno pepper", "chili pepper"],
            .init(29, protein: 0.91, carbs: 6.5, fat: 0.37, fiber: 2.8, sugar: 4.12),
            serving: .init("1 pepper", 14), portions: [.pieces: 14, .cups: 90],
            source: .srLegacy("Peppers, jalapeno, raw")),
        Food(
            "onion", "onion", also: ["red onion"],
            .init(40, protein: 1.1, carbs: 9.34, fat: 0.1, fiber: 1.7, sugar: 4.24),
            serving: .init("1 medium onion", 110), portions: [.pieces: 110, .cups: 160, .slices: 14, .tablespoons: 10],
            sizes: [.small: 70, .large: 150],
            source: .srLegacy("Onions, raw", id: 170000)),
        Food(
            "carrot", "carrot", also: ["baby carrot"],
            .init(41, protein: 0.93, carbs: 9.58, fat: 0.24, fiber: 2.8, sugar: 4.74),
            serving: .init("1 medium carrot", 61), portions: [.pieces: 61, .cups: 128],
            sizes: [.small: 50, .large: 72],
            source: .srLegacy("Carrots, raw", id: 170393)),
        Food(
            "broccoli", "broccoli",
            .init(35, protein: 2.38, carbs: 7.18, fat: 0.41, fiber: 3.3, sugar: 1.39),
            serving: .init("1 cup", 156), portions: [.cups: 156],
            preparation: "Cooked",
            source: .srLegacy("Broccoli, cooked, boiled, drained, with salt")),
        Food(
            "cauliflower", "cauliflower",
            .init(25, protein: 1.92, carbs: 4.97, fat: 0.28, fiber: 2, sugar: 1.91),
            serving: .init("1 cup", 107), portions: [.cups: 107],
            source: .srLegacy("Cauliflower, raw", id: 169986)),
        Food(
            "spinach", "spinach", also: ["baby spinach"],
            .init(23, protein: 2.86, carbs: 3.63, fat: 0.39, fiber: 2.2, sugar: 0.42),
            serving: .init("1 cup", 30), portions: [.cups: 30, .handfuls: 30],
            source: .srLegacy("Spinach, raw")),
        Food(
            "cooked-spinach", "cooked spinach", also: ["boiled spinach", "steamed spinach", "sauteed spinach"],
            .init(23, protein: 2.97, carbs: 3.75, fat: 0.26, fiber: 2.4, sugar: 0.43),
            serving: .init("1 cup", 180), portions: [.cups: 180],
            preparation: "Cooked",
            source: .srLegacy("Spinach, cooked, boiled, drained, with salt")),
        Food(
            "lettuce", "lettuce", also: ["romaine", "romaine lettuce"],
            .init(17, protein: 1.23, carbs: 3.29, fat: 0.3, fiber: 2.1, sugar: 1.19),
            serving: .init("1 cup shredded", 47), portions: [.cups: 47],
            source: .srLegacy("Lettuce, cos or romaine, raw", id: 169247)),
        Food(
            "kale", "kale",
            .init(35, protein: 2.92, carbs: 4.42, fat: 1.49, fiber: 4.1, sugar: 0.99),
            serving: .init("1 cup", 21), portions: [.cups: 21],
            source: .srLegacy("Kale, raw")),
        Food(
            "arugula", "arugula", also: ["rocket"],
            .init(25, protein: 2.58, carbs: 3.65, fat: 0.66, fiber: 1.6, sugar: 2.05),
            serving: .init("1 cup", 20), portions: [.cups: 20],
            source: .srLegacy("Arugula, raw", id: 169387)),
        Food(
            "cabbage", "cabbage",
            .init(25, protein: 1.28, carbs: 5.8, fat: 0.1, fiber: 2.5, sugar: 3.2),
            serving: .init("1 cup chopped", 89), portions: [.cups: 89],
            source: .srLegacy("Cabbage, raw", id: 169975)),
        Food(
            "celery", "celery", also: ["celery stick", "celery stalk"],
            .init(14, protein: 0.69, carbs: 2.97, fat: 0.17, fiber: 1.6, sugar: 1.34),
            serving: .init("1 medium stalk", 40), portions: [.pieces: 40, .cups: 101],
            source: .srLegacy("Celery, raw")),
        Food(
            "zucchini", "zucchini", also: ["courgette"],
            .init(17, protein: 1.21, carbs: 3.11, fat: 0.32, fiber: 1, sugar: 2.5),
            serving: .init("1 medium zucchini", 196), portions: [.pieces: 196, .cups: 124],
            source: .srLegacy("Squash, summer, zucchini, includes skin, raw", id: 169291)),
        Food(
            "eggplant", "eggplant", also: ["aubergine"],
            .init(33, protein: 0.83, carbs: 8.14, fat: 0.23, fiber: 2.5, sugar: 3.2),
            serving: .init("1 cup", 99), portions: [.cups: 99],
            preparation: "Cooked",
            source: .srLegacy("Eggplant, cooked, boiled, drained, with salt")),
        Food(
            "mushroom", "mushroom",
            .init(22, protein: 3.09, carbs: 3.26, fat: 0.34, fiber: 1, sugar: 1.98),
            serving: .init("1 cup", 70), portions: [.pieces: 18, .cups: 70],
            source: .srLegacy("Mushrooms, white, raw", id: 169251)),
        Food(
            "asparagus", "asparagus", also: ["asparagus spear"],
            .init(22, protein: 2.4, carbs: 4.11, fat: 0.22, fiber: 2, sugar: 1.3),
            serving: .init("6 spears", 90), portions: [.pieces: 15, .cups: 180],
            preparation: "Cooked",
            source: .srLegacy("Asparagus, cooked, boiled, drained")),
        Food(
            "green-bean", "green bean", also: ["string bean"],
            .init(42, protein: 2.05, carbs: 7.7, fat: 0.29, fiber: 3.1, sugar: 2.42),
            serving: .init("1 cup", 125), portions: [.cups: 125],
            preparation: "Cooked",
            source: .fndds("Green beans, fresh, cooked, no added fat")),
        Food(
            "pea", "pea", also: ["green pea"],
            .init(84, protein: 5.36, carbs: 15.63, fat: 0.22, fiber: 5.5, sugar: 5.93),
            serving: .init("1 cup", 160), portions: [.cups: 160],
            preparation: "Cooked",
            source: .srLegacy("Peas, green, cooked, boiled, drained, without salt")),
        Food(
            "corn", "corn", also: ["sweetcorn", "sweet corn", "corn on the cob", "ear of corn"],
            .init(96, protein: 3.41, carbs: 20.98, fat: 1.5, fiber: 2.4, sugar: 4.54),
            serving: .init("1 ear", 103), portions: [.pieces: 103, .cups: 149],
            preparation: "Cooked",
            source: .srLegacy("Corn, sweet, yellow, cooked, boiled, drained, without salt")),
        Food(
            "brussels-sprout", "brussels sprout", also: ["sprout"],
            .init(36, protein: 2.55, carbs: 7.1, fat: 0.5, fiber: 2.6, sugar: 1.74),
            serving: .init("1 cup", 156), portions: [.pieces: 21, .cups: 156],
            preparation: "Cooked",
            source: .srLegacy("Brussels sprouts, cooked, boiled, drained, without salt")),
        Food(
            "potato", "potato", also: ["new potato"],
            .init(86, protein: 1.71, carbs: 20.01, fat: 0.1, fiber: 1.8, sugar: 0.85),
            serving: .init("1 medium potato", 167), portions: [.pieces: 167, .cups: 156],
            sizes: [.small: 125, .large: 300],
            preparation: "Boiled",
            source: .srLegacy("Potatoes, boiled, cooked without skin, flesh, without salt")),
        Food(
            "baked-potato", "baked potato", also: ["jacket potato", "roast potato", "roasted potato"],
            .init(93, protein: 2.5, carbs: 21.15, fat: 0.13, fiber: 2.2, sugar: 1.18),
            serving: .init("1 medium potato", 173), portions: [.pieces: 173], sizes: [.small: 138, .large: 299],
            preparation: "Baked",
            source: .srLegacy("Potatoes, baked, flesh and skin, without salt", id: 170093)),
        Food(
            "mashed-potato", "mashed potato", also: ["mash"],
            .init(114, protein: 2.15, carbs: 17.6, fat: 4.07, fiber: 1.2, sugar: 2.13),
            serving: .init("1 cup", 210), portions: [.cups: 210],
            source: .fndds("Potato, mashed, from fresh, made with milk")),
        Food(
            "sweet-potato", "sweet potato", also: ["yam"],
            .init(90, protein: 2.01, carbs: 20.71, fat: 0.15, fiber: 3.3, sugar: 6.48),
            serving: .init("1 medium sweet potato", 114), portions: [.pieces: 114, .cups: 200],
            sizes: [.small: 60, .large: 180],
            preparation: "Baked",
            source: .srLegacy("Sweet potato, cooked, baked in skin, flesh, without salt")),
        Food(
            "beet", "beet", also: ["beetroot"],
            .init(44, protein: 1.68, carbs: 9.96, fat: 0.18, fiber: 2, sugar: 7.96),
            serving: .init("1/2 cup", 85), portions: [.pieces: 50, .cups: 170],
            preparation: "Cooked",
            source: .srLegacy("Beets, cooked, boiled, drained")),
        Food(
            "garlic", "garlic", also: ["garlic clove"],
            .init(149, protein: 6.36, carbs: 33.06, fat: 0.5, fiber: 2.1, sugar: 1),
            serving: .init("1 clove", 3), portions: [.pieces: 3, .teaspoons: 2.8],
            source: .srLegacy("Garlic, raw", id: 169230)),
        Food(
            "olive", "olive", also: ["green olive", "black olive"],
            .init(116, protein: 0.84, carbs: 6.04, fat: 10.9, fiber: 1.6),
            serving: .init("5 olives", 22), portions: [.pieces: 4.4, .tablespoons: 8.4],
            source: .srLegacy("Olives, ripe, canned (small-extra large)", id: 169094)),
        Food(
            "pickle", "pickle", also: ["gherkin", "dill pickle"],
            .init(12, protein: 0.5, carbs: 2.41, fat: 0.3, fiber: 1, sugar: 1.07),
            serving: .init("1 pickle", 65), portions: [.pieces: 65, .slices: 7],
            source: .srLegacy("Pickles, cucumber, dill or kosher dill")),
        Food(
            "edamame", "edamame",
            .init(121, protein: 11.91, carbs: 8.91, fat: 5.2, fiber: 5.2, sugar: 2.18),
            serving: .init("1 cup", 155), portions: [.cups: 155],
            preparation: "Cooked",
            source: .srLegacy("Edamame, frozen, prepared")),
        Food(
            "mixed-vegetable", "mixed vegetable", also: ["vegetable", "veggie", "veg"],
            .init(65, protein: 2.86, carbs: 13.09, fat: 0.15, fiber: 4.4, sugar: 3.12),
            serving: .init("1 cup", 182), portions: [.cups: 182],
            preparation: "Cooked",
            source: .srLegacy("Vegetables, mixed, frozen, cooked, boiled, drained, without salt")),
        Food(
            "sweet-potato-fries", "sweet potato fry",
            .init(156, protein: 1.49, carbs: 16.35, fat: 9.42, fiber: 2.8, sugar: 5.72),
            serving: .init("1 cup", 117), portions: [.cups: 117],
            preparation: "Fried",
            source: .fndds("Sweet potato fries, from fresh")),
    ]
}
