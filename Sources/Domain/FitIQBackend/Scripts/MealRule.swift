import FitIQAPI

/// What becomes of a meal log whose text fits; the first rule that fits is taken, the built-in parser where none does.
public struct MealRule: Sendable, Equatable {
    /// What the text says; nil for anything.
    public var text: TextMatch?
    /// Which meals; empty for any.
    public var mealTypes: Set<MealType>
    /// How long processing takes, in nanoseconds; nil for the usual 2.0 to 4.5 s.
    public var duration: Int64?
    /// What processing ends with.
    public var outcome: Outcome

    /// What processing ends with.
    public enum Outcome: Sendable, Equatable {
        /// What the built-in parser makes of the text.
        case parsed
        /// These foods; their ids are made from the log's.
        case completed([Item])
        /// A failure, with the guide's details where given.
        case failed(message: String, details: String?)
        /// It never ends.
        case never
    }

    /// A food, in the units of the wire.
    public struct Item: Sendable, Equatable {
        /// `food_name`.
        public var name: String
        /// `quantity` and `unit`.
        public var quantity: Double
        /// `unit`.
        public var unit: String
        /// Calories, and the other nutrients.
        public var nutrients: MealNutrients
        /// `confidence_score`, from 0 to 1.
        public var confidence: Double
        /// `parsing_notes`.
        public var notes: String?

        /// Makes a food.
        public init(
            name: String, quantity: Double, unit: String, nutrients: MealNutrients, confidence: Double = 1,
            notes: String? = nil
        ) {
            self.name = name
            self.quantity = quantity
            self.unit = unit
            self.nutrients = nutrients
            self.confidence = confidence
            self.notes = notes
        }
    }

    /// Makes a rule; one without conditions fits every meal.
    public init(
        text: TextMatch? = nil, mealTypes: Set<MealType> = [], duration: Int64? = nil, outcome: Outcome = .parsed
    ) {
        self.text = text
        self.mealTypes = mealTypes
        self.duration = duration
        self.outcome = outcome
    }
}
