/// The reading of a text.
public struct ParsedMeal: Equatable, Hashable, Sendable {
    /// The foods in the order of the text, at most `MealParser.maximumItems`; empty if none was recognised.
    public var items: [MealItem]

    /// The words that name no known food, as typed, at most `MealParser.maximumUnknownWords`.
    public var unknown: [String]

    /// Whether the text names more foods than `MealParser.maximumItems`; the rest is not read.
    public var isTruncated: Bool

    /// The sum of the items' facts.
    public var totals: NutritionFacts { items.reduce(into: .zero) { $0 += $1.facts } }

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

    /// The name of the food in title case, with the adjectives of the text: `Scrambled Eggs`.
    public var name: String

    /// The number of `unit`: greater than zero, finite, rounded to hundredths.
    public var quantity: Double

    /// The unit, always in the plural: `grams`, `cups`, `slices`, `pieces`, `servings`.
    ///
    /// One of the table's units: weights from milligrams to pounds, volumes from milliliters to liters and from
    /// teaspoons to cups, pints and fluid ounces, vessels such as bowls and cans, `slices`, `pieces`, `handfuls`,
    /// `scoops`, `servings`.
    public var unit: String

    /// The amount in the words of the text: `120g`, `half a`, `1 1/2 cups`; `1` if the text gives none.
    public var amountText: String

    /// The facts of this amount of the food.
    public var facts: NutritionFacts

    /// The confidence in the reading, from 0 to 1 with two decimals; 0.95 if nothing was assumed.
    public var confidence: Double

    /// The preparation and the assumptions, or nil if there are none.
    public var notes: String?

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

/// The contents of a portion or a meal: energy in whole kilocalories, the rest in tenths of grams.
///
/// Integers make the totals of a meal exactly the sum of its items.
public struct NutritionFacts: Equatable, Hashable, Sendable {
    public var calories: Int

    /// Protein in tenths of grams: 372 is 37.2 g.
    public var proteinTenths: Int

    /// Carbohydrate by difference, fiber and sugar included, in tenths of grams.
    public var carbsTenths: Int

    public var fatTenths: Int

    public var fiberTenths: Int

    public var sugarTenths: Int

    public static let zero = NutritionFacts()

    /// Creates facts from numbers; omitted ones are zero.
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

    public static func + (left: NutritionFacts, right: NutritionFacts) -> NutritionFacts {
        NutritionFacts(
            calories: left.calories + right.calories,
            proteinTenths: left.proteinTenths + right.proteinTenths,
            carbsTenths: left.carbsTenths + right.carbsTenths,
            fatTenths: left.fatTenths + right.fatTenths,
            fiberTenths: left.fiberTenths + right.fiberTenths,
            sugarTenths: left.sugarTenths + right.sugarTenths)
    }

    public static func += (left: inout NutritionFacts, right: NutritionFacts) {
        left = left + right
    }
}
