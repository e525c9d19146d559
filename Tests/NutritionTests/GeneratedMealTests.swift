import Foundation
import Nutrition
import TestSupport
import Testing

@Suite("Generated meals")
struct GeneratedMealTests {
    /// The number of meals; `FITIQ_MOCK_MEALS=100000` reads more of them.
    private static let count = ProcessInfo.processInfo.environment["FITIQ_MOCK_MEALS"].flatMap { Int($0) } ?? 2000

    @Test("The parser reads a generated meal as the parts it was built from", arguments: 1...4)
    func parts(seed: UInt64) {
        var draw = Draw(seed: seed)
        for _ in 0..<Self.count / 4 {
            let meal = GeneratedMeal(&draw)
            if let mistake = meal.mistake(in: MealParser.parse(meal.text)) {
                Issue.record("\(meal.text.debugDescription): \(mistake)")
            }
        }
    }
}
