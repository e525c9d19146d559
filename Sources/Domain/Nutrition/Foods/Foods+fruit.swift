extension FoodTable {
    /// Fruit, fresh and dried.
    static let fruit: [Food] = [
        Food(
            "apple", "apple",
            .init(52, protein: 0.26, carbs: 13.81, fat: 0.17, fiber: 2.4, sugar: 10.39),
            serving: .init("1 medium apple", 182), portions: [.pieces: 182, .cups: 125, .slices: 21],
            sizes: [.small: 149, .large: 223],
            source: .srLegacy(
                "Apples, raw, with skin (Includes foods for USDA's Food Distribution Program)",
                id: 171688)),
        Food(
            "banana", "banana",
            .init(89, protein: 1.09, carbs: 22.84, fat: 0.33, fiber: 2.6, sugar: 12.23),
            serving: .init("1 medium banana", 118), portions: [.pieces: 118, .cups: 150],
            sizes: [.small: 101, .large: 136],
            source: .srLegacy("Bananas, raw", id: 173944)),
        Food(
            "orange", "orange",
            .init(47, protein: 0.94, carbs: 11.75, fat: 0.12, fiber: 2.4, sugar: 9.35),
            serving: .init("1 orange", 131), portions: [.pieces: 131, .cups: 180], sizes: [.small: 96, .large: 184],
            source: .srLegacy("Oranges, raw, all commercial varieties", id: 169097)),
        Food(
            "mandarin", "mandarin", also: ["tangerine", "clementine", "satsuma"],
            .init(53, protein: 0.81, carbs: 13.34, fat: 0.31, fiber: 1.8, sugar: 10.58),
            serving: .init("1 medium mandarin", 88), portions: [.pieces: 88, .cups: 195],
            source: .fndds("Tangerine, raw")),
        Food(
            "grapefruit", "grapefruit",
            .init(42, protein: 0.77, carbs: 10.66, fat: 0.14, fiber: 1.6, sugar: 6.89),
            serving: .init("1/2 grapefruit", 123), portions: [.pieces: 246, .cups: 230],
            source: .fndds("Grapefruit, raw")),
        Food(
            "lemon", "lemon",
            .init(29, protein: 1.1, carbs: 9.32, fat: 0.3, fiber: 2.8, sugar: 2.5),
            serving: .init("1 lemon", 58), portions: [.pieces: 58, .slices: 7],
            source: .fndds("Lemon, raw")),
        Food(
            "lime", "lime",
            .init(30, protein: 0.7, carbs: 10.54, fat: 0.2, fiber: 2.8, sugar: 1.69),
            serving: .init("1 lime", 67), portions: [.pieces: 67],
            source: .fndds("Lime, raw")),
        Food(
            "pear", "pear",
            .init(57, protein: 0.36, carbs: 15.23, fat: 0.14, fiber: 3.1, sugar: 9.75),
            serving: .init("1 medium pear", 178), portions: [.pieces: 178, .cups: 140],
            sizes: [.small: 148, .large: 230],
            source: .srLegacy("Pears, raw", id: 169118)),
        Food(
            "peach", "peach",
            .init(46, protein: 0.91, carbs: 10.1, fat: 0.27, fiber: 1.5, sugar: 8.39),
            serving: .init("1 medium peach", 150), portions: [.pieces: 150, .cups: 154],
            sizes: [.small: 130, .large: 175],
            source: .fndds("Peach, raw")),
        Food(
            "nectarine", "nectarine",
            .init(43, protein: 1.06, carbs: 9.18, fat: 0.28, fiber: 1.5, sugar: 7.89),
            serving: .init("1 nectarine", 142), portions: [.pieces: 142, .cups: 143],
            source: .fndds("Nectarine, raw")),
        Food(
            "plum", "plum",
            .init(46, protein: 0.7, carbs: 11.42, fat: 0.28, fiber: 1.4, sugar: 9.92),
            serving: .init("1 plum", 66), portions: [.pieces: 66, .cups: 165],
            source: .fndds("Plum, raw")),
        Food(
            "apricot", "apricot",
            .init(48, protein: 1.4, carbs: 11.12, fat: 0.39, fiber: 2, sugar: 9.24),
            serving: .init("1 apricot", 35), portions: [.pieces: 35, .cups: 155],
            source: .fndds("Apricot, raw")),
        Food(
            "cherry", "cherry", also: ["sweet cherry"],
            .init(71, protein: 1.04, carbs: 16.16, fat: 0.19, fiber: 2.1, sugar: 13.87),
            serving: .init("1 cup", 138), portions: [.pieces: 8.2, .cups: 138],
            source: .fndds("Cherries, raw")),
        Food(
            "grape", "grape", also: ["green grape", "red grape"],
            .init(69, protein: 0.72, carbs: 18.1, fat: 0.16, fiber: 0.9, sugar: 15.48),
            serving: .init("1 cup", 151), portions: [.pieces: 4.9, .cups: 151],
            source: .srLegacy("Grapes, red or green (European type, such as Thompson seedless), raw", id: 174683)),
        Food(
            "strawberry", "strawberry",
            .init(32, protein: 0.67, carbs: 7.68, fat: 0.3, fiber: 2, sugar: 4.89),
            serving: .init("1 cup", 144), portions: [.pieces: 12, .cups: 144], sizes: [.small: 7, .large: 18],
            source: .srLegacy("Strawberries, raw", id: 167762)),
        Food(
            "blueberry", "blueberry",
            .init(57, protein: 0.74, carbs: 14.49, fat: 0.33, fiber: 2.4, sugar: 9.96),
            serving: .init("1 cup", 148), portions: [.pieces: 1.4, .cups: 148],
            source: .srLegacy("Blueberries, raw")),
        Food(
            "raspberry", "raspberry",
            .init(52, protein: 1.2, carbs: 11.94, fat: 0.65, fiber: 6.5, sugar: 4.42),
            serving: .init("1 cup", 123), portions: [.pieces: 1.9, .cups: 123],
            source: .srLegacy("Raspberries, raw")),
        Food(
            "blackberry", "blackberry",
            .init(43, protein: 1.39, carbs: 9.61, fat: 0.49, fiber: 5.3, sugar: 4.88),
            serving: .init("1 cup", 144), portions: [.cups: 144],
            source: .srLegacy("Blackberries, raw")),
        Food(
            "mixed-berry", "mixed berry", also: ["berry"],
            .init(44, protein: 0.66, carbs: 9.94, fat: 0.25, fiber: 2, sugar: 6.21),
            serving: .init("1 cup", 144), portions: [.cups: 144],
            source: .fndds("Berries, NFS")),
        Food(
            "mango", "mango",
            .init(60, protein: 0.82, carbs: 14.98, fat: 0.38, fiber: 1.6, sugar: 13.66),
            serving: .init("1 cup", 165), portions: [.pieces: 336, .cups: 165],
            source: .fndds("Mango, raw")),
        Food(
            "pineapple", "pineapple",
            .init(60, protein: 0.46, carbs: 14.09, fat: 0.21, fiber: 0.9, sugar: 11.42),
            serving: .init("1 cup", 165), portions: [.pieces: 905, .cups: 165, .slices: 84],
            source: .fndds("Pineapple, raw")),
        Food(
            "watermelon", "watermelon", also: ["water melon"],
            .init(30, protein: 0.61, carbs: 7.55, fat: 0.15, fiber: 0.4, sugar: 6.2),
            serving: .init("1 wedge", 286), portions: [.cups: 152, .slices: 286, .pieces: 4518],
            source: .srLegacy("Watermelon, raw", id: 167765)),
        Food(
            "melon", "melon", also: ["cantaloupe", "honeydew", "rockmelon"],
            .init(38, protein: 0.82, carbs: 8.16, fat: 0.18, fiber: 0.8, sugar: 7.88),
            serving: .init("1 cup", 160), portions: [.cups: 160, .slices: 69, .pieces: 552],
            source: .fndds("Cantaloupe, raw")),
        Food(
            "kiwi", "kiwi", also: ["kiwifruit", "kiwi fruit"],
            .init(61, protein: 1.14, carbs: 14.66, fat: 0.52, fiber: 3, sugar: 8.99),
            serving: .init("1 kiwi", 69), portions: [.pieces: 69, .cups: 180],
            source: .srLegacy("Kiwifruit, green, raw", id: 168153)),
        Food(
            "avocado", "avocado",
            .init(160, protein: 2, carbs: 8.53, fat: 14.66, fiber: 6.7, sugar: 0.66),
            serving: .init("1/2 avocado", 100), portions: [.pieces: 201, .cups: 150, .slices: 20],
            source: .srLegacy("Avocados, raw, all commercial varieties", id: 171705)),
        Food(
            "pomegranate", "pomegranate", also: ["pomegranate seed"],
            .init(83, protein: 1.67, carbs: 18.7, fat: 1.17, fiber: 4, sugar: 13.67),
            serving: .init("1/2 cup", 87), portions: [.pieces: 282, .cups: 174],
            source: .srLegacy("Pomegranates, raw", id: 169134)),
        Food(
            "fig", "fig",
            .init(74, protein: 0.75, carbs: 19.18, fat: 0.3, fiber: 2.9, sugar: 16.26),
            serving: .init("1 medium fig", 50), portions: [.pieces: 50], sizes: [.small: 40, .large: 64],
            source: .srLegacy("Figs, raw", id: 173021)),
        Food(
            "date", "date", also: ["medjool date"],
            .init(277, protein: 1.81, carbs: 74.97, fat: 0.15, fiber: 6.7, sugar: 66.47),
            serving: .init("1 date", 24), portions: [.pieces: 24],
            source: .srLegacy("Dates, medjool", id: 168191)),
        Food(
            "raisin", "raisin", also: ["sultana"],
            .init(299, protein: 3.3, carbs: 79.32, fat: 0.25, fiber: 4.5, sugar: 65.18),
            serving: .init("1 small box", 43), portions: [.cups: 145, .tablespoons: 9],
            source: .fndds("Raisins")),
        Food(
            "dried-apricot", "dried apricot",
            .init(241, protein: 3.39, carbs: 62.64, fat: 0.51, fiber: 7.3, sugar: 53.44),
            serving: .init("1/4 cup", 33), portions: [.pieces: 3.5, .cups: 130],
            source: .fndds("Apricot, dried")),
        Food(
            "prune", "prune", also: ["dried plum"],
            .init(240, protein: 2.18, carbs: 63.88, fat: 0.38, fiber: 7.1, sugar: 38.13),
            serving: .init("5 prunes", 48), portions: [.pieces: 9.5, .cups: 174],
            source: .fndds("Prune, dried")),
        Food(
            "cranberry", "dried cranberry", also: ["cranberry", "craisin"],
            .init(308, protein: 0.17, carbs: 82.8, fat: 1.09, fiber: 5.3, sugar: 72.56),
            serving: .init("1/4 cup", 40), portions: [.cups: 121],
            source: .fndds("Cranberries, dried")),
        Food(
            "applesauce", "applesauce", also: ["apple sauce"],
            .init(52, protein: 0.27, carbs: 12.26, fat: 0.16, fiber: 1.1, sugar: 9.66),
            serving: .init("1 cup", 244), portions: [.cups: 244],
            source: .fndds("Applesauce, unsweetened")),
        Food(
            "papaya", "papaya",
            .init(43, protein: 0.47, carbs: 10.82, fat: 0.26, fiber: 1.7, sugar: 7.82),
            serving: .init("1 cup", 145), portions: [.cups: 145],
            source: .fndds("Papaya, raw")),
        Food(
            "coconut", "coconut", also: ["shredded coconut"],
            .init(456, protein: 3.13, carbs: 51.85, fat: 27.99, fiber: 9.9, sugar: 36.75),
            serving: .init("2 tablespoons", 10), portions: [.cups: 80, .tablespoons: 5],
            source: .fndds("Coconut, packaged")),
        Food(
            "fruit-salad", "fruit salad", also: ["mixed fruit"],
            .init(48, protein: 0.69, carbs: 11.29, fat: 0.23, fiber: 1.4, sugar: 9.18),
            serving: .init("1 cup", 170), portions: [.cups: 170],
            source: .fndds("Fruit mixture, frozen")),
    ]
}
