/// What a text turned out to say.
public struct ParsedMeal: Equatable, Hashable, Sendable {
    /// The foods in the order of the text, at most `MealParser.maximumItems`; empty where none was recognised.
    public var items: [MealItem]

    /// The words that named no known food, as typed, at most `MealParser.maximumUnknownWords`.
    public var unknown: [String]

    /// Whether the text named more foods than `MealParser.maximumItems`; the rest was not read.
    public var isTruncated: Bool

    /// The sum of the items' facts.
    public var totals: NutritionFacts { items.reduce(into: .zero) { $0 += $1.facts } }

    /// Makes a meal from its parts.
    public init(items: [MealItem] = [], unknown: [String] = [], isTruncated: Bool = false) {
        self.items = items
        self.unknown = unknown
        self.isTruncated = isTruncated
    }
}

/// One food of a meal with its amount, as read from the text.
public struct MealItem: Equatable, Hashable, Sendable {
    /// The stable slug of the food in the table: `chicken-breast`.
    public var foodKey: String

    /// The food for people, in title case and with the text's adjectives: `Scrambled Eggs`.
    public var name: String

    /// How many of `unit`, greater than zero and finite, rounded to hundredths.
    public var quantity: Double

    /// What is counted, in the plural whatever the quantity: `grams`, `cups`, `slices`, `pieces`, `servings`.
    ///
    /// One of the table's: weights from milligrams to pounds, volumes from milliliters to liters and from teaspoons to
    /// cups, pints and fluid ounces, vessels such as bowls and cans, `slices`, `pieces`, `handfuls`, `scoops`, `servings`.
    public var unit: String

    /// The amount in the text's own words: `120g`, `half a`, `1 1/2 cups`; `1` where the text gave none.
    public var amountText: String

    /// What this amount of the food contains.
    public var facts: NutritionFacts

    /// How sure the reading is, from 0 to 1 with two digits; 0.95 where nothing had to be assumed.
    public var confidence: Double

    /// How the food is taken to be prepared and what was assumed, or nil where there is nothing to say.
    public var notes: String?

    /// Makes an item from its parts.
    public init(
        foodKey: String, name: String, quantity: Double, unit: String, amountText: String, facts: NutritionFacts,
        confidence: Double, notes: String?
    ) {
        self.foodKey = foodKey
        self.name = name
        self.quantity = quantity
        self.unit = unit
        self.amountText = amountText
        self.facts = facts
        self.confidence = confidence
        self.notes = notes
    }
}

/// What a portion or a meal contains: energy in whole kilocalories, the rest in tenths of grams.
///
/// Integers, so that sums are exact: a meal's totals are its items' facts added up, to the last digit.
public struct NutritionFacts: Equatable, Hashable, Sendable {
    /// The energy in kilocalories.
    public var calories: Int

    /// Protein in tenths of grams: 372 is 37.2 g.
    public var proteinTenths: Int

    /// Carbohydrate by difference, fiber and sugar included, in tenths of grams.
    public var carbsTenths: Int

    /// Total fat in tenths of grams.
    public var fatTenths: Int

    /// Dietary fiber in tenths of grams.
    public var fiberTenths: Int

    /// Total sugars in tenths of grams.
    public var sugarTenths: Int

    /// Nothing at all, the facts of an empty plate.
    public static let zero = NutritionFacts()

    /// Makes facts from their numbers; what is left out is zero.
    public init(
        calories: Int = 0, proteinTenths: Int = 0, carbsTenths: Int = 0, fatTenths: Int = 0, fiberTenths: Int = 0,
        sugarTenths: Int = 0
    ) {
        self.calories = calories
        self.proteinTenths = proteinTenths
        self.carbsTenths = carbsTenths
        self.fatTenths = fatTenths
        self.fiberTenths = fiberTenths
        self.sugarTenths = sugarTenths
    }

    /// The facts of two portions together.
    public static func + (left: NutritionFacts, right: NutritionFacts) -> NutritionFacts {
        NutritionFacts(
            calories: left.calories + right.calories,
            proteinTenths: left.proteinTenths + right.proteinTenths,
            carbsTenths: left.carbsTenths + right.carbsTenths,
            fatTenths: left.fatTenths + right.fatTenths,
            fiberTenths: left.fiberTenths + right.fiberTenths,
            sugarTenths: left.sugarTenths + right.sugarTenths)
    }

    /// Adds the facts of another portion.
    public static func += (left: inout NutritionFacts, right: NutritionFacts) {
        left = left + right
    }
}
