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
