import FitIQAPI
import FitIQBackend
import JSON

extension MealLogData {
    func write(into writer: inout JSONWriter) {
        writer.member("id", ifPresent: id?.description)
        writer.member("text", rawInput)
        writer.member("meal_type", mealType.rawValue)
        switch progress {
        case .processing:
            writer.member("status", MealLogStatus.processing.rawValue)
        case .parsed:
            writer.member("status", MealLogStatus.completed.rawValue)
        case .completed(let items):
            // Even an empty list: without one, the parser would be asked.
            writer.member("status", MealLogStatus.completed.rawValue)
            writer.lines("items", items) { $1.write(into: &$0) }
        case .foods(let foods):
            writer.member("status", MealLogStatus.completed.rawValue)
            writer.lines("items", foods) { $1.write(into: &$0) }
        case .failed(let failure):
            writer.member("status", MealLogStatus.failed.rawValue)
            writer.member("error", failure.message)
            writer.member("details", ifPresent: failure.details)
        }
        writer.member("logged_at", ifPresent: loggedAt?.wireText)
        writer.time("created_at", createdAt)
        writer.time("finished_at", finishedAt)
    }
}

extension MealLogItem {
    fileprivate func write(into writer: inout JSONWriter) {
        writer.member("id", id.description)
        writer.member("food_id", foodID.description)
        writer.member("name", name)
        writer.member("quantity", quantity)
        writer.member("unit", ifPresent: unit)
        writer.member("amount", ifPresent: amountText)
        nutrients.write(into: &writer)
        writer.member("confidence", confidence)
        writer.member("notes", ifPresent: notes)
    }
}

extension MealRule.Item {
    fileprivate func write(into writer: inout JSONWriter) {
        writer.member("name", name)
        writer.member("quantity", quantity)
        writer.member("unit", ifPresent: unit)
        nutrients.write(into: &writer)
        writer.member("confidence", confidence)
        writer.member("notes", ifPresent: notes)
    }
}

extension MealNutrients {
    fileprivate func write(into writer: inout JSONWriter) {
        writer.member("calories", calories)
        writer.member("protein", tenths: proteinTenths)
        writer.member("carbs", tenths: carbsTenths)
        writer.member("fat", tenths: fatTenths)
        writer.member("fiber", tenths: fiberTenths)
        writer.member("sugar", tenths: sugarTenths)
    }
}
