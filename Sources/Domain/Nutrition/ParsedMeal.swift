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
