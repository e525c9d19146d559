import FitIQAPI
import Testing

@testable import Nutrition

extension ParsedMeal {
    var totals: MealNutrients { items.reduce(into: MealNutrients()) { $0 += $1.nutrients } }
}

extension MealItem {
    /// The slug of the food in the table; empty if the table has no food with the item's id.
    var foodKey: String { Self.keys[foodID] ?? "" }
    private static let keys = Dictionary(uniqueKeysWithValues: FoodTable.foods.map { (foodID(ofKey: $0.key), $0.key) })
}

/// Some text with its expected reading: `egg 2 pieces, toast 1 servings`, and the total of calories.
struct ReadMeal: CustomTestStringConvertible {
    let text: String
    let items: String
    let calories: Int
    let unknown: [String]

    init(_ text: String, _ items: String, _ calories: Int, unknown: [String] = []) {
        self.text = text
        self.items = items
        self.calories = calories
        self.unknown = unknown
    }

    var testDescription: String { text }

    func check(sourceLocation: SourceLocation = #_sourceLocation) {
        let meal = MealParser.parse(text)
        let items = meal.items.map { "\($0.foodKey) \(Self.plain($0.quantity)) \($0.unit)" }
        #expect(items.joined(separator: ", ") == self.items, sourceLocation: sourceLocation)
        #expect(meal.totals.calories == calories, sourceLocation: sourceLocation)
        #expect(meal.unknown == unknown, sourceLocation: sourceLocation)
        #expect(!meal.isTruncated, sourceLocation: sourceLocation)
        // Each item notes its unknown words, which lower its confidence.
        for item in meal.items {
            #expect((item.confidence <= 0.7) || unknown.isEmpty, sourceLocation: sourceLocation)
            #expect(item.notes?.contains("Not recognized") ?? false == !unknown.isEmpty, sourceLocation: sourceLocation)
        }
    }

    private static func plain(_ quantity: Double) -> String {
        quantity == quantity.rounded() ? "\(Int(quantity))" : "\(quantity)"
    }
}
