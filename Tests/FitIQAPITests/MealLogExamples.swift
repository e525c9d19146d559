@testable import FitIQAPI

/// Meal logs as the guides describe them, in each status.
enum MealLogExamples {
    /// Seconds after ``Timestamp/example``.
    static func time(_ seconds: Int64) -> Timestamp { .example.advanced(byNanoseconds: seconds * 1_000_000_000) }

    static let chicken = MealItem(
        id: .numbered(11), foodID: .numbered(21), name: "Chicken Breast", quantity: 120, unit: "grams",
        amountText: "120g", nutrients: MealNutrients(calories: 198, proteinTenths: 372, fatTenths: 43),
        confidence: 0.95, notes: "Grilled, skinless")
    static let toast = MealItem(
        id: .numbered(12), foodID: .numbered(22), name: "Toast", quantity: 0.5, unit: "servings", amountText: "half a",
        nutrients: MealNutrients(
            calories: 75, proteinTenths: 20, carbsTenths: 133, fatTenths: 1, fiberTenths: 7, sugarTenths: 12),
        confidence: 0.8, notes: nil)

    /// A meal log dated 15 minutes before the request and processed in three seconds.
    static func log(_ progress: MealLog.Progress = .processing, input: String = "120g chicken breast") -> MealLog {
        var log = MealLog(
            id: .numbered(1), userID: "user-1", rawInput: input, mealType: .lunch,
            loggedAt: DateTime(secondsSinceEpoch: Timestamp.example.secondsSinceEpoch - 900), createdAt: .example)
        log.progress = progress
        return log
    }

    static let processing = log()
    static let completed = log(.completed([chicken], at: time(3)))
    static let mixed = log(.completed([chicken, toast], at: time(3)), input: "120g chicken breast & half a toast")
    static let failed = log(.failed(.noFood, at: time(3)), input: "\"qwerty\"")
}
