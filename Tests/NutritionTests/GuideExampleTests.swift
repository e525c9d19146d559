import FitIQAPI
import Testing

@testable import Nutrition

/// The figures that the guides print, to the last digit.
@Suite("The guides' examples")
struct GuideExampleTests {
    @Test("2 eggs have 140 kcal and count as one item")
    func eggs() throws {
        let meal = MealParser.parse("2 eggs")
        let item = try #require(meal.items.first)
        #expect(meal.items.count == 1)
        #expect(meal.totals == MealNutrients(calories: 140, proteinTenths: 120, fatTenths: 100))
        #expect(item.name == "Eggs")
        #expect(item.quantity == 2)
        #expect(item.unit == "pieces")
        #expect(item.amountText == "2")
        #expect(item.confidence == 0.95)
        #expect(item.notes == nil)
    }

    @Test("2 eggs and toast have 290 kcal and 16.0 g protein")
    func eggsAndToast() {
        let meal = MealParser.parse("2 eggs and toast")
        #expect(meal.items.map(\.name) == ["Eggs", "Toast"])
        #expect(meal.totals.calories == 290)
        #expect(meal.totals.proteinTenths == 160)
        #expect(meal.items.last?.notes == "Assumed one serving (2 slices, 57 g)")
    }

    @Test("2 scrambled eggs form one item")
    func scrambledEggs() {
        let meal = MealParser.parse("2 scrambled eggs")
        #expect(meal.items.map(\.name) == ["Scrambled Eggs"])
        #expect(meal.items.map(\.foodKey) == ["scrambled-egg"])
        #expect(meal.totals.calories > 0)
    }

    @Test("120g chicken breast has the guide's facts")
    func chickenBreast() {
        #expect(
            MealParser.parse("120g chicken breast").items == [
                MealItem(
                    foodID: MealItem.foodID(ofKey: "chicken-breast"), name: "Chicken Breast", quantity: 120,
                    unit: "grams",
                    amountText: "120g",
                    nutrients: MealNutrients(
                        calories: 198, proteinTenths: 372, carbsTenths: 0, fatTenths: 43, fiberTenths: 0,
                        sugarTenths: 0),
                    confidence: 0.95, notes: "Grilled, skinless", foodType: .food)
            ])
    }

    @Test("2 eggs and toast with butter has a third item")
    func placeholder() {
        #expect(MealParser.parse("2 eggs and toast with butter").items.map(\.foodKey) == ["egg", "toast", "butter"])
    }
}
