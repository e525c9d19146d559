import FitIQAPI
import Testing

@testable import Nutrition

extension ParsedMeal {
    var totals: MealNutrients { items.reduce(into: MealNutrients()) { $0 += $1.nutrients } }

    /// The reading as text: `egg 2 pieces, toast 1 servings = 290 kcal; unknown: zork`.
    var reading: String {
        func plain(_ quantity: Double) -> String { quantity == quantity.rounded() ? "\(Int(quantity))" : "\(quantity)" }
        let foods = items.map { "\($0.foodKey) \(plain($0.quantity)) \($0.unit)" }.joined(separator: ", ")
        return (items.isEmpty ? "nothing" : "\(foods) = \(totals.calories) kcal")
            + (unknown.isEmpty ? "" : "; unknown: \(unknown.joined(separator: ", "))")
    }
}

extension MealItem {
    /// The slug of the food in the table; empty if the table has no food with the item's id.
    var foodKey: String { Self.keys[foodID] ?? "" }
    private static let keys = Dictionary(uniqueKeysWithValues: FoodTable.foods.map { (foodID(ofKey: $0.key), $0.key) })
}

/// Some text with its expected reading.
struct ReadMeal: CustomTestStringConvertible {
    let text: String
    let reading: String

    var testDescription: String { text }

    /// A row is a reading, and the texts that are read so.
    static func table(_ rows: KeyValuePairs<String, [String]>) -> [ReadMeal] {
        rows.flatMap { reading, texts in texts.map { ReadMeal(text: $0, reading: reading) } }
    }

    func check(sourceLocation: SourceLocation = #_sourceLocation) {
        let meal = MealParser.parse(text)
        #expect((meal.reading, meal.isTruncated) == (reading, false), sourceLocation: sourceLocation)
        // Each item notes the meal's unknown words, which lower its confidence.
        for item in meal.items {
            #expect(item.confidence <= 0.7 || meal.unknown.isEmpty, sourceLocation: sourceLocation)
            let isNoted = item.notes?.contains("Not recognized") ?? false
            #expect(isNoted == !meal.unknown.isEmpty, sourceLocation: sourceLocation)
        }
    }
}
