import FitIQAPI
import Foundation

extension ServerAnswers {
    /// A meal log's state.
    enum Meal: CaseIterable {
        case processing, completed, failed
    }

    /// The meal in both guides' examples: 120 g of chicken breast.
    static func log(_ meal: Meal) throws -> MealLog {
        var log = try MealLog(
            id: resourceID, userID: "user-1", rawInput: "120g chicken breast", mealType: .lunch,
            loggedAt: DateTime(now), createdAt: now)
        let later = Timestamp(secondsSinceEpoch: now.secondsSinceEpoch + 3)
        switch meal {
        case .processing: break
        case .failed: log.progress = .failed(.noFood, at: later)
        case .completed:
            let item = try MealItem(
                id: resourceID, foodID: resourceID, name: "Chicken Breast", quantity: 120, unit: "grams",
                amountText: "120g",
                nutrients: MealNutrients(calories: 198, proteinTenths: 372, fatTenths: 43), confidence: 0.95,
                notes: "Grilled, skinless")
            log.progress = .completed([item], at: later)
        }
        return log
    }

    /// The answer to a create or get request.
    static func mealLog(_ meal: Meal, in mode: GuideMode = .union) throws -> Data {
        let (form, log) = (mode.form(of: .showMealLog), try log(meal))
        return Data(log.body(of: log.object(in: form), in: form))
    }

    /// The frame for a completed or failed log.
    static func mealEvent(_ meal: Meal, in mode: GuideMode = .union) throws -> Data {
        struct StillProcessing: Error {}
        guard let frame = MealLogEvent.frame(of: try log(meal), in: mode) else { throw StillProcessing() }
        return Data(frame)
    }
}
