/// Why no foods could be made of a meal log's text: what a failed log and its event say.
public struct MealLogFailure: Equatable, Sendable {
    /// What went wrong, for the app's user: `error_message`, and `error` in websocket-architecture.
    public var message: String
    /// Why, in a sentence without a full stop, as websocket-architecture prints it.
    public var details: String

    /// Makes a failure.
    ///
    /// - Parameter details: nil says the message again: websocket-architecture's event requires them.
    public init(message: String = "Failed to parse meal input", details: String? = nil) {
        self.message = message
        self.details = details ?? message
    }

    /// The text names no food that the backend knows (websocket-architecture, meal_log.failed).
    public static let noFood = MealLogFailure(details: "Could not identify any food items in the input")

    /// The text names more foods than a log holds.
    public static func tooManyFoods(limit: Int) -> MealLogFailure {
        MealLogFailure(
            details: "The input names more than \(limit) food items, the limit of a meal log; split it into several")
    }

    /// The fake holds as much as it is willing to.
    public static func storeFull(limit: Int) -> MealLogFailure {
        MealLogFailure(
            details: "This server holds its limit of \(limit) bytes, so the items were not stored; "
                + "they live in memory only: restart it to begin anew")
    }
}
