/// How much of a food a text gives.
struct Amount: Equatable, Sendable {
    var value: Double
    /// What is counted, or nil where the text only counts.
    var unit: MealUnit?
    /// The amount's own words.
    var text: String
    /// What had to be assumed to read it.
    var assumption: Assumption?

    /// What an amount was taken for.
    enum Assumption: Equatable, Sendable {
        /// A range was averaged.
        case mean(of: Double, and: Double)
        /// A vague word was read as a number: `a few`.
        case vague(String, as: Double)
        /// A comma was read as a decimal point.
        case decimalComma(String, as: Double)
        /// A unit was only roughly one: `a mug`.
        case roughUnit(String, as: MealUnit)
        /// Some of something that is counted: `slices of bacon`.
        case one(String)
    }
}
