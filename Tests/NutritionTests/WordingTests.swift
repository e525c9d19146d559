import Testing

@testable import Nutrition

/// An item's wording: name, amount, confidence, notes.
@Suite("Item wording")
struct WordingTests {
    struct Wording: CustomTestStringConvertible {
        let text, name, amount: String
        let confidence: Double
        let notes: String?

        init(_ text: String, _ name: String, _ amount: String, _ confidence: Double, _ notes: String? = nil) {
            (self.text, self.name, self.amount, self.confidence, self.notes) = (text, name, amount, confidence, notes)
        }

        var testDescription: String { text }
    }

    @Test("The first item has the expected amount, name, confidence and notes", arguments: wordings)
    func wording(_ wording: Wording) throws {
        let item = try #require(MealParser.parse(wording.text).items.first)
        #expect(
            (item.name, item.amountText, item.confidence, item.notes)
                == (wording.name, wording.amount, wording.confidence, wording.notes))
    }

    static let wordings: [Wording] = [
        // Names.
        .init("2 eggs", "Eggs", "2", 0.95), .init("2 egg", "Eggs", "2", 0.95), .init("1 egg", "Egg", "1", 0.95),
        .init("2 large eggs", "Large Eggs", "2", 0.95), .init("2 scrambled eggs", "Scrambled Eggs", "2", 0.95),
        .init("2 eggs, scrambled", "Scrambled Eggs", "2", 0.95), .init("2 brown eggs", "Brown Eggs", "2", 0.95),
        // There are at most four adjectives, and each appears only once.
        .init("2 hot cold red green eggs, chopped", "Hot Cold Red Green Eggs", "2", 0.95),
        .init("2 hot hot cold red green eggs", "Hot Cold Red Eggs", "2", 0.95),
        .init("200g brown rice", "Brown Rice", "200g", 0.95, "Cooked"),
        .init("200g steamed rice", "Steamed Rice", "200g", 0.95, "Cooked"),
        .init("100g mac & cheese", "Mac and Cheese", "100g", 0.95), .init("100 ml oj", "OJ", "100 ml", 0.95),
        .init("10 g bbq sauce", "BBQ Sauce", "10 g", 0.95), .init("100 ml 2% milk", "2% Milk", "100 ml", 0.95),
        .init("100 g PRAWNS", "Prawns", "100 g", 0.95, "Cooked"), .init("8 pieces of sushi", "Sushi", "8 pieces", 0.95),
        .init("10 g crème fraîche", "Creme Fraiche", "10 g", 0.95),
        // Amounts.
        .init("120g chicken breast", "Chicken Breast", "120g", 0.95, "Grilled, skinless"),
        .init("120 G chicken breast", "Chicken Breast", "120 G", 0.95, "Grilled, skinless"),
        .init("half an avocado", "Avocado", "half an", 0.95), .init("half of an avocado", "Avocado", "half", 0.95),
        .init("1 1/2 cups of milk", "Milk", "1 1/2 cups", 0.95),
        .init("1   1/2   cups of milk", "Milk", "1 1/2 cups", 0.95),
        .init("a couple of eggs", "Eggs", "a couple", 0.95), .init("an apple", "Apple", "1", 0.95),
        .init("2 fillet steaks", "Fillet Steaks", "2", 0.95, "Sirloin, broiled"),
        .init("a slice of bread", "Bread", "a slice", 0.95),
        .init("1 cup and a half of rice", "Rice", "1 cup and a half", 0.95, "Cooked"),
        .init("three quarters of a pizza", "Pizza", "three quarters", 0.95),
        .init("2 chicken breasts (120g each)", "Chicken Breasts", "2 × 120g", 0.95, "Grilled, skinless"),
        .init(
            "00000000000000000000000000000000000000000002 eggs", "Eggs",
            "0000000000000000000000000000000000000000…", 0.95),
        // Assumptions.
        .init("toast", "Toast", "1", 0.85, "Assumed one serving (2 slices, 57 g)"),
        .init("butter", "Butter", "1", 0.85, "Salted; Assumed one serving (1 tablespoon, 14.2 g)"),
        .init("2 coffees", "Coffees", "2", 0.85, "Counted in servings (1 cup, 237 g)"),
        .init("2 slices of milk", "Milk", "2 slices", 0.7, "Counted slices as servings (1 cup, 244 g)"),
        .init("large fries", "Large Fries", "1", 0.85, "Fried in vegetable oil; Assumed one of 154 g"),
        .init("100 ml sushi", "Sushi", "100 ml", 0.7, "Assumed 1 g per milliliter"),
        .init("8 oz milk", "Milk", "8 oz", 0.85, "Read ounces as fluid ounces"),
        .init("a glass of milk", "Milk", "a glass", 0.85, "Assumed 248 g each for glasses"),
        .init("glass of milk", "Milk", "glass", 0.85, "Assumed 248 g each for glasses"),
        .init("2 to 3 eggs", "Eggs", "2 to 3", 0.85, "Mean of 2 and 3"),
        .init("1½-2 eggs", "Eggs", "1½-2", 0.85, "Mean of 1.5 and 2"),
        .init("a few eggs", "Eggs", "a few", 0.85, "Read \"a few\" as 3"),
        .init("1,25 bananas", "Bananas", "1,25", 0.85, "Read \"1,25\" as 1.25"),
        .init("1.500 g rice", "Rice", "1.500 g", 0.85, "Cooked; Read \"1.500\" as 1.5"),
        .init("0.500 kg rice", "Rice", "0.500 kg", 0.95, "Cooked"),
        .init(".500 kg rice", "Rice", ".500 kg", 0.95, "Cooked"),
        .init("2 heaped tbsp sugar", "Sugar", "2 heaped tbsp", 0.85, "Read \"heaped tbsp\" as tablespoons"),
        .init("2 level tbsp sugar", "Sugar", "2 level tbsp", 0.95),
        .init("200 g raw rice", "Raw Rice", "200 g", 0.85, "Cooked; Ignored \"raw\""),
        .init("200 g uncooked rice", "Uncooked Rice", "200 g", 0.85, "Cooked; Ignored \"uncooked\""),
        .init("2 raw carrots", "Raw Carrots", "2", 0.95),
        .init("2 mugs of tea", "Tea", "2 mugs", 0.85, "Read \"mugs\" as cups"),
        .init("slices of bread", "Bread", "slices", 0.85, "Read \"slices\" as one"),
        .init("2 fried bananas", "Fried Bananas", "2", 0.85, "Ignored \"fried\""),
        .init("2 low-fat muffins", "Low Fat Muffins", "2", 0.85, "Ignored \"low fat\""),
        .init("a large latte", "Large Latte", "1", 0.85, latte),
        .init("20 kg rice", "Rice", "20 kg", 0.3, "Cooked; Limited to 10 kg"),
        .init("1 lb 4 oz chicken", "Chicken", "1 lb 4 oz", 0.95, "Roasted, skinless"),
        .init("1 slice of a 14 inch pizza", "14 Inch Pizza", "1 slice", 0.85, "Ignored \"14 inch\""),
        .init("12\" pizza", "12 Inch Pizza", "1", 0.85, "Ignored \"12 inch\"; Assumed one of 856 g"),
        .init("100kcal of rice", "Rice", "100kcal", 0.85, "Cooked; Weight derived from the stated 100kcal"),
        .init("100 kcal slice of bread", "Bread", "slice", 0.85, "Scaled to the stated 100 kcal"),
        .init("1 apple (80 cal)", "Apple", "1", 0.85, "Scaled to the stated 80 cal"),
        .init("1 apple (9000 cal)", "Apple", "1", 0.7, "Ignored the stated 9000 cal"),
        .init("2 eggs (140 kcal)", "Eggs", "2", 0.95),
        .init(
            "15 g granola from Jordans granola", "Granola", "15 g", 0.7,
            "Counted \"granola\" once; Not recognized: \"Jordans\""),
        .init("70% dark chocolate 20 g", "70% Dark Chocolate", "20 g", 0.85, "Ignored \"70%\""),
        // Unknown words.
        .init("2 eggs and unobtainium", "Eggs", "2", 0.7, "Not recognized: \"unobtainium\""),
        .init("2 eggs without the yolk", "Eggs", "2", 0.7, "Not recognized: \"yolk\""),
        .init("2 coffees without sugar", "Coffees", "2", 0.85, "Counted in servings (1 cup, 237 g)"),
        .init("2 ㎏ rice", "Rice", "2", 0.7, "Cooked; Counted in servings (1 cup, 158 g); Not recognized: \"㎏\""),
        .init("2 eggs, aa, bb, cc", "Eggs", "2", 0.7, "Not recognized: \"aa\", \"bb\", \"cc\""),
        .init("2 eggs, aa, bb, cc, dd, ee", "Eggs", "2", 0.7, "Not recognized: \"aa\", \"bb\", \"cc\" and 2 more"),
        .init("20 kg rice zork", "Rice", "20 kg", 0.3, "Cooked; Limited to 10 kg; Not recognized: \"zork\""),
    ]

    private static let latte = "Ignored \"large\"; Counted in servings (12 fluid ounces, 360 g)"

    @Test("A food's name capitalizes small words only at its start")
    func titles() {
        #expect(DisplayName.titleCase("of mac and cheese with bbq sauce") == "Of Mac and Cheese with BBQ Sauce")
    }

    @Test("Units have the names documented by the API")
    func units() {
        #expect(
            MealUnit.allCases.map(\.rawValue) == [
                "grams", "kilograms", "milligrams", "ounces", "pounds", "milliliters", "centiliters", "deciliters",
                "liters", "fluid ounces", "cups", "tablespoons", "teaspoons", "pints", "quarts", "gallons", "shots",
                "loaves", "slices", "pieces", "bowls", "plates", "glasses", "cans", "bottles", "handfuls", "scoops",
                "servings",
            ])
    }

    @Test("Customary measures are multiples of each other, and an ounce is 28.35 g")
    func measures() throws {
        let cup = try #require(MealUnit.cups.milliliters)
        for (unit, count) in [
            (MealUnit.tablespoons, 16.0), (.teaspoons, 48), (.fluidOunces, 8), (.pints, 0.5), (.quarts, 0.25),
        ] { #expect(try abs(#require(unit.milliliters) * count - cup) < 1e-9, "\(unit)") }
        #expect(abs(cup - 236.588) < 0.001)
        let (ounce, pound) = (try #require(MealUnit.ounces.grams), try #require(MealUnit.pounds.grams))
        #expect(abs(ounce * 16 - pound) < 1e-9)
        #expect(MealUnit.allCases.filter(\.isMeasure).count == 17)
    }

    @Test(
        "Items use the correct plural of each unit",
        arguments: [
            ("egg", "eggs"), ("tomato", "tomatoes"), ("cherry tomato", "cherry tomatoes"), ("berry", "berries"),
            ("turkey", "turkeys"), ("peach", "peaches"), ("radish", "radishes"), ("hummus", "hummus"),
            ("jalapeno", "jalapenos"), ("loaf", "loaves"), ("fry", "fries"), ("bagel", "bagels"),
            ("of age", "of ages"), ("ear of corn", "ears of corn"),
        ])
    func plurals(singular: String, plural: String) { #expect(Plural.of(singular) == plural) }
}
