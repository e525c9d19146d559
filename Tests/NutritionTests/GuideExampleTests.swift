import FitIQAPI
import Testing

@testable import Nutrition

/// The figures that the guides print, to the last digit.
@Suite("The guides' examples")
struct GuideExampleTests {
    private static func item(
        _ key: String, _ name: String, _ amount: String, quantity: Double, unit: String, _ nutrients: MealNutrients,
        notes: String? = nil
    ) -> MealItem {
        MealItem(
            foodID: MealItem.foodID(ofKey: key), name: name, quantity: quantity, unit: unit, amountText: amount,
            nutrients: nutrients, confidence: 0.95, notes: notes, foodType: .food)
    }

    static let single: KeyValuePairs<String, MealItem> = [
        "2 eggs": item(
            "egg", "Eggs", "2", quantity: 2, unit: "pieces",
            MealNutrients(calories: 140, proteinTenths: 120, fatTenths: 100)),
        "120g chicken breast": item(
            "chicken-breast", "Chicken Breast", "120g", quantity: 120, unit: "grams",
            MealNutrients(calories: 198, proteinTenths: 372, fatTenths: 43), notes: "Grilled, skinless"),
    ]

    @Test("A meal of one food has the guide's facts", arguments: single)
    func facts(text: String, item: MealItem) { #expect(MealParser.parse(text).items == [item]) }

    @Test("2 eggs and toast have 290 kcal and 16.0 g protein")
    func eggsAndToast() {
        let meal = MealParser.parse("2 eggs and toast")
        #expect(meal.items.map(\.name) == ["Eggs", "Toast"] && meal.totals.calories == 290)
        #expect(meal.totals.proteinTenths == 160 && meal.items.last?.notes == "Assumed one serving (2 slices, 57 g)")
    }

    @Test("2 eggs and toast with butter has a third item")
    func placeholder() {
        #expect(MealParser.parse("2 eggs and toast with butter").items.map(\.foodKey) == ["egg", "toast", "butter"])
    }
}
