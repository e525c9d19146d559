extension FoodTable {
    /// Fast food and dishes from the pan or the oven.
    static let dishes: [Food] = [
        Food(
            "pizza", "pizza", also: ["cheese pizza", "margherita pizza", "pizza margherita"],
            .init(266, protein: 11.39, carbs: 33.33, fat: 9.69, fiber: 2.3, sugar: 3.58),
            serving: .init("1 slice", 107), portions: [.slices: 107, .pieces: 856],
            source: .srLegacy("Fast Food, Pizza Chain, 14\" pizza, cheese topping, regular crust")),
        Food(
            "pepperoni-pizza", "pepperoni pizza",
            .init(291, protein: 11.47, carbs: 31.79, fat: 13.07, fiber: 2, sugar: 1.95),
            serving: .init("1 slice", 111), portions: [.slices: 111, .pieces: 888],
            source: .srLegacy("PIZZA HUT 14 Pepperoni Pizza, Pan Crust")),
        Food(
            "hamburger", "hamburger", also: ["burger", "beef burger"],
            .init(285, protein: 15.51, carbs: 28.27, fat: 11.68, fiber: 1, sugar: 4.11),
            serving: .init("1 sandwich", 100), portions: [.pieces: 100],
            source: .fndds("Hamburger, from fast food, 1 small patty")),
        Food(
            "cheeseburger", "cheeseburger", also: ["cheese burger"],
            .init(299, protein: 16.42, carbs: 23.96, fat: 14.78, fiber: 0.8, sugar: 3.86),
            serving: .init("1 sandwich", 119), portions: [.pieces: 119],
            source: .fndds("Cheeseburger, from fast food, 1 small patty")),
        Food(
            "veggie-burger", "veggie burger", also: ["vegetarian burger", "veggie patty"],
            .init(177, protein: 15.7, carbs: 14.27, fat: 6.3, fiber: 4.9, sugar: 1.07),
            serving: .init("1 patty", 70), portions: [.pieces: 70],
            source: .srLegacy("Veggie burgers or soyburgers, unprepared")),
        Food(
            "hot-dog", "hot dog", also: ["hotdog"],
            .init(296, protein: 10.85, carbs: 23.73, fat: 17.37, fiber: 0.8, sugar: 3.92),
            serving: .init("1 sandwich", 98), portions: [.pieces: 98],
            source: .fndds("Hot dog sandwich, beef, on white bun")),
        Food(
            "french-fries", "french fry", also: ["fry"],
            .init(312, protein: 3.43, carbs: 41.44, fat: 14.73, fiber: 3.8, sugar: 0.3),
            serving: .init("1 medium serving", 117), portions: [.pieces: 5], sizes: [.small: 71, .large: 154],
            preparation: "Fried in vegetable oil",
            source: .srLegacy("Fast foods, potato, french fried in vegetable oil", id: 170698)),
        Food(
            "mac-and-cheese", "mac and cheese", also: ["macaroni and cheese", "macaroni cheese", "mac n cheese"],
            .init(82, protein: 3.38, carbs: 11.52, fat: 2.46, fiber: 0.5, sugar: 0.5),
            serving: .init("1 cup", 198), portions: [.cups: 198],
            source: .srLegacy("Macaroni and Cheese, canned entree")),
        Food(
            "lasagna", "lasagna", also: ["lasagne"],
            .init(124, protein: 6.63, carbs: 14.39, fat: 4.42, fiber: 1.4, sugar: 2.96),
            serving: .init("1 serving", 215), portions: [.pieces: 215, .cups: 242],
            source: .srLegacy("Lasagna with meat & sauce, frozen entree")),
        Food(
            "spaghetti-bolognese", "spaghetti bolognese",
            also: ["spaghetti with meat sauce", "spaghetti and meatballs", "pasta bolognese", "spag bol"],
            .init(90, protein: 5.05, carbs: 15.24, fat: 1.01, fiber: 1.8, sugar: 2.6),
            serving: .init("1 cup", 248), portions: [.cups: 248],
            source: .srLegacy("Spaghetti with meat sauce, frozen entree")),
        Food(
            "burrito", "burrito",
            .init(219, protein: 11.12, carbs: 23.87, fat: 8.54, fiber: 2.5, sugar: 1.68),
            serving: .init("1 burrito", 150), portions: [.pieces: 150],
            source: .fndds("Burrito, beef, with beans, cheese")),
        Food(
            "taco", "taco", also: ["beef taco"],
            .init(249, protein: 15.47, carbs: 15.3, fat: 13.94, fiber: 2.1, sugar: 0.34),
            serving: .init("1 taco", 78), portions: [.pieces: 78],
            source: .fndds("Taco, corn tortilla, beef, cheese")),
        Food(
            "quesadilla", "quesadilla", also: ["cheese quesadilla"],
            .init(294, protein: 15.05, carbs: 24.04, fat: 15.25, fiber: 1.7, sugar: 1.88),
            serving: .init("1 quesadilla", 180), portions: [.pieces: 180],
            source: .srLegacy("Fast foods, quesadilla, with chicken")),
        Food(
            "nacho", "nacho",
            .init(343, protein: 4.32, carbs: 34.91, fat: 21.5, fiber: 3.2, sugar: 2.17),
            serving: .init("1 serving", 80), portions: [.cups: 75],
            source: .srLegacy("Fast foods, nachos, with cheese")),
        Food(
            "fish-and-chips", "fish and chips", also: ["fish n chips"],
            .init(255, protein: 9.48, carbs: 23.61, fat: 13.38, fiber: 1.8, sugar: 0.2),
            serving: .init("1 serving", 300), portions: [.pieces: 300],
            source: .recipe(
                "Three parts Fish, cod, fried (FNDDS) to two parts Fast foods, potato, french fried in"
                    + " vegetable oil (SR Legacy)")),
        Food(
            "fried-fish", "fried fish", also: ["battered fish"],
            .init(217, protein: 13.52, carbs: 11.72, fat: 12.48, fiber: 0.5, sugar: 0.2),
            serving: .init("1 fillet", 91), portions: [.pieces: 91],
            source: .fndds("Fish, cod, fried")),
        Food(
            "sushi", "sushi", also: ["sushi roll", "california roll"],
            .init(94, protein: 2.92, carbs: 18.39, fat: 0.67, fiber: 1, sugar: 2.13),
            serving: .init("8 pieces", 200), portions: [.pieces: 25],
            source: .fndds("Sushi roll, California")),
    ]
}
