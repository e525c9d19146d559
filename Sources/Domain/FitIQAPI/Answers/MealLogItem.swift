/// One food of a meal log, as the backend worked it out.
public struct MealLogItem: Equatable, Sendable {
    /// Issued by the backend.
    public var id: ResourceID
    /// The food in the backend's table: the same food has the same id in every log and every world.
    public var foodID: ResourceID
    /// The food for people: "Scrambled Eggs".
    public var name: String
    /// How many of the unit; finite.
    public var quantity: Double
    /// What is counted: "grams", "cups", "pieces".
    public var unit: String
    /// The amount in the input's own words, "120g", which websocket-architecture calls the quantity.
    public var amountText: String
    /// What this amount contains.
    public var nutrients: MealNutrients
    /// How sure the backend is, from 0 to 1.
    public var confidence: Double
    /// What was assumed; nil where there is nothing to say.
    public var notes: String?

    /// Makes an item from its parts.
    public init(
        id: ResourceID, foodID: ResourceID, name: String, quantity: Double, unit: String, amountText: String,
        nutrients: MealNutrients, confidence: Double, notes: String?
    ) {
        self.id = id
        self.foodID = foodID
        self.name = name
        self.quantity = quantity
        self.unit = unit
        self.amountText = amountText
        self.nutrients = nutrients
        self.confidence = confidence
        self.notes = notes
    }
}
