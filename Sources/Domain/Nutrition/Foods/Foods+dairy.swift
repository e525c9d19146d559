extension FoodTable {
    /// Milk, cheese, and what stands in for them.
    static let dairy: [Food] = [
        Food(
            "milk", "milk", also: ["whole milk", "full fat milk", "cow milk"],
            .init(61, protein: 3.15, carbs: 4.8, fat: 3.25, sugar: 5.05),
            serving: .init("1 cup", 244), portions: [.cups: 244],
            kind: .drink,
            source: .srLegacy("Milk, whole, 3.25% milkfat, with added vitamin D", id: 171265)),
        Food(
            "reduced-fat-milk", "reduced fat milk", also: ["2% milk", "semi skimmed milk", "semi skim milk"],
            .init(50, protein: 3.3, carbs: 4.8, fat: 1.98, sugar: 5.06),
            serving: .init("1 cup", 244), portions: [.cups: 244],
            kind: .drink,
            source: .srLegacy("Milk, reduced fat, fluid, 2% milkfat, with added vitamin A and vitamin D", id: 171267)),
        Food(
            "low-fat-milk", "low fat milk", also: ["1% milk"],
            .init(43, protein: 3.38, carbs: 5.18, fat: 0.95, sugar: 4.96),
            serving: .init("1 cup", 244), portions: [.cups: 244],
            kind: .drink,
            source: .fndds("Milk, low fat (1%)")),
        Food(
            "skim-milk", "skim milk", also: ["skimmed milk", "fat free milk", "nonfat milk", "non fat milk"],
            .init(34, protein: 3.43, carbs: 4.92, fat: 0.08, sugar: 5.05),
            serving: .init("1 cup", 245), portions: [.cups: 245],
            kind: .drink,
            source: .fndds("Milk, fat free (skim)")),
        Food(
            "chocolate-milk", "chocolate milk",
            .init(65, protein: 3.44, carbs: 10.98, fat: 0.83, fiber: 0.1, sugar: 9.55),
            serving: .init("1 cup", 250), portions: [.cups: 250],
            kind: .drink,
            source: .fndds("Chocolate milk, NFS")),
        Food(
            "almond-milk", "almond milk",
            .init(15, protein: 0.55, carbs: 0.34, fat: 1.22),
            serving: .init("1 cup", 262), portions: [.cups: 262],
            kind: .drink,
            source: .fndds("Almond milk, unsweetened")),
        Food(
            "soy-milk", "soy milk", also: ["soya milk"],
            .init(54, protein: 3.27, carbs: 6.28, fat: 1.75, fiber: 0.6, sugar: 3.99),
            serving: .init("1 cup", 243), portions: [.cups: 243],
            kind: .drink,
            source: .srLegacy("Soymilk, original and vanilla, unfortified")),
        Food(
            "oat-milk", "oat milk",
            .init(45, protein: 0.66, carbs: 5.37, fat: 2.33, fiber: 0.5, sugar: 2.04),
            serving: .init("1 cup", 244), portions: [.cups: 244],
            kind: .drink,
            source: .fndds("Oat milk")),
        Food(
            "yogurt", "yogurt", also: ["yoghurt", "plain yogurt", "natural yogurt", "plain yoghurt"],
            .init(61, protein: 3.47, carbs: 4.66, fat: 3.25, sugar: 4.66),
            serving: .init("1 cup", 245), portions: [.cups: 245, .tablespoons: 15.3],
            source: .srLegacy("Yogurt, plain, whole milk", id: 171284)),
        Food(
            "low-fat-yogurt", "low fat yogurt", also: ["low fat yoghurt"],
            .init(63, protein: 5.25, carbs: 7.04, fat: 1.55, sugar: 7.04),
            serving: .init("1 cup", 245), portions: [.cups: 245],
            source: .srLegacy("Yogurt, plain, low fat", id: 170886)),
        Food(
            "greek-yogurt", "greek yogurt", also: ["greek yoghurt"],
            .init(97, protein: 9, carbs: 3.98, fat: 5, sugar: 4),
            serving: .init("1 container", 170), portions: [.cups: 245, .tablespoons: 15.3],
            source: .srLegacy("Yogurt, Greek, plain, whole milk", id: 171304)),
        Food(
            "nonfat-greek-yogurt", "nonfat greek yogurt",
            also: ["fat free greek yogurt", "0% greek yogurt", "low fat greek yogurt"],
            .init(61, protein: 10.3, carbs: 3.64, fat: 0.37, sugar: 3.27),
            serving: .init("1 container", 170), portions: [.cups: 245, .tablespoons: 15.3],
            source: .foundation("Yogurt, Greek, plain, nonfat")),
        Food(
            "fruit-yogurt", "fruit yogurt", also: ["strawberry yogurt", "vanilla yogurt", "flavored yogurt"],
            .init(93, protein: 4.57, carbs: 15.69, fat: 1.34, fiber: 0.2, sugar: 12.84),
            serving: .init("1 container", 170), portions: [.cups: 245],
            source: .fndds("Yogurt, low fat milk, fruit")),
        Food(
            "kefir", "kefir",
            .init(43, protein: 3.79, carbs: 4.77, fat: 1.02, sugar: 4.61),
            serving: .init("1 cup", 243), portions: [.cups: 243],
            kind: .drink,
            source: .srLegacy("Kefir, lowfat, plain, LIFEWAY", id: 170904)),
        Food(
            "cheddar", "cheddar", also: ["cheese", "cheddar cheese"],
            .init(403, protein: 22.87, carbs: 3.37, fat: 33.31, sugar: 0.48),
            serving: .init("1 slice", 28), portions: [.slices: 28, .cups: 113, .tablespoons: 7, .pieces: 28],
            preparation: "Cheddar",
            source: .srLegacy("Cheese, cheddar (Includes foods for USDA's Food Distribution Program)", id: 173414)),
        Food(
            "mozzarella", "mozzarella", also: ["mozzarella cheese"],
            .init(299, protein: 22.17, carbs: 2.4, fat: 22.14),
            serving: .init("1 ounce", 28), portions: [.slices: 28, .cups: 112, .pieces: 28],
            source: .srLegacy("Cheese, mozzarella, whole milk", id: 170845)),
        Food(
            "swiss-cheese", "swiss cheese",
            .init(393, protein: 26.96, carbs: 1.44, fat: 30.99),
            serving: .init("1 slice", 28), portions: [.slices: 28, .cups: 108, .pieces: 28],
            source: .srLegacy("Cheese, swiss")),
        Food(
            "feta", "feta", also: ["feta cheese"],
            .init(265, protein: 14.21, carbs: 3.88, fat: 21.49),
            serving: .init("1 ounce", 28), portions: [.cups: 150, .tablespoons: 9.4],
            source: .srLegacy("Cheese, feta", id: 173420)),
        Food(
            "parmesan", "parmesan", also: ["parmesan cheese", "parmigiano"],
            .init(420, protein: 28.42, carbs: 13.91, fat: 27.84, sugar: 0.07),
            serving: .init("1 tablespoon", 5), portions: [.cups: 100, .tablespoons: 5],
            preparation: "Grated",
            source: .srLegacy("Cheese, parmesan, grated", id: 171247)),
        Food(
            "cottage-cheese", "cottage cheese",
            .init(82, protein: 11, carbs: 4.31, fat: 2.3, sugar: 4.1),
            serving: .init("1/2 cup", 113), portions: [.cups: 226],
            source: .fndds("Cheese, cottage, NFS")),
        Food(
            "cream-cheese", "cream cheese",
            .init(350, protein: 6.15, carbs: 5.52, fat: 34.44, sugar: 3.76),
            serving: .init("1 tablespoon", 14.5), portions: [.cups: 232, .tablespoons: 14.5],
            source: .srLegacy("Cheese, cream", id: 173418)),
        Food(
            "goat-cheese", "goat cheese", also: ["goats cheese"],
            .init(264, protein: 18.52, fat: 21.08),
            serving: .init("1 ounce", 28), portions: [.slices: 28],
            source: .srLegacy("Cheese, goat, soft type")),
        Food(
            "ricotta", "ricotta", also: ["ricotta cheese"],
            .init(150, protein: 7.54, carbs: 7.27, fat: 10.18, sugar: 0.27),
            serving: .init("1/2 cup", 124), portions: [.cups: 248],
            source: .srLegacy("Cheese, ricotta, whole milk")),
        Food(
            "butter", "butter",
            .init(717, protein: 0.85, carbs: 0.06, fat: 81.11, sugar: 0.06),
            serving: .init("1 tablespoon", 14.2),
            portions: [.cups: 227, .tablespoons: 14.2, .teaspoons: 4.7, .slices: 5, .pieces: 113.4],
            preparation: "Salted",
            source: .srLegacy("Butter, salted", id: 173410)),
        Food(
            "cream", "cream", also: ["heavy cream", "whipping cream"],
            .init(340, protein: 2.84, carbs: 2.84, fat: 36.08, sugar: 2.92),
            serving: .init("1 tablespoon", 15), portions: [.cups: 238, .tablespoons: 15],
            source: .srLegacy("Cream, fluid, heavy whipping")),
        Food(
            "sour-cream", "sour cream", also: ["creme fraiche"],
            .init(198, protein: 2.44, carbs: 4.63, fat: 19.35, sugar: 3.41),
            serving: .init("1 tablespoon", 12), portions: [.cups: 230, .tablespoons: 12],
            source: .srLegacy("Cream, sour, cultured")),
        Food(
            "half-and-half", "half and half", also: ["coffee cream"],
            .init(131, protein: 3.13, carbs: 4.3, fat: 11.5, sugar: 4.13),
            serving: .init("1 tablespoon", 15), portions: [.cups: 242, .tablespoons: 15],
            source: .srLegacy("Cream, fluid, half and half")),
        Food(
            "ice-cream", "ice cream", also: ["vanilla ice cream", "icecream"],
            .init(207, protein: 3.5, carbs: 23.6, fat: 11, fiber: 0.7, sugar: 21.22),
            serving: .init("1/2 cup", 66), portions: [.cups: 132, .scoops: 66],
            source: .srLegacy("Ice creams, vanilla", id: 167575)),
        Food(
            "whey-protein", "whey protein", also: ["protein powder", "whey", "protein shake", "whey protein powder"],
            .init(352, protein: 78.13, carbs: 6.25, fat: 1.56, fiber: 3.1),
            serving: .init("1 scoop", 32), portions: [.scoops: 32],
            source: .srLegacy("Beverages, Protein powder whey based")),
        Food(
            "gouda", "gouda", also: ["gouda cheese", "edam"],
            .init(356, protein: 24.94, carbs: 2.22, fat: 27.44, sugar: 2.22),
            serving: .init("1 slice", 28), portions: [.slices: 28, .pieces: 28],
            source: .srLegacy("Cheese, gouda", id: 171241)),
        Food(
            "brie", "brie", also: ["brie cheese", "camembert"],
            .init(334, protein: 20.75, carbs: 0.45, fat: 27.68, sugar: 0.45),
            serving: .init("1 ounce", 28), portions: [.slices: 28, .pieces: 28],
            source: .srLegacy("Cheese, brie")),
        Food(
            "blue-cheese", "blue cheese", also: ["roquefort", "gorgonzola"],
            .init(353, protein: 21.4, carbs: 2.34, fat: 28.74, sugar: 0.5),
            serving: .init("1 ounce", 28), portions: [.cups: 135, .slices: 28],
            source: .srLegacy("Cheese, blue")),
    ]
}
